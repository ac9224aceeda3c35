"""Calls of the C library as LLVM text.

Comes in: instructions, and what writes lines. Goes out: registers. A sine and a cosine of the same
number are one call, which gives both as the two do.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from runtime.kernels.arithmetic import llvm_type, number
from runtime.kernels.c_functions import has_sincos, is_of_numpy
from runtime.kernels.kernel import FLOAT, Block, Instruction, Operand
from runtime.kernels.known_powers import is_known, power

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

PAIR = ("sin", "cos")
"""What `sincos` gives at once, where the C library has it."""


def called(w: Writer, x: Instruction) -> None:
    """Write a call of a function of the C library."""
    name, (result,) = name_of(x), x.results
    if is_known(x, w.target):
        w.names[result] = power(w, w, x)
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
