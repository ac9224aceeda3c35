"""`range` with staged bounds: its size, elements, parts and what it is asked."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins.number_builtins import to_int
from autograph.operators.builtins.overloads import StandIn
from autograph.operators.builtins.type_queries import type_name
from autograph.operators.containers import item_loops
from autograph.operators.containers.columns import need
from autograph.operators.control_flow.active_mask import is_split
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.objects.union_values import each
from autograph.staging.for_loop import Iteration
from autograph.staging.number_join import union_of
from runtime.dispatch import apply
from runtime.errors import StagedLengthError, StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import bool_error, is_staged
from runtime.tree_classes import register_tree
from runtime.union import Choice

NO_INTEGER = "{!r} object cannot be interpreted as an integer"


def index_of(bound: Any, message: str = NO_INTEGER) -> Any:
    """Return a number as a Python integer, staged or not; TypeError for those that are none.

    Args:
        bound: the number; one of several classes may be none when the graph runs.
        message: of the error; {} stands for the class.
    """
    if type(union := union_of(bound)) is Choice:
        return each(union, lambda option: _index_of(option, message))
    if not is_staged(bound) or is_split(bound):
        return _index_of(bound, message)
    if not _is_integer(bound):
        raise TypeError(f"{message.format(type_name(bound))} ({bound.spec}); write int(...)")
    return to_int(bound)


def _index_of(bound: Any, message: str) -> Any:
    if not (_is_integer(bound) if is_staged(bound) else hasattr(type(bound), "__index__")):
        raise TypeError(message.format(type_name(bound)))
    if not is_staged(bound):
        return operator.index(bound)
    return bound if is_split(bound) else to_int(bound)


def _is_integer(bound: Any) -> bool:
    spec = bound.spec
    is_one = spec.dtype.kind in "iu" or (spec.weak and spec.dtype.kind == "b")
    return is_one and (spec.shape == () or is_split(bound))


class StagedRange(StandIn):
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
        raise StagedLengthError(
            "the length of range() with staged bounds is staged; ask for len(...)"
        )

    def __iter__(self) -> Iterator[Any]:
        raise StagedLengthError(
            "range() with staged bounds has no items while tracing; write a `for` loop over it, or "
            "np.arange() for an array of them"
        )

    def __getattr__(self, name: str) -> Any:
        if not hasattr(range, name):
            raise AttributeError(f"'range' object has no attribute {name!r}")
        raise _not_staged(f"its attribute {name}")

    def __bool__(self) -> bool:
        raise bool_error(self.size())

    def __str__(self) -> str:
        raise _not_staged("its text")

    __repr__ = __str__

    def kind(self) -> type:
        return range

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, range | StagedRange):
            return NotImplemented
        size = self.size()
        is_as_long = size == _size_of(other)
        begins = (size == 0) | (self.start == other.start)
        goes_on = (size < 2) | (self.step == other.step)
        return apply(REGISTRY["truth"], [is_as_long & begins & goes_on])

    def __ne__(self, other: object) -> Any:
        found = self.__eq__(other)
        return found if found is NotImplemented else apply(REGISTRY["not_"], [found])

    def __staged_truth__(self) -> Any:
        return apply(REGISTRY["truth"], [self.size()])

    def __hash__(self) -> int:
        raise _not_staged("a hash")

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise _not_staged("the elements of an array")

    def __getitem__(self, index: Any) -> Any:
        size = self.size()
        if isinstance(index, slice):
            return self._part(index, size)
        index = index_of(index)
        place = if_exp(index < 0, lambda: index + size, lambda: index)
        apply(REGISTRY["check"], [(place >= 0) & (place < size)], **_OUT_OF_RANGE)
        return self.element(place, ())

    def _part(self, index: slice, size: Any) -> StagedRange | range:
        step = 1 if index.step is None else index_of(index.step)
        if is_staged(step):
            raise _not_staged("a slice with a staged step")
        low, high = (0, size) if step > 0 else (-1, size - 1)
        first, last = (low, high) if step > 0 else (high, low)
        start = first if index.start is None else _clamped(index_of(index.start), size, low, high)
        stop = last if index.stop is None else _clamped(index_of(index.stop), size, low, high)
        bounds = (self.element(start, ()), self.element(stop, ()), self.step * step)
        return _held_by(bounds)

    def index(self, number: Any, /) -> Any:
        """Return the place of an element; ValueError where it is none."""
        return table.operators.call(item_loops.place_in_range, self, number)

    def count(self, number: Any, /) -> Any:
        """Return how often a number is an element: once or never."""
        return table.operators.call(int, table.operators.in_(number, self))

    def size(self) -> Any:
        """Return the number of elements, as a staged integer."""
        step = self.step
        if is_staged(step):
            apply(REGISTRY["check"], [step != 0], **ZERO_STEP)
            rounding = step - (step > 0) + (step < 0)
        else:
            rounding = step - (1 if step > 0 else -1)
        count = apply(REGISTRY["to_int"], [(self.stop - self.start + rounding) // step])
        return if_exp(count > 0, lambda: count, lambda: 0)

    def as_array(self) -> Any:
        """Return the array that NumPy makes of the elements, of which there must be some.

        StagedValueError when the graph runs and there are none: NumPy's array is of floats then.
        """
        need(self.size() > 0, StagedValueError, _NO_ELEMENTS)
        return self.as_index()

    def as_index(self) -> Any:
        """Return the elements as an array of integers, as an index of an array is read."""
        return rnp.arange(self.start, self.stop, self.step)

    def __staged_iteration__(self) -> Iteration:
        return Iteration(self.size(), (), self.element)

    def element(self, index: Any, elements: Sequence[Any]) -> Any:
        """Return the element of a round."""
        scaled = index if type(self.step) is int and self.step == 1 else index * self.step
        return scaled if type(self.start) is int and self.start == 0 else scaled + self.start


def _size_of(numbers: StagedRange | range) -> Any:
    return numbers.size() if isinstance(numbers, StagedRange) else len(numbers)


def _clamped(index: Any, size: Any, low: Any, high: Any) -> Any:
    """Return the place in a range of some size that a bound of a slice stands for."""
    place = if_exp(index < 0, lambda: size + index, lambda: index)
    return if_exp(
        place < low, lambda: low, lambda: if_exp(place > high, lambda: high, lambda: place)
    )


def has_element(numbers: StagedRange | range, number: Any) -> Any:
    """Tell whether an integer is one of the elements of a range."""
    distance = apply(REGISTRY["to_int"], [number]) - numbers.start
    place = distance // numbers.step
    return (place >= 0) & (place < _size_of(numbers)) & (place * numbers.step == distance)


def as_staged(numbers: range) -> StagedRange:
    """Return a range that is known as one whose elements may be named by staged numbers."""
    return StagedRange(numbers.start, numbers.stop, numbers.step)


def _held_by(bounds: Sequence[Any]) -> StagedRange | range:
    """Return a range that has these bounds, which are staged or not."""
    return (StagedRange if any(map(is_staged, bounds)) else range)(*bounds)


register_tree(
    StagedRange,
    lambda x: ((x.start, x.stop, x.step), None),
    lambda _, bounds: _held_by(bounds),
    lambda _: (".start", ".stop", ".step"),
)


def _not_staged(what: str) -> StagedValueError:
    """Return the refusal of what is asked of a range."""
    return StagedValueError(
        f"range() with staged bounds has {what} only when the graph runs: compute it from the "
        "bounds, write a `for` loop, or make an array: np.arange(...)"
    )


_OUT_OF_RANGE = {"error": "IndexError", "message": "range object index out of range"}
_NO_ELEMENTS = (
    "range() with staged bounds has no elements, and NumPy makes an array of floats of it; "
    "write np.arange(...)"
)
ZERO_STEP = {"error": "ValueError", "message": "range() arg 3 must not be zero"}
