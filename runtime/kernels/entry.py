"""The entry of a kernel: a function of Python's C interface around its body, as LLVM text.

Comes in: a kernel. Goes out: text, and the table of what it needs from outside. Nothing runs here.

The function takes Python's and NumPy's objects as they are, reads the numbers out of them, runs the
body, and makes objects of the results: the one result, or a tuple of them. It returns None, and has
done nothing, when an argument is not what the kernel was made for, when the kernel was left by
`stop`, or when NumPy would have to report something. A signal handler's exception ends it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from runtime.kernels.arithmetic import llvm_type, number, stored_type
from runtime.kernels.arrays.layout import RUN, TABLE
from runtime.kernels.in_place import InPlace
from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import ArrayType, Kernel, Port, instructions
from runtime.kernels.llvm import FIRST_ROUNDS, METADATA, Writer
from runtime.kernels.loops import rounds
from runtime.kernels.maps import MapKernel
from runtime.kernels.objects import ALIGNED, DENSE, WRITEABLE, Array, Object
from runtime.kernels.routine_values import Function, Value, pointer
from runtime.kernels.routines import write
from runtime.kernels.scalar.element_access import root
from runtime.kernels.target import Target
from runtime.kernels.ufunc_loops import MEMORY
from runtime.kernels.work_partition import write_look

OVERFLOW, REPORTED = 0b01000, 0b11101
"""Bits of the control register: of an overflow; of that, invalid, division by zero, underflow."""


@dataclass(frozen=True, slots=True)
class Text:
    """LLVM text, the names of what its table holds, in order, and what it is for."""

    text: str
    table: tuple[str, ...]
    target: Target


def write_entry(kernel: Kernel) -> Text:
    """Return the module of a kernel; its entry is the function `entry`."""
    look = _look(kernel.target)
    table = {name: place for place, name in enumerate(look.table)}
    entry = Entry(table, kernel.target, calls_c(kernel))
    entry.whole(kernel)
    functions = [x for lines in entry.writer.functions.values() for x in lines]
    lines = [look.text, *functions, *entry.writer.lines, *entry.writer.declarations]
    lines += ["attributes #0 = { strictfp }", METADATA, rounds.METADATA, "!1 = !{}"]
    return Text("\n".join(lines) + "\n", tuple(table), kernel.target)


@cache
def _look(target: Target) -> Text:
    """Return the text of `look` and `resume`; the table of a kernel begins with what they need."""
    w = Writer({}, target)
    write_look(w)
    return Text("\n".join(w.lines), tuple(w.table), target)


_ARRAY = """
need((obj + Object.TYPE).ptr[0] == outside("object:ndarray"))
need((obj + Array.DTYPE).ptr[0] == outside(dtype))
need((obj + Array.RANK).i32[0] == rank)
need((obj + Array.FLAGS).i32[0] & flags == flags)
"""
_EMPTY = """
py.Py_IncRef(outside(dtype))
return numpy.PyArray_Empty(rank, sizes, outside(dtype), order)
"""
_TRUTH = """
is_true = obj == outside("object:True")
need(is_true or obj == outside("object:False"))
return is_true
"""
_INTEGER = """
beyond = space(i32, 1)
found = py.PyLong_AsLongLongAndOverflow(obj, beyond)
need(beyond.i32[0] == 0)
return found
"""
_REPORT = """
if flags & REPORTED != 0:
    given = py.PyLong_FromLongLong(i64(flags & REPORTED))
    answer = py.PyObject_CallFunctionObjArgs(outside("object:reports"), given, null)
    py.Py_DecRef(given)
    if answer == null:
        goto(failed)
    py.Py_DecRef(answer)
    need(answer == outside("object:False"))
"""
_SHARE = """
context.ptr[TABLE] = table
context.ptr[RUN] = start
thread.ptr[0] = py.PyEval_SaveThread()
if function(i1, outside("helper:lead"))(table, context, size, least, thread):
    goto(failed)
function(void, outside("helper:resume"))(table, thread)
"""


class Entry:  # Long: the steps of one function of LLVM, any of which may leave it.
    """Writes the entry of a kernel of any kind: what stands around its work, and its guards.

    Args:
        table: gets a place for the name of each thing from outside.
        target: what it is for.
        calls_c: whether the kernel calls functions written in C.
    """

    def __init__(self, table: dict[str, int], target: Target, calls_c: bool = False) -> None:
        self.writer = Writer(table, target, calls_c)
        self.owned: list[str] = []
        self.in_place = InPlace(self.writer, self.need)
        self.known = {
            "need": self.need, "own": self.own, "leave": self.leave, "need_array": self.need_array,
            "empty": lambda *given: pointer(self.empty(*given)), "share": self.share,
            "report": self.report,
            "run": Function("void", "@run"), "ALIGNED": ALIGNED, "DENSE": DENSE,
        }  # fmt: skip

    def write(self, source: str, **names: Any) -> tuple[str, ...]:
        """Write statements of a routine, which know the guards; return what they return."""
        return write(self.writer, source, **self.known, **names)

    def value(self, source: str, **names: Any) -> str:
        """Write what a value of a routine needs; return its text."""
        (found,) = self.write(f"return {source}", **names)
        return found

    def function(self, body: Callable[[], None], *words: tuple[str, str, str]) -> None:
        """Write the entry around what it does.

        Args:
            body: writes that; it leaves the entry.
            words: names, types, and first values of more words on the stack.
        """
        w = self.writer
        w.lines.append("define ptr @entry(ptr %self, ptr %args, i64 %count) #0 {")
        w.begin("start")
        top = len(w.lines)
        w.line(f"%table = getelementptr i8, ptr %self, i64 {int(Object.ITEMS)}")
        for name, kind, first in (("thread", "ptr", "null"), ("answer", "ptr", "null"), *words):
            w.line(f"%{name} = alloca {kind}")
            w.line(f"store {kind} {first}, ptr %{name}")
        body()
        self.endings()
        starts = [f"store ptr null, ptr {x}" for x in self.owned]
        starts += [f"store {MEMORY} zeroinitializer, ptr {x}" for x in w.memory]
        w.lines[top:top] = [*w.spaces, *(f"  {x}" for x in (*starts, *self.in_place.starts()))]

    def whole(self, kernel: Kernel) -> None:
        """Write the entry of a kernel over numbers."""
        self.function(
            lambda: self.body(kernel),
            ("rounds", "i64", str(FIRST_ROUNDS)), ("reported", "i1", "false"),
            ("control", "i32", "0"), ("flags", "i32", "0"), ("deepest", "i64", "0"),
        )  # fmt: skip

    def body(self, kernel: Kernel) -> None:
        """Write what a kernel over numbers does, between reading arguments and making objects."""
        w, floats, body = self.writer, has_floats(kernel), kernel.body
        inputs = [self.argument(k, port) for k, port in enumerate(kernel.inputs)]
        ports = [*zip(body.params, kernel.inputs, inputs, strict=True)]
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
        w.block(body)
        w.line("call void @resume(ptr %table, ptr %thread)")
        self.check_reports(floats)
        boxed = []
        for x, port in zip(body.results, kernel.outputs, strict=True):
            names = [name for _, name in w.parts(x)]
            is_made = _is_array(port) and root(x, body) not in {*body.params}
            boxed.append(self.boxed(self.moved(names, port) if is_made else names, port))
        self.leave(self.packed(boxed))
        w.begin("stop")
        w.line("call void @resume(ptr %table, ptr %thread)")
        w.line("br label %nothing")

    def endings(self) -> None:
        """Write the ends of the entry: without a result, with an exception, with an answer."""
        w = self.writer
        w.begin("nothing")
        self.in_place.undo()
        self.write('py.Py_IncRef(outside("object:None"))\nleave(outside("object:None"))')
        w.begin("failed")
        self.in_place.undo()
        self.leave("null")
        w.begin("leave")
        for place in self.owned:
            self.write("py.Py_DecRef(place.ptr[0])", place=pointer(place))
        self.in_place.free()
        for place in w.memory:
            self.write("py.PyMem_RawFree(place.ptr[0])", place=pointer(place))
        w.line(f"ret ptr {w.new('load ptr, ptr %answer')}")
        w.lines.append("}")

    def leave(self, answer: str) -> None:
        """Write that the entry returns an object, after it let go of its own."""
        self.writer.line(f"store ptr {answer}, ptr %answer")
        self.writer.line("br label %leave")

    def need(self, test: str) -> None:
        """Return None, from before anything happened, unless a test is true."""
        after = self.writer.block_label("is")
        self.writer.line(f"br i1 {test}, label %{after}, label %nothing")
        self.writer.begin(after)

    def own(self, made: str) -> None:
        """Write that the entry lets go of a new object at its end, if there was memory for it."""
        place = self.writer.space("ptr")
        self.owned.append(place)
        source = "place.ptr[0] = made\nif made == null:\n    goto(failed)"
        self.write(source, place=pointer(place), made=pointer(made))

    def field(self, obj: str, kind: str, offset: int) -> str:
        """Return a field of an object, by its place."""
        return self.value("(obj + offset).kind[0]", obj=pointer(obj), kind=kind, offset=offset)

    # Arguments.

    def argument(self, place: int, port: Port) -> list[str]:
        """Return what is read out of an argument; where it is, for floats."""
        obj = self.value("args.ptr[place]", args=pointer("%args"), place=place)
        if _is_float(port):
            self.need_number(obj, port)
            return [self.value("obj + Object.CONTENT", obj=pointer(obj))]
        return self.unboxed_array(obj, port) if _is_array(port) else self.unboxed(obj, port)

    def need_array(self, obj: str, dtype: str, rank: int | str, flags: int = ALIGNED) -> None:
        """Return None unless an object is an array of a dtype and a rank that has some flags."""
        kind = Value("i32", str(rank))
        self.write(_ARRAY, obj=pointer(obj), dtype=f"dtype:{dtype}", rank=kind, flags=flags)

    def unboxed_array(self, obj: str, port: Port) -> list[str]:
        """Return object, data and sizes of an array, which has to be in C order."""
        kind = port.type
        assert isinstance(kind, ArrayType)
        flags = ALIGNED | DENSE | (WRITEABLE if port.in_place else 0)
        self.need_array(obj, kind.dtype.name, len(kind.shape), flags)
        found = [obj, self.field(obj, "ptr", Array.DATA)]
        for axis, known in enumerate(kind.shape):
            found.append(self.axis(obj, Array.SIZES, axis))
            if known is not None:
                self.write("need(size == known)", size=found[-1], known=known)
        return found

    def axis(self, obj: str, field: Array, axis: int) -> str:
        """Return the size or the stride of an axis of an array."""
        return self.value(
            "(obj + field).ptr[0].i64[axis]", obj=pointer(obj), field=field, axis=axis
        )

    def unboxed(self, obj: str, port: Port) -> list[str]:
        """Return what is read out of an object."""
        dtype, given = number(port.type), pointer(obj)
        if port.weak and dtype.kind == "b":
            return [*self.write(_TRUTH, obj=given)]
        self.need_number(obj, port)
        if port.weak and dtype.kind == "i":
            return [*self.write(_INTEGER, obj=given)]
        return [self.writer.loaded(self.value("obj + Object.CONTENT", obj=given), dtype)]

    def need_number(self, obj: str, port: Port) -> None:
        """Return None unless an object is of the class that a number enters as."""
        dtype = number(port.type)
        name = f"python:{dtype.kind}" if port.weak else f"type:{dtype.name}"
        self.write("need((obj + Object.TYPE).ptr[0] == outside(name))", obj=pointer(obj), name=name)

    # Results.

    def copied(self, names: list[str]) -> list[str]:
        """Return an array that is a copy of another; all checks are done by now."""
        obj, _, *sizes = names
        copy = self.value("numpy.PyArray_NewCopy(obj, i32(0))", obj=pointer(obj))
        self.own(copy)
        return [copy, self.field(copy, "ptr", Array.DATA), *sizes]

    def empty(self, rank: int | str, sizes: str, dtype: str, order: str = "0") -> str:
        """Return a new array, of which the entry lets go at its end.

        Args:
            rank: how many axes there are.
            sizes: where their sizes are.
            dtype: of the elements.
            order: 1 for column order, else 0.
        """
        given = {"rank": Value("i32", str(rank)), "order": Value("i32", order)}
        (made,) = self.write(_EMPTY, sizes=pointer(sizes), dtype=f"dtype:{dtype}", **given)
        self.own(made)
        return made

    def moved(self, names: list[str], port: Port) -> list[str]:
        """Return a new array of what an array of the kernel's own holds."""
        w, kind, (_, data, *sizes) = self.writer, port.type, names
        assert isinstance(kind, ArrayType)
        table = w.space(f"[{len(sizes)} x i64]")
        for axis, size in enumerate(sizes):
            self.write("table.i64[axis] = size", table=pointer(table), axis=axis, size=size)
        made = self.empty(len(sizes), table, kind.dtype.name)
        known = {"made": pointer(made), "data": pointer(data)}
        source = "memcpy((made + Array.DATA).ptr[0], data, size)"
        self.write(source, size=self.in_place.size(names, port), **known)
        return [made]

    def check_reports(self, floats: bool) -> None:
        """Write that nothing is returned when NumPy would report what happened."""
        w, flags = self.writer, "0"
        if floats:
            w.keep_flags()
            flags = w.new("load i32, ptr %flags")
        given = {"flags": Value("i32", flags), "reported": pointer("%reported")}
        self.report(
            self.value(
                "flags | (i32(OVERFLOW) if reported.i1[0] else 0)", OVERFLOW=OVERFLOW, **given
            )
        )

    def report(self, flags: str) -> None:
        """Write that nothing is returned when NumPy would report some flags of the processor."""
        self.write(_REPORT, flags=Value("i32", flags), REPORTED=REPORTED)

    def share(self, size: str, least: str) -> None:
        """Write that threads take part after part of the work, from so much of it on."""
        words = {"TABLE": TABLE, "RUN": RUN, "start": pointer("@run")}
        self.write(_SHARE, size=size, least=least, **words)

    def boxed(self, names: Sequence[str], port: Port) -> str:
        """Return the object of a result."""
        if _is_array(port):
            self.write("py.Py_IncRef(obj)", obj=pointer(names[0]))
            return names[0]
        dtype = number(port.type)
        value = Value(llvm_type(dtype), *names)
        if port.weak and dtype.kind == "b":
            found = self.value('outside("object:True") if x else outside("object:False")', x=value)
            self.write("py.Py_IncRef(obj)", obj=pointer(found))
            return found
        if port.weak:
            return self.value(f"py.{_MAKERS[dtype.kind]}(x)", x=value)
        place, name = self.writer.space(stored_type(dtype)), f"dtype:{dtype.name}"
        stored = Value("i8", self.value("i8(x)", x=value)) if dtype.kind == "b" else value
        self.write("place.kind[0] = x", place=pointer(place), kind=stored.type, x=stored)
        return self.value(
            "numpy.PyArray_Scalar(place, outside(dtype), null)", place=pointer(place), dtype=name
        )

    def packed(self, objects: Sequence[str]) -> str:
        """Return one object: the only one, or a tuple of all."""
        if len(objects) == 1:
            return objects[0]
        found = self.value("py.PyTuple_New(count)", count=len(objects))
        for place, obj in enumerate(objects):
            given = {"found": pointer(found), "obj": pointer(obj)}
            self.write("py.PyTuple_SetItem(found, place, obj)", place=place, **given)
        return found


_MAKERS = {"i": "PyLong_FromLongLong", "f": "PyFloat_FromDouble", "c": "PyComplex_FromCComplex"}


def _is_array(port: Port) -> bool:
    return isinstance(port.type, ArrayType)


def _is_float(port: Port) -> bool:
    return not isinstance(port.type, ArrayType) and port.type.kind in "fc"


_CALLS_C = having(Trait.CALLS_C)


def calls_c(kernel: Kernel | MapKernel) -> bool:
    """Tell whether a kernel calls functions written in C."""
    return any(x.op in _CALLS_C for x in instructions(kernel.body))


def has_floats(kernel: Kernel) -> bool:
    """Tell whether a kernel computes with floats."""
    return calls_c(kernel) or any(
        not isinstance(x.type, ArrayType) and x.type.kind in "fc"
        for step in instructions(kernel.body)
        for x in (*step.args, *step.results)
    )
