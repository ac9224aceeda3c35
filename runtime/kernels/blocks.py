"""The work of a kernel over arrays as LLVM text: a function that computes a range of elements.

Comes in: a kernel over arrays, and where its context has what. Goes out: lines of a function. It
knows nothing of Python's objects (`map_entry` does).

The range is gone through in blocks that stay in the cache. Within a block each phase is one pass in
vectors of the machine's width, followed by calls of inner loops of NumPy. The last vector of a
block is the one that ends with it, so that it computes some elements a second time; a block that is
shorter than a vector is copied and filled up with its last element. An array that is broadcast, or
that has gaps, is copied block by block into one that has none (`gather`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.kernels.arithmetic import (
    kind_in,
    literal,
    llvm_type,
    number,
    plain,
    stored_type,
)
from runtime.kernels.kernel import (
    BOOL,
    ArrayType,
    Instruction,
    Literal,
    Operand,
    Variable,
    instructions,
)
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import MapKernel, Phase, direct_results, phases

VECTOR = 64
"""The bytes of a vector."""
MEMORY = 1 << 17
"""How many bytes the memory of a block has at most."""
LONGEST, SHORTEST = 2048, 256
"""How many elements a block has."""
STOPPED = 1 << 16
"""The flag that says that the kernel was left."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which words of the context hold what.

    First the next element to begin at, their number, and flags; then the sizes of the space; then
    the inputs; then the data of the new arrays. An array has its data, whether it has no gaps, and
    its strides; a number has itself.
    """

    kernel: MapKernel

    NEXT, TOTAL, FLAGS, SIZES = range(4)

    def input(self, k: int) -> int:
        """Return the first word of an input."""
        words = (self.words(port.type) for port in self.kernel.inputs[:k])
        return self.SIZES + self.kernel.rank + sum(words)

    def words(self, kind: object) -> int:
        """Return how many words an input has."""
        return 2 + self.kernel.rank if isinstance(kind, ArrayType) else 1

    def output(self, k: int) -> int:
        """Return the word of the data of a result."""
        return self.input(len(self.kernel.inputs)) + k

    @property
    def size(self) -> int:
        """The number of words."""
        return self.output(len(self.kernel.outputs))


def word(w: Writer, place: int) -> str:
    """Return the address of a word of the context."""
    return w.new(f"getelementptr i64, ptr %context, i64 {place}")


def lanes_of(kernel: MapKernel) -> int:
    """Return how many elements of a kernel's widest type fill a vector."""
    types = [number(x.type) for x in kernel.body.params]
    types += [number(y.type) for x in instructions(kernel.body) for y in x.results]
    return VECTOR // max(1, *(dtype.itemsize for dtype in types if dtype.kind != "b"), 1)


def write_run(w: Writer, kernel: MapKernel) -> None:
    """Write the function `run(table, context, first, end)`."""
    _Run(w, kernel).whole()


class _Lanes:
    """The registers of one pass: variables as vectors."""

    def __init__(self, run: _Run) -> None:
        self.run = run
        self.lanes = run.lanes
        self.names: dict[Variable, str] = dict(run.splats)

    def declare(self, text: str) -> None:
        """Declare an outside function."""
        self.run.w.declare(text)

    def operand(self, operand: Operand) -> str:
        """Return the text of an operand, which is read from memory where it is first used."""
        if isinstance(operand, Literal):
            if self.lanes == 1:
                return literal(operand)
            return f"splat ({llvm_type(operand.type)} {literal(operand)})"
        if operand not in self.names:
            self.names[operand] = self.load(operand)
        return self.names[operand]

    def load(self, operand: Variable) -> str:
        """Return a vector from memory."""
        w, dtype = self.run.w, number(operand.type)
        address = self.address(self.run.memory[operand], operand)
        kind = stored_type(dtype)
        found = w.new(f"load <{self.lanes} x {kind}>, ptr {address}, align {dtype.itemsize}")
        return (
            w.new(f"icmp ne <{self.lanes} x i8> {found}, zeroinitializer")
            if dtype.kind == "b"
            else found
        )

    def store(self, operand: Operand, memory: str) -> None:
        """Write a vector to memory."""
        w, dtype = self.run.w, number(operand.type)
        value, kind = self.operand(operand), f"<{self.lanes} x {stored_type(dtype)}>"
        if dtype.kind == "b":
            value = w.new(f"zext {kind_in(self, dtype)} {value} to {kind}")
        w.line(f"store {kind} {value}, ptr {self.address(memory, operand)}, align {dtype.itemsize}")

    def address(self, memory: str, operand: Operand) -> str:
        """Return where the present vector of an operand is."""
        kind = stored_type(number(operand.type))
        return self.run.w.new(f"getelementptr {kind}, ptr {memory}, i64 {self.run.place}")


class _Run:
    """Writes the function; `memory` is where numbers of the block are, in memory."""

    def __init__(self, w: Writer, kernel: MapKernel) -> None:
        self.w = w
        self.kernel = kernel
        self.layout = Layout(kernel)
        self.lanes = lanes_of(kernel)
        self.phases = phases(kernel.body)
        self.direct = direct_results(kernel.body)
        self.memory: dict[Variable, str] = {}
        self.splats: dict[Variable, str] = {}
        self.place = ""
        stored = [x for phase in self.phases for x in phase.stores]
        stored += [x.results[0] for phase in self.phases for x in phase.calls]
        self.stored = [x for x in stored if x not in self.direct]
        arrays = [x for x, _ in self.arrays()]
        held = [*self.stored, *arrays, *kernel.body.results]
        each = sum(number(x.type).itemsize for x in held)
        self.length = max(SHORTEST, min(LONGEST, MEMORY // max(each, 1) // VECTOR * VECTOR))

    def arrays(self) -> list[tuple[Variable, int]]:
        """Return the parameters that are elements of arrays, and their places."""
        return [
            (x, k)
            for k, (x, port) in enumerate(
                zip(self.kernel.body.params, self.kernel.inputs, strict=True)
            )
            if isinstance(port.type, ArrayType)
        ]

    def whole(self) -> None:
        """Write the function."""
        w = self.w
        w.lines.append(
            "define internal void @run(ptr %table, ptr %context, i64 %first, i64 %end) #0 {"
        )
        w.begin("start")
        top = len(w.lines)
        for name, kind, initial in (
            ("control", "i32", "0"),
            ("flags", "i32", "0"),
            ("stopped", "i1", "false"),
        ):
            w.line(f"%{name} = alloca {kind}")
            w.line(f"store {kind} {initial}, ptr %{name}")
        buffers = {x: self.buffer(x) for x in (*self.stored, *(x for x, _ in self.arrays()))}
        shorts = [self.buffer(x) for x in self.kernel.body.results]
        self.memory.update((x, buffers[x]) for x in self.stored)
        w.clear_flags()
        self.read_context()
        w.line("br label %block")
        w.begin("block")
        begin = len(w.lines)
        w.declare("i64 @llvm.umin.i64(i64, i64)")
        w.declare("i64 @llvm.umax.i64(i64, i64)")
        rest = w.new("sub i64 %end, %begin")
        self.count = w.new(f"call i64 @llvm.umin.i64(i64 {rest}, i64 {self.length})")
        self.filled = w.new(f"call i64 @llvm.umax.i64(i64 {self.count}, i64 {self.lanes})")
        self.last = w.new(f"sub i64 {self.filled}, {self.lanes}")
        self.is_short = w.new(f"icmp ult i64 {self.count}, {self.lanes}")
        for x, k in self.arrays():
            self.memory[x] = self.input_block(x, k, buffers[x])
        outputs = [self.output_block(k, short) for k, short in enumerate(shorts)]
        self.memory.update((x, outputs[k]) for x, k in self.direct.items())
        for phase in self.phases:
            self.phase(phase, outputs)
        self.copy_short(shorts)
        w.line(f"%following = add i64 %begin, {self.count}")
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
        w.new(f"atomicrmw or ptr {word(w, Layout.FLAGS)}, i64 {wide} monotonic")
        w.line("ret void")
        w.lines.append("}")

    def buffer(self, operand: Operand) -> str:
        """Return memory for a block of numbers, with a vector of room after it."""
        size = (self.length + self.lanes) * number(operand.type).itemsize
        return self.w.buffer(size)

    def read_context(self) -> None:
        """Write the reading of what is the same for all blocks."""
        w = self.w
        self.data = [
            w.new(f"load ptr, ptr {word(w, self.layout.output(k))}")
            for k in range(len(self.kernel.outputs))
        ]
        self.sources: dict[int, tuple[str, str]] = {}
        for k, (x, port) in enumerate(
            zip(self.kernel.body.params, self.kernel.inputs, strict=True)
        ):
            place = self.layout.input(k)
            if isinstance(port.type, ArrayType):
                dense = w.new(f"load i64, ptr {word(w, place + 1)}")
                data = w.new(f"load ptr, ptr {word(w, place)}")
                self.sources[k] = data, w.new(f"icmp ne i64 {dense}, 0")
            else:
                self.memory[x] = word(w, place)
                self.splats[x] = self.splat(x)

    def splat(self, x: Variable) -> str:
        """Return a number as a vector."""
        w, dtype = self.w, number(x.type)
        kind, value = f"<{self.lanes} x {llvm_type(dtype)}>", w.loaded(self.memory[x], dtype)
        first = w.new(f"insertelement {kind} poison, {llvm_type(dtype)} {value}, i64 0")
        return w.new(
            f"shufflevector {kind} {first}, {kind} poison, <{self.lanes} x i32> zeroinitializer"
        )

    def input_block(self, x: Variable, k: int, buffer: str) -> str:
        """Return where the present block of an array is: in the array, or a copy without gaps."""
        w, size = self.w, number(x.type).itemsize
        data, dense = self.sources[k]
        labels = [w.block_label(name) for name in ("dense", "gather", "input")]
        is_long = w.new(f"xor i1 {self.is_short}, true")
        test = w.new(f"and i1 {dense}, {is_long}")
        w.line(f"br i1 {test}, label %{labels[0]}, label %{labels[1]}")
        w.begin(labels[0])
        offset = w.new(f"mul i64 %begin, {size}")
        there = w.new(f"getelementptr i8, ptr {data}, i64 {offset}")
        w.line(f"br label %{labels[2]}")
        w.begin(labels[1])
        sizes, strides = word(w, Layout.SIZES), word(w, self.layout.input(k) + 2)
        w.line(
            f"call void @gather{size}(ptr {buffer}, ptr {data}, ptr {sizes}, ptr {strides}, "
            f"i64 %begin, i64 {self.count}, i64 {self.filled})"
        )
        w.line(f"br label %{labels[2]}")
        w.begin(labels[2])
        return w.new(f"phi ptr [ {there}, %{labels[0]} ], [ {buffer}, %{labels[1]} ]")

    def output_block(self, k: int, short: str) -> str:
        """Return where the present block of a result goes."""
        w, size = self.w, number(self.kernel.body.results[k].type).itemsize
        offset = w.new(f"mul i64 %begin, {size}")
        there = w.new(f"getelementptr i8, ptr {self.data[k]}, i64 {offset}")
        return w.new(f"select i1 {self.is_short}, ptr {short}, ptr {there}")

    def copy_short(self, shorts: Sequence[str]) -> None:
        """Write that a block that is shorter than a vector goes from its copy into the results."""
        w, after = self.w, self.w.block_label("whole")
        copying = w.block_label("copying")
        w.line(f"br i1 {self.is_short}, label %{copying}, label %{after}")
        w.begin(copying)
        for k, short in enumerate(shorts):
            size = number(self.kernel.body.results[k].type).itemsize
            offset = w.new(f"mul i64 %begin, {size}")
            there = w.new(f"getelementptr i8, ptr {self.data[k]}, i64 {offset}")
            bytes_ = w.new(f"mul i64 {self.count}, {size}")
            w.line(f"call void @copy(ptr {there}, ptr {short}, i64 {bytes_})")
        w.line(f"br label %{after}")
        w.begin(after)

    def phase(self, phase: Phase, outputs: Sequence[str]) -> None:
        """Write a pass and the calls after it."""
        if phase.plain or phase.results:
            self.one_pass(phase, outputs)
        for call in phase.calls:
            self.call(call)

    def one_pass(self, phase: Phase, outputs: Sequence[str]) -> None:
        """Write a loop over the vectors of a block."""
        w = self.w
        before, loop, after = w.label, w.block_label("vector"), w.block_label("passed")
        self.place, following = f"%v{next(w.numbers)}", f"%v{next(w.numbers)}"
        w.line(f"br label %{loop}")
        w.begin(loop)
        w.line(f"{self.place} = phi i64 [ 0, %{before} ], [ {following}, %{loop} ]")
        lanes = _Lanes(self)
        for x in phase.plain:
            self.instruction(x, lanes)
        for variable in phase.stores:
            lanes.store(variable, self.memory[variable])
        for k in phase.results:
            lanes.store(self.kernel.body.results[k], outputs[k])
        step = w.new(f"add i64 {self.place}, {self.lanes}")
        w.line(f"{following} = call i64 @llvm.umin.i64(i64 {step}, i64 {self.last})")
        done = w.new(f"icmp eq i64 {self.place}, {self.last}")
        w.line(f"br i1 {done}, label %{after}, label %{loop}")
        w.begin(after)

    def instruction(self, x: Instruction, lanes: _Lanes) -> None:
        """Write an instruction on vectors."""
        w = self.w
        if x.op == "stop":
            kind = kind_in(lanes, BOOL)
            w.declare(f"i1 @llvm.vector.reduce.or.v{self.lanes}i1({kind})")
            given = f"{kind} {lanes.operand(x.args[0])}"
            found = w.new(f"call i1 @llvm.vector.reduce.or.v{self.lanes}i1({given})")
            both = w.new(f"or i1 {found}, {w.new('load i1, ptr %stopped')}")
            w.line(f"store i1 {both}, ptr %stopped")
            return
        if x.op in ("sdiv", "srem", "udiv", "urem"):
            lanes.names[x.results[0]] = self.division(x, lanes)
            return
        lanes.names[x.results[0]] = w.new(plain(lanes, x))

    def division(self, x: Instruction, lanes: _Lanes) -> str:
        """Write a division that does not trap, where the kernel is left for it."""
        w, dtype = self.w, number(x.args[0].type)
        kind, dividend, divisor = kind_in(lanes, dtype), *map(lanes.operand, x.args)
        bad = w.new(f"icmp eq {kind} {divisor}, zeroinitializer")
        tests = kind_in(lanes, BOOL)
        if dtype.kind == "i":
            least = f"splat ({llvm_type(dtype)} {-(2 ** (8 * dtype.itemsize - 1))})"
            lowest = w.new(f"icmp eq {kind} {dividend}, {least}")
            minus = w.new(f"icmp eq {kind} {divisor}, splat ({llvm_type(dtype)} -1)")
            bad = w.new(f"or {tests} {bad}, {w.new(f'and {tests} {lowest}, {minus}')}")
        one = f"splat ({llvm_type(dtype)} 1)"
        safe = w.new(f"select {tests} {bad}, {kind} {one}, {kind} {divisor}")
        return w.new(f"{x.op} {kind} {dividend}, {safe}")

    def call(self, x: Instruction) -> None:
        """Write a call of an inner loop of NumPy for the block; it may clear the flags."""
        w, name = self.w, f"{x.attrs['ufunc']}:{x.attrs['types']}"
        w.keep_flags()
        count = len(x.args) + 1
        table, sizes = w.space(f"[{count} x ptr]"), w.space(f"[{count + 1} x i64]")
        w.line(f"store i64 {self.filled}, ptr {sizes}")
        for k, operand in enumerate((*x.args, *x.results)):
            fixed = operand in self.splats or isinstance(operand, Literal)
            entry = w.new(f"getelementptr ptr, ptr {table}, i64 {k}")
            w.line(f"store ptr {self.address(operand)}, ptr {entry}")
            step = w.new(f"getelementptr i64, ptr {sizes}, i64 {k + 1}")
            w.line(f"store i64 {0 if fixed else number(operand.type).itemsize}, ptr {step}")
        steps = w.new(f"getelementptr i64, ptr {sizes}, i64 1")
        function, data = w.outside(f"loop:{name}"), w.outside(f"data:{name}")
        w.line(f"call void {function}(ptr {table}, ptr {sizes}, ptr {steps}, ptr {data}) #0")

    def address(self, operand: Operand) -> str:
        """Return where the numbers of an operand are in memory."""
        if isinstance(operand, Literal):
            place = self.w.space(stored_type(operand.type), 64)
            self.w.store(operand, place)
            return place
        return self.memory[operand]
