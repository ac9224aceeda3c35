"""Calls of the C library as LLVM text; squares of single numbers and of vectors.

Comes in: instructions, and what writes lines. Goes out: registers. `pow(x, 2)` errs by less than
`DOUBT` before it rounds; so its result is the product, unless what that leaves out is about half of
its last digit. Then, and where numbers are large or small, it is called. A sine and a cosine of the
same number are one call, which gives both as the two do.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.arithmetic import UNLIKELY, kind_in, llvm_type, number, plain
from runtime.kernels.c_functions import DOUBT, has_sincos, is_of_numpy, squares_nearly
from runtime.kernels.kernel import BOOL, FLOAT, INT, Block, Instruction, Literal, Operand, Variable
from runtime.kernels.routine_values import Value
from runtime.kernels.routines import routines
from runtime.kernels.target import Target

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer
    from runtime.kernels.loops.vectorize import Lanes

PAIR = ("sin", "cos")
"""What `sincos` gives at once, where the C library has it."""
LEAST, ABOVE = (int(np.float64(x).view(np.int64)) for x in (2.0**-30, 2.0**30))
"""The bits of sizes between which nothing that is computed here over- or underflows."""
_CALLED = """
def squares(values: ptr, found: ptr, doubts: i64, pow: ptr):
    left = doubts
    while left != 0:
        k = trailing(left)
        found.double[k] = function(double, pow)(values.double[k], TWO)
        left = left & (left - 1)
"""


def called(w: Writer, x: Instruction) -> None:
    """Write a call of a function of the C library."""
    name, (result,) = name_of(x), x.results
    if is_square(x, w.target):
        w.names[result] = square(w, w, x.args[0])
    elif name in PAIR and x.args[0] in w.pairs:
        w.names[result] = _of_pair(w, x.args[0], PAIR.index(name))
    else:
        kind = llvm_type(number(result.type))
        pointer = w.outside(f"c:{name}{'f' if kind == 'float' else ''}")
        w.names[result] = w.new(f"call {kind} {pointer}({', '.join(map(w.typed, x.args))}) #0")


def name_of(x: Instruction) -> str | None:
    """Return the name of the function of the C library that an instruction calls, if it does."""
    if x.op == "loop" and x.attrs["types"] == "d->d" and is_of_numpy(x.attrs["ufunc"]):
        return str(x.attrs["ufunc"])
    return x.attrs["name"] if x.op == "c_call" else None


def paired(block: Block) -> dict[Operand, tuple[str, str] | None]:
    """Return of what a block has both the sine and the cosine."""
    names = defaultdict[Operand, set[str]](set)
    for x in block.instructions:
        name = name_of(x)
        if name in PAIR and x.results[0].type == FLOAT:
            names[x.args[0]].add(name)
    both = [x for x, found in names.items() if found >= {*PAIR}]
    return dict.fromkeys(both if both and has_sincos() else [])


def _of_pair(w: Writer, x: Operand, k: int) -> str:
    """Return the sine or the cosine of a number, of a call that gives both."""
    found = w.pairs[x]
    if found is None:
        places = [w.space("double") for _ in PAIR]
        given = ", ".join([w.typed(x), *(f"ptr {place}" for place in places)])
        w.line(f"call void {w.outside('c:sincos')}({given}) #0")
        sine, cosine = (w.new(f"load double, ptr {place}") for place in places)
        found = w.pairs[x] = sine, cosine
    return found[k]


def _trailing(w: Writer, word: str) -> Value:
    """Return how many zeros are below the lowest bit of a word."""
    w.declare("i64 @llvm.cttz.i64(i64, i1)")
    return Value("i64", w.new(f"call i64 @llvm.cttz.i64(i64 {word}, i1 true)"))


def is_square(x: Instruction, target: Target) -> bool:
    """Tell whether an instruction is a square that need not be a call."""
    if x.op != "c_call" or x.attrs["name"] != "pow" or x.results[0].type != FLOAT:
        return False
    is_two = isinstance(x.args[1], Literal) and x.args[1].value == 2
    return is_two and target.has("fma") and squares_nearly()


def square(w: Writer, registers: Writer | Lanes, x: Operand) -> str:
    """Return the squares of what registers have, of one number or of several.

    Args:
        w: writes lines.
        registers: writes instructions: `w` itself, or on vectors.
        x: is squared.
    """

    def emit(op: str, dtype: DType, *args: Operand) -> Variable:
        found = Variable(dtype)
        registers.names[found] = w.new(plain(registers, Instruction(op, args, (found,))))
        return found

    size = emit("and", INT, emit("bits", INT, x), Literal(INT, 2**63 - 1))
    beyond = emit("sub", INT, size, Literal(INT, LEAST))
    is_usual = emit("ult", BOOL, beyond, Literal(INT, ABOVE - LEAST))
    is_usual = emit("or", BOOL, is_usual, emit("eq", BOOL, size, Literal(INT, 0)))
    own = emit("select", FLOAT, is_usual, x, Literal(FLOAT, 1.0))
    product = emit("fmul", FLOAT, own, own)
    rest = emit("fma", FLOAT, own, own, emit("fneg", FLOAT, product))
    doubt = emit("fmul", FLOAT, rest, Literal(FLOAT, 1 / (1 - 2 * DOUBT)))
    is_sure = emit("eq", BOOL, emit("fadd", FLOAT, product, doubt), product)
    doubtful = emit("not", BOOL, emit("and", BOOL, is_sure, is_usual))
    return _called(w, registers, x, product, doubtful)


def _called(
    w: Writer, registers: Writer | Lanes, x: Operand, product: Operand, doubtful: Operand
) -> str:
    """Return products, and what the C library gives where that is doubtful."""
    kind, found = kind_in(registers, FLOAT), registers.operand(product)
    tests, doubts = kind_in(registers, BOOL), registers.operand(doubtful)
    bits, before = f"i{registers.lanes}", w.label
    call, after = w.block_label("pow"), w.block_label("square")
    any_doubt = doubts
    if registers.lanes > 1:
        doubts = w.new(f"bitcast {tests} {doubts} to {bits}")
        any_doubt = w.new(f"icmp ne {bits} {doubts}, 0")
    w.line(f"br i1 {any_doubt}, label %{call}, label %{after}, {UNLIKELY}")
    w.begin(call)
    pointer, given = w.outside("c:pow"), registers.operand(x)
    if registers.lanes == 1:
        called = w.new(f"call double {pointer}(double {given}, double 2.0) #0")
    else:
        if "@squares" not in w.functions:
            own = w.inside()
            two, tail = Value("double", "2.0"), "cold noinline #0"
            routines(own, _CALLED, tail=tail, TWO=two, trailing=partial(_trailing, own))
            w.functions["@squares"] = own.lines
        values, results = w.buffer(8 * registers.lanes), w.buffer(8 * registers.lanes)
        w.line(f"store {kind} {given}, ptr {values}")
        w.line(f"store {kind} {found}, ptr {results}")
        every = w.new(f"zext {bits} {doubts} to i64")
        w.line(f"call void @squares(ptr {values}, ptr {results}, i64 {every}, ptr {pointer}) #0")
        called = w.new(f"load {kind}, ptr {results}")
    w.line(f"br label %{after}")
    w.begin(after)
    return w.new(f"phi {kind} [ {found}, %{before} ], [ {called}, %{call} ]")
