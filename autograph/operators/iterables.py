"""Iterables that a staged `for` can go over.

A class is one when it has the method `__staged_iteration__`, which returns an `Iteration`, or None
when nothing in it is staged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from autograph.operators.conditionals import if_exp
from runtime import mode
from runtime.control.iteration import Iteration
from runtime.dispatch import apply, as_known
from runtime.errors import ShapeError
from runtime.graph.opdef import REGISTRY
from runtime.numpy import asarray
from runtime.tensor import Symbol, is_staged


def iteration_of(iterable: Any) -> Iteration | None:
    """Return how a staged loop goes over an iterable, or None when Python's own loop serves."""
    if type(iterable) is Symbol:
        return _over_array(iterable) if is_staged(iterable) else None
    method = getattr(type(iterable), "__staged_iteration__", None)
    return method(iterable) if method is not None else None


def _over_array(array: Any) -> Iteration:
    if array.spec.shape == ():
        raise ShapeError(
            f"a `for` loop needs an array with at least one dimension, not {array.spec}; "
            "to count up to a staged number write range(n)"
        )
    return Iteration(array.shape[0], (array,), lambda index, elements: elements[0])


class StagedRange:
    """`range` with staged bounds.

    Args:
        start: the first element.
        stop: where it ends, exclusively.
        step: the distance of two elements; not 0.
    """

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    def __len__(self) -> int:
        raise TypeError("the length of range() with staged bounds is staged; compute it from them")

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(
            "range() with staged bounds has no items while tracing; write a `for` loop over it, or "
            "np.arange() for an array of them"
        )

    def count(self) -> Any:
        """Return the number of elements, as a staged integer."""
        if is_staged(self.step):
            rounding = self.step - (self.step > 0) + (self.step < 0)
        else:
            rounding = self.step - (1 if self.step > 0 else -1)
        count = apply(REGISTRY["to_int"], [(self.stop - self.start + rounding) // self.step])
        return if_exp(count > 0, lambda: count, lambda: 0)

    def __staged_iteration__(self) -> Iteration:
        return Iteration(self.count(), (), self.element)

    def element(self, index: Any, elements: Sequence[Any]) -> Any:
        """Return the element of a round."""
        scaled = index if type(self.step) is int and self.step == 1 else index * self.step
        return scaled if type(self.start) is int and self.start == 0 else scaled + self.start


class StagedEnumerate:
    """`enumerate` over something staged.

    Args:
        inner: what is enumerated.
        start: the first number.
    """

    def __init__(self, inner: Iteration, start: Any) -> None:
        self.inner = inner
        self.start = start

    def __staged_iteration__(self) -> Iteration:
        def element(index: Any, elements: Sequence[Any]) -> Any:
            number = index if type(self.start) is int and self.start == 0 else index + self.start
            return number, self.inner.element(index, elements)

        return Iteration(self.inner.count, self.inner.sequences, element)


class StagedReversed:
    """`reversed` of something staged.

    Args:
        inner: what is gone over from its end.
    """

    def __init__(self, inner: Iteration) -> None:
        self.inner = inner

    def __staged_iteration__(self) -> Iteration:
        def element(index: Any, elements: Sequence[Any]) -> Any:
            return self.inner.item(self.inner.count - 1 - index)

        return Iteration(self.inner.count, (), element)


def _smaller(a: Any, b: Any) -> Any:
    return if_exp(a < b, lambda: a, lambda: b)


class StagedZip:
    """`zip` of iterables of which at least one is staged.

    Args:
        iterables: arrays, ranges and sequences of numbers; the shortest ends the loop.
    """

    def __init__(self, iterables: Sequence[Any]) -> None:
        self.parts = [_part(x) for x in iterables]

    def __staged_iteration__(self) -> Iteration:
        counts = [part.count for part in self.parts]
        count = counts[0] if all(x is counts[0] for x in counts) else reduce(_smaller, counts)
        sequences = tuple(x for part in self.parts for x in part.sequences)
        same_length = all(part.length == self.parts[0].length for part in self.parts)
        if count is not counts[0] and not (same_length and self.parts[0].length is not None):
            return Iteration(count, (), lambda i, _: tuple(part.item(i) for part in self.parts))
        return Iteration(count, sequences, self._element)

    def _element(self, index: Any, elements: Sequence[Any]) -> Any:
        items, start = [], 0
        for part in self.parts:
            stop = start + len(part.sequences)
            items.append(part.element(index, elements[start:stop]))
            start = stop
        return tuple(items)


def _part(iterable: Any) -> Iteration:
    iteration = iteration_of(iterable)
    if iteration is not None:
        return iteration
    if isinstance(iterable, range):
        return Iteration(len(iterable), (), StagedRange(*_bounds(iterable)).element)
    if isinstance(iterable, Symbol | np.ndarray):
        values = _indexable(iterable)
        return Iteration(values.shape[0], (values,), lambda index, elements: elements[0])
    return _over_numbers(list(iterable))


def _indexable(array: Any) -> Any:
    """Return an array that a staged number may index."""
    builder = mode.current()
    return as_known(builder, array) if builder is not None else array


def _bounds(numbers: range) -> tuple[int, int, int]:
    return numbers.start, numbers.stop, numbers.step


def _over_numbers(items: list[Any]) -> Iteration:
    """Return how a loop goes over a list: Python's numbers of one kind stay Python's numbers."""
    values = _indexable(asarray(items))
    kinds = {type(x) for x in items}
    name = f"to_{kinds.pop().__name__}" if len(kinds) == 1 and kinds <= {int, float} else None

    def element(index: Any, elements: Sequence[Any]) -> Any:
        return apply(REGISTRY[name], elements) if name is not None else elements[0]

    return Iteration(len(items), (values,), element)
