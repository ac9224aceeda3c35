"""Loops in two versions: one without tests that are sure to pass, and the loop as it is.

Comes in: the body of a kernel. Goes out: the same, with a choice in front of inmost loops: where a
test of what the loop begins with tells that all indices are in range, and that integers do not
overflow, its lean version runs, in which nothing of this is tested in each round.

    %1 = guard
    if(%1) { lean loop } { loop }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeVar

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    BOOL,
    INT,
    Block,
    Instruction,
    Literal,
    Operand,
    Variable,
    indices_of,
    instructions,
    is_loop,
)
from runtime.kernels.loops.bounds import Bounds, Count, Fact
from runtime.kernels.loops.guard import GREATEST, LEAST, Bound, Guard, number
from runtime.kernels.loops.value_ranges import Range, Ranges

T = TypeVar("T")
_AFFINE, _CHECKED, _TESTS = map(having, (Trait.AFFINE, Trait.CHECKED, Trait.TESTS))
_ELEMENT = having(Trait.ELEMENT)
_FALSE = Literal(BOOL, False)
LONGEST = 250
"""How many instructions a loop has at most that is written twice."""


def lean(block: Block) -> Block:
    """Return a block without tests that are sure to pass; inmost loops may have a lean version."""
    ranges = Ranges(block)
    copy = _Copy(ranges.passed)
    steps = copy.steps(_rewritten(block, ranges))
    return Block(block.params, steps, tuple(map(copy.operand, block.results)))


def _rewritten(block: Block, ranges: Ranges) -> Iterator[Instruction]:
    for x in block.instructions:
        inner = [y for each in x.blocks for y in instructions(each)]
        if is_loop(x) and not any(map(is_loop, inner)) and len(inner) <= LONGEST:
            yield from _versions(x, ranges.before[x])
        else:
            blocks = (replace(y, instructions=(*_rewritten(y, ranges),)) for y in x.blocks)
            yield replace(x, blocks=tuple(blocks)) if x.blocks else x


def _versions(loop: Instruction, known: Mapping[Operand, Range]) -> Iterator[Instruction]:
    """Yield a loop with its lean version, and the choice between them."""
    checks = _Checks(loop, known)
    if not checks.passed:
        yield loop
        return
    count = checks.count(loop)
    rounds = [] if count is None else [checks.guard.written(count.rounds)]
    test = checks.guard.result()
    yield from checks.guard.needed(test, *rounds)
    is_sure = isinstance(test, Literal)
    results = loop.results if is_sure else _like(loop.results)
    copy = _Copy(checks.passed, checks.anyway)
    fast = (
        copy.whole(loop, results)
        if count is None
        else copy.counted(loop, results, count, rounds[0])
    )
    if is_sure:
        yield from fast.instructions
        return
    slow = replace(loop, results=_like(loop.results))
    arms = (fast, Block((), (slow,), slow.results))
    yield Instruction("if", (test,), loop.results, {}, arms)


class _Checks:
    """The tests in a loop that are sure to pass where those of the guard do.

    Attributes:
        passed: the instructions that are not needed then.
        anyway: the elements in branches that are there whichever is taken, and their places.
    """

    def __init__(self, loop: Instruction, known: Mapping[Operand, Range]) -> None:
        self.guard = Guard(known)
        self.bounds = Bounds(loop, self.guard)
        self.passed: set[Instruction] = set()
        self.anyway: set[Instruction | Operand] = set()
        for block in loop.blocks:
            self.look(block, [])

    def look(self, block: Block, facts: list[Fact], is_arm: bool = False) -> None:
        """Look for such tests in a block, where some things are true."""
        for x in block.instructions:
            if x.op == "place" and self.is_inside(x, facts):
                self.passed.add(x)
            elif x.op in _TESTS:
                maker = self.bounds.maker(x.args[0])
                if maker is not None and self.fits(maker):
                    self.passed |= {x, maker}
            elif x.op == "if":
                self.look(x.blocks[0], [*facts, *self.bounds.facts_of(x.args[0])], is_arm=True)
                self.look(x.blocks[1], facts, is_arm=True)
            elif is_arm and x.op in _ELEMENT and self.is_there(x):
                self.anyway.add(x)

    def is_there(self, x: Instruction) -> bool:
        """Tell whether an element is in range, whether it is needed or not."""
        return all(isinstance(y, Literal) or y in self.anyway for y in indices_of(x))

    def is_inside(self, place: Instruction, facts: list[Fact]) -> bool:
        """Have an index be in range, if that is possible."""
        bounds, guard = self.bounds, self.guard
        index, size = place.args
        own, told = (
            [bounds.bound(index, side) for side in (LEAST, GREATEST)],
            [bounds.told(index, side, facts) for side in (LEAST, GREATEST)],
        )
        if own[0] is not None and own[0].low >= 0 and not own[0].tests:
            told[0] = None  # it is known without the facts
        least, most = (x or y for x, y in zip(told, own, strict=True))
        end, extent = guard.add(most, number(1)), bounds.bound(size, LEAST)
        if least is None or end is None or extent is None:
            return False
        if told == [None, None]:
            self.anyway.update(place.results)
        return self.holds(guard.at_most(number(0), least), [least]) and self.holds(
            guard.at_most(end, extent), [end, extent]
        )

    def fits(self, maker: Instruction) -> bool:
        """Have integer arithmetic not overflow, or an integer not be beyond a limit."""
        if maker.op == "beyond":
            return self.is_within(maker)
        if maker.op not in _CHECKED:
            return False
        found = [self.bounds.bound(maker.results[0], side) for side in (LEAST, GREATEST)]
        known = [x for x in found if x is not None]
        return len(known) == 2 and self.holds(Literal(BOOL, True), known)

    def is_within(self, beyond: Instruction) -> bool:
        """Have an integer not be farther from zero than a limit."""
        x, limit = beyond.args
        low, high = (self.bounds.bound(x, side) for side in (LEAST, GREATEST))
        if low is None or high is None or not isinstance(limit, Literal):
            return False
        least, most = number(-int(limit.value)), number(int(limit.value))
        return self.holds(self.guard.at_most(least, low), [low]) and self.holds(
            self.guard.at_most(high, most), [high]
        )

    def count(self, loop: Instruction) -> Count | None:
        """Return how often a loop that tests runs, if that can be told."""
        if loop.op == "for" or not all(
            x in self.passed or x.op in _AFFINE for x in loop.blocks[0].instructions
        ):
            return None
        for k in range(len(loop.args)):
            found = self.bounds.count(k)
            if found is not None and self.holds(Literal(BOOL, True), [found.rounds]):
                return found
        return None

    def holds(self, test: Operand, bounds: list[Bound]) -> bool:
        """Have a test be true, and those of bounds; tell whether it may be."""
        if isinstance(test, Literal) and not test.value:
            return False
        self.guard.need([test, *(each for bound in bounds for each in bound.tests)])
        return True


class _Copy:
    """Writes instructions again, on other variables.

    Args:
        passed: what is not needed.
        anyway: the elements in branches that are there whichever is taken.
    """

    def __init__(
        self, passed: Set[Instruction], anyway: Set[Instruction | Operand] = frozenset()
    ) -> None:
        self.passed, self.anyway = passed, anyway
        self.names: dict[Operand, Operand] = {}

    def block(self, block: Block) -> Block:
        """Return a copy of a block."""
        params = tuple(map(self.new, block.params))
        found = self.steps(block.instructions)
        return Block(params, found, tuple(map(self.operand, block.results)))

    def steps(self, steps: Iterable[Instruction]) -> tuple[Instruction, ...]:
        """Return copies of instructions."""
        return tuple(self.instruction(x) for x in steps if not self.is_left_out(x))

    def is_left_out(self, x: Instruction) -> bool:
        """Tell whether the copy does without an instruction."""
        if x not in self.passed or x.op in _CHECKED:
            return x.op in _TESTS and self.operand(x.args[0]) == _FALSE
        if x.op == "place":
            self.names[x.results[0]] = self.operand(x.args[0])
        return True

    def instruction(self, x: Instruction) -> Instruction:
        """Return a copy of an instruction; of one that cannot overflow, without the test."""
        args = tuple(map(self.operand, x.args))
        blocks = tuple(map(self.block, x.blocks))
        if x in self.passed:
            result = (self.new(x.results[0]),)
            self.names |= dict.fromkeys(x.results[1:], _FALSE)
            return Instruction(x.op.removesuffix("_overflow"), args, result, {"fits": True})
        attrs = {**x.attrs, "anyway": True} if x in self.anyway else x.attrs
        return Instruction(x.op, args, tuple(map(self.new, x.results)), attrs, blocks)

    def whole(self, loop: Instruction, results: tuple[Variable, ...]) -> Block:
        """Return a block with a copy of a loop."""
        return Block((), (replace(self.instruction(loop), results=results),), results)

    def counted(
        self, loop: Instruction, results: tuple[Variable, ...], count: Count, rounds: Operand
    ) -> Block:
        """Return a block with a loop that tests as one that counts: its counter is no state."""
        k, start = count.k, loop.args[count.k]
        round_number, body = Variable(INT), self.block(loop.blocks[1])
        counter = body.params[k]
        steps = (*_counter(start, count.step, round_number, counter), *body.instructions)
        body = Block(
            (round_number, *_without(body.params, k)), steps, (*_without(body.results, k),)
        )
        own = Instruction(
            "for",
            (rounds, *_without(loop.args, k)),
            (*_without(results, k),),
            {"counters": tuple(n - (n > k) for n in loop.attrs["counters"] if n != k)},
            (body,),
        )
        return Block((), (own, *_counter(start, count.step, rounds, results[k])), results)

    def new(self, x: Variable) -> Variable:
        """Return the variable that stands for another."""
        self.names[x] = found = Variable(x.type)
        return found

    def operand(self, x: Operand) -> Operand:
        """Return the operand that stands for another."""
        return x if isinstance(x, Literal) else self.names.get(x, x)


def _like(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Return new variables of the same types."""
    return tuple(Variable(x.type) for x in variables)


def _without(operands: Sequence[T], k: int) -> Iterator[T]:
    """Yield all operands but one."""
    return (x for n, x in enumerate(operands) if n != k)


def _counter(
    start: Operand, step: Operand, rounds: Operand, result: Variable
) -> Iterator[Instruction]:
    """Yield what gives a counter after some rounds."""
    way = Variable(INT)
    yield Instruction("mul", (rounds, step), (way,), {"fits": True})
    yield Instruction("add", (start, way), (result,), {"fits": True})
