"""Items that are known one by one, as columns: arrays of the graph from which each is computed.

What a loop goes over, or a staged index picks from, is often a list of things of one structure:
numbers, pairs of them, a pair and a number. At each place of that structure there are numbers of
one class, which are an array of the graph, or one text, or None. So any item is a structure
of elements of these arrays, each of the class that it has in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

import runtime.numpy as rnp
from autograph.staging.for_loop import Iteration
from runtime import default_graph
from runtime.dispatch import apply, as_known
from runtime.dtypes import WEAK_DTYPES
from runtime.graph.opdef import REGISTRY
from runtime.tensor import is_staged
from runtime.union import is_cell

REAL = frozenset({bool, int, float, np.bool_, *(np.dtype(x).type for x in "bhilqBHILQefd")})
PLAIN = REAL | {complex, np.complex64, np.complex128, str, type(None)}
"""Classes of single real numbers, and of what else is as plain."""


class Columns(NamedTuple):
    """Items of one structure.

    Args:
        arrays: one for each place with numbers.
        make: returns an item, given its elements one after the other.
    """

    arrays: tuple[Any, ...]
    make: Callable[[Iterator[Any]], Any]


def columns_of(items: Sequence[Any]) -> Columns | None:
    """Return known items as columns; None if they differ in structure, or in class at a place."""
    kinds = {*map(_class_of, items)}
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    if kind in WEAK_DTYPES:
        item = REGISTRY["item"]
        return _column(items, lambda rest: apply(item, [next(rest)]), "bifc")
    if issubclass(kind, np.generic):
        return _column(items, next, "biufc")
    if issubclass(kind, tuple) and (kind is tuple or hasattr(kind, "_make")):
        return _rows(items, getattr(kind, "_make", tuple))
    first = items[0]
    is_one = kind in (str, type(None)) and all(x == first for x in items)
    return Columns((), lambda rest: first) if is_one else None


def _class_of(item: Any) -> type:
    """Return the class of an item, of a staged number, too, unless it is one of several."""
    if not is_staged(item) or item.union is not None or item.spec.shape != () or is_cell(item):
        return type(item)
    dtype = item.spec.dtype
    return next(x for x, y in WEAK_DTYPES.items() if y == dtype) if item.spec.weak else dtype.type


def _column(
    numbers: Sequence[Any], make: Callable[[Iterator[Any]], Any], kinds: str
) -> Columns | None:
    known = [x for x in numbers if not is_staged(x)]
    if len(known) < len(numbers):
        dtype = next(x for x in numbers if is_staged(x)).spec.dtype
        is_held = not known or np.array(known).dtype == dtype
        parts = [rnp.asarray(x, dtype) for x in numbers] if is_held else []
        return Columns((rnp.stack(parts),), make) if is_held else None
    values = np.array(numbers)  # of objects where integers are too large
    return Columns((indexable(values),), make) if values.dtype.kind in kinds else None


def _rows(items: Sequence[Any], make: Callable[[Iterator[Any]], Any]) -> Columns | None:
    size = len(items[0])
    if any(len(x) != size for x in items):
        return None
    found = [columns_of([*map(itemgetter(k), items)]) for k in range(size)]
    parts = [x for x in found if x is not None]
    if len(parts) < size:
        return None
    arrays = tuple(array for part in parts for array in part.arrays)
    return Columns(arrays, lambda rest: make(part.make(rest) for part in parts))


def iteration_over(items: Sequence[Any]) -> Iteration | None:
    """Return how a loop of the graph goes over known items; None if they are no columns."""
    found = columns_of(items)
    if found is None:
        return None
    make = found.make
    return Iteration(len(items), found.arrays, lambda _, elements: make(iter(elements)))


def indexable(array: Any) -> Any:
    """Return an array that a staged number may index."""
    builder = default_graph.current()
    return as_known(builder, array) if builder is not None else array


def is_plain(value: Any) -> bool:
    """Tell whether a value is a number, a text or None, or a sequence of such of Python's."""
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    return type(value) in (*WEAK_DTYPES, range, str, type(None)) or isinstance(value, np.generic)
