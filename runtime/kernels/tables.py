"""Inputs of kernels that are parts of an array at given places, as LLVM text.

Comes in: the array, here called a table, and the places. Goes out: what the context of the kernel
holds of both, and the copies of what a block needs.
"""

from __future__ import annotations

from runtime.kernels.entry import Entry
from runtime.kernels.helpers import helper
from runtime.kernels.layout import word
from runtime.kernels.llvm import Writer
from runtime.kernels.ranges import Range


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
