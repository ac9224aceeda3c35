"""Which elements the present block has, as LLVM text.

Comes in: the number `%begin` of a unit of work. Goes out: how many elements the block has, and
where they are. A unit is an element, a row, a piece of one long row, or some columns of all rows
that are reduced; `%columns` is how long a row of the block is.
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.kernels.arrays.layout import COLUMNS, LEVELS, SIZES, word
from runtime.kernels.arrays.pairwise import CHAINS, MOST_LEAVES
from runtime.kernels.helpers import helper
from runtime.kernels.llvm import Writer

FAR = 1 << 17
"""More elements than this are in memory, or at least far away."""


@dataclass(slots=True)
class Range:
    """A block.

    Args:
        units: how many units it has.
        count: how many elements.
        begin: the number of the first one.
        row_count: how many numbers of rows or columns it has.
        row_place: the number of the first of them.
        row_filled: how many there are with those that fill up a vector.
    """

    units: str
    count: str
    begin: str
    row_count: str = "0"
    row_place: str = "%begin"
    row_filled: str = "0"


def is_far(w: Writer, rank: int) -> str:
    """Return whether arrays of the size of the space do not fit into the nearer caches."""
    total = "1"
    for axis in range(rank):
        size = w.new(f"load i64, ptr {word(w, SIZES + axis)}")
        total = w.new(f"mul i64 {total}, {size}")
    return w.new(f"icmp ugt i64 {total}, {FAR}")


def elements(w: Writer, length: int) -> Range:
    """Write the range of a block of elements."""
    rest = w.new("sub i64 %end, %begin")
    count = w.new(f"call i64 @llvm.umin.i64(i64 {rest}, i64 {length})")
    return Range(count, count, "%begin")


def rows(w: Writer, lanes: int, length: int) -> Range:
    """Write the range of a block of rows, of so many elements; `%columns` is known."""
    rest, most = w.new("sub i64 %end, %begin"), w.new(f"udiv i64 {length}, %columns")
    whole = w.new(f"and i64 {most}, -{CHAINS}")
    most = w.new(f"select i1 {w.new(f'icmp eq i64 {whole}, 0')}, i64 {most}, i64 {whole}")
    most = w.new(f"call i64 @llvm.umax.i64(i64 {most}, i64 1)")
    units = w.new(f"call i64 @llvm.umin.i64(i64 {rest}, i64 {most})")
    count = w.new(f"mul i64 {units}, %columns")
    filled = w.new(f"call i64 @llvm.umax.i64(i64 {units}, i64 {lanes})")
    return Range(units, count, w.new("mul i64 %begin, %columns"), units, "%begin", filled)


def piece(w: Writer) -> Range:
    """Write the range of a piece of one long row."""
    place = w.space("[2 x i64]")
    total = w.new(f"load i64, ptr {word(w, COLUMNS)}")
    levels = w.new(f"load i64, ptr {word(w, LEVELS)}")
    function = helper(w, "piece")
    w.line(f"call void {function}(ptr {place}, i64 {total}, i64 {levels}, i64 %begin)")
    w.line(f"%columns = load i64, ptr {w.new(f'getelementptr i64, ptr {place}, i64 1')}")
    write_leaves(w)
    return Range("1", "%columns", w.new(f"load i64, ptr {place}"))


def write_leaves(w: Writer) -> None:
    """Write where the leaves of a row end, that is of `%columns` elements."""
    table = w.space(f"[{MOST_LEAVES} x [4 x i64]]")
    w.line(f"%leaf_table = getelementptr i8, ptr {table}, i64 0")
    leaves = helper(w, "leaves")
    w.line(f"%leaf_count = call i64 {leaves}(ptr %leaf_table, i64 0, i64 %columns, i64 0, i64 0)")


@dataclass(frozen=True, slots=True)
class Stripe:
    """Columns that are reduced side by side.

    Args:
        rounds: how many rows are put together.
        first: the number of the first row.
        width: how long a row is.
        place: the first of the columns.
    """

    rounds: str
    first: str
    width: str
    place: str

    def block(self, w: Writer, row: str) -> Range:
        """Write the range of one row of the columns."""
        number = w.new(f"add i64 {self.first}, {row}")
        begin = w.new(f"add i64 {w.new(f'mul i64 {number}, {self.width}')}, {self.place}")
        return Range("1", "%columns", begin)

    def numbers(self, w: Writer, lanes: int) -> Range:
        """Write where the numbers of the columns are."""
        outer = w.new(f"udiv i64 {self.first}, {self.rounds}")
        place = w.new(f"add i64 {w.new(f'mul i64 {outer}, {self.width}')}, {self.place}")
        filled = w.new(f"call i64 @llvm.umax.i64(i64 %columns, i64 {lanes})")
        return Range("1", "0", "0", "%columns", place, filled)


def stripe(w: Writer, most: int) -> Stripe:
    """Write which columns a unit has: `most`, or what is left."""
    rounds = w.new(f"load i64, ptr {word(w, LEVELS)}")
    width = w.new(f"load i64, ptr {word(w, COLUMNS)}")
    count = w.new(f"udiv i64 {w.new(f'add i64 {width}, {most - 1}')}, {most}")
    outer, inner = (w.new(f"{op} i64 %begin, {count}") for op in ("udiv", "urem"))
    place = w.new(f"mul i64 {inner}, {most}")
    rest = w.new(f"sub i64 {width}, {place}")
    w.line(f"%columns = call i64 @llvm.umin.i64(i64 {rest}, i64 {most})")
    return Stripe(rounds, w.new(f"mul i64 {outer}, {rounds}"), width, place)
