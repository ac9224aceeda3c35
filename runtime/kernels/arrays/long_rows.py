"""A long row in pieces, as LLVM text.

Comes in: how many elements there are, and how often they are halved. Goes out: the function

    piece(place, count, levels, number)    writes where a piece begins, and its length

and lines that put the numbers of all pieces together, as NumPy's sum of the whole row does
(`pairwise`): a row is halved, and its halves are, each as often. So pieces are the leaves of a full
binary tree, and two neighbours meet at each of its places.
"""

from __future__ import annotations

from runtime.kernels.arithmetic import number, stored_type
from runtime.kernels.arrays.accumulate import together
from runtime.kernels.control_flow import loop
from runtime.kernels.kernel import Instruction
from runtime.kernels.llvm import Writer

PIECE_OF = """
def piece(place: ptr, count: i64, levels: i64, number: i64):
    begin = 0
    while levels != 0:
        levels -= 1
        first = count >> 1 & -8
        is_right = number >> levels & 1 != 0
        begin = begin + first if is_right else begin
        count = count - first if is_right else first
    place.i64[0] = begin
    place.i64[1] = count
"""


def write_meetings(w: Writer, x: Instruction, parts: str, levels: str) -> str:
    """Write that the numbers of pieces are put together; return where the last one is."""
    kind = stored_type(number(x.args[0].type))

    def level(k: str) -> None:
        above = w.new(f"sub i64 {levels}, {k}")
        pairs = w.new(f"shl i64 1, {w.new(f'sub i64 {above}, 1')}")
        loop(w, "0", pairs, "1", pair)

    def pair(k: str) -> None:
        left = w.new(f"shl i64 {k}, 1")
        places = [at(left), at(w.new(f"add i64 {left}, 1"))]
        first, second = (w.new(f"load {kind}, ptr {place}") for place in places)
        w.line(f"store {kind} {together(w, x, 1, first, second)}, ptr {at(k)}")

    def at(place: str) -> str:
        return w.new(f"getelementptr {kind}, ptr {parts}, i64 {place}")

    loop(w, "0", levels, "1", level)
    return parts
