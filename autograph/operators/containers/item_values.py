"""Items as kinds and leaves: what an item is, and what it has in each column of its kind.

Comes in: an item, as the program has it. Goes out: its kind, and its leaves; or an error that says
what no graph holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import partial, reduce
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.handles import Handle, is_inner
from autograph.operators.containers.item_kinds import (
    ItemKind,
    Slot,
    kind_of_slots,
    kind_of_specs,
    number_kind,
    recast_leaves,
)
from autograph.operators.containers.kind_joins import joined_kind
from autograph.operators.containers.makers import empty_like
from autograph.operators.containers.markers import Marker
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.variants import VariantKind
from autograph.staging.births import check_item
from autograph.staging.context import trace_now
from autograph.staging.number_join import union_of
from autograph.staging.text_join import as_one_text
from runtime import trees
from runtime.dtypes import as_dtype, is_string
from runtime.errors import MutationError
from runtime.number_union import NONE_SPEC, spec_of_option
from runtime.opaque import Opaque, symbol_of
from runtime.spec import TensorSpec
from runtime.state.variable import Variable
from runtime.text_methods import ONE
from runtime.texts import StagedText
from runtime.union import Choice, Known, Missing, is_cell, is_numeric, leaf_spec, values_of


def plain_leaves(item: Any) -> tuple[Sequence[Any], trees.Structure]:
    """Return the leaves of an item, a text, None and what may be several things each as one."""
    leaves, structure = trees.flatten_to(item, lambda x: type(x) in _WHOLE)
    return trees.flatten_to(trees.unflatten(structure, map(as_one_text, leaves)), _is_leaf)


_WHOLE = (StagedText, Choice, Variable, Opaque)
"""Classes of nodes that are one part of an item."""


def _is_leaf(x: Any) -> bool:
    """Tell whether something is one part of an item; what has no parts has a column so, too."""
    return x is None or (isinstance(x, tuple) and not x) or type(x) in (Choice, Variable, Opaque)


def slot_of_leaf(leaf: Any) -> Slot:
    """Return what a leaf of an item is, which is no choice."""
    if leaf is None:
        return number_kind([NONE_SPEC])
    if _is_known(leaf):
        return VariantKind((Known(leaf),))
    union = union_of(leaf)
    if type(union) is Choice:
        return number_kind(map(spec_of_option, union._options))
    return leaf_spec(leaf)


def _kind_of_choice(choice: Choice) -> ItemKind:
    """Return what holds whatever a choice may be."""
    kinds = [kind_of("item", x) for x in values_of(choice) if not isinstance(x, Missing)]
    return reduce(partial(joined_kind, "item"), kinds)


def _parts_of_leaf(leaf: Any) -> Sequence[Any]:
    """Return what a leaf of an item has in the columns of its kind."""
    if leaf is None:
        return False, 0
    if type(leaf) is Choice:
        return _parts_of_choice(leaf, _kind_of_choice(leaf))
    slot = slot_of_leaf(leaf)
    if isinstance(slot, VariantKind):
        return (0,)
    if isinstance(slot, TensorSpec):
        return (leaf,)
    union, dtype = union_of(leaf), as_dtype(slot.dtype)
    number = leaf
    if leaf.spec.dtype != dtype:
        number = Choice.each(union, lambda x: rnp.asarray(x, dtype))
    return number, union._which, *slot.beside(union)


def _parts_of_choice(choice: Choice, kind: ItemKind) -> Sequence[Any]:
    """Return what a choice has in the columns of a kind that holds what it may be."""

    def parts_of(option: Any) -> Any:
        parts = recast_leaves(flat_item(option), kind_of("item", option), kind)
        return tuple(map(_as_leaf, parts, kind.specs))

    found = Choice.each(choice, parts_of)
    return [trees.flatten(x)[0][0] if type(x) is StagedText else x for x in found]


def _as_leaf(x: Any, spec: TensorSpec) -> Any:
    """Return a leaf as all options have it, a text as one."""
    if is_string(spec.dtype):
        return as_one_text(x if type(x) is str else StagedText(ONE, (x,)))
    return rnp.asarray(x, spec.dtype)[()] if spec.shape == () else x


def flat_item(item: Any) -> Sequence[Any]:
    """Return what an item has in each column of its kind."""
    return [part for leaf in plain_leaves(item)[0] for part in _parts_of_leaf(leaf)]


def kind_of(what: str, item: Any) -> ItemKind:
    """Return what an item of a list is; MutationError when it cannot be part of a graph.

    Args:
        what: what messages call the list: its class and its name.
        item: the item.
    """
    leaves, structure = plain_leaves(trees.map_tree(_as_handle, item, is_inner))
    for leaf in leaves:
        if not (is_numeric(leaf) or leaf is None or type(leaf) is Choice or _is_known(leaf)):
            raise MutationError(
                f"an item of the {what}, which a staged branch or loop changes, is or holds "
                f"{_described(leaf)}. It may hold numbers, texts, arrays and tuples of them; "
                "append a number that stands for it"
            )
        if type(leaf) is int and leaf.bit_length() > 63:
            raise MutationError(
                f"an item of the {what}, which a staged branch or loop changes, is {leaf}, and its "
                "integers would have 64 bits. Use floats, or change the list outside of the graph"
            )
        if is_cell(leaf) and not is_string(leaf_spec(leaf).dtype):
            raise MutationError(
                f"an item of the {what}, which a staged branch or loop changes, is or holds an "
                "array without dimensions, and would become a number. Append x[()], which is one, "
                "or an array of one element"
            )
    if not any(type(leaf) is Choice for leaf in leaves):
        return kind_of_slots(list(map(slot_of_leaf, leaves)), structure)
    kinds = [kind_of(what, x) if type(x) is not Choice else _kind_of_choice(x) for x in leaves]
    parts = [trees.unflatten(kind.structure, kind.specs) for kind in kinds]
    return kind_of_specs(trees.unflatten(structure, parts))


def _as_handle(leaf: Any) -> Any:
    """Return what stands for a container among the parts of an item; anything else as it is."""
    if not is_inner(leaf):
        return leaf
    staged = staged_list(leaf)
    return Handle(empty_like(leaf), 0) if staged is None or staged.home is None else staged.home


def _is_known(leaf: Any) -> bool:
    """Tell whether a leaf is no value of a graph, and stands for itself; TryAgain on the heap."""
    if type(leaf) is Opaque:  # each round makes another
        return symbol_of(leaf).builder.parent is None
    if type(leaf) is Variable:
        return True
    if leaf is None or is_numeric(leaf) or isinstance(leaf, Marker) or type(leaf) is Choice:
        return False
    check_item(leaf)
    return _is_the_same_in_each_round(leaf)


def _is_the_same_in_each_round(leaf: Any) -> bool:
    """Tell whether a value is what plain Python has there, whenever the graph comes there.

    An object or a closure that the trace makes is one, where plain Python makes many.
    """
    trace = trace_now()
    if isinstance(leaf, FunctionType):
        return leaf.__closure__ is None
    if isinstance(leaf, BuiltinFunctionType):
        return leaf.__self__ is None or isinstance(leaf.__self__, ModuleType)
    if isinstance(leaf, _LASTING):
        return True
    is_callers = trace is not None and id(leaf) in trace.callers
    hashed_by: Any = type(leaf).__hash__
    has_a_value = hashed_by not in (None, object.__hash__)
    return is_callers or (has_a_value and not isinstance(leaf, MethodType))


_LASTING = (type, ModuleType, Enum, np.ufunc)


def _described(leaf: Any) -> str:
    if isinstance(leaf, Marker):
        return f"the {leaf.staged.what}"
    return f"{leaf!r} ({type(leaf).__name__})"
