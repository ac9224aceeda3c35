"""The body of a kernel as LLVM text.

Comes in: a kernel, and what its parameters are called. Goes out: lines of a function. It knows
nothing of Python's objects (`entry` does) and runs nothing.

Floating point is strict: operations happen where the program has them, set the flags of the
processor, and are neither contracted nor re-associated. So the flags tell at the end what NumPy
would have warned of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from itertools import count

from runtime.dtypes import DType
from runtime.kernels import c_calls, function_calls, ufunc_loops
from runtime.kernels.arithmetic import (
    UNLIKELY,
    literal,
    llvm_type,
    number,
    plain,
    stored_type,
    write_checked,
)
from runtime.kernels.kernel import (
    ArrayType,
    Block,
    Instruction,
    Literal,
    Operand,
    Variable,
    as_branch,
    indices_of,
)
from runtime.kernels.loops import rounds
from runtime.kernels.target import Target

ALL_FLAGS = 0b111111
"""The bits of the control register that tell what happened."""
FIRST_ROUNDS = 1 << 13
"""After how many rounds the interpreter's lock is released."""
METADATA = '!0 = !{!"branch_weights", i32 1, i32 1000000}'
Array = tuple[str, str, tuple[str, ...]]
"""The names of an array's object or memory, of its data, which are in C order, and of its sizes."""


class Writer:  # Long: the vocabulary of all that writes LLVM, a few lines a word.
    """Writes the lines of one function; `table` gives places to what it needs from outside.

    Args:
        table: gets a place for the name of each thing from outside.
        target: what the kernel is for.
        calls_c: whether the kernel calls functions written in C.
        fast: whether arithmetic may be contracted, and flags are nobody's concern.
    """

    lanes = 1

    def __init__(
        self,
        table: dict[str, int],
        target: Target,
        calls_c: bool = False,
        fast: bool = False,
    ) -> None:
        self.fast = fast
        self.target = target
        self.calls_c = calls_c
        self.table = table
        self.lines: list[str] = []
        self.declarations: dict[str, None] = {}
        self.numbers = count(1)
        self.names: dict[Variable, str] = {}
        self.arrays: dict[Variable, Array] = {}
        self.label = "start"
        self.spaces: list[str] = []
        self.memory: list[str] = []
        self.is_deaf = 0
        self.passed: Set[Instruction] = frozenset()
        self.places: dict[tuple[str, str], str] = {}
        self.pairs: dict[Operand, tuple[str, str] | None] = {}
        self.functions: dict[str, list[str]] = {}
        self.called: Mapping[str, function_calls.Called] = {}
        self.context = "%context"

    def inside(self, called: Mapping[str, function_calls.Called] | None = None) -> Writer:
        """Return what writes another function of the kernel, which calls some by their names."""
        found = Writer(self.table, self.target, self.calls_c, self.fast)
        found.declarations, found.functions = self.declarations, self.functions
        found.called = {**self.called, **(called or {})}
        return found

    # Text.

    def line(self, text: str) -> None:
        """Append an instruction."""
        self.lines.append(f"  {text}")

    def new(self, text: str) -> str:
        """Append an instruction, and return the name of its result."""
        name = f"%v{next(self.numbers)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def space(self, kind: str, apart: int = 0) -> str:
        """Return a place in memory for a number; all of them are reserved at the start.

        Args:
            kind: the type.
            apart: so many bytes before the next place are its own, too.
        """
        name = f"%v{next(self.numbers)}"
        count = f", i64 {apart // 4}, align {apart}" if apart else ""
        self.spaces.append(f"  {name} = alloca {kind}{count}")
        return name

    def buffer(self, size: int) -> str:
        """Return memory of so many bytes, which is reserved at the start."""
        name = f"%v{next(self.numbers)}"
        self.spaces.append(f"  {name} = alloca [{size} x i8], align 64")
        return name

    def block_label(self, hint: str) -> str:
        """Return a new label."""
        return f"{hint}{next(self.numbers)}"

    def begin(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.label = label

    def declare(self, text: str) -> None:
        """Declare an outside function."""
        self.declarations[f"declare {text}"] = None

    def operand(self, operand: Operand) -> str:
        """Return the text of a number."""
        return literal(operand) if isinstance(operand, Literal) else self.names[operand]

    def typed(self, operand: Operand) -> str:
        """Return the text of a number with its type."""
        return f"{llvm_type(number(operand.type))} {self.operand(operand)}"

    # Instructions.

    def block(self, block: Block) -> None:
        """Write the instructions of a block."""
        known, pairs = self.places.copy(), self.pairs
        self.pairs = c_calls.paired(block)
        for instruction in block.instructions:
            if instruction in self.passed:
                continue
            write = _STRUCTURED.get(instruction.op)
            if write is not None:
                write(self, instruction)
            else:
                text = plain(self, instruction)
                if instruction.results:
                    self.names[instruction.results[0]] = self.new(text)
                else:
                    self.line(text)
        self.places, self.pairs = known, pairs

    def checked(self, x: Instruction) -> None:
        """Write integer arithmetic that tells whether it overflowed."""
        write_checked(self, x, self.new, self.names)

    def pair(self, x: Instruction) -> None:
        """Write a complex number of two floats."""
        kind, found = llvm_type(number(x.results[0].type)), "poison"
        for k, part in enumerate(x.args):
            found = self.new(f"insertvalue {kind} {found}, {self.typed(part)}, {k}")
        self.names[x.results[0]] = found

    def stop(self, x: Instruction) -> None:
        """Write a test that leaves the kernel."""
        self.stop_if(self.operand(x.args[0]))

    def stop_if(self, test: str) -> None:
        """Write that the kernel is left where a test is true."""
        after = self.block_label("go")
        self.line(f"br i1 {test}, label %stop, label %{after}, {UNLIKELY}")
        self.begin(after)

    def place(self, x: Instruction) -> None:
        """Write an index as it counts from the start; out of range, it leaves the kernel.

        One that is in range costs a single test.
        """
        place, size = map(self.operand, x.args)
        if (place, size) in self.places:
            self.names[x.results[0]] = self.places[place, size]
            return
        beyond = self.new(f"icmp uge i64 {place}, {size}")
        if x.attrs["natural"]:
            self.stop_if(beyond)
            self.names[x.results[0]] = place
            return
        before, end, after = self.label, self.block_label("end"), self.block_label("place")
        self.line(f"br i1 {beyond}, label %{end}, label %{after}, {UNLIKELY}")
        self.begin(end)
        from_end = self.new(f"add i64 {place}, {size}")
        self.stop_if(self.new(f"icmp uge i64 {from_end}, {size}"))
        ways = f"[ {place}, %{before} ], [ {from_end}, %{self.label} ]"
        self.line(f"br label %{after}")
        self.begin(after)
        self.names[x.results[0]] = self.places[place, size] = self.new(f"phi i64 {ways}")

    def beyond(self, x: Instruction) -> None:
        """Write a test whether an integer is farther from zero than a limit."""
        number, limit = x.args
        assert isinstance(limit, Literal)
        kind, least = llvm_type(limit.type), int(limit.value)
        shifted = self.new(f"add {kind} {self.operand(number)}, {least}")
        self.names[x.results[0]] = self.new(f"icmp ugt {kind} {shifted}, {2 * least}")

    def overflow(self, x: Instruction) -> None:
        """Write a test for an overflow: where it is true, it is remembered, or all ends."""
        if not x.attrs["wraps"]:
            self.stop(x)
        elif not self.is_deaf:
            self.note(self.operand(x.args[0]))

    def note(self, test: str) -> None:
        """Write that something is to be reported, where a test is true."""
        note, after = self.block_label("note"), self.block_label("go")
        self.line(f"br i1 {test}, label %{note}, label %{after}, {UNLIKELY}")
        self.begin(note)
        self.line("store i1 true, ptr %reported")
        self.line(f"br label %{after}")
        self.begin(after)

    def drawn(self, x: Instruction) -> None:
        """Write a draw of a random number; nobody hears what floats report in it."""
        kind = llvm_type(number(x.results[0].type))
        function, state = (self.new(f"inttoptr i64 {self.operand(y)} to ptr") for y in x.args[:2])
        given = ", ".join([f"ptr {state}", *map(self.typed, x.args[2:])])
        self.keep_flags()
        self.names[x.results[0]] = self.new(f"call {kind} {function}({given}) #0")
        self.clear_flags()

    def element(self, array: Operand, indices: Sequence[Operand]) -> str:
        """Return the address of an element."""
        assert isinstance(array, Variable)
        assert isinstance(array.type, ArrayType)
        place, data = self.position(array, [*map(self.operand, indices)]), self.arrays[array][1]
        return self.new(f"getelementptr {stored_type(array.type.dtype)}, ptr {data}, i64 {place}")

    def position(self, array: Operand, indices: Sequence[str]) -> str:
        """Return the number of an element among all of an array."""
        assert isinstance(array, Variable)
        place, *rest = indices
        for size, index in zip(self.arrays[array][2][1:], rest, strict=True):
            row = self.new(f"mul nuw nsw i64 {place}, {size}")
            place = self.new(f"add nuw nsw i64 {row}, {index}")
        return place

    def load(self, x: Instruction) -> None:
        """Write the reading of an element."""
        (result,) = x.results
        address = self.element(x.args[0], indices_of(x))
        self.names[result] = self.loaded(address, number(result.type))

    def write(self, x: Instruction) -> None:
        """Write the writing of an element."""
        self.store(x.args[1], self.element(x.args[0], indices_of(x)))

    def size(self, x: Instruction) -> None:
        """Write the size of an axis."""
        (array,) = x.args
        assert isinstance(array, Variable)
        self.names[x.results[0]] = self.arrays[array][2][x.attrs["axis"]]

    def keep_flags(self) -> None:
        """Write that the flags that are set now are remembered; C may set those of the old unit."""
        if self.fast:
            return
        self.declare("void @llvm.x86.sse.stmxcsr(ptr)")
        self.line("call void @llvm.x86.sse.stmxcsr(ptr %control)")
        found = self.new("load i32, ptr %control")
        if self.calls_c:
            word = self.new('call i16 asm sideeffect "fnstsw $0", "={ax}"()')
            found = self.new(f"or i32 {found}, {self.new(f'zext i16 {word} to i32')}")
        both = self.new(f"or i32 {found}, {self.new('load i32, ptr %flags')}")
        self.line(f"store i32 {both}, ptr %flags")

    def clear_flags(self) -> None:
        """Write that the processor forgets earlier floating point flags."""
        if self.fast:
            return
        self.declare("void @llvm.x86.sse.stmxcsr(ptr)")
        self.declare("void @llvm.x86.sse.ldmxcsr(ptr)")
        self.line("call void @llvm.x86.sse.stmxcsr(ptr %control)")
        old = self.new("load i32, ptr %control")
        self.line(f"store i32 {self.new(f'and i32 {old}, {~ALL_FLAGS}')}, ptr %control")
        self.line("call void @llvm.x86.sse.ldmxcsr(ptr %control)")
        if self.calls_c:
            self.line('call void asm sideeffect "fnclex", ""()')

    def loaded(self, address: str, dtype: DType) -> str:
        """Return a number from memory."""
        found = self.new(f"load {stored_type(dtype)}, ptr {address}")
        return self.new(f"icmp ne i8 {found}, 0") if dtype.kind == "b" else found

    def store(self, operand: Operand, address: str) -> None:
        """Write a number to memory."""
        dtype, value = number(operand.type), self.operand(operand)
        if dtype.kind == "b":
            value = self.new(f"zext i1 {value} to i8")
        self.line(f"store {stored_type(dtype)} {value}, ptr {address}")

    def outside(self, name: str) -> str:
        """Return the address of something outside, from the table that the kernel is given."""
        place = self.table.setdefault(name, len(self.table))
        address = self.new(f"getelementptr i64, ptr %table, i64 {place}")
        return self.new(f"load ptr, ptr {address}, !invariant.load !1")

    # Control flow.

    def branch(self, x: Instruction) -> None:
        """Write a choice between two blocks."""
        labels = [self.block_label("then"), self.block_label("else")]
        after = self.block_label("join")
        tests = ", ".join(f"label %{label}" for label in labels)
        tests += f", {UNLIKELY}" if x.attrs.get("rare") else ""
        self.line(f"br i1 {self.operand(x.args[0])}, {tests}")
        ends = []
        for label, block in zip(labels, x.blocks, strict=True):
            self.begin(label)
            self.block(block)
            ends.append((self.label, block.results))
            self.line(f"br label %{after}")
        self.begin(after)
        for k, result in enumerate(x.results):
            self.join(result, [(label, results[k]) for label, results in ends])

    def join(self, result: Variable, sources: Sequence[tuple[str, Operand]]) -> None:
        """Write what a value is after several ways."""
        parts = [self.parts(operand) for _, operand in sources]
        names = []
        for types in zip(*parts, strict=True):
            ways = (f"[ {x}, %{label} ]" for (_, x), (label, _) in zip(types, sources, strict=True))
            names.append(self.new(f"phi {types[0][0]} {', '.join(ways)}"))
        self.bind(result, names)

    def parts(self, operand: Operand) -> list[tuple[str, str]]:
        """Return types and names of what a value is made of: itself, or the parts of an array."""
        if isinstance(operand.type, ArrayType):
            assert isinstance(operand, Variable)
            obj, data, sizes = self.arrays[operand]
            return [("ptr", obj), ("ptr", data), *(("i64", name) for name in sizes)]
        return [(llvm_type(operand.type), self.operand(operand))]

    def bind(self, variable: Variable, names: Sequence[str]) -> None:
        """Say what a value is made of."""
        if isinstance(variable.type, ArrayType):
            known = zip(variable.type.shape, names[2:], strict=True)
            sizes = tuple(name if n is None else str(n) for n, name in known)
            self.arrays[variable] = (names[0], names[1], sizes)
        else:
            (self.names[variable],) = names


_STRUCTURED: dict[str, Callable[[Writer, Instruction], None]] = {
    "if": Writer.branch,
    "while": rounds.loop,
    "for": rounds.loop,
    "call": function_calls.call,
    "call_again": function_calls.call_again,
    "complex": Writer.pair,
    "stop": Writer.stop,
    "overflow": Writer.overflow,
    "loop": ufunc_loops.ufunc,
    "inner": ufunc_loops.inner,
    "array": ufunc_loops.array,
    "resized": ufunc_loops.resized,
    "load": Writer.load,
    "store": Writer.write,
    **dict.fromkeys(("load_if", "store_if"), lambda w, x: w.branch(as_branch(x))),
    "size": Writer.size,
    "place": Writer.place,
    "beyond": Writer.beyond,
    "drawn": Writer.drawn,
    "c_call": c_calls.called,
    **dict.fromkeys(("add_overflow", "sub_overflow", "mul_overflow"), Writer.checked),
}
