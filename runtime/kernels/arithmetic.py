"""Single instructions of kernels as those of LLVM.

Comes in: instructions, and what writes the function around them. Goes out: their text.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.dtypes import DType
from runtime.kernels.kernel import ArrayType, Instruction, Literal, Operand, Type

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

STRICT = 'metadata !"fpexcept.strict"'
NEAREST = f'metadata !"round.tonearest", {STRICT}'
_PLAIN = {
    "add": "add", "sub": "sub", "mul": "mul", "sdiv": "sdiv", "srem": "srem", "udiv": "udiv",
    "urem": "urem", "and": "and", "or": "or", "xor": "xor", "shl": "shl", "ashr": "ashr",
    "lshr": "lshr", "eq": "icmp eq", "ne": "icmp ne", "ult": "icmp ult", "ule": "icmp ule",
    "ugt": "icmp ugt",
}  # fmt: skip
_INTRINSICS = {"fabs": "fabs", "floor": "floor", "copysign": "copysign"}
_FLOAT_TESTS = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole"}


def llvm_type(dtype: DType) -> str:
    """Return LLVM's name for a dtype in registers."""
    if dtype.kind == "f":
        return {4: "float", 8: "double"}[dtype.itemsize]
    return "i1" if dtype.kind == "b" else f"i{dtype.itemsize * 8}"


def stored_type(dtype: DType) -> str:
    """Return LLVM's name for a dtype in memory."""
    return "i8" if dtype.kind == "b" else llvm_type(dtype)


def number(type: Type) -> DType:
    """Return the dtype of a type that is a number's."""
    assert not isinstance(type, ArrayType)
    return type


def literal(operand: Literal) -> str:
    """Return the text of a number; floats by their bits, so that none is lost."""
    kind = operand.type.kind
    if kind == "f":
        (bits,) = struct.unpack("<Q", struct.pack("<d", operand.value))
        return f"0x{bits:016X}"
    return str(operand.value).lower() if kind == "b" else str(operand.value)


def plain(w: Writer, x: Instruction) -> str:
    """Return the text of an instruction that is one of LLVM's."""
    dtype = number(x.args[0].type)
    kind, values = llvm_type(dtype), ", ".join(map(w.operand, x.args))
    if dtype.kind == "f" and x.op in _FLOAT_TESTS:
        return float_test(w, _FLOAT_TESTS[x.op], dtype, x.args)
    if x.op in ("lt", "le"):
        sign = "s" if dtype.kind == "i" else "u"
        return f"icmp {sign}{x.op} {kind} {values}"
    if x.op in _PLAIN:
        return f"{_PLAIN[x.op]} {kind} {values}"
    if x.op in ("fadd", "fsub", "fmul", "fdiv", "fsqrt", "frem"):
        op = x.op[1:] if x.op == "fsqrt" else x.op
        return intrinsic(w, f"experimental.constrained.{op}", dtype, x.args, NEAREST)
    if x.op in _INTRINSICS:
        return intrinsic(w, _INTRINSICS[x.op], dtype, x.args)
    if x.op == "fneg":
        return f"fneg {kind} {values}"
    if x.op == "not":
        return f"xor i1 {values}, true"
    if x.op == "select":
        return f"select {', '.join(map(w.typed, x.args))}"
    assert x.op == "convert", x.op
    return conversion(w, x.args[0], dtype, number(x.results[0].type))


def intrinsic(
    w: Writer, name: str, dtype: DType, args: Sequence[Operand], metadata: str = ""
) -> str:
    """Return a call of one of LLVM's functions on numbers of one type."""
    suffix = f"{'f' if dtype.kind == 'f' else 'i'}{dtype.itemsize * 8}"
    kind = llvm_type(dtype)
    function = f"@llvm.{name}.{suffix}"
    given = ", ".join(map(w.typed, args)) + (f", {metadata}" if metadata else "")
    extra = ", metadata" * metadata.count('!"')
    w.declare(f"{kind} {function}({', '.join([kind] * len(args))}{extra})")
    return f"call {kind} {function}({given}){' #0' if metadata else ''}"


def float_test(w: Writer, test: str, dtype: DType, args: Sequence[Operand]) -> str:
    """Return a comparison of floats, quiet about NaN."""
    kind, name = llvm_type(dtype), f"@llvm.experimental.constrained.fcmp.f{dtype.itemsize * 8}"
    w.declare(f"i1 {name}({kind}, {kind}, metadata, metadata)")
    given = ", ".join(map(w.typed, args))
    return f'call i1 {name}({given}, metadata !"{test}", metadata !"fpexcept.strict") #0'


def conversion(w: Writer, x: Operand, source: DType, target: DType) -> str:
    """Return the conversion of a number."""
    given, kind = w.typed(x), llvm_type(target)
    if source.kind == "f" and target.kind == "f":
        name = "fptrunc" if target.itemsize < source.itemsize else "fpext"
        return float_conversion(w, name, x, target, name == "fptrunc")
    if target.kind == "f":
        name = "sitofp" if source.kind == "i" else "uitofp"
        return float_conversion(w, name, x, target, True)
    if source.kind == "f":
        name = "fptosi" if target.kind == "i" else "fptoui"
        return float_conversion(w, name, x, target, False)
    if source.itemsize > target.itemsize:
        return f"trunc {given} to {kind}"
    if source.itemsize == target.itemsize and source.kind != "b":
        return f"bitcast {given} to {kind}"
    return f"{'sext' if source.kind == 'i' else 'zext'} {given} to {kind}"


def float_conversion(w: Writer, op: str, x: Operand, target: DType, rounds: bool) -> str:
    """Return a strict conversion to or from floats."""
    source, kind = number(x.type), llvm_type(target)
    suffix = ".".join(
        f"f{t.itemsize * 8}" if t.kind == "f" else llvm_type(t) for t in (target, source)
    )
    name = f"@llvm.experimental.constrained.{op}.{suffix}"
    metadata = NEAREST if rounds else STRICT
    extra = ", metadata" * metadata.count('!"')
    w.declare(f"{kind} {name}({llvm_type(source)}{extra})")
    return f"call {kind} {name}({w.typed(x)}, {metadata}) #0"
