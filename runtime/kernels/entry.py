"""The entry of a kernel: a function of Python's C interface around its body, as LLVM text.

Comes in: a kernel. Goes out: text, and the table of what it needs from outside. Nothing runs here.

The function takes Python's and NumPy's objects as they are, reads the numbers out of them, runs the
body, and makes objects of the results: the one result, or a tuple of them. It returns None, and has
done nothing, when an argument is not what the kernel was made for, when the kernel was left by
`stop`, or when NumPy would have to report something. A signal handler's exception ends it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.dtypes import DType
from runtime.kernels.arithmetic import llvm_type, number, stored_type
from runtime.kernels.in_place import InPlace
from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import ArrayType, Kernel, Port, instructions
from runtime.kernels.llvm import FIRST_ROUNDS, METADATA, Writer
from runtime.kernels.loops import rounds
from runtime.kernels.maps import MapKernel
from runtime.kernels.scalar.element_access import root
from runtime.kernels.target import Target
from runtime.kernels.ufunc_loops import MEMORY

HEADER = object.__basicsize__
"""The size of what every object begins with; its last word is the type."""
ITEMS = bytes.__basicsize__ - 1
"""Where the content of a bytes object begins."""
ARRAY_FLAGS, WRITEABLE = 0x0101, 0x0400
"""The flags of arrays whose elements are in C order, and aligned; and of those that are no views
of what may not be written."""
REPORTED = 0b11101
"""The bits of the control register that tell of invalid, division by zero, overflow, underflow."""


@dataclass(frozen=True, slots=True)
class Text:
    """LLVM text, the names of what its table holds, in order, and what it is for."""

    text: str
    table: tuple[str, ...]
    target: Target | None = None


def write_entry(kernel: Kernel) -> Text:
    """Return the module of a kernel; its entry is the function `entry`."""
    table: dict[str, int] = {}
    look = Entry(table, target=kernel.target)
    look.look()
    entry = Entry(table, calls_c(kernel), kernel.target)
    entry.whole(kernel)
    declarations = look.writer.declarations | entry.writer.declarations
    lines = [*look.writer.lines, *entry.writer.lines, *declarations]
    lines += ["attributes #0 = { strictfp }", METADATA, rounds.METADATA, "!1 = !{}"]
    return Text("\n".join(lines) + "\n", tuple(table), kernel.target)


class Entry:  # Long: the steps of one function of LLVM, any of which may leave it.
    """Writes the functions of a module."""

    def __init__(
        self, table: dict[str, int], calls_c: bool = False, target: Target | None = None
    ) -> None:
        self.writer = Writer(table, calls_c, target=target)
        self.owned: list[str] = []
        self.in_place = InPlace(self.writer, self.need)

    def look(self) -> None:
        """Write what lets other threads run, and asks whether a signal handler raised.

        It keeps all registers, so that loops have their floats in registers where they call it;
        LLVM would clear the upper halves of vectors at its end, after it has put them back.
        """
        w = self.writer
        features = ",".join(filter(None, (w.target.features, "-vzeroupper")))
        w.lines.append(
            "define internal preserve_allcc i1 @look(ptr %table, ptr %thread) noinline cold "
            f'"target-features"="{features}" {{'
        )
        state = w.new("load ptr, ptr %thread")
        w.line(f"br i1 {w.new(f'icmp eq ptr {state}, null')}, label %leave, label %handle")
        w.begin("handle")
        w.line("store ptr null, ptr %thread")
        w.line(f"call void {w.outside('py:PyEval_RestoreThread')}(ptr {state})")
        found = w.new(f"call i32 {w.outside('py:PyErr_CheckSignals')}()")
        w.line(f"br i1 {w.new(f'icmp ne i32 {found}, 0')}, label %raise, label %leave")
        w.begin("leave")
        saved = w.new(f"call ptr {w.outside('py:PyEval_SaveThread')}()")
        w.line(f"store ptr {saved}, ptr %thread")
        w.line("ret i1 false")
        w.begin("raise")
        w.line("ret i1 true")
        w.lines.append("}")
        w.lines.append("define internal void @resume(ptr %table, ptr %thread) {")
        state = w.new("load ptr, ptr %thread")
        w.line(f"br i1 {w.new(f'icmp eq ptr {state}, null')}, label %ready, label %wait")
        w.begin("wait")
        w.line(f"call void {w.outside('py:PyEval_RestoreThread')}(ptr {state})")
        w.line("br label %ready")
        w.begin("ready")
        w.line("ret void")
        w.lines.append("}")

    def whole(self, kernel: Kernel) -> None:
        """Write the entry."""
        w, floats = self.writer, has_floats(kernel)
        w.lines.append("define ptr @entry(ptr %self, ptr %args, i64 %count) #0 {")
        w.begin("start")
        top = len(w.lines)
        w.line(f"%table = getelementptr i8, ptr %self, i64 {ITEMS}")
        for name, kind, initial in (
            ("rounds", "i64", str(FIRST_ROUNDS)),
            ("thread", "ptr", "null"),
            ("reported", "i1", "false"),
            ("control", "i32", "0"),
            ("flags", "i32", "0"),
            ("answer", "ptr", "null"),
        ):
            w.line(f"%{name} = alloca {kind}")
            w.line(f"store {kind} {initial}, ptr %{name}")
        inputs = [self.argument(k, port) for k, port in enumerate(kernel.inputs)]
        ports = [*zip(kernel.body.params, kernel.inputs, inputs, strict=True)]
        self.in_place.check_alone(ports)
        for variable, port, names in ports:
            if port.in_place:
                self.in_place.keep(names, port)
            w.bind(variable, self.copied(names) if port.written else names)
        for variable, port, names in ports:
            if _is_float(port):  # after all calls, which keep no floats in registers
                w.bind(variable, [w.loaded(names[0], number(port.type))])
        if floats:
            w.clear_flags()
        w.block(kernel.body)
        w.line("call void @resume(ptr %table, ptr %thread)")
        self.check_reports(floats)
        given, body = {*kernel.body.params}, kernel.body
        boxed = []
        for x, port in zip(body.results, kernel.outputs, strict=True):
            names = [name for _, name in w.parts(x)]
            is_made = _is_array(port) and root(x, body) not in given
            boxed.append(self.boxed(self.moved(names, port) if is_made else names, port))
        self.leave(self.packed(boxed))
        w.begin("stop")
        w.line("call void @resume(ptr %table, ptr %thread)")
        w.line("br label %nothing")
        self.endings()
        starts = [f"store ptr null, ptr {x}" for x in self.owned]
        starts += [f"store {MEMORY} zeroinitializer, ptr {x}" for x in w.memory]
        w.lines[top:top] = [*w.spaces, *(f"  {x}" for x in (*starts, *self.in_place.starts()))]

    def endings(self) -> None:
        """Write the ends of the entry: without a result, with an exception, with an answer."""
        w = self.writer
        w.begin("nothing")
        self.in_place.undo()
        none = w.outside("object:None")
        w.line(f"call void {w.outside('py:Py_IncRef')}(ptr {none})")
        self.leave(none)
        w.begin("failed")
        self.in_place.undo()
        self.leave("null")
        w.begin("leave")
        for place in self.owned:
            w.line(f"call void {w.outside('py:Py_DecRef')}(ptr {w.new(f'load ptr, ptr {place}')})")
        self.in_place.free()
        for own in w.memory:
            memory = w.new(f"load ptr, ptr {own}")
            w.line(f"call void {w.outside('py:PyMem_RawFree')}(ptr {memory})")
        w.line(f"ret ptr {w.new('load ptr, ptr %answer')}")
        w.lines.append("}")

    def leave(self, answer: str) -> None:
        """Write that the entry returns an object, after it let go of its own."""
        self.writer.line(f"store ptr {answer}, ptr %answer")
        self.writer.line("br label %leave")

    def argument(self, place: int, port: Port) -> list[str]:
        """Return what is read out of an argument; where it is, for floats."""
        w = self.writer
        obj = w.new(f"load ptr, ptr {w.new(f'getelementptr ptr, ptr %args, i64 {place}')}")
        if _is_float(port):
            self.need_number(obj, port)
            return [self.content(obj)]
        return self.unboxed_array(obj, port) if _is_array(port) else self.unboxed(obj, port)

    def unboxed_array(self, obj: str, port: Port) -> list[str]:
        """Return object, data and sizes of an array, which has to be in C order."""
        w, kind = self.writer, port.type
        assert isinstance(kind, ArrayType)
        self.need_equal(self.field(obj, "ptr", -8), w.outside("object:ndarray"))
        self.need_equal(self.field(obj, "ptr", 40), w.outside(f"dtype:{kind.dtype.name}"))
        rank = self.field(obj, "i32", 8)
        self.need(w.new(f"icmp eq i32 {rank}, {len(kind.shape)}"))
        wanted = ARRAY_FLAGS | (WRITEABLE if port.in_place else 0)
        flags = w.new(f"and i32 {self.field(obj, 'i32', 48)}, {wanted}")
        self.need(w.new(f"icmp eq i32 {flags}, {wanted}"))
        dims, names = self.field(obj, "ptr", 16), []
        for axis, known in enumerate(kind.shape):
            place = w.new(f"getelementptr i64, ptr {dims}, i64 {axis}")
            names.append(w.new(f"load i64, ptr {place}"))
            if known is not None:
                self.need(w.new(f"icmp eq i64 {names[-1]}, {known}"))
        return [obj, self.field(obj, "ptr", 0), *names]

    def field(self, obj: str, kind: str, offset: int) -> str:
        """Return a field of an object, by its place after the header."""
        w = self.writer
        address = w.new(f"getelementptr i8, ptr {obj}, i64 {HEADER + offset}")
        return w.new(f"load {kind}, ptr {address}")

    def need_equal(self, found: str, wanted: str) -> None:
        """Return None, from before anything happened, unless two addresses are equal."""
        self.need(self.writer.new(f"icmp eq ptr {found}, {wanted}"))

    def copied(self, names: list[str]) -> list[str]:
        """Return an array that is a copy of another; all checks are done by now."""
        w = self.writer
        obj, _, *sizes = names
        copy = w.new(f"call ptr {w.outside('numpy:PyArray_NewCopy')}(ptr {obj}, i32 0)")
        place = w.space("ptr")
        self.owned.append(place)
        w.line(f"store ptr {copy}, ptr {place}")
        made = w.block_label("made")
        w.line(f"br i1 {w.new(f'icmp eq ptr {copy}, null')}, label %failed, label %{made}")
        w.begin(made)
        return [copy, self.field(copy, "ptr", 0), *sizes]

    def empty(self, sizes: str, dtype: DType, order: str) -> str:
        """Return a new array, of which the entry lets go at its end.

        Args:
            sizes: how many axes there are, and where their sizes are.
            dtype: of the elements.
            order: 1 for column order, else 0.
        """
        w, descr = self.writer, self.writer.outside(f"dtype:{dtype.name}")
        w.line(f"call void {w.outside('py:Py_IncRef')}(ptr {descr})")
        given = f"{sizes}, ptr {descr}, i32 {order}"
        made = w.new(f"call ptr {w.outside('numpy:PyArray_Empty')}({given})")
        place, after = w.space("ptr"), w.block_label("made")
        self.owned.append(place)
        w.line(f"store ptr {made}, ptr {place}")
        w.line(f"br i1 {w.new(f'icmp eq ptr {made}, null')}, label %failed, label %{after}")
        w.begin(after)
        return made

    def moved(self, names: list[str], port: Port) -> list[str]:
        """Return a new array of what an array of the kernel's own holds."""
        w, kind, (_, data, *sizes) = self.writer, port.type, names
        assert isinstance(kind, ArrayType)
        table = w.space(f"[{len(sizes)} x i64]")
        for axis, size in enumerate(sizes):
            w.line(f"store i64 {size}, ptr {w.new(f'getelementptr i64, ptr {table}, i64 {axis}')}")
        made = self.empty(f"i32 {len(sizes)}, ptr {table}", kind.dtype, "0")
        content = self.field(made, "ptr", 0)
        self.in_place.move(content, data, self.in_place.size(names, port))
        return [made]

    def need(self, test: str) -> None:
        """Return None, from before anything happened, unless a test is true."""
        after = self.writer.block_label("is")
        self.writer.line(f"br i1 {test}, label %{after}, label %nothing")
        self.writer.begin(after)

    def unboxed(self, obj: str, port: Port) -> list[str]:
        """Return what is read out of an object."""
        w, dtype = self.writer, number(port.type)
        if port.weak and dtype.kind == "b":
            is_true = w.new(f"icmp eq ptr {obj}, {w.outside('object:True')}")
            is_false = w.new(f"icmp eq ptr {obj}, {w.outside('object:False')}")
            self.need(w.new(f"or i1 {is_true}, {is_false}"))
            return [is_true]
        self.need_number(obj, port)
        if port.weak and dtype.kind == "i":
            beyond = w.space("i32")
            found = w.new(
                f"call i64 {w.outside('py:PyLong_AsLongLongAndOverflow')}(ptr {obj}, ptr {beyond})"
            )
            self.need(w.new(f"icmp eq i32 {w.new(f'load i32, ptr {beyond}')}, 0"))
            return [found]
        return [w.loaded(self.content(obj), dtype)]

    def need_number(self, obj: str, port: Port) -> None:
        """Return None unless an object is of the class that a number enters as."""
        dtype = number(port.type)
        name = f"python:{dtype.kind}" if port.weak else f"type:{dtype.name}"
        self.need_equal(self.field(obj, "ptr", -8), self.writer.outside(name))

    def content(self, obj: str) -> str:
        """Return the address of what an object holds."""
        return self.writer.new(f"getelementptr i8, ptr {obj}, i64 {HEADER}")

    def check_reports(self, floats: bool) -> None:
        """Write that nothing is returned when NumPy would report what happened."""
        w = self.writer
        bits = "0"
        if floats:
            w.keep_flags()
            bits = w.new(f"and i32 {w.new('load i32, ptr %flags')}, {REPORTED}")
        reported = w.new("load i1, ptr %reported")
        overflow = w.new(f"select i1 {reported}, i32 8, i32 0")
        found = w.new(f"or i32 {bits}, {overflow}")
        self.ask_about(found)

    def ask_about(self, flags: str) -> None:
        """Write the call that asks whether flags are to be reported."""
        w = self.writer
        ask, fine = w.block_label("ask"), w.block_label("fine")
        w.line(f"br i1 {w.new(f'icmp eq i32 {flags}, 0')}, label %{fine}, label %{ask}")
        w.begin(ask)
        wide = w.new(f"zext i32 {flags} to i64")
        given = w.new(f"call ptr {w.outside('py:PyLong_FromLongLong')}(i64 {wide})")
        helper = w.outside("object:reports")
        call = w.outside("py:PyObject_CallFunctionObjArgs")
        answer = w.new(f"call ptr (ptr, ...) {call}(ptr {helper}, ptr {given}, ptr null)")
        w.line(f"call void {w.outside('py:Py_DecRef')}(ptr {given})")
        is_false = w.new(f"icmp eq ptr {answer}, {w.outside('object:False')}")
        said = w.block_label("said")
        w.line(f"br i1 {w.new(f'icmp eq ptr {answer}, null')}, label %failed, label %{said}")
        w.begin(said)
        w.line(f"call void {w.outside('py:Py_DecRef')}(ptr {answer})")
        w.line(f"br i1 {is_false}, label %{fine}, label %nothing")
        w.begin(fine)

    def boxed(self, names: Sequence[str], port: Port) -> str:
        """Return the object of a result."""
        w = self.writer
        if _is_array(port):
            w.line(f"call void {w.outside('py:Py_IncRef')}(ptr {names[0]})")
            return names[0]
        dtype = number(port.type)
        (value,) = names
        if port.weak and dtype.kind == "b":
            objects = f"ptr {w.outside('object:True')}, ptr {w.outside('object:False')}"
            found = w.new(f"select i1 {value}, {objects}")
            w.line(f"call void {w.outside('py:Py_IncRef')}(ptr {found})")
            return found
        if port.weak:
            maker = "PyLong_FromLongLong" if dtype.kind == "i" else "PyFloat_FromDouble"
            return w.new(f"call ptr {w.outside(f'py:{maker}')}({llvm_type(dtype)} {value})")
        place = w.space(stored_type(dtype))
        stored = w.new(f"zext i1 {value} to i8") if dtype.kind == "b" else value
        w.line(f"store {stored_type(dtype)} {stored}, ptr {place}")
        descr = w.outside(f"dtype:{dtype.name}")
        scalar = w.outside("numpy:PyArray_Scalar")
        return w.new(f"call ptr {scalar}(ptr {place}, ptr {descr}, ptr null)")

    def packed(self, objects: Sequence[str]) -> str:
        """Return one object: the only one, or a tuple of all."""
        w = self.writer
        if len(objects) == 1:
            return objects[0]
        found = w.new(f"call ptr {w.outside('py:PyTuple_New')}(i64 {len(objects)})")
        for place, obj in enumerate(objects):
            w.new(
                f"call i32 {w.outside('py:PyTuple_SetItem')}(ptr {found}, i64 {place}, ptr {obj})"
            )
        return found


def _is_array(port: Port) -> bool:
    return isinstance(port.type, ArrayType)


def _is_float(port: Port) -> bool:
    return not isinstance(port.type, ArrayType) and port.type.kind == "f"


_CALLS_C = having(Trait.CALLS_C)


def calls_c(kernel: Kernel | MapKernel) -> bool:
    """Tell whether a kernel calls functions written in C."""
    return any(x.op in _CALLS_C for x in instructions(kernel.body))


def has_floats(kernel: Kernel) -> bool:
    """Tell whether a kernel computes with floats."""
    return calls_c(kernel) or any(
        not isinstance(x.type, ArrayType) and x.type.kind == "f"
        for step in instructions(kernel.body)
        for x in (*step.args, *step.results)
    )
