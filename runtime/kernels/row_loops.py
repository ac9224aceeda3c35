"""The rows of a block, one after another, as LLVM text.

Comes in: what is to be computed of the elements, and what is to be reduced. Goes out: lines.

A row is gone through in vectors; where it ends within one, the elements that are not there are
taken for its first one, and nothing of them is written or reduced. So what an element is computed
of is read once, and reductions take it from registers. Numbers of the row itself are read at its
start.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from runtime.kernels.accumulate import Accumulator, is_float_sum, reduce_row
from runtime.kernels.arithmetic import number, stored_type
from runtime.kernels.columns import Column
from runtime.kernels.counted import loop, when
from runtime.kernels.kernel import Instruction, Operand, Variable
from runtime.kernels.lanes import Known, Lanes
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import Kind
from runtime.kernels.pairwise import WIDTH, PairwiseSum
from runtime.kernels.phases import KNOWN

SHORT = 16
"""With so few instructions for an element there are two vectors in a round."""
TOGETHER = 2
"""So many rows are summed in turns, as each addition of a row waits for the one before."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The block that rows are in.

    Args:
        lanes: how many elements a vector has.
        uniform: what is the same for all rows, as vectors, by their number of lanes.
        memory: where the elements of the block are.
        row_memory: where the numbers of its rows are.
        makers: which instruction makes a variable.
        divisors: what floats are divided by.
        count: how many rows there are.
        kind: what is reduced; of a long row there is one piece here, of columns a row of elements.
    """

    lanes: int
    uniform: Mapping[int, Known]
    memory: Mapping[Variable, str]
    row_memory: Mapping[Variable, str]
    makers: Mapping[Variable, Instruction]
    divisors: Container[Variable]
    count: str
    kind: Kind = Kind.ROWS


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with the elements of each row.

    Args:
        tests: instructions that may leave the kernel.
        reductions: what is put together of them.
        stores: what is written, and where to.
        given: numbers of the row that this needs.
        ahead: what is read here first, with the distance to what is asked for then.
    """

    tests: Sequence[Instruction]
    reductions: Sequence[Instruction]
    stores: Sequence[tuple[Operand, str]]
    given: Sequence[Variable]
    ahead: Mapping[Variable, str] = field(default_factory=dict)


def write_rows(w: Writer, rows: Rows, work: Work) -> None:
    """Write the loop over the rows of a block; `%columns` is the length of a row."""
    _RowLoop(w, rows, work).whole()


def is_ordered(w: Writer, x: Instruction) -> bool:
    """Tell whether a reduction has an order that counts."""
    return is_float_sum(x) and not w.fast


@dataclass(slots=True)
class _Row:
    """A row, or one of some that are gone through in turns.

    Args:
        index: its number in the block.
        first: the number of its first element.
        known: vectors of what is the same for all of it.
        sums, accumulators: what is reduced.
    """

    index: str
    first: str
    known: Known
    sums: list[PairwiseSum]
    accumulators: Sequence[Accumulator | Column]


class _RowLoop:
    def __init__(self, w: Writer, rows: Rows, work: Work) -> None:
        self.w = w
        self.rows = rows
        self.work = work
        known = [x for x in work.reductions if x.attrs["ufunc"] in KNOWN]
        self.called = [x for x in work.reductions if x not in known]
        sums = [x for x in known if is_ordered(w, x) and rows.kind is not Kind.COLUMNS]
        self.lanes = WIDTH if sums else rows.lanes
        few = self.unrolled()
        self.vectors = 1 if sums else few
        self.together = TOGETHER if sums and few > 1 and rows.kind is Kind.ROWS else 1
        self.sums = sums
        self.others = [x for x in known if x not in sums]
        self.targets = {x: rows.row_memory[x.results[0]] for x in work.reductions}

    def unrolled(self) -> int:
        """Return how many vectors there are in a round."""
        operands = [x.args[0] for x in self.work.reductions]
        operands += [x for x, _ in self.work.stores]
        steps, waiting = set[Instruction](), [x for x in operands if isinstance(x, Variable)]
        while waiting:
            x = waiting.pop()
            if x not in self.rows.memory and x in self.rows.makers:
                step = self.rows.makers[x]
                if step not in steps:
                    steps.add(step)
                    waiting += [y for y in step.args if isinstance(y, Variable)]
        return 2 if self.work.reductions and len(steps) <= SHORT else 1

    def whole(self) -> None:
        """Write the loop."""
        loop(self.w, "0", self.rows.count, str(self.together), self.some)

    def some(self, index: str) -> None:
        """Write what is done with some rows; after the last one it is done once more."""
        w = self.w
        w.declare("i64 @llvm.umin.i64(i64, i64)")
        last = w.new(f"sub i64 {self.rows.count}, 1")
        indices = [index]
        for k in range(1, self.together):
            given = f"i64 {w.new(f'add i64 {index}, {k}')}, i64 {last}"
            indices.append(w.new(f"call i64 @llvm.umin.i64({given})"))
        group = [self.row(x) for x in indices]
        for accumulator in (x for row in group for x in row.accumulators):
            accumulator.start()
        if self.sums:
            self.leaves(group)
        elif self.work.stores or self.others or self.work.tests:
            self.in_vectors(group[0])
        for row in group:
            self.finish(row)

    def row(self, index: str) -> _Row:
        """Return a row; write the reading of its numbers."""
        w = self.w
        known = self.rows.uniform[self.lanes].copy()
        for given in self.work.given:
            dtype = number(given.type)
            place = self.at(self.rows.row_memory[given], given, index)
            known.add(w, self.lanes, given, w.loaded(place, dtype), self.rows.divisors)
        first = w.new(f"mul i64 {index}, %columns")
        sums = [PairwiseSum(w, x) for x in self.sums]
        accumulators = [self.accumulator(x) for x in self.others]
        return _Row(index, first, known, sums, accumulators)

    def accumulator(self, x: Instruction) -> Accumulator | Column:
        """Return what a reduction goes into."""
        if self.rows.kind is Kind.COLUMNS:
            return Column(self.w, x, self.lanes, self.targets[x])
        return Accumulator(self.w, x, self.lanes, self.vectors, self.rows.kind is Kind.TOTAL)

    def finish(self, row: _Row) -> None:
        """Write that the numbers of a row go to their places."""
        for total in row.sums:
            total.finish(self.target(total.x, row))
        for accumulator in row.accumulators:
            x = accumulator.x
            accumulator.finish(self.source(x, row), self.target(x, row))
        for x in self.called:
            reduce_row(self.w, x, self.source(x, row), self.target(x, row))

    def at(self, memory: str, x: Operand, place: str) -> str:
        """Return the address of a number."""
        return self.w.new(f"getelementptr {stored_type(number(x.type))}, ptr {memory}, i64 {place}")

    def target(self, x: Instruction, row: _Row) -> str:
        """Return where the number of a row goes."""
        return self.at(self.targets[x], x.results[0], row.index)

    def source(self, x: Instruction, row: _Row) -> str:
        """Return where the elements of the row are, for NumPy's own loop: maybe just written."""
        operand = x.args[0]
        assert isinstance(operand, Variable)
        written = (place for stored, place in self.work.stores if stored is operand)
        memory = self.rows.memory.get(operand) or next(written, None)
        return "null" if memory is None else self.at(memory, operand, row.first)

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
            self.rest(row, whole, w.new(f"sub i64 %columns, {whole}"))

        when(w, left, last)

    def vector(self, row: _Row, place: str, which: int) -> None:
        """Write what is done with a vector."""
        lanes = self.registers(row, place, None)
        for accumulator in row.accumulators:
            accumulator.add(lanes, None, which)
        self.store(lanes)

    def registers(self, row: _Row, place: str, mask: str | None) -> Lanes:
        """Return the registers of a vector, after the tests that may leave the kernel."""
        w, rows = self.w, self.rows
        at = w.new(f"add i64 {row.first}, {place}")
        known, ahead = row.known, self.work.ahead
        lanes = Lanes(w, self.lanes, known, rows.memory, at, rows.makers, mask, row.first, ahead)
        for x in self.work.tests:
            lanes.instruction(x)
        return lanes

    def store(self, lanes: Lanes) -> None:
        """Write that results go to memory."""
        for operand, address in self.work.stores:
            lanes.store(operand, address)

    def rest(self, row: _Row, place: str, count: str) -> Lanes:
        """Write what is done with the first elements of a vector; return its registers."""
        w, kind = self.w, f"<{self.lanes} x i64>"
        numbers = ", ".join(f"i64 {k}" for k in range(self.lanes))
        first = w.new(f"insertelement {kind} poison, i64 {count}, i64 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        counts = w.new(f"shufflevector {kind} {first}, {kind} poison, {zeros}")
        mask = w.new(f"icmp ult {kind} <{numbers}>, {counts}")
        lanes = self.registers(row, place, mask)
        for accumulator in row.accumulators:
            accumulator.add(lanes, mask, 0)
        self.store(lanes)
        return lanes

    def leaves(self, group: Sequence[_Row]) -> None:
        """Write the vectors of rows, leaf by leaf, as their sums need them."""
        w = self.w
        self.depth, self.begin = w.space("i64"), w.space("i64")
        for place in (self.depth, self.begin):
            w.line(f"store i64 0, ptr {place}")
        loop(w, "0", "%leaf_count", "1", lambda index: self.leaf(group, index))

    def leaf(self, group: Sequence[_Row], index: str) -> None:
        """Write a leaf."""
        w = self.w
        sums = [total for row in group for total in row.sums]
        entry = w.new(f"getelementptr [2 x i64], ptr %leaf_table, i64 {index}")
        length = w.new(f"load i64, ptr {entry}")
        meetings = w.new(f"load i64, ptr {w.new(f'getelementptr i64, ptr {entry}, i64 1')}")
        begin = w.new(f"load i64, ptr {self.begin}")
        end = w.new(f"add i64 {begin}, {length}")
        for total in sums:
            total.start()
        loop(w, begin, end, str(WIDTH), lambda place: self.leaf_vector(group, place))
        for total in sums:
            total.fold()
        w.line(f"store i64 {end}, ptr {self.begin}")
        is_last = w.new(f"icmp eq i64 {w.new(f'add i64 {index}, 1')}, %leaf_count")
        count = w.new(f"sub i64 %columns, {end}")
        some = w.new(f"icmp ne i64 {count}, 0")
        when(w, w.new(f"and i1 {is_last}, {some}"), lambda: self.leaf_rest(group, end, count))
        loop(w, "0", meetings, "1", lambda _: self.meet(sums))
        depth = w.new(f"load i64, ptr {self.depth}")
        for total in sums:
            total.wait(depth)
        w.line(f"store i64 {w.new(f'add i64 {depth}, 1')}, ptr {self.depth}")

    def leaf_vector(self, group: Sequence[_Row], place: str) -> None:
        """Write what is done with a vector of a leaf of each row."""
        for row in group:
            lanes = self.registers(row, place, None)
            for total in row.sums:
                total.add(lanes)
            for accumulator in row.accumulators:
                accumulator.add(lanes, None, 0)
            self.store(lanes)

    def leaf_rest(self, group: Sequence[_Row], place: str, count: str) -> None:
        """Write what is done with the ends of the last leaves."""
        for row in group:
            lanes = self.rest(row, place, count)
            for total in row.sums:
                total.add_rest(lanes, count)

    def meet(self, sums: Sequence[PairwiseSum]) -> None:
        """Write that the sums that wait last are put before the present ones."""
        w = self.w
        depth = w.new(f"sub i64 {w.new(f'load i64, ptr {self.depth}')}, 1")
        w.line(f"store i64 {depth}, ptr {self.depth}")
        for total in sums:
            total.meet(depth)
