"""What ops raise when a graph runs, besides checks: bad indices, division by zero, `LinAlgError`.

Comes in: an op and what it is applied to. Goes out: the names of the exceptions, or a node that
tells whether one of them is raised.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.ops.control import raises
from runtime.ops.effects import exception_class
from runtime.ops.keys import SLOT, read_key
from runtime.ops.texts import python_text

NONE: tuple[str, ...] = ()
_NUMBER = ("ValueError", "OverflowError")
_ANY_NUMBER = ("ZeroDivisionError", *_NUMBER)
_MATRIX = ("LinAlgError",)
_ALWAYS = {
    **dict.fromkeys(("take", "take_along_axis"), ("IndexError",)),
    **dict.fromkeys(("to_int", "python_round", "python_math"), _NUMBER),
    **dict.fromkeys(("python_number", "python_pair"), _ANY_NUMBER),
    **dict.fromkeys(("inv", "cholesky", "solve", "eigh", "eigvalsh"), _MATRIX),
    **dict.fromkeys(("svd", "svdvals", "pinv", "condition", "matrix_rank"), _MATRIX),
    "bincount": ("ValueError",),
}
_FAILING: dict[tuple[str, str], tuple[float, ...]] = {
    ("to_int", "ValueError"): (math.nan,),
    ("to_int", "OverflowError"): (math.inf,),
}
_OF_TEXTS = {
    **dict.fromkeys(("int", "float", "slice"), ("ValueError",)),
    "chr": _NUMBER,
    "ord": ("TypeError",),
    "item": ("IndexError",),
}
_KEYED = frozenset({"index", "gather", "update", "scatter", "ufunc_at"})
_DIVISIONS = frozenset({"divide", "floor_divide", "remainder", "fmod"})
_OF_EMPTY = frozenset({"max", "min", "ptp", "argmax", "argmin", "nanargmax", "nanargmin"})


def risks(
    builder: Builder, op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the names of the exceptions that an op may raise when the graph runs."""
    specs = [value.spec for value in inputs]
    is_static = all(spec.is_static for spec in specs)
    if op.name == "to_int" and specs[0].dtype.kind in "biu":
        return NONE
    if op.name in _ALWAYS:
        return _ALWAYS[op.name]
    if op is python_text:
        return _OF_TEXTS.get(attrs["name"], NONE)
    if op.name in _KEYED:
        found = ("IndexError",) if any(x is SLOT for x in read_key(attrs["key"])) else NONE
        return found if is_static else ("IndexError", "ValueError")
    if op.name in ("pow", "power"):
        return _ANY_NUMBER if all(spec.weak for spec in specs) else ("ValueError",)
    if op.name in _DIVISIONS and all(spec.weak for spec in specs):
        return NONE if _is_constant(builder, inputs[1]) else ("ZeroDivisionError",)
    if is_static or op.effect is not None:
        return NONE
    return ("ValueError",) if len(inputs) > 1 or op.name in _OF_EMPTY else NONE


def _is_constant(builder: Builder, value: Value) -> bool:
    """Tell whether a value is a number that is known, and not zero."""
    known = {id(found): key for key, found in builder.constants.items()}
    kind, text = known.get(id(value), (None, "0"))
    return kind in (int, float) and float(text) != 0


def probe(
    builder: Builder,
    op: OpDef,
    inputs: Sequence[Value],
    attrs: Mapping[str, Any],
    errors: Sequence[str],
) -> Value:
    """Add a node that tells which of the named exceptions an op raises: its number, or 0."""
    params = tuple(Value(value.spec) for value in inputs)
    found = op.spec(*(value.spec for value in inputs), **attrs)
    results = tuple(Value(spec) for spec in (found if isinstance(found, tuple) else (found,)))
    node = Node(op, params, attrs, (), results, None)
    region = Graph(params, (node,), results)
    return builder.emit(raises, inputs, {"errors": tuple(errors)}, [region])[0]


def text_of(op: OpDef, name: str) -> str | None:
    """Return the text of an exception that is the same whenever an op raises it, or None."""
    operands = (1, 0) if op.name in _DIVISIONS else _FAILING.get((op.name, name))
    if operands is None:
        return None
    kernel: Callable[..., Any] = op.kernel
    try:
        kernel(None, *operands)
    except exception_class(name) as error:
        return str(error)
    return None
