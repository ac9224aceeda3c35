"""Several rounds of a loop after one test of how large its integers are.

Comes in: an inmost loop that tests, with integers that must not be too large in any round. Goes
out: how large they may be before several rounds, so that they are not in any of these. That is
known where a round makes them at most some times as large, as in `n = 3 * n + 1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import INT, Block, Instruction, Literal, Operand, instructions, is_loop

ROUNDS = 8
"""How many rounds follow one another."""
SHORT = 16
"""How many instructions a loop has at most whose rounds are written one after another."""
_TESTS = having(Trait.TESTS)
LARGE = 2**20
"""How large integers may be at least, so that it is worth it."""


@dataclass(frozen=True, slots=True)
class Several:
    """What holds for several rounds.

    Args:
        places: which parts of the state are looked at before.
        limit: how far from zero they may be.
        passed: the instructions that the rounds do not need then.
    """

    places: tuple[int, ...]
    limit: int
    passed: Set[Instruction]


@dataclass(frozen=True, slots=True)
class _Size:
    """That an integer is not farther from zero than others `times` some number, plus `more`."""

    times: int
    more: int
    others: frozenset[Operand] = frozenset()

    def plus(self, other: _Size) -> _Size:
        """Return the size of a sum."""
        times, more = self.times + other.times, self.more + other.more
        return _Size(times, more, self.others | other.others)

    def scaled(self, other: _Size) -> _Size | None:
        """Return the size of a product with a known number."""
        if self.others and other.others:
            return None
        times = self.times * other.more + other.times * self.more
        return _Size(times, self.more * other.more, self.others | other.others)

    def either(self, other: _Size) -> _Size:
        """Return the size of one of two integers."""
        times, more = max(self.times, other.times), max(self.more, other.more)
        return _Size(times, more, self.others | other.others)


def several(loop: Instruction) -> Several | None:
    """Return what holds for several rounds of a loop that tests; None if nothing is known."""
    steps = [x for block in loop.blocks for x in instructions(block)]
    if loop.op == "for" or len(steps) > SHORT or any(map(is_loop, steps)):
        return None
    return _Sizes(loop.blocks[-1]).several()


class _Sizes:
    """How large the integers of a round are, beside those that it begins with."""

    def __init__(self, body: Block) -> None:
        self.body = body
        self.makers: dict[Operand, Instruction] = {
            y: x for x in body.instructions for y in x.results
        }

    def tests(self) -> Iterator[tuple[Instruction, Instruction, int]]:
        """Yield tests of how large the state is, with what makes them, and the limits."""
        for x in self.body.instructions:
            maker = self.makers.get(x.args[0]) if x.op in _TESTS else None
            if maker is not None and maker.op == "beyond" and maker.args[0] in self.body.params:
                limit = maker.args[1]
                assert isinstance(limit, Literal)
                yield x, maker, int(limit.value)

    def several(self) -> Several | None:
        """Return what holds for several rounds."""
        tests = [*self.tests()]
        known = [*{maker.args[0]: None for _, maker, _ in tests}]
        results: dict[Operand, Operand] = {}
        results.update(zip(self.body.params, self.body.results, strict=True))
        whole = _Size(1, 0)
        for x in known:
            found = self.size(results[x])
            if found is None:
                return None
            known += found.others - {*known}
            whole = whole.either(found)
        limit = min((limit for *_, limit in tests), default=0)
        for _ in range(ROUNDS - 1):
            limit = (limit - whole.more) // whole.times
        if limit < LARGE:
            return None
        places = tuple(k for k, x in enumerate(self.body.params) if x in known)
        return Several(places, limit, {y for test, maker, _ in tests for y in (test, maker)})

    def size(self, x: Operand) -> _Size | None:
        """Return how large an integer is; None if that is not known."""
        if isinstance(x, Literal):
            return _Size(0, abs(int(x.value)))
        maker = self.makers.get(x)
        if x.type != INT or (maker is None and x not in self.body.params):
            return None
        if maker is None:
            return _Size(1, 0, frozenset({x}))
        if maker.op == "select":
            return self.joined(_Size.either, maker.args[1:])
        if maker.op in ("add", "sub", "mul"):
            return self.joined(_Size.scaled if maker.op == "mul" else _Size.plus, maker.args)
        return self.size(maker.args[0]) if maker.op == "ashr" else None

    def joined(
        self, join: Callable[[_Size, _Size], _Size | None], args: Sequence[Operand]
    ) -> _Size | None:
        """Return the size of what is made of two integers."""
        first, second = map(self.size, args)
        return None if first is None or second is None else join(first, second)
