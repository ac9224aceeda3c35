"""How the work of a kernel over arrays is counted, as routines.

Comes in: a kernel, whose space is in the context. Goes out: how many units there are, and the words
of the context that say what a unit is (`ranges` reads them).
"""

from __future__ import annotations

from collections.abc import Iterable

from runtime.kernels.arrays import layout
from runtime.kernels.arrays.layout import LARGER, PIECE, STRIPE, Layout
from runtime.kernels.entry import Entry
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import Kind, MapKernel
from runtime.kernels.routines import write

_ROWS = """
context.i64[Layout.COLUMNS] = columns
need(columns - 1 < longest)
return total // columns
"""
_STRIPES = """
context.i64[Layout.COLUMNS] = columns
need(columns >= Layout.FEWEST_COLUMNS)
need(total != 0)
context.i64[Layout.LEVELS] = rows
return outer * ((columns + (width - 1)) // width)
"""
_PIECES = """
need(total != 0)
levels = less(64 - leading(total), most)
need(levels <= Layout.MOST_LEVELS)
context.i64[Layout.COLUMNS] = total
context.i64[Layout.LEVELS] = levels
for k in parts:
    context.ptr[k] = reserve(i64, 1 << levels)
return 1 << levels
"""


def write_units(e: Entry, kernel: MapKernel, total: str, longest: int) -> str:
    """Write how the work is divided; return how many units there are.

    Args:
        e: writes the entry.
        kernel: that is entered.
        total: how many elements the space has.
        longest: how long a row, or a part of it, may be.
    """
    if not kernel.has_rows:
        return total
    if kernel.kind is Kind.TOTAL:
        return _pieces(e, kernel, total, longest)
    w, (first, after) = e.writer, kernel.axes or (kernel.rank - 1, kernel.rank)
    given = {"Layout": layout, "total": total}
    if kernel.kind is Kind.ROWS:
        columns = product(w, range(first, kernel.rank))
        (units,) = e.write(_ROWS, columns=columns, longest=longest, **given)
        return units
    sizes = {
        "columns": range(after, kernel.rank),
        "rows": range(first, after),
        "outer": range(first),
    }
    known = {name: product(w, axes) for name, axes in sizes.items()}
    (units,) = e.write(_STRIPES, width=min(STRIPE, longest), **known, **given)
    return units


def product(w: Writer, axes: Iterable[int]) -> str:
    """Return how many elements some axes have."""
    found = "1"
    for axis in axes:
        source = "return found * context.i64[SIZES + axis]"
        (found,) = write(w, source, found=found, axis=axis, SIZES=layout.SIZES)
    return found


def _pieces(e: Entry, kernel: MapKernel, total: str, longest: int) -> str:
    """Write how often one long row is halved, and where the numbers of its pieces go."""
    w = e.writer
    w.declare("i64 @llvm.ctlz.i64(i64, i1)")
    w.declare("i64 @llvm.usub.sat.i64(i64, i64)")
    parts = [Layout(kernel).parts(k) for k, _ in enumerate(kernel.reductions)]
    most = min(PIECE, longest - LARGER).bit_length() - 1
    (units,) = e.write(
        _PIECES, Layout=layout, total=total, most=most, parts=parts,
        leading=lambda x: w.new(f"call i64 @llvm.ctlz.i64(i64 {x}, i1 true)"),
        less=lambda x, y: w.new(f"call i64 @llvm.usub.sat.i64(i64 {x}, i64 {y})"),
    )  # fmt: skip
    return units
