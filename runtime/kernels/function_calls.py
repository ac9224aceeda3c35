"""Functions of a kernel that call themselves, as functions of LLVM.

Comes in: calls, and what writes the function that they stand in. Goes out: lines.

    function(context, depth, parameters...) -> {how it ended, results...}

The context says where that is which all functions of a kernel have in common: its table, what was
reported, how many rounds are left before the next look at signals. A call counts as a round. How it
ended is 0, or where the caller goes on: to `stop`, or to `failed`. Arrays are given as they are;
one that is a result is the argument that it was, with other sizes where a function resizes any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from runtime.kernels.arithmetic import UNLIKELY, llvm_type, number
from runtime.kernels.kernel import ArrayType, Instruction, Operand, Variable, instructions
from runtime.kernels.loops.rounds import ROUNDS
from runtime.kernels.routine_values import pointer
from runtime.kernels.routines import routines, write

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

CONTEXT = ("table", "thread", "rounds", "reported", "control", "flags", "deepest")
"""What is at the places of the context; `deepest` says how many calls deep a kernel goes."""
SHALLOW = 64
"""So many calls deep nobody is asked how deep they may be."""
STACK = 1 << 20
"""How many bytes of the stack calls take at most."""


class Called(NamedTuple):
    """A function that is being written: its name, its type, and whether it resizes arrays."""

    name: str
    type: str
    resizes: bool


_TOO_DEEP = """
def too_deep(table: ptr, thread: ptr, deepest: ptr, depth, here: ptr) -> i1:
    if deepest.i64[0] == 0:
        state = thread.ptr[0]
        if state != null:
            thread.ptr[0] = null
            py.PyEval_RestoreThread(state)
        deepest.i64[0] = 1
        answer = py.PyObject_CallFunctionObjArgs(outside("object:room"), null)
        if answer == null:
            py.PyErr_Clear()
        else:
            beyond = space(i32, 1)
            deepest.i64[0] = py.PyLong_AsLongLongAndOverflow(answer, beyond)
            py.Py_DecRef(answer)
    return depth > deepest.i64[0] or i64(deepest) - i64(here) > STACK
"""


def call(w: Writer, x: Instruction) -> None:
    """Write a function, and a call of it."""
    (body,) = x.blocks
    resizes = any(y.op == "resized" for y in instructions(body))
    kinds = [kind for y in x.results for kind in _types(y, resizes)]
    if "@too_deep" not in w.functions:
        write_too_deep(w)
    name = f"@function{len(w.functions)}"
    own = Called(name, f"{{{', '.join(['i32', *kinds])}}}", resizes)
    w.functions[name] = []
    w.functions[name] = _function(w.inside({x.attrs["function"]: own}), x, own)
    if not w.called:
        w.context = w.space(f"[{len(CONTEXT)} x ptr]")
        for k, each in enumerate(CONTEXT):
            place = w.new(f"getelementptr ptr, ptr {w.context}, i64 {k}")
            w.line(f"store ptr %{each}, ptr {place}")
    write_call(w, x, own, "0")


def call_again(w: Writer, x: Instruction) -> None:
    """Write a call of a function in which this stands."""
    write_call(w, x, w.called[x.attrs["function"]], w.new("add nuw nsw i64 %depth, 1"))


def write_call(w: Writer, x: Instruction, own: Called, depth: str) -> None:
    """Write a call, and that the kernel is left where the function says so."""
    parts = [f"{kind} {name}" for arg in x.args for kind, name in w.parts(arg)]
    given = ", ".join([f"ptr {w.context}", f"i64 {depth}", *parts])
    found = w.new(f"call {own.type} {own.name}({given}) #0")
    end, after, left = (
        w.new(f"extractvalue {own.type} {found}, 0"),
        *map(w.block_label, ("go", "left")),
    )
    is_left = w.new(f"icmp ne i32 {end}, 0")
    w.line(f"br i1 {is_left}, label %{left}, label %{after}, {UNLIKELY}")
    w.begin(left)
    w.line(f"br i1 {w.new(f'icmp eq i32 {end}, 1')}, label %stop, label %failed")
    w.begin(after)
    place = 0
    for result, k in zip(x.results, x.attrs["kept"], strict=True):
        names = []
        for _ in _types(result, own.resizes):
            place += 1
            names.append(w.new(f"extractvalue {own.type} {found}, {place}"))
        given_names = [] if k is None else [name for _, name in w.parts(x.args[k])]
        w.bind(result, names if k is None else [given_names[0], *(names or given_names[1:])])


def _types(x: Operand, resizes: bool) -> list[str]:
    """Return the types of what a function returns of a value."""
    if not isinstance(x.type, ArrayType):
        return [llvm_type(x.type)]
    return ["ptr", *["i64"] * len(x.type.shape)] if resizes else []


def _function(w: Writer, x: Instruction, own: Called) -> list[str]:
    """Return the lines of a function."""
    (body,) = x.blocks
    params = [f"ptr {w.context}", "i64 %depth"]
    for k, variable in enumerate(body.params):
        names = [(kind, f"%p{k}.{n}") for n, kind in enumerate(_param_types(variable))]
        params += [f"{kind} {name}" for kind, name in names]
        w.bind(variable, [name for _, name in names])
    w.lines.append(f"define internal {own.type} {own.name}({', '.join(params)}) #0 {{")
    w.begin("start")
    top = len(w.lines)
    for k, name in enumerate(CONTEXT):
        place = w.new(f"getelementptr ptr, ptr {w.context}, i64 {k}")
        w.line(f"%{name} = load ptr, ptr {place}, !invariant.load !1")
    _look(w)
    w.block(body)
    parts = [
        [("i32", "0")],
        *(w.parts(y)[isinstance(y.type, ArrayType) :] for y in _returned(x, own)),
    ]
    _leave(w, own, [y for each in parts for y in each])
    for k, label in enumerate(("stop", "failed")):
        w.begin(label)
        _leave(w, own, [("i32", str(k + 1))])
    w.lines.append("}")
    starts = [f"  store {{ ptr, i64 }} zeroinitializer, ptr {x}" for x in w.memory]
    w.lines[top:top] = [*w.spaces, *starts]
    return w.lines


def _param_types(x: Variable) -> list[str]:
    if isinstance(x.type, ArrayType):
        return ["ptr", "ptr", *["i64"] * len(x.type.shape)]
    return [llvm_type(number(x.type))]


def _returned(x: Instruction, own: Called) -> Sequence[Operand]:
    """Return the results of a function of which it returns something."""
    results = x.blocks[0].results
    return [y for y in results if own.resizes or not isinstance(y.type, ArrayType)]


def _leave(w: Writer, own: Called, parts: Sequence[tuple[str, str]]) -> None:
    """Write that a function lets go of its memory, and returns."""
    for place in w.memory:
        write(w, "py.PyMem_RawFree(place.ptr[0])", place=pointer(place))
    found = "undef"
    for k, (kind, name) in enumerate(parts):
        found = w.new(f"insertvalue {own.type} {found}, {kind} {name}, {k}")
    w.line(f"ret {own.type} {found}")


def _look(w: Writer) -> None:
    """Write that a call counts as a round, and a test of how deep it is."""
    go, deep, after, look = map(w.block_label, ("go", "deep", "go", "look"))
    left = w.new(f"sub i64 {w.new('load i64, ptr %rounds')}, 1")
    w.line(f"store i64 {left}, ptr %rounds")
    w.line(f"br i1 {w.new(f'icmp sle i64 {left}, 0')}, label %{look}, label %{go}, {UNLIKELY}")
    w.begin(look)
    failed = w.new("call preserve_allcc i1 @look(ptr %table, ptr %thread)")
    w.line(f"store i64 {ROUNDS}, ptr %rounds")
    w.line(f"br i1 {failed}, label %failed, label %{go}, {UNLIKELY}")
    w.begin(go)
    is_deep = w.new(f"icmp ugt i64 %depth, {SHALLOW}")
    w.line(f"br i1 {is_deep}, label %{deep}, label %{after}, {UNLIKELY}")
    w.begin(deep)
    given = f"ptr %table, ptr %thread, ptr %deepest, i64 %depth, ptr {w.space('i64')}"
    found = w.new(f"call i1 @too_deep({given}) #0")
    w.line(f"br i1 {found}, label %stop, label %{after}, {UNLIKELY}")
    w.begin(after)


def write_too_deep(w: Writer) -> None:
    """Write what tells whether a call is too deep: it asks Python, once in a call of the kernel."""
    own = w.inside()
    routines(own, _TOO_DEEP, "define internal", "noinline cold", STACK=STACK)
    w.functions["@too_deep"] = own.lines
