"""What the items of a staged container have in common: a structure, and a column for each leaf.

    item   = any tree of numbers, texts and arrays
    slot   = spec                                   a number of one class, or an array
           | classes, number, which, beside...      a number of several classes, or None

A number that is an `int` in one item and an `np.float64` in another is a `ClassedNumber`, as in the
state of a loop: a column of a dtype for all of them, one that says which class each has, and one
for each class whose numbers that dtype does not hold. None is such a class, which has no number. So
whatever moves items moves columns, and knows nothing of classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.handles import Handle
from autograph.staging.classed_number import ClassedNumber, NumberKind, is_classed
from autograph.staging.context import trace_now
from autograph.staging.number_join import closed, union_of
from autograph.staging.strictness import is_strict
from autograph.staging.text_join import as_one_text, renumbered
from runtime import default_graph, trees
from runtime.dispatch import as_known
from runtime.dtypes import as_dtype, dtype_name, is_string
from runtime.number_union import NONE, NONE_SPEC, is_optional, spec_of_option
from runtime.spec import WEAK_SPECS, TensorSpec, join_specs, make_spec
from runtime.texts import StagedText
from runtime.union import Choice, Known, Option, leaf_spec, values_of

Slot = TensorSpec | NumberKind


class ItemKind(NamedTuple):
    """What the items of a list have in common: their structure, and the specs of their leaves.

    Args:
        structure: the tree that an item is.
        specs: of its leaves.
    """

    structure: Any
    specs: tuple[TensorSpec, ...]

    def __str__(self) -> str:
        if self.structure is None:
            return "nothing"
        slots, structure = slots_of(self)
        return trees.fold(structure, list(map(_described, slots)), _shown)


def _described(slot: Slot) -> str:
    return " or ".join("None" if x == NONE_SPEC else str(x) for x in classes_of(slot))


def _shown(cls: type, data: Any, texts: Sequence[str]) -> str:
    if cls is StagedText:
        return "str"
    if cls is Handle:
        return repr(Handle(data, None))
    return cls.__name__ if trees.is_reference(cls) else trees.show_node(cls, data, texts)


NOTHING = ItemKind(None, ())
"""What the items of a list are that never had any."""


def is_mixed(kind: ItemKind) -> bool:
    """Tell whether items have numbers of several classes in one place."""
    entries = () if kind == NOTHING else kind.structure.entries
    return any(entry is not None and entry[0] is ClassedNumber for entry in entries)


def is_of_numbers(kind: ItemKind) -> bool:
    """Tell whether items are numbers of one class."""
    is_leaf = kind.structure == trees.LEAF and kind.specs[0].shape == ()
    return is_leaf and kind.specs[0].dtype.kind in "biufc"


def slots_of(kind: ItemKind) -> tuple[list[Slot], trees.Structure]:
    """Return what stands at each place of an item, and the structure that has these places."""
    item = trees.unflatten(kind.structure, kind.specs)
    leaves, structure = trees.flatten_to(item, is_classed)
    return [x.kind if is_classed(x) else x for x in leaves], structure


def kind_of_slots(slots: Sequence[Slot], structure: trees.Structure) -> ItemKind:
    """Return the kind of items that have these slots."""
    leaves = [_classed(x, specs_of(x)) if type(x) is NumberKind else x for x in slots]
    specs, whole = trees.flatten(trees.unflatten(structure, leaves))
    return ItemKind(whole, specs)


def _classed(kind: NumberKind, parts: Sequence[Any]) -> ClassedNumber:
    return ClassedNumber(kind, parts[0], parts[1], parts[2:])


def specs_of(slot: Slot) -> tuple[TensorSpec, ...]:
    """Return the specs of the leaves of a slot."""
    if isinstance(slot, TensorSpec):
        return (slot,)
    number = make_spec(as_dtype(slot.dtype), (), slot.weak)
    return number, WEAK_SPECS[int], *_apart(slot)


def _apart(kind: NumberKind) -> list[TensorSpec]:
    """Return the classes whose numbers stand in columns of their own."""
    pairs = zip(classes_of(kind), kind.is_beside, strict=True)
    return [spec for spec, is_beside in pairs if is_beside]


def classes_of(slot: Slot) -> list[TensorSpec]:
    """Return what a slot may be."""
    return [slot] if isinstance(slot, TensorSpec) else list(map(spec_of_option, slot.options))


def by_class(slot: Slot, parts: Sequence[Any]) -> dict[TensorSpec, Any]:
    """Return for each class where its numbers stand, among the columns or leaves of a slot."""
    if isinstance(slot, TensorSpec):
        return {slot: parts[0]}
    beside = dict(zip(_apart(slot), parts[2:], strict=True))
    return {spec: beside.get(spec, parts[0]) for spec in classes_of(slot)}


def joined_slot(a: Slot, b: Slot) -> Slot | None:
    """Return what holds what either slot does, or None: arrays and texts are of one spec."""
    if a == b:
        return a
    if is_strict() and isinstance(a, TensorSpec) and isinstance(b, TensorSpec):
        return _joined_spec(a, b)
    if isinstance(a, TensorSpec) and isinstance(b, TensorSpec) and a.shape and b.shape:
        return _open_spec(a, b)
    classes = {*classes_of(a), *classes_of(b)}
    return _number_kind(classes) if all(map(_is_number, classes)) else None


def _open_spec(a: TensorSpec, b: TensorSpec) -> TensorSpec | None:
    """Return what arrays are of which a size is known later, or None: known ones are the same."""
    joined = join_specs(a, b)
    if joined is None or a.dtype != b.dtype or len(a.shape or ()) != len(b.shape or ()):
        return None
    sizes = zip(a.shape or (), b.shape or (), strict=True)
    fits = all(m == n or not (isinstance(m, int) and isinstance(n, int)) for m, n in sizes)
    return joined if fits else None


def is_open(sizes: Sequence[Any] | None) -> bool:
    """Tell whether a size is known only when the graph runs."""
    return any(not isinstance(n, int) for n in sizes or ())


def _joined_spec(a: TensorSpec, b: TensorSpec) -> TensorSpec | None:
    joined = join_specs(a, b)
    if joined is None or a.shape != b.shape:
        return None
    fits = all(np.can_cast(spec.dtype, joined.dtype) for spec in (a, b))
    return joined if fits else None


def may_be_none(slot: Slot) -> bool:
    """Tell whether None is among what a slot may be."""
    return NONE_SPEC in classes_of(slot)


def _is_number(spec: TensorSpec) -> bool:
    return spec.shape == () and not is_string(spec.dtype)


def _number_kind(classes: Iterable[TensorSpec]) -> NumberKind:
    """Return a number of several classes of which nothing else is known."""
    specs = sorted(classes, key=lambda spec: (not spec.weak, spec.dtype.num))
    dtypes = [spec.dtype for spec in specs if spec != NONE_SPEC]
    dtype = np.result_type(*dtypes or [np.dtype(bool)])
    options = tuple(_option(spec) for spec in specs)
    known = tuple(Known(None) if spec == NONE_SPEC else None for spec in specs)
    weak = all(spec.weak for spec in specs)
    trace = trace_now()
    assert trace is not None
    trace.choices.append(options)
    return NumberKind(dtype_name(dtype), weak, options, known)


def _option(spec: TensorSpec) -> Option:
    if spec == NONE_SPEC:
        return NONE
    return Option(trees.LEAF, (), (0,), ((spec.dtype, spec.weak, False),))


def plain_leaves(item: Any) -> tuple[Sequence[Any], trees.Structure]:
    """Return the leaves of an item, a text, None and what may be None each as one, and the rest."""
    leaves, structure = trees.flatten_to(item, lambda x: type(x) in (StagedText, Choice))
    return trees.flatten_to(trees.unflatten(structure, map(as_one_text, leaves)), _may_be_none)


def _may_be_none(leaf: Any) -> bool:
    return leaf is None or (type(leaf) is Choice and is_optional(leaf))


def parts_of_leaf(leaf: Any) -> tuple[Slot, Sequence[Any]]:
    """Return what a leaf of an item is, and what it is made of."""
    if leaf is None:
        return _number_kind([NONE_SPEC]), (False, 0)
    if type(leaf) is Choice:
        return _parts_of_choice(leaf)
    union = union_of(leaf)
    if type(union) is not Choice:
        return leaf_spec(leaf), (leaf,)
    kind = _number_kind(map(spec_of_option, union._options))
    dtype = as_dtype(kind.dtype)
    number = leaf
    if leaf.spec.dtype != dtype:
        number = Choice.each(union, lambda x: rnp.asarray(x, dtype))
    return kind, (number, union._which, *kind.beside(union))


def _parts_of_choice(choice: Choice) -> tuple[Slot, Sequence[Any]]:
    """Return what a choice between None and numbers is made of."""
    slots = [parts_of_leaf(x)[0] for x in values_of(choice)]
    slot = _number_kind({spec for one in slots for spec in classes_of(one)})
    dtypes = [spec.dtype for spec in specs_of(slot)]

    def parts_of(option: Any) -> Any:
        old, row = parts_of_leaf(option)
        parts = row if old == slot else _recast_slot(row, old, slot, None)
        pairs = zip(parts, dtypes, strict=True)
        return tuple(rnp.asarray(x, dtype)[()] for x, dtype in pairs)

    return slot, Choice.each(choice, parts_of)


def flat_item(item: Any) -> Sequence[Any]:
    """Return what an item has in each column of its kind."""
    return [part for leaf in plain_leaves(item)[0] for part in parts_of_leaf(leaf)[1]]


def made_of(kind: ItemKind, leaves: Sequence[Any]) -> Any:
    """Return the item that has these leaves, as the program sees it."""
    item = trees.unflatten(kind.structure, leaves)
    return closed(item) if is_mixed(kind) else item


def recast_leaves(leaves: Sequence[Any], source: ItemKind, target: ItemKind) -> Sequence[Any]:
    """Return the leaves of an item as those of a kind that holds it; an array casts them."""
    return _recast(leaves, source, target, None)


def recast_columns(
    columns: Sequence[Any], length: Any, source: ItemKind, target: ItemKind
) -> Sequence[Any]:
    """Return columns of so many rows as those of a kind that holds their items."""
    return _recast(columns, source, target, length)


def _recast(parts: Sequence[Any], source: ItemKind, target: ItemKind, length: Any) -> Sequence[Any]:
    if source == target:
        return parts
    rest, found = iter(parts), list[Any]()
    for old, new in zip(slots_of(source)[0], slots_of(target)[0], strict=True):
        row = list(islice(rest, len(specs_of(old))))
        found += row if old == new else _recast_slot(row, old, new, length)
    return found


def _recast_slot(row: Sequence[Any], old: Slot, new: Slot, length: Any) -> Sequence[Any]:
    number = row[0] if length is None else row[0].astype(specs_of(new)[0].dtype)
    if isinstance(new, TensorSpec):
        return [number]
    held, classes = by_class(old, row), classes_of(new)
    numbers = [classes.index(spec) for spec in classes_of(old)]
    which = _renumbered(row[1], numbers, length) if len(row) > 1 else _same(numbers[0], length)
    beside = [held[x] if x in held else _same(x.dtype.type(0), length) for x in _apart(new)]
    return [number, which, *beside]


def _same(value: Any, length: Any) -> Any:
    """Return a number, or a column of it."""
    return value if length is None else rnp.full(length, value)


def _renumbered(which: Any, numbers: Sequence[int], length: Any) -> Any:
    builder = default_graph.current()
    assert builder is not None
    if length is None:
        return renumbered(which, numbers, builder)
    return as_known(builder, np.array(numbers))[which]
