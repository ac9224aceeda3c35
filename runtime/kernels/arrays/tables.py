"""Inputs of kernels that do not stand where they are needed, as LLVM text.

Comes in: an array, here called a table, and the places at which parts of it are read; or the key of
random numbers. Goes out: what the context of the kernel holds, and the numbers that a block needs.
"""

from __future__ import annotations

from runtime.kernels.arrays.layout import word
from runtime.kernels.arrays.philox import WORDS
from runtime.kernels.arrays.ranges import Range
from runtime.kernels.helpers import helper
from runtime.kernels.llvm import Writer


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
