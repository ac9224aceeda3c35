"""What is done with all elements of a block at once, as LLVM text.

Comes in: what is to be written, and where numbers are in memory. Goes out: a loop over vectors, or
the call of an inner loop of NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.kernels.arithmetic import number, stored_type
from runtime.kernels.arrays.vector_pass import Known, Lanes
from runtime.kernels.control_flow import when
from runtime.kernels.helpers import helper
from runtime.kernels.kernel import Instruction, Literal, Operand, Variable
from runtime.kernels.llvm import Writer
from runtime.kernels.ufunc_loops import call_loop
from runtime.kernels.vectors import first_lanes, splat_of


def write_pass(
    w: Writer,
    lanes: int,
    known: Known,
    memory: Mapping[Variable, str],
    makers: Mapping[Variable, Instruction],
    tests: Sequence[Instruction],
    stores: Sequence[tuple[Operand, str]],
    count: str,
) -> None:
    """Write a loop over vectors: tests, and what is written to memory.

    Args:
        w: writes lines.
        lanes: how many numbers a vector has.
        known: what is the same for all elements.
        memory: where other numbers are.
        makers: what makes those that are not there.
        tests: what may leave the kernel.
        stores: what is written, and where to.
        count: how many elements there are, at least a vector of them.
    """
    last = w.new(f"sub i64 {count}, {lanes}")
    before, loop, after = w.label, w.block_label("vector"), w.block_label("passed")
    place, following = w.block_label("%place"), w.block_label("%next")
    w.line(f"br label %{loop}")
    w.begin(loop)
    w.line(f"{place} = phi i64 [ 0, %{before} ], [ {following}, %{loop} ]")
    registers = Lanes(w, lanes, known, memory, place, makers)
    for x in tests:
        registers.instruction(x)
    for operand, address in stores:
        registers.store(operand, address)
    step = w.new(f"add i64 {place}, {lanes}")
    w.line(f"{following} = call i64 @llvm.umin.i64(i64 {step}, i64 {last})")
    done = w.new(f"icmp eq i64 {place}, {last}")
    w.line(f"br i1 {done}, label %{after}, label %{loop}")
    w.begin(after)


def fill(w: Writer, x: Variable, place: str, count: str, filled: str) -> None:
    """Write that the last of some numbers is repeated, so that a vector has no others."""
    pad = helper(w, f"pad{number(x.type).itemsize}")
    w.line(f"call void {pad}(ptr {place}, i64 {count}, i64 {filled})")


def fill_vector(w: Writer, x: Variable, place: str, count: str, lanes: int) -> None:
    """Write that the last of some numbers is repeated, where they are fewer than a vector has."""
    one = stored_type(number(x.type))
    kind = f"<{lanes} x {one}>"

    def short() -> None:
        last = w.new(f"sub i64 {count}, 1")
        last = w.new(f"load {one}, ptr {w.new(f'getelementptr {one}, ptr {place}, i64 {last}')}")
        there, own = first_lanes(w, lanes, count), w.new(f"load {kind}, ptr {place}, align 1")
        others = splat_of(w, lanes, last, one)
        found = w.new(f"select <{lanes} x i1> {there}, {kind} {own}, {kind} {others}")
        w.line(f"store {kind} {found}, ptr {place}, align 1")

    when(w, w.new(f"icmp ult i64 {count}, {lanes}"), short)


def write_call(
    w: Writer, x: Instruction, known: Known, memory: Mapping[Variable, str], length: str
) -> None:
    """Write a call of an inner loop of NumPy for the block; it may clear the flags."""
    operands = (*x.args, *x.results)
    fixed = [y in known.vectors or isinstance(y, Literal) for y in operands]
    steps = [0 if k else number(y.type).itemsize for k, y in zip(fixed, operands, strict=True)]
    call_loop(w, x, [_address(w, y, memory) for y in operands], [length], steps)


def _address(w: Writer, operand: Operand, memory: Mapping[Variable, str]) -> str:
    """Return where the numbers of an operand are in memory."""
    if isinstance(operand, Literal):
        place = w.space(stored_type(operand.type), 64)
        w.store(operand, place)
        return place
    return memory[operand]
