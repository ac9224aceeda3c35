"""Stages that draw from no other: ranges, arrays, and generators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from runtime import trees
from runtime.data.element import fitted
from runtime.data.stage import Length, Rows, Stage
from runtime.dtypes import as_dtype


class Range(Stage):
    """Whole numbers, as `range` has them.

    Args:
        start, stop, step: integers; the step is not 0.
        dtype: of the elements.
    """

    __slots__ = ("_dtype", "_numbers")
    is_stateless = True

    def __init__(self, start: Any, stop: Any, step: Any, dtype: Any) -> None:
        self._numbers = range(int(start), int(stop), int(step))
        self._dtype = as_dtype(dtype)

    def __iter__(self) -> Iterator[Any]:
        return map(self._dtype.type, self._numbers)

    def length(self) -> Length:
        return len(self._numbers)


class Slices(Stage):
    """The slices of arrays along their first axis.

    Args:
        leaves: arrays of one length, at least one.
        structure: the tree that they are the leaves of.
    """

    __slots__ = ("_leaves", "_structure")

    def __init__(self, *leaves: Any, structure: trees.Structure = trees.LEAF) -> None:
        self._leaves = leaves
        self._structure = structure

    def __iter__(self) -> Iterator[Any]:
        for row in range(len(self._leaves[0])):
            yield trees.unflatten(self._structure, [_row(x, row) for x in self._leaves])

    def length(self) -> Length:
        return len(self._leaves[0])

    def rows(self) -> Rows:
        return Rows(iter(range(len(self._leaves[0]))), self._taken)

    def _taken(self, numbers: Sequence[int]) -> Any:
        return trees.unflatten(self._structure, [x[np.asarray(numbers)] for x in self._leaves])


def _row(array: Any, row: int) -> Any:
    """Return a row as an array of its own, which nobody else writes."""
    found = array[row]
    return found.copy() if isinstance(found, np.ndarray) else found


class Single(Stage):
    """One element."""

    __slots__ = ("_leaves", "_structure")

    def __init__(self, *leaves: Any, structure: trees.Structure = trees.LEAF) -> None:
        self._leaves = leaves
        self._structure = structure

    def __iter__(self) -> Iterator[Any]:
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in self._leaves]
        yield trees.unflatten(self._structure, copies)

    def length(self) -> Length:
        return 1


class Generated(Stage):
    """What a Python function gives, which is called anew for each time the dataset is gone over.

    Args:
        function: returns an iterable.
        spec: of the elements; each is checked.
    """

    __slots__ = ("_function", "_spec")

    def __init__(self, function: Callable[[], Iterable[Any]], spec: Any) -> None:
        self._function = function
        self._spec = spec

    def __iter__(self) -> Iterator[Any]:
        for number, value in enumerate(self._function()):
            yield fitted(value, self._spec, f"element {number} of the generator")

    def length(self) -> Length:
        return None
