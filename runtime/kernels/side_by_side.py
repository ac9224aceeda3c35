"""Rounds of a loop side by side: several of them at once, in vectors.

Comes in: an inmost loop that counts, and tests nothing. Goes out: how many of its rounds may go
side by side, and their lines. They may where each round writes elements that follow those of the
round before, and no round needs what another one gives. All operations are those of the single
rounds, on the same numbers: bits and flags of the processor are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from runtime.kernels.arithmetic import kind_in, number, overflowing, plain, stored_type
from runtime.kernels.kernel import (
    BOOL,
    INT,
    Block,
    Instruction,
    Literal,
    Operand,
    Variable,
)
from runtime.kernels.lanes import same, splat
from runtime.kernels.maps import VECTOR

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

_WITH_TEST = frozenset({"add_overflow", "sub_overflow"})
_ALLOWED = _WITH_TEST | {
    "add", "sub", "mul", "and", "or", "xor", "not", "shl", "ashr", "lshr", "eq", "ne", "lt", "le",
    "ult", "ule", "select", "convert", "bits", "size", "fadd", "fsub", "fmul", "fdiv", "fsqrt",
    "fneg", "fabs", "floor", "ceil", "trunc", "rint", "copysign",
}  # fmt: skip


class SideBySide:
    """What is known of the rounds of a loop.

    Args:
        loop: an inmost one that counts.

    Attributes:
        lanes: how many rounds go side by side; 0 if they may not.
        growth: by how much values grow from one round to the next; None if that is not the same
            for all, or not 0 or 1.
    """

    def __init__(self, loop: Instruction) -> None:
        (self.body,) = loop.blocks
        self.growth: dict[Operand, int | None] = {}
        self.arrays = dict(zip(self.body.params[1:], loop.args[1:], strict=True))
        self.makers = {y: x for x in self.body.instructions for y in x.results}
        stores = [x for x in self.body.instructions if x.op == "store"]
        self.stored = {self.array(x) for x in stores}
        self.lanes = VECTOR // max(self.sizes()) if stores and self.is_free() else 0

    def is_free(self) -> bool:
        """Tell whether no round needs what another one gives."""
        if self.body.results != self.body.params[1:]:
            return False
        number, *state = self.body.params
        self.growth |= {number: 1, **dict.fromkeys(state, 0)}
        return all(map(self.fits, self.body.instructions)) and all(map(self.is_apart, self.stored))

    def fits(self, x: Instruction) -> bool:
        """Tell whether an instruction can be one on vectors; enter by how much its results grow."""
        if x.op in ("load", "store"):
            return self.is_regular(x)
        if x.op == "overflow":
            return bool(x.attrs["wraps"])
        self.growth |= dict.fromkeys(x.results, self.growth_of(x))
        return x.op in _ALLOWED

    def growth_of(self, x: Instruction) -> int | None:
        """Return by how much the results of an instruction grow in a round."""
        ways = [self.growth.get(y, 0) for y in x.args]
        if not any(way != 0 for way in ways):
            return 0
        if None in ways or x.results[0].type != INT or x.op not in ("add", "sub", "mul"):
            return None
        first, second = (way or 0 for way in ways)
        found = first + second if x.op == "add" else first - second
        if x.op == "mul":
            factor = x.args[1] if first else x.args[0]
            found = int(isinstance(factor, Literal) and factor.value == 1 and first != second)
        return found if found == 1 or (found == 0 and x.op == "sub") else None

    def is_regular(self, x: Instruction) -> bool:
        """Tell whether an element follows that of the round before, or is the same each time."""
        *others, last = (self.growth.get(y, 0) for y in _places(x))
        if any(way != 0 for way in others) or last is None:
            return False
        if x.op == "store":
            return last == 1
        self.growth[x.results[0]] = None if last else 0
        return bool(last) or self.array(x) not in self.stored

    def is_apart(self, array: Operand) -> bool:
        """Tell whether a round reads and writes one element only of an array."""
        found = (x for x in self.body.instructions if x.op in ("load", "store"))
        places = {tuple(map(self.form, _places(x))) for x in found if self.array(x) is array}
        return len(places) == 1

    def array(self, x: Instruction) -> Operand:
        """Return the array from before the loop that a load or store is about."""
        array = x.args[0]
        return self.arrays.get(array, array) if isinstance(array, Variable) else array

    def form(self, x: Operand) -> object:
        """Return what is equal for integers that are computed in the same way."""
        if isinstance(x, Literal):
            return x.value
        maker = self.makers.get(x)
        if maker is None or maker.op not in ("add", "sub", "mul"):
            return x
        return (maker.op, *map(self.form, maker.args))

    def sizes(self) -> Iterator[int]:
        """Yield how many bytes the numbers of vectors have."""
        yield 1
        for x in self.body.instructions:
            if x.op == "store":
                yield number(x.args[1].type).itemsize
            elif any(self.growth.get(y) is None for y in x.results):
                kinds = [y.type for y in (*x.args, *x.results) if x.op != "load" or y in x.results]
                yield from (number(kind).itemsize for kind in kinds if kind != BOOL)


def _places(x: Instruction) -> Sequence[Operand]:
    return x.args[1 if x.op == "load" else 2 :]


class Lanes:
    """Writes rounds that go side by side; the first of them is that of the writer.

    Args:
        w: writes lines.
        rounds: what is known of them.
    """

    def __init__(self, w: Writer, rounds: SideBySide) -> None:
        self.w = w
        self.rounds = rounds
        self.lanes = rounds.lanes
        self.fast = w.fast
        self.names: dict[Variable, str] = {}

    def declare(self, text: str) -> None:
        """Declare an outside function."""
        self.w.declare(text)

    def operand(self, operand: Operand) -> str:
        """Return the text of a vector."""
        if isinstance(operand, Literal):
            return same(self.lanes, operand)
        if operand not in self.names:
            self.names[operand] = self.spread(operand)
        return self.names[operand]

    def spread(self, operand: Variable) -> str:
        """Return the vector of a number that grows by the same in each round, or not at all."""
        w, dtype = self.w, number(operand.type)
        found = splat(w, self.lanes, w.operand(operand), dtype)
        if not self.rounds.growth.get(operand, 0):
            return found
        kind = kind_in(self, dtype)
        steps = ", ".join(f"i64 {k}" for k in range(self.lanes))
        return w.new(f"add {kind} {found}, <{steps}>")

    def write(self) -> None:
        """Write the rounds."""
        for x in self.rounds.body.instructions:
            growth = [self.rounds.growth[y] for y in x.results]
            if x.op == "store":
                self.store(x)
            elif x.op == "overflow":
                self.overflow(x)
            elif None not in growth:
                self.w.block(Block((), (x,), ()))
            elif x.op == "load":
                self.load(x)
            elif x.op in _WITH_TEST:
                self.checked(x)
            else:
                self.names[x.results[0]] = self.w.new(plain(self, x))

    def load(self, x: Instruction) -> None:
        """Write the reading of elements that follow one another."""
        w, (result,) = self.w, x.results
        dtype = number(result.type)
        kind = f"<{self.lanes} x {stored_type(dtype)}>"
        address = w.element(x.args[0], x.args[1:])
        found = w.new(f"load {kind}, ptr {address}, align {dtype.itemsize}")
        test = f"icmp ne {kind} {found}, zeroinitializer"
        self.names[result] = w.new(test) if dtype.kind == "b" else found

    def store(self, x: Instruction) -> None:
        """Write the writing of elements that follow one another."""
        w, dtype, value = self.w, number(x.args[1].type), self.operand(x.args[1])
        kind = f"<{self.lanes} x {stored_type(dtype)}>"
        if dtype.kind == "b":
            value = w.new(f"zext {kind_in(self, dtype)} {value} to {kind}")
        address = w.element(x.args[0], x.args[2:])
        w.line(f"store {kind} {value}, ptr {address}, align {dtype.itemsize}")

    def checked(self, x: Instruction) -> None:
        """Write integer arithmetic that tells whether it overflowed."""
        kinds, both = overflowing(self, x)
        both = self.w.new(both)
        for k, result in enumerate(x.results):
            self.names[result] = self.w.new(f"extractvalue {kinds} {both}, {k}")

    def overflow(self, x: Instruction) -> None:
        """Write that an overflow in any of the rounds is to be reported."""
        kind = kind_in(self, BOOL)
        name = f"@llvm.vector.reduce.or.v{self.lanes}i1"
        self.declare(f"i1 {name}({kind})")
        self.w.note(self.w.new(f"call i1 {name}({kind} {self.operand(x.args[0])})"))
