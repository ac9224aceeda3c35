"""Sums of floats in NumPy's order, as LLVM text.

Comes in: vectors of elements. Goes out: one number.

NumPy halves rows of more than 128 numbers, the first half a multiple of eight, and those halves;
the others, here called leaves, go into eight sums side by side, and what is left after whole
vectors is added one by one (`pairwise_sum` in its loops). Where the leaves end is the same for all
rows, so it is found once: the function

    leaves(table, begin, count, used, waiting)    writes them and their meetings to a table

returns how many there are. The table has four words in each line: where the leaf of this number
begins, its length, and which two sums meet in the meeting of this number (there is one less of
them); the sum then is where the first of the two was. `used` is how many leaves come before,
`waiting` how many sums wait for this one.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.kernels.arithmetic import literal, llvm_type, number
from runtime.kernels.arrays.accumulate import added
from runtime.kernels.arrays.layout import TOGETHER, WIDTH
from runtime.kernels.arrays.vector_pass import Lanes
from runtime.kernels.control_flow import loop
from runtime.kernels.kernel import Instruction, Literal
from runtime.kernels.llvm import Writer
from runtime.kernels.vectors import same

CHAINS = 4
"""So many leaves are summed side by side."""
MOST_LEAVES = 512
"""How many leaves a row has at most."""

LEAVES = """
def leaves(table: ptr, begin: i64, count: i64, used: i64, waiting: i64) -> i64:
    if count <= 128:
        line = table + used * 32
        line.i64[0] = begin
        line.i64[1] = count & -8
        return used + 1
    first = count >> 1 & -8
    left = leaves(table, begin, first, used, waiting)
    right = leaves(table, begin + first, count - first, left, waiting + 1)
    meeting = table + (right - waiting - 2) * 32
    meeting.i64[2] = used
    meeting.i64[3] = left
    return right
"""


class PairwiseSum:
    """The sums of one reduction of floats.

    Args:
        w: writes lines.
        x: the reduction.
        chains: how many leaves are summed side by side.
    """

    def __init__(self, w: Writer, x: Instruction, chains: int) -> None:
        self.w = w
        self.x = x
        self.chains = chains
        self.dtype = number(x.args[0].type)
        self.one = llvm_type(self.dtype)
        self.kind = f"<{WIDTH} x {self.one}>"
        self.sums = [w.space(self.kind) for _ in range(chains + 1)]
        self.apart = w.space(f"[{chains} x {self.kind}]")
        self.rest = w.space(self.kind)
        self.total = w.space(self.one)
        self.totals = w.buffer((max(TOGETHER, MOST_LEAVES) + chains) * self.dtype.itemsize)

    def start(self) -> None:
        """Write that leaves begin: -0.0 is what changes no number."""
        for place in self.sums:
            self.w.line(f"store {self.kind} {same(WIDTH, Literal(self.dtype, -0.0))}, ptr {place}")

    def add(self, lanes: Lanes, chain: int) -> None:
        """Write that a vector is added to a chain, eight numbers after another."""
        w, place = self.w, self.sums[chain]
        value = lanes.operand(self.x.args[0])
        for first in range(0, lanes.lanes, WIDTH):
            part = value
            if lanes.lanes > WIDTH:
                part = self.chosen(value, value, lanes.lanes, range(first, first + WIDTH))
            old = w.new(f"load {self.kind}, ptr {place}")
            w.line(f"store {self.kind} {self.plus(old, part, WIDTH)}, ptr {place}")

    def chosen(self, x: str, y: str, width: int, places: Sequence[int]) -> str:
        """Return numbers of two vectors, by their places."""
        kind = f"<{width} x {self.one}>"
        mask = ", ".join(f"i32 {k}" for k in places)
        mask = f"<{len(places)} x i32> <{mask}>"
        return self.w.new(f"shufflevector {kind} {x}, {kind} {y}, {mask}")

    def spread(self) -> None:
        """Write that the sums of all chains go where `enter` finds them."""
        for k, place in enumerate(self.sums[: self.chains]):
            self.move(place, self.end(str(k)))

    def gather(self) -> None:
        """Write that the sums of all chains come back."""
        for k, place in enumerate(self.sums[: self.chains]):
            self.move(self.end(str(k)), place)

    def enter(self, k: str) -> None:
        """Write that one more chain goes on with the sums of another."""
        self.move(self.end(k), self.sums[-1])

    def leave(self, k: str) -> None:
        """Write that the other has the sums of the one that went on with it."""
        self.move(self.sums[-1], self.end(k))

    def end(self, k: str) -> str:
        """Return where the sums of a chain are, apart from the others."""
        return self.w.new(f"getelementptr {self.kind}, ptr {self.apart}, i64 {k}")

    def move(self, source: str, target: str) -> None:
        """Write that eight sums go from one place to another."""
        value = self.w.new(f"load {self.kind}, ptr {source}")
        self.w.line(f"store {self.kind} {value}, ptr {target}")

    def fold(self, slot: str) -> None:
        """Write that the eight sums of each chain become one, two neighbours after another."""
        w, width = self.w, WIDTH
        vectors = [w.new(f"load {self.kind}, ptr {x}") for x in self.sums[: self.chains]]
        while len(vectors) > 1:
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [self.neighbours(*pair, width, 2 * width) for pair in pairs]
        (found,) = vectors
        while width > self.chains:
            found = self.neighbours(found, found, width, width)
            width //= 2
        w.line(f"store {self.vector(width)} {found}, ptr {self.at(self.totals, slot)}, align 4")

    def neighbours(self, x: str, y: str, width: int, count: int) -> str:
        """Return the sums of neighbours among the first numbers of two vectors."""
        even, odd = (self.chosen(x, y, width, range(k, count, 2)) for k in (0, 1))
        return self.plus(even, odd, count // 2)

    def add_rest(self, lanes: Lanes, count: str, slot: str) -> None:
        """Write that the first numbers of a vector are added one by one."""
        w, place = self.w, self.at(self.totals, slot)
        w.line(f"store {self.kind} {lanes.operand(self.x.args[0])}, ptr {self.rest}")
        before = w.new(f"load {self.one}, ptr {place}")
        w.line(f"store {self.one} {before}, ptr {self.total}")

        def one(k: str) -> None:
            value = w.new(f"load {self.one}, ptr {self.at(self.rest, k)}")
            old = w.new(f"load {self.one}, ptr {self.total}")
            w.line(f"store {self.one} {self.plus(old, value, 1)}, ptr {self.total}")

        loop(w, "0", count, "1", one)
        after = w.new(f"load {self.one}, ptr {self.total}")
        w.line(f"store {self.one} {after}, ptr {place}")

    def meet(self, first: str, second: str, width: int) -> None:
        """Write that two sums become one, at the place of the first; of some rows at once."""
        w, kind, place = self.w, self.vector(width), self.at(self.totals, first)
        left = w.new(f"load {kind}, ptr {place}, align 4")
        right = w.new(f"load {kind}, ptr {self.at(self.totals, second)}, align 4")
        w.line(f"store {kind} {self.plus(left, right, width)}, ptr {place}, align 4")

    def finish(self, row: str, target: str, width: int) -> None:
        """Write that the numbers of rows go to their places: the sums of them and of zero."""
        w, kind = self.w, self.vector(width)
        total = w.new(f"load {kind}, ptr {self.at(self.totals, row)}, align 4")
        zero = literal(Literal(self.dtype, 0.0)) if width == 1 else "zeroinitializer"
        w.line(f"store {kind} {self.plus(total, zero, width)}, ptr {target}, align 4")

    def vector(self, width: int) -> str:
        """Return the type of some numbers."""
        return self.one if width == 1 else f"<{width} x {self.one}>"

    def at(self, memory: str, place: str) -> str:
        """Return the address of a number."""
        return self.w.new(f"getelementptr {self.one}, ptr {memory}, i64 {place}")

    def plus(self, x: str, y: str, width: int) -> str:
        """Return a sum, of vectors where the width says so."""
        return added(self.w, self.dtype, width, x, y)
