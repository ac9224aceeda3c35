"""Vectors as LLVM text: numbers side by side, in registers and in memory.

Comes in: what writes lines, and how many numbers a vector has. Goes out: registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.dtypes import DType
from runtime.kernels.arithmetic import kind_of, literal, llvm_type, stored_type, suffix_of
from runtime.kernels.kernel import BOOL, Literal

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer


def load_vector(
    w: Writer, lanes: int, dtype: DType, address: str, mask: str | None = None, other: str = ""
) -> str:
    """Return a vector from memory: with a mask the elements that are there, others for the rest.

    Args:
        w: writes lines.
        lanes: how many numbers the vector has.
        dtype: of the numbers.
        address: where the first of them is.
        mask: which of them there are; None for all.
        other: a vector of what stands for those that are not there.
    """
    one, tests = stored_type(dtype), kind_of(BOOL, lanes)
    kind = f"<{lanes} x {one}>"
    if mask is None:
        found = w.new(f"load {kind}, ptr {address}, align {dtype.itemsize}")
    else:
        name = f"@llvm.masked.load.{_suffix(dtype, lanes)}"
        w.declare(f"{kind} {name}(ptr, i32, {tests}, {kind})")
        given = f"ptr {address}, i32 {dtype.itemsize}, {tests} {mask}, {kind} {other}"
        found = w.new(f"call {kind} {name}({given})")
    return w.new(f"icmp ne {kind} {found}, zeroinitializer") if dtype == BOOL else found


def splat_at(w: Writer, lanes: int, dtype: DType, address: str) -> str:
    """Return a number from memory as a vector, as it would be stored."""
    one = stored_type(dtype)
    return splat_of(w, lanes, w.new(f"load {one}, ptr {address}"), one)


def store_vector(
    w: Writer, lanes: int, dtype: DType, value: str, address: str, mask: str | None = None
) -> None:
    """Write that a vector goes to memory, with a mask the elements that are there."""
    kind, tests = f"<{lanes} x {stored_type(dtype)}>", kind_of(BOOL, lanes)
    if dtype == BOOL:
        value = w.new(f"zext {tests} {value} to {kind}")
    if mask is None:
        w.line(f"store {kind} {value}, ptr {address}, align {dtype.itemsize}")
        return
    name = f"@llvm.masked.store.{_suffix(dtype, lanes)}"
    w.declare(f"void {name}({kind}, ptr, i32, {tests})")
    given = f"{kind} {value}, ptr {address}, i32 {dtype.itemsize}, {tests} {mask}"
    w.line(f"call void {name}({given})")


def _suffix(dtype: DType, lanes: int) -> str:
    """Return how LLVM's functions on vectors in memory end."""
    return f"v{lanes}{'i8' if dtype == BOOL else suffix_of(dtype, 1)}.p0"


def any_lane(w: Writer, lanes: int, vectors: Sequence[str]) -> str:
    """Return whether any truth value of some vectors is true."""
    found, *others = vectors
    for other in others:
        found = w.new(f"or {kind_of(BOOL, lanes)} {found}, {other}")
    return reduced(w, lanes, BOOL, "or", found)


def reduced(w: Writer, lanes: int, dtype: DType, op: str, vector: str) -> str:
    """Return one integer of all numbers of a vector."""
    one, kind = llvm_type(dtype), kind_of(dtype, lanes)
    name = f"@llvm.vector.reduce.{op}.{suffix_of(dtype, lanes)}"
    w.declare(f"{one} {name}({kind})")
    return w.new(f"call {one} {name}({kind} {vector})")


def first_lanes(w: Writer, lanes: int, count: str) -> str:
    """Return which elements of a vector are among the first `count`."""
    kind = f"<{lanes} x i64>"
    numbers = ", ".join(f"i64 {k}" for k in range(lanes))
    return w.new(f"icmp ult {kind} <{numbers}>, {splat_of(w, lanes, count, 'i64')}")


def same(lanes: int, operand: Literal) -> str:
    """Return a number that is written out, as often as a vector has room for it."""
    if lanes == 1:
        return literal(operand)
    return f"splat ({llvm_type(operand.type)} {literal(operand)})"


def splat(w: Writer, lanes: int, value: str, dtype: DType) -> str:
    """Return a number as a vector."""
    return splat_of(w, lanes, value, llvm_type(dtype))


def splat_of(w: Writer, lanes: int, value: str, one: str) -> str:
    """Return a number of a type of LLVM as a vector."""
    kind = f"<{lanes} x {one}>"
    first = w.new(f"insertelement {kind} poison, {one} {value}, i64 0")
    zeros = f"<{lanes} x i32> zeroinitializer"
    return w.new(f"shufflevector {kind} {first}, {kind} poison, {zeros}")
