"""The work of a kernel over arrays as LLVM text: a function that computes a range of the space.

Comes in: a kernel. Goes out: lines of a function. It knows nothing of Python's objects (`map_entry`
does).

The range, of elements or of rows, is gone through in blocks that stay in the cache. A block is
computed phase by phase (`phases`), in vectors of the machine's width, row by row where numbers of
rows are made or used (`row_loops`). Else the last vector of a block is the one that ends with it,
so that it computes some elements a second time; a block that is shorter than a vector is copied and
filled up with its last element. An array that is broadcast, or that has
gaps, is copied block by block into one that has none (`gather`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.kernels.arithmetic import llvm_type, number, stored_type
from runtime.kernels.helpers import helper
from runtime.kernels.kernel import ArrayType, Instruction, Literal, Operand, Variable
from runtime.kernels.lanes import Known, Lanes
from runtime.kernels.layout import (
    COLUMNS,
    FLAGS,
    LONGEST,
    SIZES,
    STOPPED,
    Layout,
    lanes_of,
    length_of,
    word,
)
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import MapKernel
from runtime.kernels.pairwise import MOST_LEAVES, WIDTH
from runtime.kernels.phases import Part, Phase, schedule
from runtime.kernels.row_loops import Rows, Work, write_rows


def write_run(w: Writer, kernel: MapKernel) -> int:
    """Write the function `run(table, context, first, end)`; return how long a row may be."""
    run = _Run(w, kernel)
    run.whole()
    return run.length


class _Run:
    """Writes the function.

    `memory` is where the numbers of the elements of the block are, `row_memory` those of its rows.
    """

    def __init__(self, w: Writer, kernel: MapKernel) -> None:
        self.w = w
        self.kernel = kernel
        self.layout = Layout(kernel)
        self.lanes = lanes_of(kernel)
        self.schedule = schedule(kernel.body, kernel.inputs, w.fast)
        self.memory: dict[Variable, str] = {}
        self.row_memory: dict[Variable, str] = {}
        self.uniform = {lanes: Known() for lanes in (self.lanes, WIDTH)}
        quotients = [x for x in kernel.body.instructions if x.op == "fdiv"]
        self.divisors = {x.args[1] for x in quotients if isinstance(x.args[1], Variable)}
        self.elements = [
            (k, x) for k, x in enumerate(kernel.body.results) if x not in self.schedule.rows
        ]
        arrays = [x for x, _ in self.arrays()]
        held = [*self.stored(), *arrays]
        self.length = length_of(kernel, sum(number(x.type).itemsize for x in held))

    def arrays(self) -> list[tuple[Variable, int]]:
        """Return the parameters that are elements of arrays, and their places."""
        pairs = zip(self.kernel.body.params, self.kernel.inputs, strict=True)
        return [(x, k) for k, (x, port) in enumerate(pairs) if isinstance(port.type, ArrayType)]

    def stored(self) -> list[Variable]:
        """Return the variables of which a block of elements is kept."""
        found: list[Variable] = []
        for phase in self.schedule.phases:
            found += phase.stores[Part.PASS]
            found += [x.results[0] for x in phase.parts[Part.CALLS]]
        return [x for x in found if x not in self.schedule.direct]

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
        w = self.w
        given = "ptr %table, ptr %context, i64 %first, i64 %end"
        w.lines.append(f"define internal void @run({given}) #0 {{")
        w.begin("start")
        top = len(w.lines)
        for name, kind, initial in (
            ("control", "i32", "0"),
            ("flags", "i32", "0"),
            ("stopped", "i1", "false"),
        ):
            w.line(f"%{name} = alloca {kind}")
            w.line(f"store {kind} {initial}, ptr %{name}")
        self.memory.update((x, self.buffer(x, self.length)) for x in self.stored())
        self.row_memory.update((x, self.buffer(x, LONGEST)) for x in self.rows())
        copies = {k: self.buffer(x, self.length) for x, k in self.arrays()}
        shorts = {k: self.buffer(x, 0) for k, x in self.elements}
        w.clear_flags()
        self.read_context()
        w.line("br label %block")
        w.begin("block")
        begin = len(w.lines)
        self.measure()
        for x, k in self.arrays():
            self.memory[x] = self.input_block(x, k, copies[k])
        outputs = {k: self.output_block(k, short) for k, short in shorts.items()}
        self.memory.update((x, outputs[k]) for x, k in self.schedule.direct.items())
        for phase in self.schedule.phases:
            self.phase(phase, outputs)
        self.copy_short(shorts)
        self.copy_rows()
        w.line(f"%following = add i64 %begin, {self.units}")
        more = w.new("icmp ult i64 %following, %end")
        goes_on = w.new(f"xor i1 {w.new('load i1, ptr %stopped')}, true")
        goes_on = w.new(f"and i1 {more}, {goes_on}")
        w.lines.insert(begin, f"  %begin = phi i64 [ %first, %start ], [ %following, %{w.label} ]")
        w.line(f"br i1 {goes_on}, label %block, label %finish")
        self.finish()
        w.lines[top:top] = w.spaces
        w.spaces.clear()

    def finish(self) -> None:
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
        if self.kernel.has_rows:
            w.line(f"%columns = load i64, ptr {word(w, COLUMNS)}")
            self.most = w.new(f"udiv i64 {LONGEST}, %columns")
            w.line(f"%leaf_table = alloca [{MOST_LEAVES} x [2 x i64]]")
            leaves = helper(w, "leaves")
            w.line(f"%leaf_count = call i64 {leaves}(ptr %leaf_table, i64 %columns, i64 0)")
        for step in self.kernel.body.instructions:
            if step.op == "columns":
                dtype = number(step.results[0].type)
                value = w.new(f"uitofp i64 %columns to {llvm_type(dtype)}")
                self.same(step.results[0], value)

    def same(self, x: Variable, value: str) -> None:
        """Write the vectors of what is the same for all elements."""
        for lanes, known in self.uniform.items():
            known.add(self.w, lanes, x, value, self.divisors)

    def measure(self) -> None:
        """Write how many rows and elements the block has, and where the first of them is."""
        w = self.w
        w.declare("i64 @llvm.umin.i64(i64, i64)")
        w.declare("i64 @llvm.umax.i64(i64, i64)")
        rest = w.new("sub i64 %end, %begin")
        if self.kernel.has_rows:
            most = w.new(f"call i64 @llvm.umax.i64(i64 {self.most}, i64 1)")
            self.units = w.new(f"call i64 @llvm.umin.i64(i64 {rest}, i64 {most})")
            self.count = w.new(f"mul i64 {self.units}, %columns")
            self.begin = w.new("mul i64 %begin, %columns")
            w.line(f"%row_filled = call i64 @llvm.umax.i64(i64 {self.units}, i64 {self.lanes})")
        else:
            self.units = w.new(f"call i64 @llvm.umin.i64(i64 {rest}, i64 {self.length})")
            self.count, self.begin = self.units, "%begin"
        self.filled = w.new(f"call i64 @llvm.umax.i64(i64 {self.count}, i64 {self.lanes})")
        self.is_short = w.new(f"icmp ult i64 {self.count}, {self.lanes}")

    def input_block(self, x: Variable, k: int, buffer: str) -> str:
        """Return where the present block of an array is: in the array, or a copy without gaps."""
        w, size = self.w, number(x.type).itemsize
        data, dense = self.sources[k]
        name = "roll" if self.kernel.inputs[k].shifts else "gather"
        there, gather, done = (w.block_label(name) for name in ("dense", "gather", "input"))
        is_long = w.new(f"xor i1 {self.is_short}, true")
        test = w.new(f"and i1 {dense}, {is_long}")
        w.line(f"br i1 {test}, label %{there}, label %{gather}")
        w.begin(there)
        address = self.at(data, size)
        w.line(f"br label %{done}")
        w.begin(gather)
        sizes, strides = word(w, SIZES), word(w, self.layout.input(k) + 2)
        shifts = word(w, self.layout.shifts(k))
        function = helper(w, f"{name}{size}x{self.kernel.rank}")
        w.line(
            f"call void {function}(ptr {buffer}, ptr {data}, ptr {sizes}, ptr {strides}, "
            f"ptr {shifts}, i64 {self.begin}, i64 {self.count}, i64 {self.filled})"
        )
        w.line(f"br label %{done}")
        w.begin(done)
        return w.new(f"phi ptr [ {address}, %{there} ], [ {buffer}, %{gather} ]")

    def at(self, data: str, size: int, place: str | None = None) -> str:
        """Return the address of the first element of the block, or of another one."""
        offset = self.w.new(f"mul i64 {place or self.begin}, {size}")
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
            self.copy(k, short, self.count, self.begin)
        w.line(f"br label %{after}")
        w.begin(after)

    def copy_rows(self) -> None:
        """Write that numbers of rows go into the results."""
        for k, operand in enumerate(self.kernel.body.results):
            if isinstance(operand, Variable) and operand in self.schedule.rows:
                self.copy(k, self.row_memory[operand], self.units, "%begin")

    def copy(self, k: int, source: str, count: str, place: str) -> None:
        """Write the copying of numbers to their place in a result."""
        size = number(self.kernel.body.results[k].type).itemsize
        there = self.at(self.data[k], size, place)
        length = self.w.new(f"mul i64 {count}, {size}")
        self.w.line(f"call void {helper(self.w, 'copy')}(ptr {there}, ptr {source}, i64 {length})")

    def phase(self, phase: Phase, outputs: dict[int, str]) -> None:
        """Write a phase."""
        parts = phase.parts
        made = {y for x in parts[Part.CALLS] for y in x.results}
        early = [x for x in parts[Part.REDUCTIONS] if x.args[0] not in made]
        own = phase.stores[Part.PASS]
        stores: list[tuple[Operand, str]] = [(x, self.memory[x]) for x in own]
        stores += [(self.kernel.body.results[k], outputs[k]) for k in phase.results]
        tests = [x for x in parts[Part.PASS] if x.op == "stop"]
        memory = {x: place for x, place in self.memory.items() if x not in own}
        work = Work(tests, early, stores, self.given(tests, early, stores, memory))
        if early or work.given:
            self.rows_of(work, memory)
        elif tests or stores:
            self.one_pass(tests, stores, memory, self.filled)
        for x in parts[Part.CALLS]:
            self.call(x, self.memory, self.filled)
        late = [x for x in parts[Part.REDUCTIONS] if x not in early]
        if late:
            self.rows_of(Work((), late, (), ()), self.memory)
        for x in parts[Part.REDUCTIONS]:
            size, target = number(x.results[0].type).itemsize, self.row_memory[x.results[0]]
            pad = helper(self.w, f"pad{size}")
            self.w.line(f"call void {pad}(ptr {target}, i64 {self.units}, i64 %row_filled)")
        if parts[Part.ROW_PASS]:
            own = phase.stores[Part.ROW_PASS]
            tests = [x for x in parts[Part.ROW_PASS] if x.op == "stop"]
            memory = {x: place for x, place in self.row_memory.items() if x not in own}
            stores = [(x, self.row_memory[x]) for x in own]
            self.one_pass(tests, stores, memory, "%row_filled")
        for x in parts[Part.ROW_CALLS]:
            self.call(x, self.row_memory, "%row_filled")

    def given(
        self,
        tests: Sequence[Instruction],
        reductions: Sequence[Instruction],
        stores: Sequence[tuple[Operand, str]],
        memory: Mapping[Variable, str],
    ) -> list[Variable]:
        """Return the numbers of rows that elements are computed of."""
        operands = [y for x in (*tests, *reductions) for y in x.args]
        operands += [x for x, _ in stores]
        known = self.schedule.rows | memory.keys()
        return [x for x in self.schedule.sources(operands, known) if x in self.schedule.rows]

    def rows_of(self, work: Work, memory: Mapping[Variable, str]) -> None:
        """Write what is done row by row."""
        makers = self.schedule.makers
        rows = Rows(
            self.lanes, self.uniform, memory, self.row_memory, makers, self.divisors, self.units
        )
        write_rows(self.w, rows, work)

    def one_pass(
        self,
        tests: Sequence[Instruction],
        stores: Sequence[tuple[Operand, str]],
        memory: Mapping[Variable, str],
        count: str,
    ) -> None:
        """Write a loop over vectors: tests, and what is written to memory."""
        w = self.w
        last = w.new(f"sub i64 {count}, {self.lanes}")
        before, loop, after = w.label, w.block_label("vector"), w.block_label("passed")
        place, following = w.block_label("%place"), w.block_label("%next")
        w.line(f"br label %{loop}")
        w.begin(loop)
        w.line(f"{place} = phi i64 [ 0, %{before} ], [ {following}, %{loop} ]")
        lanes = Lanes(w, self.lanes, self.uniform[self.lanes], memory, place, self.schedule.makers)
        for x in tests:
            lanes.instruction(x)
        for operand, address in stores:
            lanes.store(operand, address)
        step = w.new(f"add i64 {place}, {self.lanes}")
        w.line(f"{following} = call i64 @llvm.umin.i64(i64 {step}, i64 {last})")
        done = w.new(f"icmp eq i64 {place}, {last}")
        w.line(f"br i1 {done}, label %{after}, label %{loop}")
        w.begin(after)

    def call(self, x: Instruction, memory: dict[Variable, str], length: str) -> None:
        """Write a call of an inner loop of NumPy for the block; it may clear the flags."""
        w, name = self.w, f"{x.attrs['ufunc']}:{x.attrs['types']}"
        w.keep_flags()
        count = len(x.args) + 1
        table, sizes = w.space(f"[{count} x ptr]"), w.space(f"[{count + 1} x i64]")
        w.line(f"store i64 {length}, ptr {sizes}")
        for k, operand in enumerate((*x.args, *x.results)):
            fixed = operand in self.uniform[self.lanes].vectors or isinstance(operand, Literal)
            entry = w.new(f"getelementptr ptr, ptr {table}, i64 {k}")
            w.line(f"store ptr {self.address(operand, memory)}, ptr {entry}")
            step = w.new(f"getelementptr i64, ptr {sizes}, i64 {k + 1}")
            w.line(f"store i64 {0 if fixed else number(operand.type).itemsize}, ptr {step}")
        steps = w.new(f"getelementptr i64, ptr {sizes}, i64 1")
        function, data = w.outside(f"loop:{name}"), w.outside(f"data:{name}")
        w.line(f"call void {function}(ptr {table}, ptr {sizes}, ptr {steps}, ptr {data}) #0")

    def address(self, operand: Operand, memory: dict[Variable, str]) -> str:
        """Return where the numbers of an operand are in memory."""
        if isinstance(operand, Literal):
            place = self.w.space(stored_type(operand.type), 64)
            self.w.store(operand, place)
            return place
        return memory[operand]
