"""Loops in chunks, for derivatives that are to keep little.

A loop of n rounds becomes one of about √n chunks of as many rounds. What goes back keeps the state
at the beginning of each chunk, and of the rounds of one chunk at a time: about 2√n states instead
of n, for one more computation of the rounds (Griewank, Achieving logarithmic growth of temporal
and spatial complexity in reverse automatic differentiation, 1992, with two levels).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.autodiff.values import write_region
from runtime.default_graph import building
from runtime.dispatch import apply, as_value
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, Parts
from runtime.ops.control import reduce
from runtime.ops.elementwise import to_int
from runtime.ops.indexing import index
from runtime.spec import WEAK_SPECS, join_specs
from runtime.tensor import Symbol

INT = WEAK_SPECS[int]


def can_be_chunked(loop: Loop) -> bool:
    """Tell whether a loop counts forward, and stacks nothing."""
    return loop.test is None and not loop.stacked and not loop.reverse and loop.until is None


def in_chunks(builder: Builder, loop: Loop, inputs: Sequence[Value]) -> Node:
    """Return the loop over chunks that a loop is; what its operands need is written.

    Args:
        builder: where it is written.
        loop: counts forward, and stacks nothing.
        inputs: its operands; those of the loop over chunks are a number of chunks, those after the
            first of these, and two more.
    """
    with building(builder):
        count: Any = Symbol(builder, inputs[0])
        size = apply(to_int, (np.sqrt(np.maximum(count, 1)),)) + 1
        chunks = (count + size - 1) // size
        operands = [as_value(builder, x) for x in (chunks, count, size)]
    given = (operands[0], *inputs[1:], *operands[1:])
    body = _chunk(builder, loop, [x.spec for x in operands])
    results = tuple(Value(x.param.spec) for x in loop.carried)
    attrs = _attrs(loop)
    return Node(reduce, given, attrs, (body,), results, loop.node.location)


def _attrs(loop: Loop) -> dict[str, Any]:
    label = loop.node.attrs.get("label")
    return reduce.attributes({"carry": len(loop.carried), "sequences": 0, "label": label})


def _chunk(outer: Builder, loop: Loop, specs: Sequence[Any]) -> Graph:
    """Return the rounds of one chunk."""
    builder, own = Builder(beside=outer), loop.params
    builder.reserve(loop.body)
    wholes = [x.spec for x in loop.operands.sequences]
    number = builder.param(INT)
    kinds = (join_specs(x.param.spec, x.next.spec) or x.param.spec for x in loop.carried)
    carried = [builder.param(x) for x in kinds]  # the sizes of rounds have names in them only
    sequences = [builder.param(x) for x in wholes]
    captured = [builder.param(x.spec, x.name) for x in own.captured]
    count, size = (builder.param(x) for x in specs[1:])
    with building(builder):
        first: Any = Symbol(builder, number)
        most: Any = Symbol(builder, size)
        start = first * most
        rest = np.minimum(Symbol(builder, count) - start, most)
        operands = [as_value(builder, x) for x in (apply(to_int, (rest,)), start)]
    given = [operands[0], *carried, *sequences, *captured, operands[1]]
    found = builder.emit(reduce, given, _attrs(loop), [_round(builder, loop)], loop.node.location)
    return builder.seal([number, *carried, *sequences, *captured, count, size], found)


def _round(outer: Builder, loop: Loop) -> Graph:
    """Return a round of a chunk, which takes its elements from whole sequences."""
    builder, own = Builder(beside=outer), loop.params
    builder.reserve(loop.body)
    number = builder.param(INT)
    carried = [builder.param(x.spec, x.name) for x in own.carried]
    sequences = [builder.param(x.spec) for x in loop.operands.sequences]
    captured = [builder.param(x.spec, x.name) for x in own.captured]
    start = builder.param(INT)
    with building(builder):
        place: Any = Symbol(builder, start)
        here = as_value(builder, place + Symbol(builder, number))
    elements = [builder.emit(index, [x, here], {"key": "?"})[0] for x in sequences]
    parts = Parts((here,), tuple(carried), tuple(elements), tuple(captured))
    found = write_region(builder, loop.body, [*parts])
    return builder.seal([number, *carried, *sequences, *captured, start], found)
