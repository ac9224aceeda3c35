"""One pass over a block, as LLVM text: instructions on vectors.

Comes in: instructions, and where numbers are in memory. Goes out: lines.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from runtime.dtypes import DType
from runtime.kernels.arithmetic import (
    kind_in,
    kind_of,
    llvm_type,
    number,
    plain,
    stored_type,
)
from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import BOOL, Instruction, Literal, Operand, Variable
from runtime.kernels.vectors import (
    any_lane,
    load_vector,
    same,
    splat,
    splat_at,
    store_vector,
)

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

_TRAPS = having(Trait.TRAPS)


@dataclass(slots=True)
class Known:
    """What is the same for many vectors: vectors of it, and of the inverses of divisors."""

    vectors: dict[Variable, str] = field(default_factory=dict)
    inverses: dict[Variable, str] = field(default_factory=dict)

    def copy(self) -> Known:
        """Return one that may get more."""
        return Known({**self.vectors}, {**self.inverses})

    def add(
        self, w: Writer, lanes: int, x: Variable, value: str, divisors: Container[Variable]
    ) -> None:
        """Write the vector of a number, and that of its inverse where speed was asked for."""
        dtype = number(x.type)
        self.vectors[x] = splat(w, lanes, value, dtype)
        if w.fast and x in divisors and dtype.kind == "f":
            kind = kind_of(dtype, lanes)
            one = same(lanes, Literal(dtype, 1.0))
            self.inverses[x] = w.new(f"fdiv {kind} {one}, {self.vectors[x]}")


class Lanes:
    """The registers of one pass: variables as vectors.

    Args:
        w: writes lines.
        lanes: how many numbers a vector has.
        known: vectors that exist already.
        memory: where other variables are.
        place: the number of the first element of the present vector.
        makers: what makes variables that are neither known nor in memory.
        mask: which elements of the vector there are; None for all.
        row: the number of the first element of the row, which stands for those that are not there.
        ahead: what is read here first, with the distance to what is asked for then.
        repeated: of which memory has one row, for all of them.
    """

    def __init__(
        self,
        w: Writer,
        lanes: int,
        known: Known,
        memory: Mapping[Variable, str],
        place: str,
        makers: Mapping[Variable, Instruction] = MappingProxyType({}),
        mask: str | None = None,
        row: str = "",
        ahead: Mapping[Variable, str] = MappingProxyType({}),
        repeated: Container[Operand] = (),
    ) -> None:
        self.w = w
        self.fast = w.fast
        self.makers = makers
        self.mask = mask
        self.row = row
        self.ahead = ahead
        self.repeated = repeated
        self.lanes = lanes
        self.names = dict(known.vectors)
        self.inverses = known.inverses
        self.memory = memory
        self.place = place

    def declare(self, text: str) -> None:
        """Declare an outside function."""
        self.w.declare(text)

    def operand(self, operand: Operand) -> str:
        """Return the text of an operand, which is read from memory where it is first used."""
        if isinstance(operand, Literal):
            return same(self.lanes, operand)
        waiting = [operand]
        while waiting:
            x = waiting.pop()
            if x in self.names:
                continue
            if x in self.memory:
                self.names[x] = self.load(x)
                continue
            step = self.makers[x]
            needed = [y for y in step.args if isinstance(y, Variable) and y not in self.names]
            if needed:
                waiting += [x, *reversed(needed)]
            else:
                self.instruction(step)
        return self.names[operand]

    def load(self, operand: Variable) -> str:
        """Return a vector from memory."""
        w, dtype = self.w, number(operand.type)
        place, row = self.place, self.row
        if operand in self.repeated:
            place, row = w.new(f"sub i64 {place}, {row}"), "0"
        address = self.address(self.memory[operand], operand, place)
        if self.mask is None and operand in self.ahead:
            ask_ahead(w, address, self.ahead[operand])
        other = ""
        if self.mask is not None:
            own = self.address(self.memory[operand], operand, row)
            other = splat_at(w, self.lanes, dtype, own)
        return load_vector(w, self.lanes, dtype, address, self.mask, other)

    def store(self, operand: Operand, memory: str) -> None:
        """Write a vector to memory: the elements that are there."""
        value, address = self.operand(operand), self.address(memory, operand, self.place)
        store_vector(self.w, self.lanes, number(operand.type), value, address, self.mask)

    def address(self, memory: str, operand: Operand, place: str) -> str:
        """Return where an element of an operand is."""
        kind = stored_type(number(operand.type))
        return self.w.new(f"getelementptr {kind}, ptr {memory}, i64 {place}")

    def instruction(self, x: Instruction) -> None:
        """Write an instruction."""
        if x.op == "stop":
            self.stop(x)
        elif self.fast and x.op == "fdiv" and x.args[1] in self.inverses:
            self.names[x.results[0]] = self.quotient(x)
        elif x.op == "vector":
            kind = kind_in(self, number(x.results[0].type))
            function = self.w.outside(f"vector:{x.attrs['name']}")
            given = f"{kind} {self.operand(x.args[0])}"
            self.names[x.results[0]] = self.w.new(f"call {kind} {function}({given})")
        elif x.op == "index":
            self.names[x.results[0]] = self.places(number(x.results[0].type))
        elif x.op in _TRAPS:
            self.names[x.results[0]] = self.division(x)
        else:
            self.names[x.results[0]] = self.w.new(plain(self, x))

    def places(self, dtype: DType) -> str:
        """Return the numbers of the elements in their row."""
        w, kind = self.w, kind_in(self, dtype)
        first = w.new(
            f"trunc i64 {w.new(f'sub i64 {self.place}, {self.row}')} to {llvm_type(dtype)}"
        )
        own = ", ".join(f"{llvm_type(dtype)} {k}" for k in range(self.lanes))
        return w.new(f"add {kind} {splat(w, self.lanes, first, dtype)}, <{own}>")

    def quotient(self, x: Instruction) -> str:
        """Return a quotient by what is the same for many vectors: a product with its inverse."""
        divisor = x.args[1]
        assert isinstance(divisor, Variable)
        kind = kind_in(self, number(divisor.type))
        factors = f"{self.operand(x.args[0])}, {self.inverses[divisor]}"
        return self.w.new(f"fmul contract {kind} {factors}")

    def stop(self, x: Instruction) -> None:
        """Write a test that leaves the kernel, after the block."""
        w, found = self.w, any_lane(self.w, self.lanes, [self.operand(x.args[0])])
        both = w.new(f"or i1 {found}, {w.new('load i1, ptr %stopped')}")
        w.line(f"store i1 {both}, ptr %stopped")

    def division(self, x: Instruction) -> str:
        """Write a division that does not trap, where the kernel is left for it."""
        w, dtype = self.w, number(x.args[0].type)
        kind, dividend, divisor = kind_in(self, dtype), *map(self.operand, x.args)
        bad = w.new(f"icmp eq {kind} {divisor}, {self.same(dtype, 0)}")
        tests = kind_in(self, BOOL)
        if dtype.kind == "i":
            least = self.same(dtype, -(2 ** (8 * dtype.itemsize - 1)))
            lowest = w.new(f"icmp eq {kind} {dividend}, {least}")
            minus = w.new(f"icmp eq {kind} {divisor}, {self.same(dtype, -1)}")
            bad = w.new(f"or {tests} {bad}, {w.new(f'and {tests} {lowest}, {minus}')}")
        safe = w.new(f"select {tests} {bad}, {kind} {self.same(dtype, 1)}, {kind} {divisor}")
        return w.new(f"{x.op} {kind} {dividend}, {safe}")

    def same(self, dtype: DType, value: int) -> str:
        """Return a vector of one number."""
        return self.operand(Literal(dtype, value))


AHEAD = 16384
"""How many bytes before it is read memory is asked for: processors do not look beyond a page."""


def distance_ahead(w: Writer, is_array: str) -> str:
    """Write how far ahead is asked: not beyond a copy, where there may be no memory at all."""
    return w.new(f"select i1 {is_array}, i64 {AHEAD}, i64 0")


def ask_ahead(w: Writer, address: str, distance: str) -> None:
    """Write that what follows an address is wanted soon; it need not be there."""
    w.declare("void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    there = w.new(f"getelementptr i8, ptr {address}, i64 {distance}")
    w.line(f"call void @llvm.prefetch.p0(ptr {there}, i32 0, i32 3, i32 1)")
