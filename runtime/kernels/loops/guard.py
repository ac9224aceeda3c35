"""Instructions in front of a loop: bounds of integers, and the test that they are right.

Comes in: operands that are there before the loop. Goes out: instructions. Whatever is computed here
fits, since all that it begins with is small, which is tested, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runtime.dtypes import DType
from runtime.kernels.kernel import BOOL, INT, Instruction, Literal, Operand, Variable
from runtime.kernels.loops.value_ranges import ANY, Range

LARGEST = 2**30
"""How large numbers from before the loop are at most, so that products of two of them fit."""
FITS = 2**62
LEAST, GREATEST = -1, 1
"""The two sides of a range."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A number that is computed in front of a loop.

    Args:
        operand: the number.
        low: what it is at least, where the tests are true.
        high: what it is at most.
        tests: under which it is a bound.
        more: is added to the operand.
    """

    operand: Operand
    low: int
    high: int
    tests: tuple[Operand, ...] = ()
    more: int = 0


def number(value: int) -> Bound:
    """Return the bound that is a number."""
    return Bound(Literal(INT, value), value, value)


class Guard:
    """Writes instructions in front of a loop.

    Args:
        ranges: what is known of integers.

    Attributes:
        steps: the instructions.
        tests: what has to be true.
    """

    def __init__(self, ranges: Mapping[Operand, Range]) -> None:
        self.ranges = ranges
        self.steps: list[Instruction] = []
        self.tests: dict[Operand, None] = {}
        self.known: dict[tuple[object, ...], Variable] = {}

    def emit(self, op: str, *args: Operand, kind: DType = INT, **attrs: int) -> Variable:
        """Return what an instruction gives, which is written once."""
        own = ((x.type, x.value) if isinstance(x, Literal) else x for x in args)
        key = (op, *own, *attrs.items())
        if key not in self.known:
            self.known[key] = Variable(kind)
            self.steps.append(Instruction(op, args, (self.known[key],), attrs))
        return self.known[key]

    def need(self, tests: Iterable[Operand]) -> None:
        """Have tests be true."""
        self.tests |= dict.fromkeys(x for x in tests if not isinstance(x, Literal))

    def result(self) -> Operand:
        """Return whether all is true that has to be."""
        found: Operand = Literal(BOOL, True)
        for test in self.tests:
            found = test if isinstance(found, Literal) else self.emit("and", found, test, kind=BOOL)
        return found

    def needed(self, *results: Operand) -> Iterator[Instruction]:
        """Yield the instructions that results need, in their order."""
        wanted, found = {*results}, []
        for step in reversed(self.steps):
            if step.results[0] in wanted:
                wanted.update(step.args)
                found.append(step)
        return reversed(found)

    # Bounds.

    def limited(self, x: Variable) -> Bound:
        """Return the bound that an integer from before the loop is."""
        low, high = self.ranges.get(x, ANY)
        if low >= -LARGEST and high <= LARGEST:
            return Bound(x, low, high)
        beyond = self.emit("beyond", x, Literal(INT, LARGEST), kind=BOOL)
        test = self.emit("not", beyond, kind=BOOL)
        return Bound(x, max(low, -LARGEST), min(high, LARGEST), (test,))

    def size(self, array: Operand, axis: int) -> Bound:
        """Return the bound that the size of an array from before the loop is."""
        return replace(self.limited(self.emit("size", array, axis=axis)), low=0)

    def under(self, x: Bound, test: Operand) -> Bound:
        """Return a bound under one more test."""
        return x if isinstance(test, Literal) else replace(x, tests=_all((*x.tests, test)))

    def also(self, x: Bound, others: Sequence[Bound]) -> Bound:
        """Return a bound under the tests of others, too."""
        return replace(x, tests=_all((*x.tests, *(test for y in others for test in y.tests))))

    def at_most(self, x: Bound, y: Bound) -> Operand:
        """Return whether one number is at most another."""
        if x.high <= y.low or x.low > y.high:
            return Literal(BOOL, x.high <= y.low)
        if x.low == x.high:
            return self.emit("le", Literal(INT, x.low - y.more), y.operand, kind=BOOL)
        if y.low == y.high:
            return self.emit("le", x.operand, Literal(INT, y.low - x.more), kind=BOOL)
        return self.emit("le", self.written(x), self.written(y), kind=BOOL)

    def written(self, x: Bound) -> Operand:
        """Return the operand that is a bound."""
        return self.emit("add", x.operand, Literal(INT, x.more)) if x.more else x.operand

    def add(self, x: Bound | None, y: Bound | None) -> Bound | None:
        """x + y."""
        if x is None or y is None:
            return None
        return self._bound("add", x, y, x.low + y.low, x.high + y.high)

    def subtract(self, x: Bound | None, y: Bound | None) -> Bound | None:
        """x - y."""
        if x is None or y is None:
            return None
        return self._bound("sub", x, y, x.low - y.high, x.high - y.low)

    def multiply(self, x: Bound | None, y: Bound | None) -> Bound | None:
        """x * y."""
        if x is None or y is None:
            return None
        ends = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
        return self._bound("mul", x, y, min(ends), max(ends))

    def rounds(self, way: Bound | None, step: Bound | None) -> Bound | None:
        """Return in how many rounds a counter that goes by a step passes the end of its way."""
        one, zero = number(1), number(0)
        whole = self.outer(self.add(way, step), zero, GREATEST)
        if whole is None or step is None or step.high < 1:
            return None
        test = self.at_most(one, step)
        divisor = self.written(self.outermost(step, one, GREATEST))
        found = self.written(whole)
        if step.high > 1:
            found = self.emit("sdiv", found, divisor)
        return self.under(Bound(found, 0, whole.high, _all((*whole.tests, *step.tests))), test)

    def _bound(self, op: str, x: Bound, y: Bound, low: int, high: int) -> Bound | None:
        if max(-low, high) >= FITS:
            return None
        tests = _all((*x.tests, *y.tests))
        if low == high:
            return replace(number(low), tests=tests)
        if op == "add" and x.low == x.high:
            x, y = y, x
        if op != "mul" and y.low == y.high:
            more = x.more + (y.low if op == "add" else -y.low)
            return Bound(x.operand, low, high, tests, more)
        return Bound(self.emit(op, self.written(x), self.written(y)), low, high, tests)

    def outer(self, x: Bound | None, y: Bound | None, side: int) -> Bound | None:
        """Return the lesser or the greater of two numbers."""
        return None if x is None or y is None else self.outermost(x, y, side)

    def outermost(self, x: Bound, y: Bound, side: int) -> Bound:
        """Return the lesser or the greater of two known numbers."""
        tests = _all((*x.tests, *y.tests))
        lesser, greater = (x, y) if x.low <= y.low else (y, x)
        if lesser.high <= greater.low or lesser.operand is greater.operand:
            return replace(greater if side == GREATEST else lesser, tests=tests)
        first, second = self.written(x), self.written(y)
        test = self.emit("lt", first, second, kind=BOOL)
        ways = (second, first) if side == GREATEST else (first, second)
        found = self.emit("select", test, *ways)
        choose = max if side == GREATEST else min
        return Bound(found, choose(x.low, y.low), choose(x.high, y.high), tests)


def _all(tests: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Return tests, each of them once."""
    return tuple(dict.fromkeys(tests))
