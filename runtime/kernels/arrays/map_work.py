"""How the entry of a kernel over arrays has its work done, as routines.

Comes in: what writes the entry. Goes out: calls of `run`, for all elements at once, or by threads
that take one part after another.
"""

from __future__ import annotations

from runtime.kernels.arrays import layout
from runtime.kernels.arrays.layout import LONGEST
from runtime.kernels.arrays.sweeps import write_sweeps
from runtime.kernels.arrays.units import write_units
from runtime.kernels.entry import Entry
from runtime.kernels.maps import MapKernel

UNLOCK_PAYS, THREADS_PAY, CHUNK_TIME = 2e-5, 6e-5, 1e-4
"""Times: when others may run meanwhile, when other threads help, how long each part takes."""
FEWEST_PARTS = 4
"""Into how many parts work is divided that is shared."""

_WORK = """
if total != 0:
    if total < small:
        run(table, context, 0, units)
    else:
        part = chunk // (total // units) + 1 if has_rows else chunk
        fair = units // parts + whole & -whole
        context.i64[Layout.NEXT] = 0
        context.i64[Layout.TOTAL] = units
        context.i64[Layout.CHUNK] = min(part, fair)
        share(total, least)
"""
"""No part is larger than that all threads get some."""


def write_work(e: Entry, kernel: MapKernel, total: str, longest: int, cost: float) -> None:
    """Write that all elements are computed.

    Args:
        e: writes the entry.
        kernel: that is entered.
        total: how many elements there are.
        longest: how long a row, or a part of it, may be.
        cost: how many seconds an element takes.
    """
    units = write_units(e, kernel, total, longest)
    e.write("context.i64[Layout.FLAGS] = 0", Layout=layout)
    if kernel.loop:
        write_sweeps(e, kernel, total, units, cost)
        return
    e.write(
        _WORK, Layout=layout, total=total, units=units, has_rows=kernel.has_rows,
        small=int(UNLOCK_PAYS / cost), chunk=int(CHUNK_TIME / cost) // LONGEST * LONGEST + LONGEST,
        parts=FEWEST_PARTS, whole=1 if kernel.has_rows else LONGEST, least=int(THREADS_PAY / cost),
    )  # fmt: skip
