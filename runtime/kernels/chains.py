"""Sums of the rows of a block in NumPy's order, as LLVM text.

Comes in: what is to be computed of the elements, and the sums. Goes out: lines.

Each leaf of a row (`pairwise`) is a chain of additions that wait for one another, so some leaves
are gone through side by side: the first ones of several rows, then the second ones. What a leaf has
beyond the shortest of them follows one by one. When all leaves of the block have their sums, these
meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runtime.kernels.counted import loop, when
from runtime.kernels.lanes import Known, Lanes
from runtime.kernels.llvm import Writer
from runtime.kernels.pairwise import WIDTH, PairwiseSum
from runtime.kernels.row_work import Elements, Rows, Work

CHAINS = 4
"""So many leaves are summed side by side."""


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
        self.next = [w.space("i64") for _ in range(2)]
        self.present = [w.space(f"[{CHAINS} x i64]") for _ in range(2)]

    def whole(self) -> None:
        """Write the loop."""
        w = self.w
        w.declare("i64 @llvm.umin.i64(i64, i64)")
        w.declare("i64 @llvm.umax.i64(i64, i64)")
        for place in self.next:
            w.line(f"store i64 0, ptr {place}")
        total = w.new(f"mul i64 {self.rows.count}, %leaf_count")
        loop(w, "0", total, str(CHAINS), self.some)
        loop(w, "0", w.new("sub i64 %leaf_count, 1"), "1", self.meeting)
        self.for_rows(self.finish)

    def some(self, slot: str) -> None:
        """Write what is done with some leaves; after the last one it is done once more."""
        w, lanes = self.w, self.rows.lanes
        leaves = [self.following(k) for k in range(CHAINS)]
        known = [self.elements.known(lanes, leaf.row) for leaf in leaves]
        shortest = longest = leaves[0].length
        for leaf in leaves[1:]:
            shortest = w.new(f"call i64 @llvm.umin.i64(i64 {shortest}, i64 {leaf.length})")
            longest = w.new(f"call i64 @llvm.umax.i64(i64 {longest}, i64 {leaf.length})")
        common = w.new(f"and i64 {shortest}, -{lanes}")
        for total in self.sums:
            total.start()

        def several(place: str) -> None:
            found = [self.vector(x, place, lanes, known[k], k) for k, x in enumerate(leaves)]
            for each in found:
                self.elements.store(each)

        loop(w, "0", common, str(lanes), several)
        when(w, w.new(f"icmp ne i64 {common}, {longest}"), lambda: self.beyond(common))
        for total in self.sums:
            total.fold(slot)
        rest = w.new("and i64 %columns, 7")
        is_last = w.new(f"icmp eq i64 {w.new(f'add i64 {leaves[-1].number}, 1')}, %leaf_count")
        some = w.new(f"icmp ne i64 {rest}, 0")
        when(w, w.new(f"and i1 {is_last}, {some}"), lambda: self.rests(slot, rest))

    def following(self, k: int) -> _Leaf:
        """Return the next leaf, and note it; write that the one after it follows."""
        w = self.w
        row, number = (w.new(f"load i64, ptr {place}") for place in self.next)
        for memory, value in zip(self.present, (row, number), strict=True):
            w.line(f"store i64 {value}, ptr {w.new(f'getelementptr i64, ptr {memory}, i64 {k}')}")
        below = w.new(f"add i64 {row}, 1")
        is_last = w.new(f"icmp eq i64 {below}, {self.rows.count}")
        other = w.new(f"add i64 {number}, {w.new(f'zext i1 {is_last} to i64')}")
        at_end = w.new(f"icmp eq i64 {other}, %leaf_count")
        below = w.new(f"select i1 {is_last}, i64 0, i64 {below}")
        for memory, new, old in zip(self.next, (below, other), (row, number), strict=True):
            value = w.new(f"select i1 {at_end}, i64 {old}, i64 {new}")
            w.line(f"store i64 {value}, ptr {memory}")
        return self.leaf(row, number)

    def leaf(self, row: str, number: str) -> _Leaf:
        """Return a leaf by its numbers."""
        w = self.w
        entry = w.new(f"getelementptr [4 x i64], ptr %leaf_table, i64 {number}")
        begin = w.new(f"load i64, ptr {entry}")
        length = w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr {entry}, i64 1')}")
        return _Leaf(row, number, w.new(f"mul i64 {row}, %columns"), begin, length)

    def noted(self, k: str) -> _Leaf:
        """Return one of the leaves that are gone through."""
        w = self.w
        places = (w.new(f"getelementptr i64, ptr {memory}, i64 {k}") for memory in self.present)
        return self.leaf(*(w.new(f"load i64, ptr {place}") for place in places))

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

    def beyond(self, place: str) -> None:
        """Write what is done with what leaves have beyond a place."""
        w = self.w

        def one(k: str) -> None:
            leaf = self.noted(k)
            known = self.elements.known(WIDTH, leaf.row)
            for total in self.sums:
                total.enter(k)

            def vector(at: str) -> None:
                self.elements.store(self.vector(leaf, at, WIDTH, known, CHAINS))

            loop(w, place, leaf.length, str(WIDTH), vector)
            for total in self.sums:
                total.leave(k)

        for total in self.sums:
            total.spread()
        loop(w, "0", str(CHAINS), "1", one)
        for total in self.sums:
            total.gather()

    def rests(self, slot: str, count: str) -> None:
        """Write what is done with the elements after the last whole vector of rows."""
        w = self.w

        def one(k: str) -> None:
            leaf = self.noted(k)
            is_last = w.new(f"icmp eq i64 {w.new(f'add i64 {leaf.number}, 1')}, %leaf_count")
            at = w.new(f"add i64 {slot}, {k}")
            when(w, is_last, lambda: self.rest(leaf, at, count))

        loop(w, "0", str(CHAINS), "1", one)

    def rest(self, leaf: _Leaf, slot: str, count: str) -> None:
        """Write what is done with the elements after the last whole vector of a row."""
        place = self.w.new(f"add i64 {leaf.begin}, {leaf.length}")
        mask = self.elements.mask(WIDTH, count)
        known = self.elements.known(WIDTH, leaf.row)
        found = self.elements.registers(WIDTH, known, leaf.first, place, mask)
        for total in self.sums:
            total.add_rest(found, count, slot)
        self.elements.store(found)

    def meeting(self, k: str) -> None:
        """Write that sums of two leaves meet, in each row."""
        w = self.w
        entry = w.new(f"getelementptr [4 x i64], ptr %leaf_table, i64 {k}")
        first, second = (
            w.new(
                f"mul i64 {self.rows.count}, "
                + w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr {entry}, i64 {word}')}")
            )
            for word in (2, 3)
        )

        def rows(row: str, width: int) -> None:
            left, right = (w.new(f"add i64 {place}, {row}") for place in (first, second))
            for total in self.sums:
                total.meet(left, right, width)

        self.for_rows(rows)

    def finish(self, row: str, width: int) -> None:
        """Write that the numbers of rows go to their places."""
        for total in self.sums:
            found = total.x.results[0]
            total.finish(row, self.elements.at(self.rows.row_memory[found], found, row), width)

    def for_rows(self, body: Callable[[str, int], None]) -> None:
        """Write what is done with some rows at once, and with the others."""
        many = self.w.new(f"and i64 {self.rows.count}, -{CHAINS}")
        loop(self.w, "0", many, str(CHAINS), lambda row: body(row, CHAINS))
        loop(self.w, many, self.rows.count, "1", lambda row: body(row, 1))
