"""Sums of floats in NumPy's order, as LLVM text.

Comes in: vectors of eight elements. Goes out: one number.

NumPy halves rows of more than 128 numbers, the first half a multiple of eight, and those halves;
the others, here called leaves, go into eight sums side by side, and what is left after whole
vectors is added one by one (`pairwise_sum` in its loops). Where the leaves end is the same for all
rows, so it is found once: the function

    leaves(table, count, used)    writes their lengths, and how often two sums meet after each

returns how many there are.
"""

from __future__ import annotations

from runtime.kernels.accumulate import added
from runtime.kernels.arithmetic import llvm_type, number
from runtime.kernels.counted import loop
from runtime.kernels.kernel import Instruction, Literal
from runtime.kernels.lanes import Lanes, same
from runtime.kernels.llvm import Writer

WIDTH = 8
"""So many sums are made side by side."""
MOST_LEAVES, DEEPEST = 512, 16
"""How many leaves a row has at most, and how many sums wait for others."""

LEAVES = """
define internal i64 @leaves(ptr %table, i64 %count, i64 %used) {
start:
  %fits = icmp ule i64 %count, 128
  br i1 %fits, label %leaf, label %split
leaf:
  %length = getelementptr [2 x i64], ptr %table, i64 %used
  %meetings = getelementptr i64, ptr %length, i64 1
  %whole = and i64 %count, -8
  store i64 %whole, ptr %length
  store i64 0, ptr %meetings
  %more = add i64 %used, 1
  ret i64 %more
split:
  %half = lshr i64 %count, 1
  %first = and i64 %half, -8
  %left = call i64 @leaves(ptr %table, i64 %first, i64 %used)
  %second = sub i64 %count, %first
  %right = call i64 @leaves(ptr %table, i64 %second, i64 %left)
  %last = sub i64 %right, 1
  %entry = getelementptr [2 x i64], ptr %table, i64 %last
  %meets = getelementptr i64, ptr %entry, i64 1
  %old = load i64, ptr %meets
  %new = add i64 %old, 1
  store i64 %new, ptr %meets
  ret i64 %right
}
"""


class PairwiseSum:
    """The sums of one reduction of floats."""

    def __init__(self, w: Writer, x: Instruction) -> None:
        self.w = w
        self.x = x
        self.dtype = number(x.args[0].type)
        self.one = llvm_type(self.dtype)
        self.kind = f"<{WIDTH} x {self.one}>"
        self.sums = w.space(self.kind)
        self.total = w.space(self.one)
        self.waiting = w.space(f"[{DEEPEST} x {self.one}]")
        self.rest = w.space(self.kind)

    def start(self) -> None:
        """Write that a leaf begins: -0.0 is what changes no number."""
        self.w.line(f"store {self.kind} {same(WIDTH, Literal(self.dtype, -0.0))}, ptr {self.sums}")

    def add(self, lanes: Lanes) -> None:
        """Write that a vector is added."""
        w = self.w
        value = lanes.operand(self.x.args[0])
        old = w.new(f"load {self.kind}, ptr {self.sums}")
        w.line(f"store {self.kind} {self.plus(old, value, WIDTH)}, ptr {self.sums}")

    def fold(self) -> None:
        """Write that the eight sums become one, two neighbours after another."""
        w = self.w
        vector, width = w.new(f"load {self.kind}, ptr {self.sums}"), WIDTH
        while width > 2:
            kind = f"<{width} x {self.one}>"
            halves = []
            for odd in (0, 1):
                places = ", ".join(f"i32 {k}" for k in range(odd, width, 2))
                mask = f"<{width // 2} x i32> <{places}>"
                halves.append(w.new(f"shufflevector {kind} {vector}, {kind} poison, {mask}"))
            width //= 2
            vector = self.plus(halves[0], halves[1], width)
        first, second = (
            w.new(f"extractelement <2 x {self.one}> {vector}, i64 {k}") for k in (0, 1)
        )
        w.line(f"store {self.one} {self.plus(first, second, 1)}, ptr {self.total}")

    def add_rest(self, lanes: Lanes, count: str) -> None:
        """Write that the first numbers of a vector are added one by one."""
        w = self.w
        w.line(f"store {self.kind} {lanes.operand(self.x.args[0])}, ptr {self.rest}")

        def one(place: str) -> None:
            value = w.new(f"load {self.one}, ptr {self.at(self.rest, place)}")
            old = w.new(f"load {self.one}, ptr {self.total}")
            w.line(f"store {self.one} {self.plus(old, value, 1)}, ptr {self.total}")

        loop(w, "0", count, "1", one)

    def meet(self, depth: str) -> None:
        """Write that the sum is added to the one that waits at a place."""
        w = self.w
        first = w.new(f"load {self.one}, ptr {self.at(self.waiting, depth)}")
        second = w.new(f"load {self.one}, ptr {self.total}")
        w.line(f"store {self.one} {self.plus(first, second, 1)}, ptr {self.total}")

    def wait(self, depth: str) -> None:
        """Write that the sum waits at a place."""
        w = self.w
        total = w.new(f"load {self.one}, ptr {self.total}")
        w.line(f"store {self.one} {total}, ptr {self.at(self.waiting, depth)}")

    def finish(self, target: str) -> None:
        """Write that the number of a row goes to its place: the sum of it and of zero."""
        w = self.w
        total = w.new(f"load {self.one}, ptr {self.total}")
        w.line(f"store {self.one} {self.plus(total, '0.0', 1)}, ptr {target}")

    def at(self, memory: str, place: str) -> str:
        """Return the address of a number."""
        return self.w.new(f"getelementptr {self.one}, ptr {memory}, i64 {place}")

    def plus(self, x: str, y: str, width: int) -> str:
        """Return a sum, of vectors where the width says so."""
        return added(self.w, self.dtype, width, x, y)
