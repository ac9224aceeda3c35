"""What ops raise when a graph runs, besides checks: bad indices, division by zero, `LinAlgError`.

Comes in: an op and what it is applied to. Goes out: the names of the exceptions, or a node that
tells whether one of them is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.traits import Error, possible_errors
from runtime.ops.attempts import attempt, raises
from runtime.ops.exceptions import exception_class


def risks(
    builder: Builder, op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, Any]
) -> list[Error]:
    """Return what an op may raise when the graph runs, each exception once."""
    known = {id(value): number for value, number in _numbers(builder)}
    places = {k: known[id(x)] for k, x in enumerate(inputs) if id(x) in known}
    found = possible_errors(op, [value.spec for value in inputs], attrs, places)
    return list({error.name: error for error in found}.values())


def _numbers(builder: Builder) -> Iterator[tuple[Value, int | float]]:
    """Yield the constants that are Python's integers and floats."""
    for key, value in builder.constants.items():
        kind, text = key
        if kind in (int, float):
            yield value, kind(text)


def probe(
    builder: Builder,
    op: OpDef,
    inputs: Sequence[Value],
    attrs: Mapping[str, Any],
    errors: Sequence[str],
) -> Sequence[Value]:
    """Add a node that tells which of the named exceptions an op raises: its number and its text.

    Results follow where the op has an effect, and so is done by that node; else it is yet to be.
    """
    params = tuple(Value(value.spec) for value in inputs)
    found = op.spec(*(value.spec for value in inputs), **attrs)
    results = tuple(Value(spec) for spec in (found if isinstance(found, tuple) else (found,)))
    node = Node(op, params, attrs, (), results, None)
    region = Graph(params, (node,), results)
    if op.effect is None:
        return builder.emit(raises, inputs, {"errors": tuple(errors)}, [region])
    return builder.emit(attempt, inputs, {"errors": tuple(errors), "count": len(results)}, [region])


def text_of(op: OpDef, error: Error) -> str | None:
    """Return the text of an exception that is the same whenever an op raises it, or None."""
    if error.example is None:
        return None
    kernel: Callable[..., Any] = op.kernel
    try:
        kernel(None, *error.example)
    except exception_class(error.name) as found:
        return str(found)
    return None
