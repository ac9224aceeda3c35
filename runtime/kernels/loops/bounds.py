"""Between which numbers the integers of a loop stay, as far as can be told before it runs.

Comes in: an inmost loop. Goes out: numbers that its integers are never below or above, by
instructions that stand in front of the loop (`Guard`), and the tests under which that is so.

What is known: integers that the loop does not change, the number of the round, counters (by what
they begin with, by which way they go, and by the test of the loop), and arithmetic on these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    INT,
    ArrayType,
    Instruction,
    Literal,
    Operand,
    Variable,
    instructions,
)
from runtime.kernels.loops.guard import GREATEST, LARGEST, LEAST, Bound, Guard, number

_ORDER = ("lt", "le")
_SUMS = having(Trait.AFFINE) - {*_ORDER}
Fact = tuple[Operand, Operand, int]
"""That one integer and a number together are at most another integer."""


@dataclass(frozen=True, slots=True)
class Count:
    """How often a loop runs that tests.

    Args:
        k: which part of its state counts.
        step: by what.
        rounds: so often.
    """

    k: int
    step: Operand
    rounds: Bound


class Bounds:  # Long: one recursion over expressions, with a method for each kind.
    """What is known of the integers of a loop.

    Args:
        loop: an inmost one.
        guard: gets instructions.
    """

    def __init__(self, loop: Instruction, guard: Guard) -> None:
        self.loop, self.guard = loop, guard
        self.counts = loop.op == "for"
        self.makers = {
            y: x for block in loop.blocks for x in instructions(block) for y in x.results
        }
        self.params = {
            x: (n, k - self.counts)
            for n, block in enumerate(loop.blocks)
            for k, x in enumerate(block.params)
        }
        self.facts = [] if self.counts else [*self.facts_of(loop.blocks[0].results[0])]
        self.known: dict[tuple[Operand, int], Bound | None] = {}

    def bound(self, x: Operand, side: int) -> Bound | None:
        """Return what an integer is never below (LEAST) or above (GREATEST); None if unknown."""
        if x.type != INT:
            return None
        if isinstance(x, Literal):
            return number(int(x.value))
        if (x, side) not in self.known:
            self.known[x, side] = None  # while it is looked for
            self.known[x, side] = self.find(x, side)
        return self.known[x, side]

    def find(self, x: Variable, side: int) -> Bound | None:
        """Return a bound of a variable."""
        if x in self.params:
            return self.param(*self.params[x], side)
        maker = self.makers.get(x)
        if maker is None:
            return self.guard.limited(x)
        rule = _RULES.get(maker.op)
        return None if rule is None else rule(self, maker, x, side)

    # State.

    def param(self, block: int, k: int, side: int) -> Bound | None:
        """Return a bound of a part of the state, or of the number of the round."""
        guard = self.guard
        if k < 0:
            last = guard.subtract(self.bound(self.loop.args[0], GREATEST), number(1))
            return last if side == GREATEST else number(0)
        start = self.bound(self.loop.args[k + self.counts], side)
        steps = self.steps(k)
        if start is None or not steps:
            return None
        least, most = min(x.low for x in steps), max(x.high for x in steps)
        if least == most == 0:
            return start
        way = GREATEST if least >= 0 else LEAST
        if least < 0 < most:
            if all(isinstance(x.operand, Literal) for x in steps):
                return self.end(block, start, steps, k, side) if self.counts else None
            # Steps that are not known numbers are to go the way that ends the loop.
            way = GREATEST if self.counts or self.limit(k, GREATEST) else LEAST
            steps = self.of_sign(steps, way)
        far = self.end(block, start, steps, k, way)
        return far if far is None or side == way else guard.also(start, [far])

    def end(
        self, block: int, start: Bound, steps: Sequence[Bound], k: int, side: int
    ) -> Bound | None:
        """Return the bound of a counter on a side to which it goes."""
        guard = self.guard
        if not steps:
            return None
        step = reduce(lambda x, y: guard.outermost(x, y, side), steps)
        if self.counts:
            rounds = guard.subtract(self.bound(self.loop.args[0], GREATEST), number(1))
            return guard.add(start, guard.multiply(step, rounds))
        limit = self.limit(k, side)
        if limit is None:
            return None
        limit = guard.also(limit, [start, *steps])
        return limit if block else guard.outer(start, guard.add(limit, step), side)

    def count(self, k: int) -> Count | None:
        """Return how often a loop runs whose test is that of a counter; None if it is not.

        Args:
            k: which part of the state counts.
        """
        guard, steps = self.guard, self.steps(k)
        if len({(x.operand, x.low, x.high) for x in steps}) != 1 or len(self.facts) != 1:
            return None
        (step, *_), (lesser, greater, _) = steps, self.facts[0]
        side = LEAST if step.high < 0 else GREATEST
        other = greater if side == GREATEST else lesser
        start = self.bound(self.loop.args[k], side)
        last = self.bound(self.loop.blocks[1].params[k], side)
        if not self.is_outside(other) or self.limit(k, side) is None:
            return None
        way = guard.subtract(*((last, start) if side == GREATEST else (start, last)))
        rounds = guard.rounds(way, step if side == GREATEST else guard.subtract(number(0), step))
        return None if rounds is None else Count(k, guard.written(step), rounds)

    def of_sign(self, steps: Sequence[Bound], side: int) -> list[Bound]:
        """Return steps under the tests that they go one way; none if some go the other way."""
        zero, found = number(0), []
        for step in steps:
            test = self.guard.at_most(*((zero, step) if side == GREATEST else (step, zero)))
            if isinstance(test, Literal) and not test.value:
                return []
            found.append(self.guard.under(step, test))
        return found

    def steps(self, k: int) -> list[Bound]:
        """Return by what a part of the state may grow in a round; none if that is not known."""
        body = self.loop.blocks[-1]
        found = self.growth(body.results[k], body.params[k + self.counts])
        return found if all(max(-x.low, x.high) <= LARGEST for x in found) else []

    def growth(self, x: Operand, param: Variable) -> list[Bound]:
        """Return what an integer may be more than a parameter; nothing if that is not known."""
        if x is param:
            return [number(0)]
        maker = self.maker(x)
        if maker is None or (maker.results[0] is not x and maker.op != "if"):
            return []
        if maker.op in ("if", "select"):
            ways = maker.args[1:] if maker.op == "select" else _yields(maker, x)
            parts = [self.growth(way, param) for way in ways]
            return [step for part in parts for step in part] if all(parts) else []
        if maker.op not in _SUMS:
            return []
        first, second = maker.args
        join = self.guard.add if maker.op.startswith("add") else self.guard.subtract
        if second is param and join == self.guard.add:
            first, second = second, first
        step = self.bound(second, GREATEST) if self.is_outside(second) else None
        found = [join(each, step) for each in self.growth(first, param)]
        return [each for each in found if each is not None]

    def maker(self, x: Operand) -> Instruction | None:
        """Return the instruction of the loop that gives a value."""
        return self.makers.get(x) if isinstance(x, Variable) else None

    def is_outside(self, x: Operand) -> bool:
        """Tell whether the loop does not change a value."""
        return isinstance(x, Literal) or not (x in self.makers or x in self.params)

    # Tests.

    def facts_of(self, test: Operand) -> Iterator[Fact]:
        """Yield what is true of integers where a test is."""
        maker = self.maker(test)
        if maker is None:
            return
        if maker.op in _ORDER:
            lesser, greater = maker.args
            yield lesser, greater, int(maker.op == "lt")
        elif maker.op == "and":
            yield from self.facts_of(maker.args[0])
            yield from self.facts_of(maker.args[1])
        elif maker.op == "if":
            first, second = _yields(maker, test)
            if second is maker.args[0] or (isinstance(second, Literal) and not second.value):
                yield from self.facts_of(maker.args[0])
                yield from self.facts_of(first)

    def limit(self, k: int, side: int) -> Bound | None:
        """Return the bound of a counter that the test of the loop tells; it has room."""
        if self.counts:
            return None
        return self.told(self.loop.blocks[0].params[k], side, self.facts, has_room=True)

    def told(
        self, x: Operand, side: int, facts: Sequence[Fact], has_room: bool = False
    ) -> Bound | None:
        """Return the bound of an integer that facts tell.

        Args:
            x: the integer.
            side: which bound.
            facts: what is true.
            has_room: whether small numbers can be added to it without an overflow.
        """
        found = None
        base, more = self.parts(x)
        for lesser, greater, distance in facts:
            own, other = (lesser, greater) if side == GREATEST else (greater, lesser)
            root, own_more = self.parts(own)
            if root is not base:
                continue
            shift = own_more - more + distance * side
            limit = self.guard.subtract(self.bound(other, side), number(shift))
            if (own_more or more) and not has_room:
                limit = self.with_room(limit, base)
            found = limit if found is None else self.guard.outer(found, limit, -side) or found
        return found

    def with_room(self, limit: Bound | None, base: Operand) -> Bound | None:
        """Return a bound under the tests that an integer is far from overflows."""
        known = [x for x in (self.bound(base, LEAST), self.bound(base, GREATEST)) if x is not None]
        return self.guard.also(limit, known) if limit is not None and len(known) == 2 else None

    def parts(self, x: Operand) -> tuple[Operand, int]:
        """Return an integer as another one and a small number that is added to it."""
        maker = self.maker(x)
        if maker is None or maker.op not in _SUMS or maker.results[0] is not x:
            return x, 0
        first, second = maker.args
        if not isinstance(second, Literal) or abs(second.value) > LARGEST:
            return x, 0
        more = int(second.value)
        return first, more if maker.op.startswith("add") else -more

    # Arithmetic.

    def sum(self, x: Instruction, found: Variable, side: int) -> Bound | None:
        """x + y."""
        return self.guard.add(self.bound(x.args[0], side), self.bound(x.args[1], side))

    def difference(self, x: Instruction, found: Variable, side: int) -> Bound | None:
        """x - y."""
        return self.guard.subtract(self.bound(x.args[0], side), self.bound(x.args[1], -side))

    def product(self, x: Instruction, found: Variable, side: int) -> Bound | None:
        """x * y, where the loop does not change one of them."""
        factor, other = x.args
        if isinstance(other, Literal) or not self.is_outside(factor):
            factor, other = other, factor
        known = self.bound(factor, GREATEST) if self.is_outside(factor) else None
        if known is None:
            return None
        if not isinstance(factor, Literal):
            (known, *_) = [*self.of_sign([known], GREATEST), None]
        elif factor.value < 0:
            side = -side
        return self.guard.multiply(known, self.bound(other, side))

    def chosen(self, x: Instruction, found: Variable, side: int) -> Bound | None:
        """One of two values."""
        first, second = x.args[1:] if x.op == "select" else _yields(x, found)
        return self.guard.outer(self.bound(first, side), self.bound(second, side), side)

    def masked(self, x: Instruction, found: Variable, side: int) -> Bound | None:
        """x & y, where one of them is a known number that is not negative."""
        for y in x.args:
            if isinstance(y, Literal) and y.value >= 0:
                return number(int(y.value) if side == GREATEST else 0)
        return None

    def converted(self, x: Instruction, found: Variable, side: int) -> Bound | None:
        """An integer of another dtype: what that holds."""
        dtype = x.args[0].type
        if isinstance(dtype, ArrayType) or dtype.kind not in "biu" or dtype.itemsize > 4:
            return None
        if dtype.kind == "b":
            return number(int(side == GREATEST))
        info = np.iinfo(dtype)
        return number(int(info.max if side == GREATEST else info.min))

    def size(self, x: Instruction, found: Variable, side: int) -> Bound | None:
        """The size of an axis, where it is that of an array from before the loop."""
        (array,) = x.args
        return self.guard.size(array, x.attrs["axis"]) if self.is_outside(array) else None


def _yields(x: Instruction, result: Operand) -> list[Operand]:
    """Return what the arms of a branch give for one of its results."""
    place = [y is result for y in x.results].index(True)
    return [block.results[place] for block in x.blocks]


_RULES: dict[str, Callable[[Bounds, Instruction, Variable, int], Bound | None]] = {
    "add": Bounds.sum,
    "add_overflow": Bounds.sum,
    "sub": Bounds.difference,
    "sub_overflow": Bounds.difference,
    "mul": Bounds.product,
    "mul_overflow": Bounds.product,
    "select": Bounds.chosen,
    "if": Bounds.chosen,
    "and": Bounds.masked,
    "convert": Bounds.converted,
    "size": Bounds.size,
}
