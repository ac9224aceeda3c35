"""The rows of a block, one after another, as LLVM text.

Comes in: what is to be computed of the elements, and what is to be reduced. Goes out: lines.

What an element is computed of is read once, and reductions take it from registers. Numbers of the
row itself are read at its start. Sums that have an order are written by `row_sums`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runtime.kernels.arrays.accumulate import Accumulator, is_ordered, reduce_row
from runtime.kernels.arrays.block_schedule import KNOWN
from runtime.kernels.arrays.columns import Column
from runtime.kernels.arrays.row_sums import write_sums
from runtime.kernels.arrays.row_work import Elements, Rows, Work
from runtime.kernels.arrays.vector_pass import Known
from runtime.kernels.control_flow import loop, when
from runtime.kernels.kernel import Instruction, Variable
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import Kind
from runtime.kernels.vectors import first_lanes


def write_rows(w: Writer, rows: Rows, work: Work) -> None:
    """Write what is done row by row; `%columns` is the length of a row.

    What has an order is summed first, by itself.
    """
    is_row = rows.kind is not Kind.COLUMNS
    ordered = [x for x in work.reductions if is_row and is_ordered(w, x)]
    if ordered:
        write_sums(w, rows, replace(work, reductions=ordered))
        written = {x: place for x, place in work.stores if isinstance(x, Variable)}
        rows = replace(rows, memory={**rows.memory, **written})
        others = [x for x in work.reductions if x not in ordered]
        work = replace(work, tests=(), reductions=others, stores=())
    if not ordered or work.reductions:
        loop(w, "0", rows.count, "1", _RowLoop(w, rows, work).row)


@dataclass(slots=True)
class _Row:
    """A row.

    Args:
        index: its number in the block.
        first: the number of its first element.
        known: vectors of what is the same for all of it.
        accumulators: what is reduced.
    """

    index: str
    first: str
    known: Known
    accumulators: Sequence[Accumulator | Column]


class _RowLoop:
    def __init__(self, w: Writer, rows: Rows, work: Work) -> None:
        self.w = w
        self.rows = rows
        self.work = work
        self.elements = Elements(w, rows, work)
        self.lanes = rows.lanes
        self.known = [x for x in work.reductions if x.attrs["ufunc"] in KNOWN]
        self.called = [x for x in work.reductions if x not in self.known]
        self.vectors = 2 if work.reductions and self.elements.is_light() else 1
        self.targets = {x: rows.row_memory[x.results[0]] for x in work.reductions}

    def row(self, index: str) -> None:
        """Write what is done with a row."""
        known = self.elements.known(self.lanes, index)
        first = self.w.new(f"mul i64 {index}, %columns")
        row = _Row(index, first, known, [self.accumulator(x) for x in self.known])
        for accumulator in row.accumulators:
            accumulator.start()
        if self.work.stores or self.known or self.work.tests:
            self.in_vectors(row)
        self.finish(row)

    def accumulator(self, x: Instruction) -> Accumulator | Column:
        """Return what a reduction goes into."""
        if self.rows.kind is Kind.COLUMNS:
            return Column(self.w, x, self.lanes, self.targets[x])
        return Accumulator(self.w, x, self.lanes, self.vectors, self.rows.kind is Kind.TOTAL)

    def finish(self, row: _Row) -> None:
        """Write that the numbers of a row go to their places."""
        for accumulator in row.accumulators:
            x = accumulator.x
            accumulator.finish(self.source(x, row), self.target(x, row))
        for x in self.called:
            reduce_row(self.w, x, self.source(x, row), self.target(x, row))

    def target(self, x: Instruction, row: _Row) -> str:
        """Return where the number of a row goes."""
        return self.elements.at(self.targets[x], x.results[0], row.index)

    def source(self, x: Instruction, row: _Row) -> str:
        """Return where the elements of the row are, for NumPy's own loop: maybe just written."""
        operand = x.args[0]
        assert isinstance(operand, Variable)
        written = (place for stored, place in self.work.stores if stored is operand)
        memory = self.rows.memory.get(operand) or next(written, None)
        return "null" if memory is None else self.elements.at(memory, operand, row.first)

    def in_vectors(self, row: _Row) -> None:
        """Write the vectors of a row: several in a round, then single ones, then what is left."""
        w, one = self.w, str(self.lanes)
        whole = w.new(f"and i64 %columns, -{self.lanes}")
        many = "0"
        if self.vectors > 1:
            step = self.lanes * self.vectors
            many = w.new(f"and i64 %columns, -{step}")

            def several(place: str) -> None:
                for k in range(self.vectors):
                    at = w.new(f"add i64 {place}, {k * self.lanes}") if k else place
                    self.vector(row, at, k)

            loop(w, "0", many, str(step), several)
        loop(w, many, whole, one, lambda place: self.vector(row, place, 0))
        left = w.new(f"icmp ult i64 {whole}, %columns")

        def last() -> None:
            mask = first_lanes(self.w, self.lanes, w.new(f"sub i64 %columns, {whole}"))
            self.vector(row, whole, 0, mask)

        when(w, left, last)

    def vector(self, row: _Row, place: str, which: int, mask: str | None = None) -> None:
        """Write what is done with a vector."""
        lanes = self.elements.registers(self.lanes, row.known, row.first, place, mask)
        for accumulator in row.accumulators:
            accumulator.add(lanes, mask, which)
        self.elements.store(lanes)
