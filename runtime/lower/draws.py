"""Draws of NumPy's generators in native loops.

Comes in: a call of a method of a `numpy.random.Generator`. Goes out: its numbers, by calls of
NumPy's own functions on the state of its bit generator: they are those that the method gives, and
leave it where the method does. A kernel that gives up puts the state back (`kernels/load`).
"""

from __future__ import annotations

import ast
import ctypes
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import _generator

from runtime.graph.node import Node
from runtime.kernels.kernel import (
    FLOAT,
    INT,
    ArrayType,
    Literal,
    Operand,
    Policy,
    UnsupportedError,
    Variable,
)
from runtime.lower.lowering import NODES
from runtime.lower.parts import Given, array_of, room
from runtime.lower.slices import ZERO
from runtime.ops.call_forms import is_operand
from runtime.ops.effects import called
from runtime.ops.numpy_calls import DRAWN, numpy_call

if TYPE_CHECKING:
    from runtime.lower.loop_kernels import NodeWriter

STATE = ArrayType(INT, (1,))
"""The address of a state, or of a function, in a kernel."""
_PARAMETERS: Mapping[str, Mapping[str, float]] = {
    "random": {},
    "standard_normal": {},
    "standard_exponential": {},
    "normal": {"loc": 0.0, "scale": 1.0},
    "uniform": {"low": 0.0, "high": 1.0},
    "exponential": {"scale": 1.0},
}
"""Methods that draw floats, with their parameters besides the size."""
_FUNCTIONS = {"random": "random_standard_uniform", "integers": "random_bounded_uint64"}
"""NumPy's functions that are not called `random_` and the name of the method."""


@NODES.lowers(numpy_call)
def draw(w: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write a draw; UnsupportedError for other calls."""
    generator, method, values, named = _read(node)
    s = w.scalars
    if len(node.results) != 1 or not node.result.spec.is_static:
        raise UnsupportedError("draws of sizes that vary")
    spec = node.result.spec
    is_whole = method == "integers"
    dtype = INT if is_whole else FLOAT
    args = _bounds(w, values, named, given) if is_whole else _floats(method, values, named)
    if spec.dtype != dtype:
        raise UnsupportedError(f"draws of {spec}")
    function = np.array([_address(_FUNCTIONS.get(method, f"random_{method}"))], np.int64)
    at = [_constant(w, function), _stream(w, generator, given)]

    def number() -> Operand:
        return s.emit("drawn", [*(s.emit("load", [x, ZERO], INT) for x in at), *args], dtype)

    if not spec.rank:
        return [number()]
    found = room(s, dtype, [Literal(INT, n) for n in spec.shape or () if isinstance(n, int)])

    def fill(axis: int, before: Sequence[Operand]) -> list[Operand]:
        if axis == spec.rank:
            s.emit("store", [array_of(found), number(), *before])
            return []
        place = Variable(INT)
        block = s.block([place], lambda: fill(axis + 1, [*before, place]))
        s.structured("for", [found.sizes[axis]], [], [block], counters=())
        return []

    fill(0, [])
    return [found]


def _constant(w: NodeWriter, value: Any) -> Variable:
    """Return a constant of one number."""
    found = Variable(STATE)
    w.constants.append((value, found))
    return found


def _stream(w: NodeWriter, generator: Any, given: Sequence[Given]) -> Operand:
    """Return the address of the state of a generator, which may be an operand."""
    if isinstance(generator, int):
        return w.one(given[generator])
    found = _constant(w, generator)
    w.streams.add(found)
    return found


def _read(node: Node) -> tuple[Any, str, list[Any], dict[str, Any]]:
    """Return generator, method and arguments of a call; operands are texts.

    The generator is one from outside of the graph, or the number of an operand.
    """
    call = node.attrs["call"]
    names: Mapping[str, Any] = {}
    if not isinstance(call, str):
        found = called(call)
        names = getattr(getattr(found, "function", None), "__globals__", {})
        call = found.reference.name if names else "None"
    tree = ast.parse(call, mode="eval").body
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Attribute):
        raise UnsupportedError("the op numpy_call")
    name = ast.unparse(tree.func.value)
    owner = int(name[1:]) if is_operand(name) else names.get(name)
    is_operands = isinstance(owner, int) and node.attrs["given"][owner] == DRAWN
    if not (is_operands or type(owner) is np.random.Generator):
        raise UnsupportedError("the op numpy_call")
    named = {x.arg or "": _argument(x.value) for x in tree.keywords}
    return owner, tree.func.attr, [_argument(x) for x in tree.args], named


def _argument(x: ast.expr) -> Any:
    """Return a number that is written out, or the name of an operand."""
    if isinstance(x, ast.Name) and is_operand(x.id):
        return x.id
    try:
        return ast.literal_eval(x)
    except ValueError:
        raise UnsupportedError("draws with such arguments") from None


def _floats(method: str, values: Sequence[Any], named: Mapping[str, Any]) -> list[Operand]:
    """Return what a function that draws floats is given."""
    own = _PARAMETERS.get(method)
    if own is None:
        raise UnsupportedError(f"draws by {method}")
    found = _bound([*own, "size"], values, {**own, **named})
    numbers = [found[name] for name in own]
    if not all(type(x) in (int, float) and math.isfinite(x) for x in numbers):
        raise UnsupportedError(f"draws by {method} with such arguments")
    if math.copysign(1, found.get("scale", 1)) < 0:
        raise UnsupportedError(f"draws by {method} that raise")
    if method == "uniform":
        numbers[1] = float(numbers[1]) - float(numbers[0])
    return [Literal(FLOAT, float(x)) for x in numbers]


def _bound(names: Sequence[str], values: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by the names of parameters."""
    found = {**named, **dict(zip(names, values, strict=False))}
    if len(values) > len(names) or not {*found} <= {*names}:
        raise UnsupportedError("draws with such arguments")
    return found


def _bounds(
    w: NodeWriter, values: Sequence[Any], named: Mapping[str, Any], given: Sequence[Given]
) -> list[Operand]:
    """Return what the function that draws integers is given: the least one, and how many more."""
    found, s = _bound(["low", "high", "size"], values, named), w.scalars
    ends = [found.get("low"), found.get("high")]
    low, high = (0, ends[0]) if ends[1] is None else ends
    least, most = (_integer(w, x, given) for x in (low, high))
    s.stop_if(s.less_equal(most, least))
    s.policy = Policy.PYTHON
    more = s.subtract(s.subtract(most, Literal(INT, 1)), least)
    return [least, more, ZERO, ZERO]


def _integer(w: NodeWriter, x: Any, given: Sequence[Given]) -> Operand:
    """Return an integer that is written out, or that an operand is."""
    if type(x) is int:
        return w.scalars.literal(x, INT)
    operand = w.one(given[int(x[1:])]) if isinstance(x, str) else None
    if operand is None or operand.type != INT:
        raise UnsupportedError("draws with such bounds")
    return operand


@cache
def _address(name: str) -> int:
    """Return where a function of NumPy's is."""
    library = ctypes.CDLL(_generator.__file__)
    if not hasattr(library, name):
        raise UnsupportedError(f"draws where NumPy does not show {name}")
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
