"""Powers with a known exponent as LLVM text: of single numbers and of vectors.

Comes in: instructions, and what writes lines. Goes out: registers. `pow` errs by less than `DOUBT`
before it rounds. Products, square roots and quotients tell what they leave out (error-free
transformations: Dekker 1971; Ogita, Rump, Oishi 2005), so its result is theirs, unless that is
about half of the last digit. Then, and where numbers are large or small, it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.arithmetic import UNLIKELY, kind_in, plain
from runtime.kernels.c_functions import DOUBT, powers_nearly
from runtime.kernels.kernel import BOOL, FLOAT, INT, Instruction, Literal, Operand, Variable
from runtime.kernels.routine_values import Value
from runtime.kernels.routines import routines
from runtime.kernels.target import Target

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer
    from runtime.kernels.loops.vectorize import Lanes

Emit = Callable[..., Variable]
"""Writes an instruction: its name, the dtype of its result, its operands."""
MOST = 8
"""The largest exponent that is known: each factor takes three instructions."""
SIZE = 60
"""Results between 2.0**-SIZE and 2.0**SIZE are usual: `DOUBT` holds, and nothing overflows."""
_CALLED = """
def powers(values: ptr, found: ptr, doubts: i64, y: double, pow: ptr):
    left = doubts
    while left != 0:
        k = trailing(left)
        found.double[k] = function(double, pow)(values.double[k], y)
        left = left & (left - 1)
"""


def is_known(x: Instruction, target: Target) -> bool:
    """Tell whether an instruction is a power that need not be a call: of halves or integers."""
    if x.op != "c_call" or x.attrs["name"] != "pow" or x.results[0].type != FLOAT:
        return False
    y = x.args[1].value if isinstance(x.args[1], Literal) else 0.0
    is_near = 0.5 <= abs(y) <= MOST and y != 1 and float(2 * y).is_integer()
    return is_near and target.has("fma") and powers_nearly(float(y))


def power(w: Writer, registers: Writer | Lanes, x: Instruction) -> str:
    """Return the powers of what registers have, of one number or of several.

    Args:
        w: writes lines.
        registers: writes instructions: `w` itself, or on vectors.
        x: the power.
    """
    own, y = x.args[0], float(x.args[1].value)  # type: ignore[union-attr]

    def emit(op: str, dtype: DType, *args: Operand) -> Variable:
        found = Variable(dtype)
        registers.names[found] = w.new(plain(registers, Instruction(op, args, (found,))))
        return found

    is_usual, call, after = _is_usual(emit, own, y), w.block_label("pow"), w.block_label("power")
    if registers.lanes == 1:  # a choice of floats by a bit is slow there
        near = w.block_label("near")
        w.line(f"br i1 {w.operand(is_usual)}, label %{near}, label %{call}, {UNLIKELY}")
        w.begin(near)
        found, is_sure = _found(emit, own, y)
        w.line(f"br i1 {w.operand(is_sure)}, label %{after}, label %{call}, {UNLIKELY}")
        w.begin(call)
        pointer, given = w.outside("c:pow"), registers.operand(own)
        called = w.new(f"call double {pointer}(double {given}, double {y}) #0")
        before = near
    else:
        if y > 0 and y.is_integer():
            is_usual = emit("or", BOOL, is_usual, emit("eq", BOOL, own, Literal(FLOAT, 0.0)))
        usual = emit("select", FLOAT, is_usual, own, Literal(FLOAT, 1.0))
        found, is_sure = _found(emit, usual, y)
        doubts = emit("not", BOOL, emit("and", BOOL, is_sure, is_usual))
        bits = f"i{registers.lanes}"
        packed = w.new(f"bitcast {kind_in(registers, BOOL)} {registers.operand(doubts)} to {bits}")
        any_doubt = w.new(f"icmp ne {bits} {packed}, 0")
        before = w.label
        w.line(f"br i1 {any_doubt}, label %{call}, label %{after}, {UNLIKELY}")
        w.begin(call)
        called = _of_doubtful(w, registers, own, found, packed, y)
    w.line(f"br label %{after}")
    w.begin(after)
    kind, name = kind_in(registers, FLOAT), registers.operand(found)
    return w.new(f"phi {kind} [ {name}, %{before} ], [ {called}, %{call} ]")


def _is_usual(emit: Emit, x: Operand, y: float) -> Variable:
    """Tell whether neither a power, nor anything on the way to it, is large or small."""
    bits: Operand = emit("bits", INT, x)
    if y.is_integer():
        bits = emit("and", INT, bits, Literal(INT, 2**63 - 1))
    width = min(SIZE / 2, SIZE // abs(y))
    least, above = (int(np.float64(2.0**k).view(np.int64)) for k in (-width, width))
    return emit(
        "ult", BOOL, emit("sub", INT, bits, Literal(INT, least)), Literal(INT, above - least)
    )


def _found(emit: Emit, x: Operand, y: float) -> tuple[Variable, Variable]:
    """Return a power, rounded once, and whether what that leaves out is far from half a digit."""
    value, rest = _with_rest(emit, x, y)
    doubt = emit("fmul", FLOAT, rest, Literal(FLOAT, 1 / (1 - 2 * DOUBT)))
    return value, emit("eq", BOOL, emit("fadd", FLOAT, value, doubt), value)


def _with_rest(emit: Emit, x: Operand, y: float) -> tuple[Variable, Variable]:
    """Return a power, rounded, and what is to be added to it."""
    value, rest = x, None
    if abs(y) % 1:
        value = emit("fsqrt", FLOAT, x)
        left = emit("fma", FLOAT, emit("fneg", FLOAT, value), value, x)
        rest = emit("fmul", FLOAT, emit("fdiv", FLOAT, left, value), Literal(FLOAT, 0.5))
    for _ in range(int(abs(y)) - (not abs(y) % 1)):
        product = emit("fmul", FLOAT, value, x)
        left = emit("fma", FLOAT, value, x, emit("fneg", FLOAT, product))
        rest = left if rest is None else emit("fma", FLOAT, rest, x, left)
        value = product
    if y < 0:
        found = emit("fdiv", FLOAT, Literal(FLOAT, 1.0), value)
        negative = emit("fneg", FLOAT, found)
        left = emit("fma", FLOAT, negative, value, Literal(FLOAT, 1.0))
        left = left if rest is None else emit("fma", FLOAT, negative, rest, left)
        value, rest = found, emit("fmul", FLOAT, found, left)
    assert isinstance(value, Variable)
    assert rest is not None
    return value, rest


def _of_doubtful(
    w: Writer, registers: Writer | Lanes, x: Operand, found: Operand, doubts: str, y: float
) -> str:
    """Return what was found, with what the C library gives for the lanes that are in doubt."""
    if "@powers" not in w.functions:
        own = w.inside()
        routines(own, _CALLED, tail="cold noinline #0", trailing=partial(_trailing, own))
        w.functions["@powers"] = own.lines
    kind, bits, lanes = kind_in(registers, FLOAT), f"i{registers.lanes}", registers.lanes
    values, results = w.buffer(8 * lanes), w.buffer(8 * lanes)
    w.line(f"store {kind} {registers.operand(x)}, ptr {values}")
    w.line(f"store {kind} {registers.operand(found)}, ptr {results}")
    every, pointer = w.new(f"zext {bits} {doubts} to i64"), w.outside("c:pow")
    given = f"ptr {values}, ptr {results}, i64 {every}, double {y}, ptr {pointer}"
    w.line(f"call void @powers({given}) #0")
    return w.new(f"load {kind}, ptr {results}")


def _trailing(w: Writer, word: str) -> Value:
    """Return how many zeros are below the lowest bit of a word."""
    w.declare("i64 @llvm.cttz.i64(i64, i1)")
    return Value("i64", w.new(f"call i64 @llvm.cttz.i64(i64 {word}, i1 true)"))
