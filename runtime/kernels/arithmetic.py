"""Single instructions of kernels as those of LLVM.

Comes in: instructions, and what writes the function around them. Goes out: their text.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from runtime.dtypes import DType
from runtime.kernels.kernel import (
    BOOL,
    ArrayType,
    Instruction,
    Literal,
    Operand,
    Type,
    Variable,
    part_of,
)


class Registers(Protocol):
    """What writes the function around instructions: of single numbers, or of several at once."""

    lanes: int
    fast: bool

    def declare(self, text: str) -> None:
        """Declare an outside function."""

    def operand(self, operand: Operand) -> str:
        """Return the text of an operand."""


UNLIKELY = "!prof !0"
"""What marks a branch whose first way is hardly ever gone."""
STRICT = 'metadata !"fpexcept.strict"'
NEAREST = f'metadata !"round.tonearest", {STRICT}'
_PLAIN = {
    "add": "add", "sub": "sub", "mul": "mul", "sdiv": "sdiv", "srem": "srem", "udiv": "udiv",
    "urem": "urem", "and": "and", "or": "or", "xor": "xor", "shl": "shl", "ashr": "ashr",
    "lshr": "lshr", "eq": "icmp eq", "ne": "icmp ne", "ult": "icmp ult", "ule": "icmp ule",
}  # fmt: skip
_INTRINSICS = {
    "fabs": "fabs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint",
    "copysign": "copysign",
}  # fmt: skip
_FAST = {
    "fadd": "fadd contract", "fsub": "fsub contract", "fmul": "fmul contract",
    "fdiv": "fdiv",
}  # fmt: skip
"""What may become one instruction with its neighbours, where speed was asked for."""
_FLOAT_TESTS = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole"}


def llvm_type(dtype: DType) -> str:
    """Return LLVM's name for a dtype in registers."""
    if dtype.kind == "c":
        return {8: "{float, float}", 16: "{double, double}"}[dtype.itemsize]
    if dtype.kind == "f":
        return {4: "float", 8: "double"}[dtype.itemsize]
    return "i1" if dtype.kind == "b" else f"i{dtype.itemsize * 8}"


def stored_type(dtype: DType) -> str:
    """Return LLVM's name for a dtype in memory."""
    return "i8" if dtype.kind == "b" else llvm_type(dtype)


def kind_of(dtype: DType, lanes: int) -> str:
    """Return LLVM's name for one number, or for a vector of several."""
    return llvm_type(dtype) if lanes == 1 else f"<{lanes} x {llvm_type(dtype)}>"


def suffix_of(dtype: DType, lanes: int) -> str:
    """Return how LLVM's functions on one number or a vector are called."""
    own = f"f{dtype.itemsize * 8}" if dtype.kind == "f" else llvm_type(dtype)
    return own if lanes == 1 else f"v{lanes}{own}"


def kind_in(w: Registers, dtype: DType) -> str:
    """Return LLVM's name for what registers of a dtype hold: one number, or several."""
    return kind_of(dtype, w.lanes)


def suffix_in(w: Registers, dtype: DType) -> str:
    """Return how LLVM's functions on registers of a dtype are called."""
    return suffix_of(dtype, w.lanes)


def number(type: Type) -> DType:
    """Return the dtype of a type that is a number's."""
    assert not isinstance(type, ArrayType)
    return type


def literal(operand: Literal) -> str:
    """Return the text of a number; floats by their bits, so that none is lost."""
    kind = operand.type.kind
    if kind == "c":
        part = part_of(operand.type)
        both = (Literal(part, x) for x in (operand.value.real, operand.value.imag))
        return f"{{{', '.join(f'{llvm_type(part)} {literal(x)}' for x in both)}}}"
    if kind == "f":
        (bits,) = struct.unpack("<Q", struct.pack("<d", operand.value))
        return f"0x{bits:016X}"
    return str(operand.value).lower() if kind == "b" else str(operand.value)


def typed_in(w: Registers, operand: Operand) -> str:
    """Return the text of an operand with its type."""
    return f"{kind_in(w, number(operand.type))} {w.operand(operand)}"


def plain(w: Registers, x: Instruction) -> str:
    """Return the text of an instruction that is one of LLVM's."""
    if x.op == "fdiv" and (inverse := _exact_inverse(x.args[1])) is not None:
        x = replace(x, op="fmul", args=(x.args[0], inverse))
    dtype = number(x.args[0].type)
    kind, values = kind_in(w, dtype), ", ".join(map(w.operand, x.args))
    if dtype.kind == "f" and x.op in _FLOAT_TESTS:
        return float_test(w, _FLOAT_TESTS[x.op], dtype, x.args)
    if x.op in ("lt", "le"):
        sign = "s" if dtype.kind == "i" else "u"
        return f"icmp {sign}{x.op} {kind} {values}"
    if x.op in _PLAIN:
        return f"{_PLAIN[x.op]}{' nsw' if x.attrs.get('fits') else ''} {kind} {values}"
    if w.fast and x.op in _FAST:
        return f"{_FAST[x.op]} {kind} {values}"
    if w.fast and x.op == "fsqrt":
        return intrinsic(w, "sqrt", dtype, x.args)
    if w.fast and x.op == "fma":
        return intrinsic(w, "fma", dtype, x.args)
    if x.op == "scale":
        return scaled(w, x)
    if x.op in ("fadd", "fsub", "fmul", "fdiv", "fsqrt", "fma"):
        op = x.op[1:] if x.op == "fsqrt" else x.op
        return intrinsic(w, f"experimental.constrained.{op}", dtype, x.args, NEAREST)
    if x.op in _INTRINSICS:
        return intrinsic(w, _INTRINSICS[x.op], dtype, x.args)
    if x.op == "fneg":
        return f"fneg {kind} {values}"
    if x.op == "not":
        return f"xor {kind} {values}, {w.operand(Literal(BOOL, True))}"
    if x.op == "select":
        return f"select {', '.join(typed_in(w, y) for y in x.args)}"
    if x.op == "laid":
        return f"select i1 true, {kind} {w.operand(x.args[0])}, {kind} {w.operand(x.args[0])}"
    if x.op in ("real", "imag"):
        return f"extractvalue {kind} {values}, {int(x.op == 'imag')}"
    if x.op == "bits":
        return f"bitcast {kind} {values} to {kind_in(w, number(x.results[0].type))}"
    assert x.op == "convert", x.op
    return conversion(w, x.args[0], dtype, number(x.results[0].type))


def _exact_inverse(x: Operand) -> Literal | None:
    """Return what gives the same as a divisor, and reports the same, as a factor; None if none."""
    if not isinstance(x, Literal):
        return None
    fraction, exponent = math.frexp(x.value)
    is_power = abs(fraction) == 0.5 and abs(exponent) < 100
    return Literal(x.type, 1 / x.value) if is_power else None


def overflowing(w: Registers, x: Instruction) -> tuple[str, str]:
    """Return integer arithmetic that tells whether it overflowed: the type of what it gives."""
    dtype = number(x.args[0].type)
    kind, sign = kind_in(w, dtype), "s" if dtype.kind == "i" else "u"
    kinds = f"{{{kind}, {kind_in(w, BOOL)}}}"
    op = x.op.removesuffix("_overflow")
    name = f"@llvm.{sign}{op}.with.overflow.{suffix_in(w, dtype)}"
    w.declare(f"{kinds} {name}({kind}, {kind})")
    return kinds, f"call {kinds} {name}({', '.join(typed_in(w, y) for y in x.args)})"


def write_checked(
    w: Registers, x: Instruction, new: Callable[[str], str], names: dict[Variable, str]
) -> None:
    """Write integer arithmetic that tells whether it overflowed; enter what it gives."""
    kinds, text = overflowing(w, x)
    both = new(text)
    for k, result in enumerate(x.results):
        names[result] = new(f"extractvalue {kinds} {both}, {k}")


def intrinsic(
    w: Registers, name: str, dtype: DType, args: Sequence[Operand], metadata: str = ""
) -> str:
    """Return a call of one of LLVM's functions on numbers of one type."""
    kind = kind_in(w, dtype)
    function = f"@llvm.{name}.{suffix_in(w, dtype)}"
    given = ", ".join(typed_in(w, y) for y in args) + (f", {metadata}" if metadata else "")
    extra = ", metadata" * metadata.count('!"')
    w.declare(f"{kind} {function}({', '.join([kind] * len(args))}{extra})")
    return f"call {kind} {function}({given}){' #0' if metadata else ''}"


def scaled(w: Registers, x: Instruction) -> str:
    """Return a vector of float32 times powers of two, in an instruction of AVX-512."""
    kind, mask = kind_in(w, number(x.args[0].type)), f"i{w.lanes}"
    extra = ", i32" if w.lanes == 16 else ""
    name = f"@llvm.x86.avx512.mask.scalef.ps.{32 * w.lanes}"
    w.declare(f"{kind} {name}({kind}, {kind}, {kind}, {mask}{extra})")
    given = f"{', '.join(typed_in(w, y) for y in x.args)}, {kind} zeroinitializer, {mask} -1"
    return f"call {kind} {name}({given}{extra and ', i32 4'})"


def float_test(w: Registers, test: str, dtype: DType, args: Sequence[Operand]) -> str:
    """Return a comparison of floats, quiet about NaN."""
    x, y = map(w.operand, args)
    return compared(w, test, dtype, w.lanes, x, y)


def compared(w: Registers, test: str, dtype: DType, lanes: int, x: str, y: str) -> str:
    """Return the text of a comparison of floats, quiet about NaN."""
    kind, found = kind_of(dtype, lanes), kind_of(BOOL, lanes)
    if w.fast:
        return f"fcmp {test} {kind} {x}, {y}"
    name = f"@llvm.experimental.constrained.fcmp.{suffix_of(dtype, lanes)}"
    w.declare(f"{found} {name}({kind}, {kind}, metadata, metadata)")
    return f'call {found} {name}({kind} {x}, {kind} {y}, metadata !"{test}", {STRICT}) #0'


def conversion(w: Registers, x: Operand, source: DType, target: DType) -> str:
    """Return the conversion of a number."""
    given, kind = typed_in(w, x), kind_in(w, target)
    if source.kind == "f" and target.kind == "f":
        name = "fptrunc" if target.itemsize < source.itemsize else "fpext"
        return float_conversion(w, name, x, target, name == "fptrunc")
    if target.kind == "f" and source.kind == "b":  # exact; of strict vectors LLVM makes no code
        return f"uitofp {given} to {kind}"  # without optimisations: it aborts
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


def float_conversion(w: Registers, op: str, x: Operand, target: DType, rounds: bool) -> str:
    """Return a strict conversion to or from floats."""
    source, kind = number(x.type), kind_in(w, target)
    if w.fast:
        return f"{op} {typed_in(w, x)} to {kind}"
    suffixes = f"{suffix_in(w, target)}.{suffix_in(w, source)}"
    name = f"@llvm.experimental.constrained.{op}.{suffixes}"
    metadata = NEAREST if rounds else STRICT
    extra = ", metadata" * metadata.count('!"')
    w.declare(f"{kind} {name}({kind_in(w, source)}{extra})")
    return f"call {kind} {name}({typed_in(w, x)}, {metadata}) #0"
