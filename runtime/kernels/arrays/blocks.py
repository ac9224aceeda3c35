"""The work of a kernel over arrays as LLVM text: a function that computes a range of the space.

Comes in: a kernel. Goes out: lines of a function. It knows no objects of Python (`map_entry` does).

The range, of elements or of rows, is gone through in blocks that stay in the cache. A block is
computed phase by phase (`block_schedule`), in vectors of the machine's width, row by row where
numbers of rows are made or used (`row_loops`). Else the last vector of a block is the one that ends
with it, so that it computes some elements a second time; a block that is shorter than a vector is
copied and filled up with its last element. Arrays that are broadcast, or have gaps, are copied
(`gather`).
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.kernels.arithmetic import llvm_type, number, stored_type
from runtime.kernels.arrays import ranges
from runtime.kernels.arrays.block_passes import fill, fill_vector, write_call, write_pass
from runtime.kernels.arrays.block_schedule import Part, Phase, schedule
from runtime.kernels.arrays.buffer_reuse import borrowed
from runtime.kernels.arrays.columns import Column
from runtime.kernels.arrays.layout import (
    COLUMNS,
    FLAGS,
    LEVELS,
    SIZES,
    STOPPED,
    STRIPE,
    TOGETHER,
    WIDTH,
    Layout,
    lanes_of,
    length_of,
    word,
)
from runtime.kernels.arrays.long_rows import write_meetings
from runtime.kernels.arrays.philox import WORDS
from runtime.kernels.arrays.ranges import Range, stripe, write_leaves
from runtime.kernels.arrays.row_invariants import repeated
from runtime.kernels.arrays.row_loops import write_rows
from runtime.kernels.arrays.row_work import Rows, Work
from runtime.kernels.arrays.tables import copy_parts, draw_block
from runtime.kernels.arrays.vector_pass import Known, distance_ahead
from runtime.kernels.control_flow import loop
from runtime.kernels.helpers import helper
from runtime.kernels.kernel import ArrayType, Instruction, Operand, Variable
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import Kind, MapKernel


def write_run(w: Writer, kernel: MapKernel) -> int:
    """Write `run(table, context, first, end)`; return how long a row, or a part of it, may be."""
    run = Run(w, kernel)
    run.whole()
    if kernel.kind is Kind.TOTAL:
        Run(w, kernel).ending()
    return run.length


class Run:  # Long: the parts of one function of LLVM, which share its registers and its memory.
    """Writes the function.

    `memory` is where the numbers of the elements of the block are, `row_memory` those of its rows.
    """

    def __init__(self, w: Writer, kernel: MapKernel) -> None:
        self.w = w
        self.kernel = kernel
        self.layout = Layout(kernel)
        self.lanes = lanes_of(kernel)
        self.schedule = schedule(kernel.body, kernel.inputs, w.fast or bool(kernel.axes))
        self.memory: dict[Variable, str] = {}
        self.ahead: dict[Variable, str] = {}
        self.row_memory: dict[Variable, str] = {}
        self.uniform = {lanes: Known() for lanes in (self.lanes, WIDTH)}
        quotients = [x for x in kernel.body.instructions if x.op == "fdiv"]
        self.divisors = {x.args[1] for x in quotients if isinstance(x.args[1], Variable)}
        self.repeated = repeated(kernel)
        self.direct = {**self.schedule.direct, **borrowed(kernel, self.schedule)}
        results = enumerate(kernel.body.results)
        self.elements = [(k, x) for k, x in results if x not in self.schedule.rows]
        held = [*self.stored(), *(x for x, _ in self.arrays())]
        self.length = length_of(kernel, sum(number(x.type).itemsize for x in held))

    def arrays(self) -> list[tuple[Variable, int]]:
        """Return the parameters that are elements of arrays, and their places."""
        pairs = zip(self.kernel.body.params, self.kernel.inputs, strict=True)
        places = [(x, k) for k, (x, port) in enumerate(pairs) if not port.whole]
        return [(x, k) for x, k in places if isinstance(self.kernel.inputs[k].type, ArrayType)]

    def stored(self) -> list[Variable]:
        """Return the variables of which a block of elements is kept."""
        found: list[Variable] = []
        for phase in self.schedule.phases:
            found += phase.stores[Part.PASS]
            found += [x.results[0] for x in phase.parts[Part.CALLS]]
        return [x for x in found if x not in self.direct]

    def rows(self) -> list[Variable]:
        """Return the variables of which a number for each row is kept."""
        found: list[Variable] = []
        for phase in self.schedule.phases:
            found += phase.stores[Part.ROW_PASS]
            for part in (Part.REDUCTIONS, Part.ROW_CALLS):
                found += [x.results[0] for x in phase.parts[part]]
        return found

    def whole(self) -> None:
        """Write the function."""
        w, kind = self.w, self.kernel.kind
        top = self.start("run", "i64 %first, i64 %end")
        self.memory.update((x, self.buffer(x, self.length)) for x in self.stored())
        self.row_memory.update((x, self.buffer(x, TOGETHER)) for x in self.rows())
        copies = {k: self.buffer(x, self.length + WORDS) for x, k in self.arrays()}
        shorts = {k: self.buffer(x, 0) for k, x in self.elements}
        w.clear_flags()
        self.read_context()
        for x, k in self.repeated.items():
            self.memory[x] = copies[k]
            self.gather("gather", x, k, copies[k], "i64 0, i64 %columns, i64 %columns")
        w.line("br label %block")
        w.begin("block")
        begin = len(w.lines)
        if kind is Kind.COLUMNS:
            self.columns(copies, shorts)
        else:
            self.range = self.measured()
            self.of_elements(copies, shorts)
        if kind is not Kind.TOTAL:
            self.copy_rows()
        w.line(f"%following = add i64 %begin, {self.range.units}")
        more = w.new("icmp ult i64 %following, %end")
        goes_on = w.new(f"xor i1 {w.new('load i1, ptr %stopped')}, true")
        goes_on = w.new(f"and i1 {more}, {goes_on}")
        w.lines.insert(begin, f"  %begin = phi i64 [ %first, %start ], [ %following, %{w.label} ]")
        w.line(f"br i1 {goes_on}, label %block, label %finish")
        self.finish(top)

    def ending(self) -> None:
        """Write the function `end(table, context)`: what is done after all pieces of a row."""
        w = self.w
        top = self.start("end", "")
        self.row_memory.update((x, self.buffer(x, self.lanes)) for x in self.rows())
        w.clear_flags()
        self.read_context()
        self.range = Range("1", "0", "0", "1", "0", str(self.lanes))
        levels = w.new(f"load i64, ptr {word(w, LEVELS)}")
        for k, x in enumerate(self.kernel.reductions):
            parts = w.new(f"load ptr, ptr {word(w, self.layout.parts(k))}")
            found = write_meetings(w, x, parts, levels)
            kind, target = stored_type(number(x.results[0].type)), self.row_memory[x.results[0]]
            w.line(f"store {kind} {w.new(f'load {kind}, ptr {found}')}, ptr {target}")
            self.pad(x)
        for phase in self.schedule.phases:
            self.of_rows(phase)
        self.copy_rows()
        w.line("br label %finish")
        self.finish(top)

    def start(self, name: str, given: str) -> int:
        """Write the head of a function; return where what it reserves goes."""
        w = self.w
        given = f", {given}" if given else ""
        w.lines.append(f"define internal void @{name}(ptr %table, ptr %context{given}) #0 {{")
        w.begin("start")
        top = len(w.lines)
        for each, kind, initial in (
            ("control", "i32", "0"),
            ("flags", "i32", "0"),
            ("stopped", "i1", "false"),
        ):
            w.line(f"%{each} = alloca {kind}")
            w.line(f"store {kind} {initial}, ptr %{each}")
        for least in ("umin", "umax"):
            w.declare(f"i64 @llvm.{least}.i64(i64, i64)")
        return top

    def columns(self, copies: dict[int, str], shorts: dict[int, str]) -> None:
        """Write that rows are put together for some columns."""
        w = self.w
        found = stripe(w, min(STRIPE, self.length))
        self.range = numbers = found.numbers(w, self.lanes)
        for x in self.kernel.reductions:
            Column(w, x, self.lanes, self.row_memory[x.results[0]]).clear(numbers.row_filled)

        def row(place: str) -> None:
            self.range = found.block(w, place)
            self.of_elements(copies, shorts)

        loop(w, "0", found.rounds, "1", row)
        self.range = numbers
        for phase in self.schedule.phases:
            self.of_rows(phase)

    def of_elements(self, copies: dict[int, str], shorts: dict[int, str]) -> None:
        """Write what is computed of the elements of a block; with rows also what is of these."""
        w, count = self.w, self.range.count
        self.filled = w.new(f"call i64 @llvm.umax.i64(i64 {count}, i64 {self.lanes})")
        self.is_short = w.new(f"icmp ult i64 {count}, {self.lanes}")
        for x, k in self.arrays():
            if x not in self.repeated:
                self.memory[x] = self.input_block(x, k, copies[k])
        outputs = {k: self.output_block(k, short) for k, short in shorts.items()}
        self.memory.update((x, outputs[k]) for x, k in self.direct.items())
        for phase in self.schedule.phases:
            self.phase(phase, outputs)
            if self.kernel.kind is Kind.ROWS:
                for step in phase.parts[Part.REDUCTIONS]:
                    self.pad(step)
                self.of_rows(phase)
        self.copy_short(shorts)

    def finish(self, top: int) -> None:
        """Write the end: the flags go to the context."""
        w = self.w
        w.begin("finish")
        w.keep_flags()
        left = w.new(f"select i1 {w.new('load i1, ptr %stopped')}, i32 {STOPPED}, i32 0")
        both = w.new(f"or i32 {left}, {w.new('load i32, ptr %flags')}")
        wide = w.new(f"zext i32 {both} to i64")
        w.new(f"atomicrmw or ptr {word(w, FLAGS)}, i64 {wide} monotonic")
        w.line("ret void")
        w.lines.append("}")
        w.lines[top:top] = w.spaces
        w.spaces.clear()

    def buffer(self, operand: Operand, length: int) -> str:
        """Return memory for a block of numbers, with a vector of room after it."""
        return self.w.buffer((length + self.lanes) * number(operand.type).itemsize)

    def read_context(self) -> None:
        """Write the reading of what is the same for all blocks."""
        w = self.w
        places = enumerate(self.kernel.outputs)
        self.data = [w.new(f"load ptr, ptr {word(w, self.layout.output(k))}") for k, _ in places]
        self.sources: dict[int, tuple[str, str]] = {}
        pairs = zip(self.kernel.body.params, self.kernel.inputs, strict=True)
        for k, (x, port) in enumerate(pairs):
            place = self.layout.input(k)
            if isinstance(port.type, ArrayType):
                dense = w.new(f"load i64, ptr {word(w, place + 1)}")
                data = w.new(f"load ptr, ptr {word(w, place)}")
                self.sources[k] = data, w.new(f"icmp ne i64 {dense}, 0")
            else:
                self.memory[x] = self.row_memory[x] = word(w, place)
                value = w.loaded(self.memory[x], number(x.type))
                self.same(x, value)
        self.is_far = ranges.is_far(w, self.kernel.rank)
        kind = self.kernel.kind
        count = word(w, LEVELS if kind is Kind.COLUMNS else COLUMNS)
        if kind is Kind.ROWS and self.kernel.has_rows:
            w.line(f"%columns = load i64, ptr {count}")
            write_leaves(w)
        for step in self.kernel.body.instructions:
            if step.op == "columns":
                dtype = number(step.results[0].type)
                whole = w.new(f"load i64, ptr {count}")
                value = w.new(f"uitofp i64 {whole} to {llvm_type(dtype)}")
                self.same(step.results[0], value)

    def same(self, x: Variable, value: str) -> None:
        """Write the vectors of what is the same for all elements."""
        for lanes, known in self.uniform.items():
            known.add(self.w, lanes, x, value, self.divisors)

    def measured(self) -> Range:
        """Write which elements the block has."""
        w = self.w
        if self.kernel.kind is Kind.TOTAL:
            for k, x in enumerate(self.kernel.reductions):
                parts = w.new(f"load ptr, ptr {word(w, self.layout.parts(k))}")
                kind = stored_type(number(x.results[0].type))
                place = w.new(f"getelementptr {kind}, ptr {parts}, i64 %begin")
                self.row_memory[x.results[0]] = place
            return ranges.piece(w)
        if self.kernel.has_rows:
            return ranges.rows(w, self.lanes, min(TOGETHER, self.length))
        return ranges.elements(w, self.length)

    def input_block(self, x: Variable, k: int, buffer: str) -> str:
        """Return where the present block of an array is: in the array, or a copy without gaps."""
        w, size = self.w, number(x.type).itemsize
        data, dense = self.sources[k]
        if self.kernel.inputs[k].drawn:
            return draw_block(w, data, buffer, self.range, self.filled)
        if self.kernel.inputs[k].places is not None:
            copy_parts(w, self.layout.input(k), size, data, buffer, self.range, self.filled)
            return buffer
        name = "roll" if self.kernel.inputs[k].shifts else "gather"
        there, gather, done = (w.block_label(name) for name in ("dense", "gather", "input"))
        test = w.new(f"and i1 {dense}, {w.new(f'xor i1 {self.is_short}, true')}")
        self.ahead[x] = distance_ahead(w, w.new(f"and i1 {test}, {self.is_far}"))
        w.line(f"br i1 {test}, label %{there}, label %{gather}")
        w.begin(there)
        address = self.at(data, size)
        w.line(f"br label %{done}")
        w.begin(gather)
        place = f"i64 {self.range.begin}, i64 {self.range.count}, i64 {self.filled}"
        self.gather(name, x, k, buffer, place)
        w.line(f"br label %{done}")
        w.begin(done)
        return w.new(f"phi ptr [ {address}, %{there} ], [ {buffer}, %{gather} ]")

    def gather(self, name: str, x: Variable, k: int, buffer: str, place: str) -> None:
        """Write that elements of an array are copied."""
        w = self.w
        function = helper(w, f"{name}{number(x.type).itemsize}x{self.kernel.rank}")
        parts = word(w, SIZES), word(w, self.layout.input(k) + 2), word(w, self.layout.shifts(k))
        given = ", ".join(f"ptr {each}" for each in (buffer, self.sources[k][0], *parts))
        w.line(f"call void {function}({given}, {place})")

    def at(self, data: str, size: int, place: str | None = None) -> str:
        """Return the address of the first element of the block, or of another one."""
        offset = self.w.new(f"mul i64 {place or self.range.begin}, {size}")
        return self.w.new(f"getelementptr i8, ptr {data}, i64 {offset}")

    def output_block(self, k: int, short: str) -> str:
        """Return where the present block of a result goes."""
        there = self.at(self.data[k], number(self.kernel.body.results[k].type).itemsize)
        return self.w.new(f"select i1 {self.is_short}, ptr {short}, ptr {there}")

    def copy_short(self, shorts: dict[int, str]) -> None:
        """Write that a block that is shorter than a vector goes from its copy into the results."""
        w, after = self.w, self.w.block_label("whole")
        copying = w.block_label("copying")
        w.line(f"br i1 {self.is_short}, label %{copying}, label %{after}")
        w.begin(copying)
        for k, short in shorts.items():
            self.copy(k, short, self.range.count, self.range.begin)
        w.line(f"br label %{after}")
        w.begin(after)

    def copy_rows(self) -> None:
        """Write that numbers of rows go into the results."""
        for k, operand in enumerate(self.kernel.body.results):
            if isinstance(operand, Variable) and operand in self.schedule.rows:
                source = self.row_memory[operand]
                self.copy(k, source, self.range.row_count, self.range.row_place)

    def copy(self, k: int, source: str, count: str, place: str) -> None:
        """Write the copying of numbers to their place in a result."""
        size = number(self.kernel.body.results[k].type).itemsize
        there, length = self.at(self.data[k], size, place), self.w.new(f"mul i64 {count}, {size}")
        self.w.line(f"call void {helper(self.w, 'copy')}(ptr {there}, ptr {source}, i64 {length})")

    def phase(self, phase: Phase, outputs: dict[int, str]) -> None:
        """Write what a phase computes of elements, and what it reduces."""
        parts, known = phase.parts, self.uniform[self.lanes]
        made = {y for x in parts[Part.CALLS] for y in x.results}
        early = [x for x in parts[Part.REDUCTIONS] if x.args[0] not in made]
        own = phase.stores[Part.PASS]
        stores: list[tuple[Operand, str]] = [(x, self.memory[x]) for x in own]
        stores += [(self.kernel.body.results[k], outputs[k]) for k in phase.results]
        tests = [x for x in parts[Part.PASS] if x.op == "stop"]
        memory = {x: place for x, place in self.memory.items() if x not in own}
        operands = [y for x in (*tests, *early) for y in x.args] + [x for x, _ in stores]
        ahead = self.ahead if phase is self.schedule.phases[0] else {}
        work = Work(tests, early, stores, self.schedule.rows_for(operands, memory), ahead)
        if early or work.given or (self.repeated and (tests or stores)):
            self.rows_of(work, memory)
            for stored in own:
                fill(self.w, stored, self.memory[stored], self.range.count, self.filled)
        elif tests or stores:
            self.pass_over(work, memory, self.filled)
        for x in parts[Part.CALLS]:
            write_call(self.w, x, known, self.memory, self.filled)
        late = [x for x in parts[Part.REDUCTIONS] if x not in early]
        if late:
            self.rows_of(Work((), late, (), ()), self.memory)

    def pad(self, x: Instruction) -> None:
        """Write that the numbers of rows fill up a vector."""
        found, block = x.results[0], self.range
        fill_vector(self.w, found, self.row_memory[found], block.row_count, self.lanes)

    def of_rows(self, phase: Phase) -> None:
        """Write what a phase computes of the numbers of rows."""
        parts, known = phase.parts, self.uniform[self.lanes]
        if parts[Part.ROW_PASS]:
            own = phase.stores[Part.ROW_PASS]
            tests = [x for x in parts[Part.ROW_PASS] if x.op == "stop"]
            memory = {x: place for x, place in self.row_memory.items() if x not in own}
            stores = [(x, self.row_memory[x]) for x in own]
            self.pass_over(Work(tests, (), stores, ()), memory, self.range.row_filled)
        for x in parts[Part.ROW_CALLS]:
            write_call(self.w, x, known, self.row_memory, self.range.row_filled)

    def rows_of(self, work: Work, memory: Mapping[Variable, str]) -> None:
        """Write what is done row by row."""
        own = self.row_memory, self.schedule.makers, self.divisors, self.range.units
        rows = Rows(self.lanes, self.uniform, memory, *own, self.kernel.kind, self.repeated)
        write_rows(self.w, rows, work)

    def pass_over(self, work: Work, memory: Mapping[Variable, str], count: str) -> None:
        """Write a loop over vectors."""
        known, makers = self.uniform[self.lanes], self.schedule.makers
        write_pass(self.w, self.lanes, known, memory, makers, work.tests, work.stores, count)
