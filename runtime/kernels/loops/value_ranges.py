"""Between which numbers integers are, wherever a kernel has them: value range propagation.

Comes in: the body of a kernel. Goes out: what is known of integers in front of each loop, and the
tests that are sure to pass. Numbers of rounds, indices that were in range, tests of branches and
loops, and sums, products and choices of what is known tell it.

    %p = place(%i, 8)           now %p is in 0 ... 7, and %i in -8 ... 7

(Patterson, Accurate static branch prediction by value range propagation, 1995.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    INT,
    ArrayType,
    Block,
    Instruction,
    Literal,
    Operand,
    is_call,
    is_loop,
)

Range = tuple[int, int]
"""What an integer is at least, and at most."""
ANY: Range = (-(2**63), 2**63 - 1)
_CHECKED, _TESTS = map(having, (Trait.CHECKED, Trait.TESTS))
_LOWEST, _HIGHEST = ANY
Told = list[tuple[Operand, Range]]
"""What a test tells of integers."""


class Ranges:
    """What is known of the integers of a kernel.

    Args:
        body: of the kernel.

    Attributes:
        known: what is known where it looks.
        before: what is known in front of each loop.
        passed: the tests that are sure to pass, and the arithmetic that is sure to fit.
    """

    def __init__(self, body: Block) -> None:
        self.known: dict[Operand, Range] = {}
        self.before: dict[Instruction, dict[Operand, Range]] = {}
        self.passed: set[Instruction] = set()
        self.makers: dict[Operand, Instruction] = {}
        self.told: dict[tuple[Operand, bool], Told] = {}
        self.block(body)

    def of(self, x: Operand) -> Range:
        """Return the range of an integer."""
        if isinstance(x, Literal):
            return (int(x.value),) * 2 if x.type == INT else ANY
        return self.known.get(x, ANY)

    def narrow(self, told: Iterable[tuple[Operand, Range]]) -> None:
        """Enter what is true from here on."""
        for x, (low, high) in told:
            if x.type == INT and not isinstance(x, Literal):
                least, most = self.of(x)
                self.known[x] = max(low, least), min(high, most)

    def block(self, block: Block) -> list[Range]:
        """Look at a block; return what is known of its results."""
        for x in block.instructions:
            self.makers.update(dict.fromkeys(x.results, x))
            if x.blocks:
                self.structured(x)
            else:
                self.step(x)
        return [self.of(x) for x in block.results]

    def structured(self, x: Instruction) -> None:
        """Look at a branch, a loop or a function."""
        known = self.known
        if is_loop(x):
            self.before[x] = {**known}
        found = []
        for way, block in enumerate(x.blocks):
            self.known = {} if is_call(x) else {**known}
            if x.op == "if":
                self.narrow(self.told.get((x.args[0], not way), ()))
            elif x.op == "for":
                self.narrow([(block.params[0], (0, max(self.of(x.args[0])[1] - 1, 0)))])
            elif way:
                test = x.blocks[0]
                same: dict[Operand, Operand] = dict(zip(test.params, block.params, strict=True))
                told = self.told.get((test.results[0], True), ())
                self.narrow((same.get(y, y), own) for y, own in told)
            found.append(self.block(block))
        self.known = known
        if x.op == "if":
            for y, (first, second) in zip(x.results, zip(*found, strict=True), strict=True):
                self.narrow([(y, (min(first[0], second[0]), max(first[1], second[1])))])

    def step(self, x: Instruction) -> None:
        """Enter what an instruction gives, and what is true after it."""
        rule = _RULES.get(x.op.removesuffix("_overflow"))
        if x.op == "place":
            self.place(x)
        elif rule is not None and x.results[0].type == INT:
            low, high = rule(*map(self.of, x.args))
            if low >= _LOWEST and high <= _HIGHEST:
                self.known[x.results[0]] = low, high
                self.passed |= {x} if x.op in _CHECKED else set()
        elif x.op == "convert":
            self.narrow([(x.results[0], _held(x.args[0]))])
        elif x.op == "size":
            self.narrow([(x.results[0], (0, 2**62))])
        elif x.op in _TELLING:
            _TELLING[x.op](self, x)
        elif x.op in _TESTS:
            self.test(x)

    def place(self, x: Instruction) -> None:
        """Enter that an index is in range from here on."""
        index, (_, size) = x.args[0], self.of(x.args[1])
        low, high = self.of(index)
        if low >= 0 and high < self.of(x.args[1])[0]:
            self.passed.add(x)
        self.narrow([(index, (-size, size - 1)), (x.results[0], (max(low, 0), size - 1))])

    def test(self, x: Instruction) -> None:
        """Enter that an instruction has not left the kernel; leave out what cannot."""
        maker = self.makers.get(x.args[0])
        if maker in self.passed:
            self.passed.add(x)
        elif x.op == "stop":
            self.narrow(self.told.get((x.args[0], False), ()))

    def order(self, x: Instruction) -> None:
        """x < y or x <= y."""
        first, second = x.args
        (low, high), (least, most), less = self.of(first), self.of(second), x.op == "lt"
        told = [(first, (_LOWEST, most - less)), (second, (low + less, _HIGHEST))]
        other = [(first, (least + (not less), _HIGHEST)), (second, (_LOWEST, high - (not less)))]
        self.told[x.results[0], True], self.told[x.results[0], False] = told, other

    def beyond(self, x: Instruction) -> None:
        """Whether x is less than -limit or greater than limit."""
        _, limit = self.of(x.args[1])
        self.told[x.results[0], False] = [(x.args[0], (-limit, limit))]

    def both(self, x: Instruction) -> None:
        """x and y, x or y."""
        way = x.op == "and"
        self.told[x.results[0], way] = [z for y in x.args for z in self.told.get((y, way), ())]

    def other(self, x: Instruction) -> None:
        """not x."""
        for way in (True, False):
            self.told[x.results[0], way] = self.told.get((x.args[0], not way), [])


def _held(x: Operand) -> Range:
    """Return the range of all numbers of a dtype."""
    dtype = x.type
    if isinstance(dtype, ArrayType) or dtype.kind not in "biu" or dtype == np.uint64:
        return ANY
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def _product(x: Range, y: Range) -> Range:
    found = [a * b for a, b in product(x, y)]
    return min(found), max(found)


_RULES: dict[str, Callable[..., Range]] = {
    "add": lambda x, y: (x[0] + y[0], x[1] + y[1]),
    "sub": lambda x, y: (x[0] - y[1], x[1] - y[0]),
    "mul": _product,
    "select": lambda test, x, y: (min(x[0], y[0]), max(x[1], y[1])),
}
_TELLING: dict[str, Callable[[Ranges, Instruction], None]] = {
    "lt": Ranges.order,
    "le": Ranges.order,
    "and": Ranges.both,
    "or": Ranges.both,
    "not": Ranges.other,
    "beyond": Ranges.beyond,
}
