"""One pass over a block, as LLVM text: instructions on vectors.

Comes in: instructions, and where numbers are in memory. Goes out: lines.
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.dtypes import DType
from runtime.kernels.arithmetic import kind_in, literal, llvm_type, number, plain, stored_type
from runtime.kernels.kernel import BOOL, Instruction, Literal, Operand, Variable
from runtime.kernels.llvm import Writer


class Lanes:
    """The registers of one pass: variables as vectors.

    Args:
        w: writes lines.
        lanes: how many numbers a vector has.
        known: vectors that exist already.
        memory: where other variables are.
        place: the number of the first element of the present vector.
    """

    def __init__(
        self,
        w: Writer,
        lanes: int,
        known: Mapping[Variable, str],
        memory: Mapping[Variable, str],
        place: str,
    ) -> None:
        self.w = w
        self.lanes = lanes
        self.names = dict(known)
        self.memory = memory
        self.place = place

    def declare(self, text: str) -> None:
        """Declare an outside function."""
        self.w.declare(text)

    def operand(self, operand: Operand) -> str:
        """Return the text of an operand, which is read from memory where it is first used."""
        if isinstance(operand, Literal):
            if self.lanes == 1:
                return literal(operand)
            return f"splat ({llvm_type(operand.type)} {literal(operand)})"
        if operand not in self.names:
            self.names[operand] = self.load(operand)
        return self.names[operand]

    def load(self, operand: Variable) -> str:
        """Return a vector from memory."""
        w, dtype = self.w, number(operand.type)
        address = self.address(self.memory[operand], operand)
        kind = f"<{self.lanes} x {stored_type(dtype)}>"
        found = w.new(f"load {kind}, ptr {address}, align {dtype.itemsize}")
        return w.new(f"icmp ne {kind} {found}, zeroinitializer") if dtype.kind == "b" else found

    def store(self, operand: Operand, memory: str) -> None:
        """Write a vector to memory."""
        w, dtype = self.w, number(operand.type)
        value, kind = self.operand(operand), f"<{self.lanes} x {stored_type(dtype)}>"
        if dtype.kind == "b":
            value = w.new(f"zext {kind_in(self, dtype)} {value} to {kind}")
        w.line(f"store {kind} {value}, ptr {self.address(memory, operand)}, align {dtype.itemsize}")

    def address(self, memory: str, operand: Operand) -> str:
        """Return where the present vector of an operand is."""
        kind = stored_type(number(operand.type))
        return self.w.new(f"getelementptr {kind}, ptr {memory}, i64 {self.place}")

    def instruction(self, x: Instruction) -> None:
        """Write an instruction."""
        if x.op == "stop":
            self.stop(x)
        elif x.op in ("sdiv", "srem", "udiv", "urem"):
            self.names[x.results[0]] = self.division(x)
        else:
            self.names[x.results[0]] = self.w.new(plain(self, x))

    def stop(self, x: Instruction) -> None:
        """Write a test that leaves the kernel, after the block."""
        w, kind = self.w, kind_in(self, BOOL)
        w.declare(f"i1 @llvm.vector.reduce.or.v{self.lanes}i1({kind})")
        given = f"{kind} {self.operand(x.args[0])}"
        found = w.new(f"call i1 @llvm.vector.reduce.or.v{self.lanes}i1({given})")
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


def splat(w: Writer, lanes: int, value: str, dtype: DType) -> str:
    """Return a number as a vector."""
    kind = f"<{lanes} x {llvm_type(dtype)}>"
    first = w.new(f"insertelement {kind} poison, {llvm_type(dtype)} {value}, i64 0")
    zeros = f"<{lanes} x i32> zeroinitializer"
    return w.new(f"shufflevector {kind} {first}, {kind} poison, {zeros}")
