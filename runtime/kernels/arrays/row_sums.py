"""Sums of the rows of a block in NumPy's order, as LLVM text.

Comes in: what is to be computed of the elements, and the sums. Goes out: lines.

Each leaf of a row (`pairwise`) is a chain of additions that wait for one another, so some leaves
are gone through side by side: the first ones of several rows, then the second ones; or, where there
are few rows, those of one row. What a leaf has beyond the shortest of them follows one by one. When
all leaves of the block have their sums, these meet. Nothing is stored before all that goes with it
is read: where rows are a page apart, processors take what is read next for what was written last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runtime.kernels.arrays.layout import WIDTH
from runtime.kernels.arrays.pairwise import CHAINS, PairwiseSum
from runtime.kernels.arrays.row_work import Elements, Rows, Work
from runtime.kernels.arrays.vector_pass import Known, Lanes
from runtime.kernels.control_flow import loop, when
from runtime.kernels.llvm import Writer
from runtime.kernels.vectors import first_lanes


def write_sums(w: Writer, rows: Rows, work: Work) -> None:
    """Write the loop over the leaves of a block; `%columns` is the length of a row."""
    _Chains(w, rows, work).whole()


@dataclass(slots=True)
class _Leaf:
    """A leaf.

    Args:
        row: the number of its row in the block.
        number: its number in the row.
        first: the number of the first element of the row.
        begin, length: its place in the row.
    """

    row: str
    number: str
    first: str
    begin: str
    length: str


class _Chains:
    def __init__(self, w: Writer, rows: Rows, work: Work) -> None:
        self.w = w
        self.rows = rows
        self.work = work
        self.elements = Elements(w, rows, work)
        self.sums = [PairwiseSum(w, x, CHAINS) for x in work.reductions]

    def whole(self) -> None:
        """Write the loops: over leaves and then rows, or over the leaves of each of few rows."""
        w, count = self.w, self.rows.count
        for least in ("umin", "umax"):
            w.declare(f"i64 @llvm.{least}.i64(i64, i64)")
        few = w.new(f"icmp ult i64 {count}, {CHAINS}")
        self.by_leaves = w.new(f"and i1 {few}, {w.new(f'icmp uge i64 %leaf_count, {CHAINS}')}")
        outer, inner = self.choice(count, "%leaf_count"), self.choice("%leaf_count", count)
        self.leaf_step, self.row_step = self.choice("1", count), self.choice("%leaf_count", "1")
        self.last = w.new(f"sub i64 {inner}, 1")

        def group(which: str) -> None:
            loop(w, "0", inner, str(CHAINS), lambda first: self.some(which, first))

        loop(w, "0", outer, "1", group)
        loop(w, "0", w.new("sub i64 %leaf_count, 1"), "1", self.meeting)
        self.for_rows(self.finish)

    def choice(self, by_leaves: str, by_rows: str) -> str:
        """Return one of two numbers: whether leaves of one row or of several go side by side."""
        return self.w.new(f"select i1 {self.by_leaves}, i64 {by_leaves}, i64 {by_rows}")

    def some(self, which: str, first: str) -> None:
        """Write what is done with some leaves; after the last one it is done once more."""
        w, lanes = self.w, self.rows.lanes
        leaves = [self.leaf(which, first, str(k)) for k in range(CHAINS)]
        shortest = longest = leaves[0].length
        for leaf in leaves[1:]:
            shortest = w.new(f"call i64 @llvm.umin.i64(i64 {shortest}, i64 {leaf.length})")
            longest = w.new(f"call i64 @llvm.umax.i64(i64 {longest}, i64 {leaf.length})")
        common = w.new(f"and i64 {shortest}, -{lanes}")
        for total in self.sums:
            total.start()

        def beyond(k: str) -> None:
            self.beyond(self.leaf(which, first, k), k, common)

        self.vectors(leaves, "0", common, lanes)
        if lanes > WIDTH and self.elements.is_light():
            self.vectors(leaves, common, shortest, WIDTH)
            common = shortest
        when(w, w.new(f"icmp ne i64 {common}, {longest}"), lambda: self.one_by_one(beyond))
        slot = self.slot(leaves[0].row, leaves[0].number)
        for total in self.sums:
            total.fold(slot)
        rest = w.new("and i64 %columns, 7")
        is_last = w.new(f"icmp eq i64 {w.new(f'add i64 {leaves[-1].number}, 1')}, %leaf_count")
        some = w.new(f"icmp ne i64 {rest}, 0")

        def rests() -> None:
            loop(w, "0", str(CHAINS), "1", one)

        def one(k: str) -> None:
            at = w.new(f"add i64 {slot}, {k}")
            self.rest(self.leaf(which, first, k), at, rest)

        when(w, w.new(f"and i1 {is_last}, {some}"), rests)

    def vectors(self, leaves: Sequence[_Leaf], place: str, end: str, lanes: int) -> None:
        """Write what is done with the vectors of some leaves between two places of each."""
        known = [self.elements.known(lanes, leaf.row) for leaf in leaves]

        def several(at: str) -> None:
            found = [self.vector(x, at, lanes, known[k], k) for k, x in enumerate(leaves)]
            for each in found:
                self.elements.store(each)

        loop(self.w, place, end, str(lanes), several)

    def slot(self, row: str, number: str) -> str:
        """Return where the sum of a leaf goes: beside those that are summed with it."""
        w = self.w
        before = w.new(f"mul i64 {number}, {self.leaf_step}")
        return w.new(f"add i64 {before}, {w.new(f'mul i64 {row}, {self.row_step}')}")

    def leaf(self, which: str, first: str, k: str) -> _Leaf:
        """Return one of some leaves."""
        w = self.w
        given = f"i64 {w.new(f'add i64 {first}, {k}')}, i64 {self.last}"
        inner = w.new(f"call i64 @llvm.umin.i64({given})")
        row, number = self.choice(which, inner), self.choice(inner, which)
        entry = w.new(f"getelementptr [4 x i64], ptr %leaf_table, i64 {number}")
        begin = w.new(f"load i64, ptr {entry}")
        length = w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr {entry}, i64 1')}")
        return _Leaf(row, number, w.new(f"mul i64 {row}, %columns"), begin, length)

    def vector(self, leaf: _Leaf, place: str, lanes: int, known: Known, chain: int) -> Lanes:
        """Write what is summed of a vector of a leaf; return its registers.

        Nothing is stored meanwhile: where rows are a page apart, what is read next of another one
        would wait for that.
        """
        at = self.w.new(f"add i64 {leaf.begin}, {place}")
        found = self.elements.registers(lanes, known, leaf.first, at)
        for total in self.sums:
            total.add(found, chain)
        return found

    def one_by_one(self, body: Callable[[str], None]) -> None:
        """Write what is done with each chain by itself."""
        for total in self.sums:
            total.spread()
        loop(self.w, "0", str(CHAINS), "1", body)
        for total in self.sums:
            total.gather()

    def beyond(self, leaf: _Leaf, k: str, place: str) -> None:
        """Write what is done with what a leaf has beyond a place."""
        known = self.elements.known(WIDTH, leaf.row)
        for total in self.sums:
            total.enter(k)

        def vector(at: str) -> None:
            self.elements.store(self.vector(leaf, at, WIDTH, known, CHAINS))

        loop(self.w, place, leaf.length, str(WIDTH), vector)
        for total in self.sums:
            total.leave(k)

    def rest(self, leaf: _Leaf, slot: str, count: str) -> None:
        """Write what is done with what comes after the last whole vector of a row, if it does."""
        w = self.w
        is_last = w.new(f"icmp eq i64 {w.new(f'add i64 {leaf.number}, 1')}, %leaf_count")

        def one() -> None:
            place = w.new(f"add i64 {leaf.begin}, {leaf.length}")
            mask = first_lanes(self.w, WIDTH, count)
            known = self.elements.known(WIDTH, leaf.row)
            found = self.elements.registers(WIDTH, known, leaf.first, place, mask)
            for total in self.sums:
                total.add_rest(found, count, slot)
            self.elements.store(found)

        when(w, is_last, one)

    def meeting(self, k: str) -> None:
        """Write that sums of two leaves meet, in each row."""
        w = self.w
        entry = w.new(f"getelementptr [4 x i64], ptr %leaf_table, i64 {k}")
        first, second = (
            w.new(
                f"mul i64 {self.leaf_step}, "
                + w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr {entry}, i64 {word}')}")
            )
            for word in (2, 3)
        )

        def rows(row: str, width: int) -> None:
            at = w.new(f"mul i64 {row}, {self.row_step}")
            left, right = (w.new(f"add i64 {place}, {at}") for place in (first, second))
            for total in self.sums:
                total.meet(left, right, width)

        self.for_rows(rows)

    def finish(self, row: str, width: int) -> None:
        """Write that the numbers of rows go to their places."""
        slot = self.slot(row, "0")
        for total in self.sums:
            found = total.x.results[0]
            total.finish(slot, self.elements.at(self.rows.row_memory[found], found, row), width)

    def for_rows(self, body: Callable[[str, int], None]) -> None:
        """Write what is done with some rows at once, and with the others."""
        many = self.w.new(f"and i64 {self.rows.count}, -{CHAINS}")
        loop(self.w, "0", many, str(CHAINS), lambda row: body(row, CHAINS))
        loop(self.w, many, self.rows.count, "1", lambda row: body(row, 1))
