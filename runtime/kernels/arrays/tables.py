"""Inputs of kernels that do not stand where they are needed, as LLVM text.

Comes in: an array, here called a table, and the places at which parts of it are read; or the key of
random numbers. Goes out: what the context of the kernel holds, and the numbers that a block needs.
"""

from __future__ import annotations

from runtime.kernels.arrays.layout import Layout, word
from runtime.kernels.arrays.philox import WORDS
from runtime.kernels.arrays.ranges import Range
from runtime.kernels.entry import Entry
from runtime.kernels.helpers import helper
from runtime.kernels.llvm import Writer


def enter_table(e: Entry, first: int, table: str, length: str, inner: str, places: str) -> None:
    """Write that a table and its places go into the context.

    Args:
        e: writes the entry.
        first: the first word of the input.
        table: the array.
        length: how many parts it has.
        inner: how many elements each of them has.
        places: the other array.
    """
    data = [f"ptr {e.field(x, 'ptr', 0)}" for x in (table, places)]
    found = (data[0], f"i64 {length}", f"i64 {inner}", data[1])
    for n, value in enumerate(found):
        e.writer.line(f"store {value}, ptr {word(e.writer, first + n)}")


def enter_number(e: Entry, layout: Layout, k: int) -> None:
    """Write that a number, which is in the first word of an input, is an array: it has no steps."""
    w, first, place = e.writer, layout.input(k), word(e.writer, layout.shifts(k))
    w.line(f"store i64 {w.new(f'load i64, ptr {word(w, first)}')}, ptr {place}")
    w.line(f"store ptr {place}, ptr {word(w, first)}")
    for n in range(1, 2 + layout.kernel.rank):
        w.line(f"store i64 0, ptr {word(w, first + n)}")


def enter_whole(e: Entry, first: int, array: str, rank: int) -> None:
    """Write that an array goes into the context as a whole: its data and sizes."""
    w = e.writer
    w.line(f"store ptr {e.field(array, 'ptr', 0)}, ptr {word(w, first)}")
    sizes = e.field(array, "ptr", 16)
    for axis in range(rank):
        size = w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr {sizes}, i64 {axis}')}")
        w.line(f"store i64 {size}, ptr {word(w, first + 1 + axis)}")


def whole_array(w: Writer, first: int, rank: int) -> list[str]:
    """Return the parts of an array that is there as a whole; nobody needs its object."""
    data = w.new(f"load ptr, ptr {word(w, first)}")
    return ["null", data, *(w.new(f"load i64, ptr {word(w, first + 1 + k)}") for k in range(rank))]


def copy_parts(
    w: Writer, first: int, size: int, table: str, buffer: str, block: Range, filled: str
) -> None:
    """Write that what a block takes from a table is copied; a missing place leaves the kernel.

    Args:
        w: writes lines.
        first: the first word of the input.
        size: of an element.
        table: where the data of the table is.
        buffer: where the copy goes.
        block: which elements of the space are wanted.
        filled: how many there are with those that fill up a vector.
    """
    length, inner = (w.new(f"load i64, ptr {word(w, first + n)}") for n in (1, 2))
    places = w.new(f"load ptr, ptr {word(w, first + 3)}")
    given = f"ptr {buffer}, ptr {table}, ptr {places}, i64 {length}, i64 {inner}"
    wanted = f"i64 {block.begin}, i64 {block.count}, i64 {filled}"
    is_missing = w.new(f"call i1 {helper(w, f'take{size}')}({given}, {wanted})")
    found = w.new(f"or i1 {is_missing}, {w.new('load i1, ptr %stopped')}")
    w.line(f"store i1 {found}, ptr %stopped")


def draw_block(w: Writer, key: str, buffer: str, block: Range, filled: str) -> str:
    """Write that random numbers are made for a block; return the address of the first of them.

    Args:
        w: writes lines.
        key: where the key is.
        buffer: where they go, with room for those before and after that have the same counters.
        block: which elements of the space are wanted.
        filled: how many there are with those that fill up a vector.
    """
    before = w.new(f"and i64 {block.begin}, {WORDS - 1}")
    first, count = w.new(f"sub i64 {block.begin}, {before}"), w.new(f"add i64 {filled}, {before}")
    given = f"ptr {buffer}, ptr {key}, i64 {first}, i64 {count}"
    w.line(f"call void {helper(w, 'draw')}({given})")
    return w.new(f"getelementptr double, ptr {buffer}, i64 {before}")
