"""The values of routines, as LLVM text; `routines` has their grammar.

Comes in: expressions of Python's syntax trees, and what their names stand for. Goes out: registers,
and what Python knows when the text is written.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.kernels.objects import Array, List, Object

if TYPE_CHECKING:
    from runtime.kernels.llvm import Writer

NUMBER = ""
"""The type of a number that is written out: it takes that of the other operand."""
_FLOATS = {"float": "f32", "double": "f64"}
_SCALARS = {"ptr", "float", "double", *(f"i{2**k}" for k in range(8))}


class Value(NamedTuple):
    """A register, or a number that is written out, with its type."""

    type: str
    text: str

    def __str__(self) -> str:
        return f"{self.type or 'i64'} {self.text}"


@dataclass(frozen=True, slots=True)
class Function:
    """A function that may be called: what it returns, where it is, how it is called."""

    result: str
    text: str
    convention: str = ""


def pointer(text: str) -> Value:
    """Return a register that is a pointer."""
    return Value("ptr", text)


Names = dict[str, Any]
"""What names stand for; a text is a register of 64 bits, or the name of a type."""
_WRITTEN = (Value, str)
_LIBRARIES = ("py", "numpy", "process")
_RESULTS = {
    "py:PyErr_CheckSignals": "i32", "py:PyTuple_Size": "i64", "py:PyTuple_SetItem": "i32",
    "py:PyObject_RichCompareBool": "i32", "py:Py_IncRef": "void", "py:Py_DecRef": "void",
    "py:PyEval_RestoreThread": "void", "py:PyMem_RawFree": "void", "py:PyErr_Clear": "void",
    "py:PyObject_CallFunctionObjArgs": "ptr (ptr, ...)", "py:PyLong_AsLongLongAndOverflow": "i64",
}  # fmt: skip
"""What functions from outside return; others return pointers."""
_COMMON: Mapping[str, Any] = {
    "true": Value("i1", "true"), "false": Value("i1", "false"), "null": pointer("null"),
    "table": pointer("%table"), "context": pointer("%context"), "thread": pointer("%thread"),
    "Object": Object, "Array": Array, "List": List, "range": range, "unrolled": range, "len": len,
}  # fmt: skip
"""What names stand for everywhere: most functions have a table and a context."""
_ARITHMETIC: Mapping[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "udiv", ast.Mod: "urem",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "lshr",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge",
}  # fmt: skip
_KNOWN: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.In: lambda x, y: x in y,
}  # fmt: skip
"""Operators on what Python knows."""


def name_of(x: ast.expr | None, names: Mapping[str, Any]) -> str:
    """Return the type or the label that a name stands for."""
    name = x.id if isinstance(x, ast.Name) else x.attr if isinstance(x, ast.Attribute) else ""
    return str(names.get(name, name))


def typed(x: Any, kind: str = NUMBER) -> Value:
    """Return something as a value; a number, or a text, has the type that it has to have."""
    if type(x) is Value and x.type:
        return x
    if type(x) is str:
        return Value(kind or "i64", x)
    if kind.startswith("<"):
        return Value(kind, f"splat ({typed(x, _element(kind))})")
    if isinstance(x, Value):
        return Value(kind, x.text)
    if isinstance(x, bool) and kind in ("i1", NUMBER):
        return Value("i1", str(x).lower())
    return Value(kind, repr(x) if isinstance(x, float) else str(int(x)))


def _alike(x: Any, y: Any) -> tuple[Value, Value]:
    """Return two operands, a number in the type of the other one."""
    x, y = typed(x), typed(y)
    if x.type == "ptr" and y.type != "ptr":
        return x, typed(y, "i64")
    kind = x.type or y.type or "i64"
    return typed(x, kind), typed(y, kind)


def _element(kind: str) -> str:
    """Return the type of the numbers of a vector, or of the number."""
    return kind.strip("<>").rpartition(" ")[2]


def _lanes(kind: str) -> str:
    """Return how many numbers a vector has; nothing for a number."""
    return kind[1:].partition(" ")[0] if kind.startswith("<") else ""


class Values:
    """Writes what values need.

    Args:
        w: writes lines.
        names: what names stand for.
    """

    def __init__(self, w: Writer, names: Names) -> None:
        self.w, self.names = w, names
        self.places: dict[str, Value] = {}

    def new(self, kind: str, text: str) -> Value:
        """Return the result of an instruction."""
        return Value(kind, self.w.new(text))

    def value(self, x: ast.expr) -> Value:
        """Return the value of an expression."""
        return typed(self.known(x))

    def known(self, x: ast.expr) -> Any:
        """Return a value, or what Python knows."""
        return _VALUES[type(x)](self, x)

    def name(self, x: ast.Name) -> Any:
        """What a name stands for; a variable with a place is read."""
        if x.id in self.places:
            kind, place = self.places[x.id]
            return self.new(kind, f"load {kind}, ptr {place}")
        return self.names[x.id] if x.id in self.names else _COMMON[x.id]

    def attribute(self, x: ast.Attribute) -> Any:
        """A function from outside, or what Python has of this name."""
        if isinstance(x.value, ast.Name) and x.value.id in _LIBRARIES:
            name = f"{x.value.id}:{x.attr}"
            return Function(_RESULTS.get(name, "ptr"), self.w.outside(name))
        return getattr(self.known(x.value), x.attr)

    def sequence(self, x: ast.Tuple) -> list[Any]:
        """x, y."""
        return [*map(self.known, x.elts)]

    def loaded(self, x: ast.Subscript) -> Any:
        """An element of memory, or of a sequence of Python's."""
        if not isinstance(x.value, ast.Attribute):
            return self.known(x.value)[self.known(x.slice)]
        kind, address = self.place(x)
        return self.new(kind, f"load {kind}, {address}")

    def place(self, x: ast.Subscript) -> tuple[str, str]:
        """Return the type and the address of an element; vectors are aligned as their numbers."""
        given = x.value
        assert isinstance(given, ast.Attribute)
        is_whole = given.attr == "aligned"
        if is_whole:
            given = given.value
            assert isinstance(given, ast.Attribute)
        kind, base, k = name_of(given, self.names), self.value(given.value), self.known(x.slice)
        if isinstance(k, _WRITTEN) or k != 0:
            base = self.new("ptr", f"getelementptr {kind}, {base}, {typed(k, 'i64')}")
        if is_whole or not _lanes(kind):
            return kind, str(base)
        one = _element(kind)
        return kind, f"{base}, align {int(_FLOATS.get(one, one)[1:]) // 8}"

    # Operators.

    def binary(self, x: ast.BinOp) -> Any:
        """x + y."""
        return self.combined(x.op, self.known(x.left), self.known(x.right))

    def compare(self, x: ast.Compare) -> Any:
        """x < y."""
        (op,), (other,) = x.ops, x.comparators
        return self.combined(op, self.known(x.left), self.known(other))

    def combined(self, op: ast.operator | ast.cmpop, x: Any, y: Any) -> Any:
        """Return what an operator gives."""
        if not (isinstance(x, _WRITTEN) or isinstance(y, _WRITTEN)):
            return _KNOWN[type(op)](x, y)
        x, y = _alike(x, y)
        name = _ARITHMETIC[type(op)]
        if isinstance(op, ast.cmpop):
            return self.compared(name, x, y)
        if x.type == "ptr":
            return self.new("ptr", f"getelementptr i8, {x}, {y}")
        return self.new(x.type, f"{'f' * (_element(x.type) in _FLOATS)}{name} {x}, {y.text}")

    def compared(self, name: str, x: Any, y: Any) -> Value:
        """Return whether a comparison is true."""
        x, y = _alike(x, y)
        lanes = _lanes(x.type)
        return self.new(f"<{lanes} x i1>" if lanes else "i1", f"icmp {name} {x}, {y.text}")

    def both(self, x: ast.BoolOp) -> Any:
        """x and y; x or y."""
        found, *others = map(self.known, x.values)
        op = "and" if isinstance(x.op, ast.And) else "or"
        for other in others:
            found = self.new("i1", f"{op} {typed(found, 'i1')}, {typed(other, 'i1').text}")
        return found

    def unary(self, x: ast.UnaryOp) -> Any:
        """not x; -x."""
        found = self.known(x.operand)
        if isinstance(x.op, ast.Not):
            return self.new("i1", f"xor {found}, true") if isinstance(found, Value) else not found
        return -found if isinstance(found, int) else self.combined(ast.Sub(), 0, found)

    def either(self, x: ast.IfExp) -> Any:
        """x if test else y."""
        chosen = self.known(x.test)
        if not isinstance(chosen, Value):
            return self.known(x.body if chosen else x.orelse)
        first, second = _alike(self.known(x.body), self.known(x.orelse))
        return self.new(first.type, f"select {chosen}, {first}, {second}")

    # Calls.

    def call(self, x: ast.Call) -> Any:
        """f(x): of a function of the language, as a conversion, of Python's, or of machine code."""
        if isinstance(x.func, ast.Name):
            kind = self.names.get(x.func.id, x.func.id)
            if kind in _BUILTINS:
                return _BUILTINS[kind](self, x.args)
            if isinstance(kind, str) and kind in _SCALARS:
                return self.cast(self.value(x.args[0]), kind)
        function, given = self.known(x.func), [*map(self.known, x.args)]
        if not isinstance(function, Function):
            return function(*(y.text if isinstance(y, Value) else y for y in given))
        args = ", ".join(str(typed(y)) for y in given)
        text = f"call {function.convention}{function.result} {function.text}({args})"
        if function.result != "void":
            return self.new(function.result.partition(" (")[0], text)
        self.w.line(text)
        return None

    def cast(self, x: Value, kind: str) -> Value:
        """Return a number in another type, an integer without its sign."""
        if x.type in (kind, NUMBER):
            return Value(kind, x.text)
        if "ptr" in (x.type, kind):
            op = "inttoptr" if kind == "ptr" else "ptrtoint"
        elif kind in _FLOATS:
            op = "uitofp"
        else:
            op = "zext" if int(x.type[1:]) < int(kind[1:]) else "trunc"
        return self.new(kind, f"{op} {x} to {kind}")

    def signed(self, args: Sequence[ast.expr]) -> Value:
        """Return an integer with its sign in a larger type."""
        kind = name_of(args[0], self.names)
        return self.new(kind, f"sext {self.value(args[1])} to {kind}")

    def space(self, args: Sequence[ast.expr]) -> Value:
        """Return memory for some elements of a type, which is reserved at the start."""
        kind, count = name_of(args[0], self.names), self.known(args[1])
        return pointer(self.w.space(f"[{count} x {kind}]"))

    def reserve(self, args: Sequence[ast.expr]) -> Value:
        """Return memory for as many elements of a type as is known now."""
        count = typed(self.known(args[1]), "i64")
        return self.new("ptr", f"alloca {name_of(args[0], self.names)}, {count}")

    def copy(self, args: Sequence[ast.expr]) -> None:
        """Write that bytes are copied."""
        target, source, size = map(self.known, args)
        self.w.declare("void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        given = f"{target}, {source}, {typed(size, 'i64')}, i1 false"
        self.w.line(f"call void @llvm.memcpy.p0.p0.i64({given})")

    def function(self, args: Sequence[ast.expr]) -> Function:
        """Return the function that a pointer goes to, by what it returns."""
        return Function(name_of(args[0], self.names), self.value(args[1]).text)

    def outside(self, args: Sequence[ast.expr]) -> Value:
        """Return the address of something outside."""
        return pointer(self.w.outside(self.known(args[0])))

    def splat(self, args: Sequence[ast.expr]) -> Value:
        """Return a vector of so many times a number."""
        x, lanes = self.value(args[0]), self.known(args[1])
        kind = f"<{lanes} x {x.type or 'i64'}>"
        first = self.w.new(f"insertelement {kind} poison, {x}, i64 0")
        zeros = f"<{lanes} x i32> zeroinitializer"
        return self.new(kind, f"shufflevector {kind} {first}, {kind} poison, {zeros}")

    def intrinsic(self, name: str, args: Sequence[ast.expr]) -> Value:
        """Return what a function of LLVM's gives for operands of one type."""
        found = [*map(self.known, args)]
        kind = next((x.type for x in map(typed, found) if x.type), "i64")
        one, lanes = _element(kind), _lanes(kind)
        function = f"@llvm.{name}.{lanes and f'v{lanes}'}{_FLOATS.get(one, one)}"
        self.w.declare(f"{kind} {function}({', '.join([kind] * len(found))})")
        given = ", ".join(str(typed(x, kind)) for x in found)
        return self.new(kind, f"call {kind} {function}({given})")

    def exchanged(self, args: Sequence[ast.expr]) -> Value:
        """Return whether a word was what was expected; then it is something else now."""
        place, *words = map(self.known, args)
        old, new = (typed(x, "i32") for x in words)
        pair = self.w.new(f"cmpxchg {place}, {old}, {new} acq_rel acquire")
        return self.new("i1", f"extractvalue {{ i32, i1 }} {pair}, 1")


_BUILTINS: Mapping[str, Callable[[Values, Sequence[ast.expr]], Any]] = {
    "space": Values.space, "reserve": Values.reserve, "memcpy": Values.copy,
    "function": Values.function, "outside": Values.outside, "splat": Values.splat,
    "signed": Values.signed, "exchanged": Values.exchanged,
    "min": lambda v, args: v.intrinsic("umin", args),
    "max": lambda v, args: v.intrinsic("umax", args),
    "fma": lambda v, args: v.intrinsic("fma", args),
    "below": lambda v, args: v.compared("slt", *map(v.known, args)),
}  # fmt: skip
_VALUES: Mapping[type, Callable[[Values, Any], Any]] = {
    ast.Constant: lambda v, x: x.value, ast.Name: Values.name, ast.Attribute: Values.attribute,
    ast.Subscript: Values.loaded, ast.BinOp: Values.binary, ast.Compare: Values.compare,
    ast.BoolOp: Values.both, ast.UnaryOp: Values.unary, ast.IfExp: Values.either,
    ast.Call: Values.call, ast.Tuple: Values.sequence,
}  # fmt: skip
