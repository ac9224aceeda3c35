"""How the entry of a kernel over arrays has its work done, as LLVM text.

Comes in: what writes the entry. Goes out: calls of `run`, for all elements at once, or by threads
that take one part after another.
"""

from __future__ import annotations

from runtime.kernels.arrays.layout import CHUNK, FLAGS, LONGEST, NEXT, RUN, TABLE, TOTAL, word
from runtime.kernels.arrays.sweeps import Sweeps
from runtime.kernels.arrays.units import write_units
from runtime.kernels.entry import Entry
from runtime.kernels.helpers import helper
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import ROUNDS, MapKernel

UNLOCK_PAYS, THREADS_PAY, CHUNK_TIME = 2e-5, 6e-5, 1e-4
"""Times: when others may run meanwhile, when other threads help, how long each part takes."""
FEWEST_PARTS = 4
"""Into how many parts work is divided that is shared."""


def write_work(e: Entry, kernel: MapKernel, total: str, longest: int, cost: float) -> None:
    """Write that all elements are computed.

    Args:
        e: writes the entry.
        kernel: that is entered.
        total: how many elements there are.
        longest: how long a row, or a part of it, may be.
        cost: how many seconds an element takes.
    """
    w = e.writer
    units = write_units(e, kernel, total, longest)
    w.line(f"store i64 0, ptr {word(w, FLAGS)}")
    sweeps = Sweeps(e, kernel, total) if kernel.loop else None
    if sweeps:
        sweeps.before(cost / ROUNDS)
    else:
        w.line(f"br i1 {w.new(f'icmp eq i64 {total}, 0')}, label %computed, label %some")
        w.begin("some")
        is_small = w.new(f"icmp ult i64 {total}, {int(UNLOCK_PAYS / cost)}")
        w.line(f"br i1 {is_small}, label %small, label %large")
    w.begin("small")
    w.line(f"call void @run(ptr %table, ptr %context, i64 0, i64 {units})")
    w.line("br label %computed")
    w.begin("large")
    part = str(int(CHUNK_TIME / cost) // LONGEST * LONGEST + LONGEST)
    if kernel.has_rows:
        each = w.new(f"udiv i64 {total}, {units}")
        part = w.new(f"add i64 {w.new(f'udiv i64 {part}, {each}')}, 1")
    if not sweeps:
        part = _smaller(w, part, units, 1 if kernel.has_rows else LONGEST)
    _share(w, total, units, sweeps.part() if sweeps else part, 0 if sweeps else THREADS_PAY / cost)
    w.begin("computed")
    if sweeps:
        sweeps.after()


def _smaller(w: Writer, part: str, units: str, whole: int) -> str:
    """Return a part that is no larger than that all threads get some, in multiples of `whole`."""
    w.declare("i64 @llvm.umin.i64(i64, i64)")
    fair = w.new(f"add i64 {w.new(f'udiv i64 {units}, {FEWEST_PARTS}')}, {whole}")
    fair = w.new(f"and i64 {fair}, {-whole}")
    return w.new(f"call i64 @llvm.umin.i64(i64 {part}, i64 {fair})")


def _share(w: Writer, total: str, units: str, part: str, least: float) -> None:
    """Write that threads take parts, from so many elements on."""
    for place, value in ((NEXT, "0"), (TOTAL, units), (CHUNK, part)):
        w.line(f"store i64 {value}, ptr {word(w, place)}")
    w.line(f"store ptr %table, ptr {word(w, TABLE)}")
    w.line(f"store ptr @run, ptr {word(w, RUN)}")
    saved = w.new(f"call ptr {w.outside('py:PyEval_SaveThread')}()")
    w.line(f"store ptr {saved}, ptr %thread")
    given = f"ptr %table, ptr %context, i64 {total}, i64 {int(least)}, ptr %thread"
    raised = w.new(f"call i1 {helper(w, 'lead')}({given})")
    w.line(f"br i1 {raised}, label %failed, label %end")
    w.begin("end")
    w.line(f"call void {helper(w, 'resume')}(ptr %table, ptr %thread)")
    w.line("br label %computed")
