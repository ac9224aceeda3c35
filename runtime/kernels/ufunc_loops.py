"""Inner loops of NumPy's on numbers and on elements of arrays, and memory for these, as LLVM text.

Comes in: instructions, and what writes lines. Goes out: lines. An inner loop takes where its
operands are, how often it is to do something, and how far it is from one element to the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.kernels import c_calls
from runtime.kernels.arithmetic import number, stored_type
from runtime.kernels.kernel import ArrayType, Instruction, Variable
from runtime.kernels.routine_values import pointer
from runtime.kernels.routines import write

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

MEMORY = "{ ptr, i64 }"
"""The type of what says where memory is, and how many bytes it has."""
SMALL = 256
"""Arrays of so many bytes are on the stack, if that is known."""


def ufunc(w: Writer, x: Instruction) -> None:
    """Write a call of an inner loop for one number of each operand."""
    if c_calls.name_of(x) is not None:
        c_calls.called(w, x)
        return
    places = [w.space(stored_type(number(v.type)), 64) for v in (*x.args, *x.results)]
    for place, arg in zip(places, x.args, strict=False):
        w.store(arg, place)
    call_loop(w, x, places, ["1"], [0] * len(places))  # as NumPy has it for scalars
    (result,) = x.results
    w.names[result] = w.loaded(places[-1], number(result.type))


def inner(w: Writer, x: Instruction) -> None:
    """Write a call of an inner loop for elements of arrays."""
    given, operands = list(x.args), []
    for _ in range(1 + max(k for k, _, _ in x.attrs["steps"])):
        rank = len(shape_of(given[0]).shape)
        operands.append((given[0], w.element(given[0], given[1 : 1 + rank])))
        del given[: 1 + rank]
    steps = []
    for k, axis, step in x.attrs["steps"]:
        array = operands[k][0]
        assert isinstance(array, Variable)
        found = str(step * shape_of(array).dtype.itemsize)
        for size in w.arrays[array][2][axis + 1 :] if step else ():
            found = w.new(f"mul i64 {found}, {size}")
        steps.append(found)
    call_loop(w, x, [address for _, address in operands], [w.operand(y) for y in given], steps)
    if x.attrs["quiet"]:
        w.clear_flags()


def shape_of(x: object) -> ArrayType:
    """Return the type of an array."""
    assert isinstance(x, Variable)
    assert isinstance(x.type, ArrayType)
    return x.type


_CALL = """
for k in unrolled(len(places)):
    table.ptr[k] = places[k]
for k in unrolled(len(numbers)):
    words.i64[k] = numbers[k]
return words + 8 * count
"""


def call_loop(
    w: Writer, x: Instruction, places: Sequence[str], counts: Sequence[str], steps: Sequence[object]
) -> None:
    """Write a call; such a loop may clear the flags of the processor, so they are kept before.

    Args:
        w: writes lines.
        x: has the name of the loop.
        places: where the operands are.
        counts: how often it is to do something.
        steps: how far it is from one element of each operand to the next.
    """
    name, numbers = f"{x.attrs['ufunc']}:{x.attrs['types']}", [*counts, *steps]
    w.keep_flags()
    table, words = w.space(f"[{len(places)} x ptr]"), w.space(f"[{len(numbers)} x i64]")
    known = {"table": pointer(table), "words": pointer(words), "places": places}
    (at,) = write(w, _CALL, numbers=numbers, count=len(counts), **known)
    function, data = w.outside(f"loop:{name}"), w.outside(f"data:{name}")
    given = f"ptr {table}, ptr {words}, ptr {at}, ptr {data}"
    w.line(f"call void {function}({given}) #0")


def array(w: Writer, x: Instruction) -> None:
    """Write that there is memory for an array; it is that of the last time, if it is enough.

    Where it is stands in place of the object that other arrays have.
    """
    (result,) = x.results
    kind, sizes = shape_of(result), tuple(map(w.operand, x.args))
    size = bytes_of(w, kind, sizes)
    known = math.prod((kind.dtype.itemsize, *(n for n in kind.shape if n is not None)))
    if None not in kind.shape and known <= SMALL:
        own, data = "null", w.buffer(max(known, 1))
    else:
        own = w.space(MEMORY)
        w.memory.append(own)
        data = _memory(w, own, size)
    w.arrays[result] = (own, data, sizes)
    if x.attrs["zeros"]:
        w.declare("void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        w.line(f"call void @llvm.memset.p0.i64(ptr {data}, i8 0, i64 {size}, i1 false)")


def resized(w: Writer, x: Instruction) -> None:
    """Write that the memory of an array is enough for other sizes."""
    array, *given = x.args
    assert isinstance(array, Variable)
    kind, sizes = shape_of(x.results[0]), tuple(map(w.operand, given))
    own, _, _ = w.arrays[array]
    w.arrays[x.results[0]] = (own, _memory(w, own, bytes_of(w, kind, sizes)), sizes)


def bytes_of(w: Writer, kind: ArrayType, sizes: Sequence[str]) -> str:
    """Return how many bytes an array has; leave the kernel where no integer can say so."""
    size = str(kind.dtype.itemsize)
    w.declare("{i64, i1} @llvm.umul.with.overflow.i64(i64, i64)")
    for n in sizes:
        both = w.new(f"call {{i64, i1}} @llvm.umul.with.overflow.i64(i64 {size}, i64 {n})")
        w.stop_if(w.new(f"extractvalue {{i64, i1}} {both}, 1"))
        size = w.new(f"extractvalue {{i64, i1}} {both}, 0")
    return size


_MEMORY = """
if size > own.i64[1]:
    most = max(size, own.i64[1] << 1)
    made = py.PyMem_RawRealloc(own.ptr[0], most)
    stop_if(made == null)
    own.ptr[0] = made
    own.i64[1] = most
return own.ptr[0]
"""


def _memory(w: Writer, own: str, size: str) -> str:
    """Return where there are so many bytes, which are let go when the kernel ends.

    It gets twice as large, at least, so that adding to an array again and again takes linear time.
    """
    (found,) = write(w, _MEMORY, own=pointer(own), size=size, stop_if=w.stop_if)
    return found
