"""Slices of axes in native loops: where they begin, and how long they are.

Comes in: items of keys, with the integers that stand for their parts, and the size of an axis. Goes
out: integers, by instructions, none where they are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.kernels.kernel import INT, Literal, Operand, UnsupportedError, kind_of
from runtime.kernels.scalar.scalars import Scalars
from runtime.ops.keys import SLOT

ZERO, ONE = Literal(INT, 0), Literal(INT, 1)


class Slices:
    """Where slices begin, and how long they are; the same one is computed once."""

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], tuple[Operand, int, Operand]] = {}

    def inside(self) -> Slices:
        """Return those that are known in an inner block."""
        found = Slices()
        found.known = self.known.copy()
        return found

    def read(
        self, s: Scalars, item: slice, given: Iterator[Operand], size: Operand
    ) -> tuple[Operand, int, Operand]:
        """Return start, step and length of a slice of an axis."""
        if item.step is SLOT:
            raise UnsupportedError("slices whose step is not known")
        first, last = (_bound(s, x, given) for x in (item.start, item.stop))
        step = 1 if item.step is None else item.step
        key = first, last, step, size
        if key not in self.known:
            start, length = _slice(s, first, last, step, size)
            self.known[key] = start, step, length
        return self.known[key]


def _bound(s: Scalars, x: Any, given: Iterator[Operand]) -> Operand | None:
    """Return a bound of a slice."""
    found = next(given) if x is SLOT else x
    if isinstance(found, int):
        return Literal(INT, found)
    if found is not None and kind_of(found).kind not in "iu":
        raise UnsupportedError("slices by truth values")
    return None if found is None else s.to_int(found)


def _slice(
    s: Scalars, start: Operand | None, stop: Operand | None, step: int, size: Operand
) -> tuple[Operand, Operand]:
    """Return start and length of a slice, as Python has it."""
    lower, upper = (
        (ZERO, size) if step > 0 else (Literal(INT, -1), sum_of(s, size, Literal(INT, -1)))
    )
    first = _clipped(s, start, lower, upper, size) if start is not None else None
    last = _clipped(s, stop, lower, upper, size) if stop is not None else None
    first = first or (lower if step > 0 else upper)
    last = last or (upper if step > 0 else lower)
    way = _difference(s, last, first) if step > 0 else _difference(s, first, last)
    length = way
    if abs(step) > 1:
        rounded = sum_of(s, way, Literal(INT, abs(step) - 1))
        length = _divided(s, rounded, abs(step))
    if not (first == ZERO and s.is_natural(last)):
        length = _outer(s, length, ZERO, greater=True)
    s.mark_natural(length)
    return first, length


def _clipped(s: Scalars, x: Operand, lower: Operand, upper: Operand, size: Operand) -> Operand:
    """Return a bound of a slice as it counts from the start."""
    if not s.is_natural(x):
        below = s.less(x, ZERO)
        x = _chosen(s, below, sum_of(s, x, size), x)
        x = _outer(s, x, lower, greater=True)
    found = _outer(s, x, upper, greater=False)
    if lower == ZERO:
        s.mark_natural(found)
    return found


def _chosen(s: Scalars, test: Operand, x: Operand, y: Operand) -> Operand:
    """Return one of two integers."""
    return (x if test.value else y) if isinstance(test, Literal) else s.select(test, x, y)


def _outer(s: Scalars, x: Operand, y: Operand, greater: bool) -> Operand:
    """Return the greater or the smaller of two integers."""
    return x if x == y else _chosen(s, s.less(x, y), *((y, x) if greater else (x, y)))


def sum_of(s: Scalars, x: Operand, y: Operand) -> Operand:
    """Return the sum of integers that cannot overflow."""
    if isinstance(x, Literal) and isinstance(y, Literal):
        return Literal(INT, x.value + y.value)
    if ZERO in (x, y):
        return y if x == ZERO else x
    return s.emit("add", [x, y], INT)


def _difference(s: Scalars, x: Operand, y: Operand) -> Operand:
    """Return the difference of integers that cannot overflow."""
    if isinstance(x, Literal) and isinstance(y, Literal):
        return Literal(INT, x.value - y.value)
    return x if y == ZERO else s.emit("sub", [x, y], INT)


def times(s: Scalars, x: Operand, factor: int) -> Operand:
    """Return the product of integers that cannot overflow."""
    if isinstance(x, Literal):
        return Literal(INT, int(x.value) * factor)
    return x if factor == 1 else s.emit("mul", [x, Literal(INT, factor)], INT)


def _divided(s: Scalars, x: Operand, by: int) -> Operand:
    """Return a quotient, rounded towards zero."""
    if isinstance(x, Literal):
        return Literal(INT, max(int(x.value), 0) // by)
    return s.emit("sdiv", [x, Literal(INT, by)], INT)
