"""Reading items of things that do not know staged indices."""

from __future__ import annotations

import operator
from collections import deque
from typing import Any

import numpy as np

from autograph.operators import table
from autograph.operators.containers.access import item_of
from autograph.operators.containers.chosen_items import item_chosen
from autograph.operators.containers.columns import need_index
from autograph.operators.containers.item_arrays import index_array
from autograph.operators.containers.promotion import staged_if_nested, tuple_of
from autograph.operators.containers.staged_containers import NUMBERS, lists_now, staged_list
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import promote
from autograph.operators.control_flow.active_mask import chosen, current, is_split
from autograph.operators.iteration.staged_range import StagedRange, as_staged, index_of
from autograph.operators.keyed.known_keys import has_staged, item_of_key
from autograph.operators.mutation.journal import looked_up, new
from autograph.operators.objects.special_methods import special
from autograph.operators.objects.union_values import each
from autograph.staging.context import region_of
from runtime import default_graph
from runtime.dispatch import SEQUENCES, apply, as_known
from runtime.errors import exact
from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.numpy.staged_call import holds_staged
from runtime.opaque import Opaque
from runtime.ops.effects import literal
from runtime.ops.public_names import is_of_numpy
from runtime.subscripts import choice_in
from runtime.tensor import Readable, Symbol, is_staged, values_now
from runtime.texts import StagedText
from runtime.union import Choice

NO_CODE = (np.ndarray, np.generic, type(np.s_))
"""Classes of NumPy whose items need no code of NumPy's: `np.s_` gives back what it is given."""


JOINERS = frozenset([type(np.r_), type(np.c_)])
"""Classes of what joins the arrays, and the lists of numbers, that it is indexed by."""


def get_item(container: Any, index: Any) -> Any:
    """`container[index]`; an array or a list may be indexed by a staged value."""
    builder = default_graph.current()
    if type(index) in (int, str) and (
        type(container) is Symbol
        or (type(container) in (list, tuple, dict) and staged_list(container) is None)
    ):
        return operator.getitem(container, index)
    region = None if builder is None else region_of(builder)
    if region is not None and region.journal is not None:
        looked_up(container)
    if type(container) is Choice:
        return each(container, lambda option: get_item(option, index))
    index = settled(container, index)
    if (found := choice_in(index)) is not None:
        choice, filled = found
        return each(choice, lambda option: get_item(container, filled(option)))
    if is_split(index) and current() is not None:
        index = chosen(current(), index, 0)  # what others would read there need not exist
    if builder is not None and Readable.is_used:
        index = values_now(index)
    if builder is not None:
        staged = staged_list(container)
        if staged is not None:
            return item_of(staged, index)
        method = special(container, "__getitem__")
        if method is not None:
            return table.operators.call(method, index)
        if not hasattr(type(container), "__getitem__") and not isinstance(container, type):
            index = 0  # Python's TypeError, and not one of the index
    if builder is None or region is None or type(container) is Symbol:
        return operator.getitem(container, index)
    if isinstance(container, dict) and has_staged(index):
        return item_of_key(container, index)
    if not (is_staged_part(index) or (type(container) in JOINERS and holds_staged(index))):
        found = operator.getitem(container, index)
        return new(found) if type(index) is slice and type(container) is list else found
    if is_of_numpy(container) and not isinstance(container, NO_CODE):
        return table.operators.call(container.__getitem__, index)
    if isinstance(container, np.ndarray):
        return _constant(builder, container)[index]
    if isinstance(container, SEQUENCES) and is_staged(index):
        is_deque = isinstance(container, deque)
        wanted = f"{type(container).__name__} indices must be integers or slices, not {{}}"
        need_index(index, "sequence index must be integer, not '{}'" if is_deque else wanted)
        staged = staged_if_nested(container)
        return _choose(container, index) if staged is None else item_of(staged, index)
    if type(container) is range:
        return as_staged(container)[index]
    if type(container) is str:
        return StagedText(literal(container), ())[index]  # type: ignore[index]
    if type(container) in (list, tuple) and isinstance(index, slice):
        found = item_of(promote(lists_now(), list(container), "items", ()), index)
        return found if type(container) is list else tuple_of(found)
    return operator.getitem(container, index)


def settled(container: Any, index: Any) -> Any:
    """Return an index as a slice with integers as bounds, or with arrays in the place of lists."""
    if isinstance(index, slice):
        return _with_integers(index)
    is_indexed = type(container) in _INDEXED and type(index) not in NUMBERS
    if is_indexed and (method := special(index, "__index__")) is not None:
        return table.operators.call(method)
    if type(container) not in _ARRAYS or type(index) not in (list, tuple, StagedRange):
        return index
    return tuple(map(_settled, index)) if type(index) is tuple else _settled(index)


def _settled(index: Any) -> Any:
    return index.as_index() if type(index) is StagedRange else index_array(index)


_ARRAYS = (Symbol, np.ndarray)
_INDEXED = frozenset({*_ARRAYS, list, tuple, str, bytes, bytearray, range})


def _with_integers(index: slice) -> slice:
    bounds = index.start, index.stop, index.step
    if not any(type(x) is Symbol and x.union is not None for x in bounds):
        return index
    return slice(*(x if x is None else index_of(x, NO_BOUND) for x in bounds))


NO_BOUND = "slice indices must be integers or None or have an __index__ method"


def with_times(*values: Any) -> Any:
    """Return operands of `*`; where one is a list, a number of several classes is an integer."""
    if not any(type(x) in (list, tuple, StagedTuple, str) for x in values):
        return values
    return [
        index_of(x, _NO_TIMES) if type(x) is Symbol and x.union is not None else x for x in values
    ]


_NO_TIMES = "can't multiply sequence by non-int of type {!r}"


def is_staged_part(index: Any) -> bool:
    """Tell whether an index is staged, or a part of it."""
    if isinstance(index, slice):
        return any(map(is_staged, (index.start, index.stop, index.step)))
    if isinstance(index, tuple):
        return any(map(is_staged_part, index))
    return is_staged(index) or type(index) in (StagedText, Opaque)


def _constant(builder: Builder, array: Any) -> Any:
    """Return an array of Python's as a part of the graph, which cannot be written."""
    symbol = as_known(builder, array)
    if type(symbol) is Symbol:
        symbol.unwritable = (
            "this is a part of an array that was made outside of the staged function, named by a "
            "staged index; writing it would not change that array. Pass the array as an argument"
        )
    return symbol


def _choose(items: Any, index: Symbol) -> Any:
    """Return the item of a Python sequence that a staged index names."""
    size, message = len(items), f"{type(items).__name__} index out of range"
    if not size:
        raise exact(IndexError(message))
    within = (index >= -size) & (index < size)  # type: ignore[operator]
    apply(REGISTRY["check"], [within], error="IndexError", message=message)
    position = index % size  # type: ignore[operator]
    return item_chosen(list(items), position)
