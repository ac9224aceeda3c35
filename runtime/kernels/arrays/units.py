"""How the work of a kernel over arrays is counted, as LLVM text.

Comes in: a kernel, whose space is in the context. Goes out: how many units there are, and the words
of the context that say what a unit is (`ranges` reads them).
"""

from __future__ import annotations

from collections.abc import Iterable

from runtime.kernels.arrays.layout import (
    COLUMNS,
    FEWEST_COLUMNS,
    LARGER,
    LEVELS,
    MOST_LEVELS,
    PIECE,
    SIZES,
    STRIPE,
    Layout,
    word,
)
from runtime.kernels.entry import Entry
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import Kind, MapKernel


def write_units(e: Entry, kernel: MapKernel, total: str, longest: int) -> str:
    """Write how the work is divided; return how many units there are.

    Args:
        e: writes the entry.
        kernel: that is entered.
        total: how many elements the space has.
        longest: how long a row, or a part of it, may be.
    """
    w = e.writer
    if not kernel.has_rows:
        return total
    if kernel.kind is Kind.TOTAL:
        return _pieces(e, kernel, total, longest)
    first, after = kernel.axes or (kernel.rank - 1, kernel.rank)
    columns = product(w, range(after if kernel.axes else first, kernel.rank))
    w.line(f"store i64 {columns}, ptr {word(w, COLUMNS)}")
    if kernel.kind is Kind.ROWS:
        beyond = w.new(f"sub i64 {columns}, 1")
        e.need(w.new(f"icmp ult i64 {beyond}, {longest}"))
        return w.new(f"udiv i64 {total}, {columns}")
    e.need(w.new(f"icmp uge i64 {columns}, {FEWEST_COLUMNS}"))
    e.need(w.new(f"icmp ne i64 {total}, 0"))
    w.line(f"store i64 {product(w, range(first, after))}, ptr {word(w, LEVELS)}")
    width = min(STRIPE, longest)
    stripes = w.new(f"udiv i64 {w.new(f'add i64 {columns}, {width - 1}')}, {width}")
    return w.new(f"mul i64 {product(w, range(first))}, {stripes}")


def product(w: Writer, axes: Iterable[int]) -> str:
    """Return how many elements some axes have."""
    found = "1"
    for axis in axes:
        size = w.new(f"load i64, ptr {word(w, SIZES + axis)}")
        found = w.new(f"mul i64 {found}, {size}")
    return found


def _pieces(e: Entry, kernel: MapKernel, total: str, longest: int) -> str:
    """Write how often one long row is halved, and where the numbers of its pieces go."""
    w, layout = e.writer, Layout(kernel)
    w.declare("i64 @llvm.ctlz.i64(i64, i1)")
    w.declare("i64 @llvm.usub.sat.i64(i64, i64)")
    e.need(w.new(f"icmp ne i64 {total}, 0"))
    bits = w.new(f"sub i64 64, {w.new(f'call i64 @llvm.ctlz.i64(i64 {total}, i1 true)')}")
    most = (min(PIECE, longest - LARGER)).bit_length() - 1
    levels = w.new(f"call i64 @llvm.usub.sat.i64(i64 {bits}, i64 {most})")
    e.need(w.new(f"icmp ule i64 {levels}, {MOST_LEVELS}"))
    count = w.new(f"shl i64 1, {levels}")
    w.line(f"store i64 {total}, ptr {word(w, COLUMNS)}")
    w.line(f"store i64 {levels}, ptr {word(w, LEVELS)}")
    for k, _ in enumerate(kernel.reductions):
        parts = w.new(f"alloca i64, i64 {count}")
        w.line(f"store ptr {parts}, ptr {word(w, layout.parts(k))}")
    return count
