"""Small rows that the rounds of a loop give are written into an array that the loop carries.

A loop that writes into arrays is machine code; one that stacks what its rounds give is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, attrs_for, loop_of
from runtime.ops.creation import constant, filled, full
from runtime.ops.indexing import update
from runtime.ops.movement import dim
from runtime.ops.ufuncs import maximum
from runtime.passes.log import Log
from runtime.passes.rewriter import changed, each_graph, node_of, with_nodes
from runtime.spec import WEAK_SPECS

MOST = 1024
"""How many elements a row has: calls cost less than the work on more."""


@each_graph
def write_rows(graph: Graph, log: Log) -> Graph:
    """Return the graph with loops that write the small rows of their rounds into arrays."""
    nodes: list[Node] = []
    for node in graph.nodes:
        loop = loop_of(node)
        rows = [] if loop is None else [k for k, x in enumerate(loop.stacked) if _is_small(x[0])]
        if loop is not None and rows:
            log.did("rows written", len(rows))
            node = _with_arrays(loop, rows, nodes)
        nodes.append(node)
    return with_nodes(graph, nodes)


def _is_small(row: Value) -> bool:
    sizes = [n for n in row.spec.shape or () if isinstance(n, int)]
    return row.spec.is_static and math.prod(sizes) <= MOST and row.spec.dtype.kind in "biufc"


def _with_arrays(loop: Loop, rows: Sequence[int], nodes: list[Node]) -> Node:
    """Return a loop that carries arrays for some of its rows; what makes these is appended."""
    location, layout, body = loop.node.location, loop.layout, loop.body
    outputs = [loop.stacked[k][1] for k in rows]
    size = None if outputs[0].spec.is_static else _size(loop, nodes)
    arrays = [_empty(loop, x, size, nodes) for x in outputs]
    params = [Value(x.spec) for x in outputs]
    writes = [
        Node(
            update,
            (param, loop.stacked[k][0], _number(loop)),
            {"key": "?"},
            (),
            (Value(param.spec),),
            location,
        )
        for k, param in zip(rows, params, strict=True)
    ]
    inner = replace(loop.params, carried=(*loop.params.carried, *params))
    given = replace(loop.operands, carried=(*loop.operands.carried, *arrays))
    after, other = layout.outputs(body.results)
    final, stacked = layout.outputs(loop.node.results)
    kept = [k for k in range(len(other)) if k not in rows]
    results = (*after, *(x.result for x in writes), *(other[k] for k in kept))
    return changed(
        loop.node,
        inputs=[*given],
        regions=[Graph((*inner,), (*body.nodes, *writes), results)],
        results=[*final, *outputs, *(stacked[k] for k in kept)],
        attrs=attrs_for(loop.node, given),
    )


def _number(loop: Loop) -> Value:
    assert loop.number is not None
    return loop.number


def _size(loop: Loop, nodes: list[Node]) -> Value:
    """Append what says how many rounds a loop has."""
    location = loop.node.location
    if loop.operands.sequences:
        nodes.append(node_of(dim, loop.operands.sequences[:1], {"axis": 0}, location))
        return nodes[-1].result
    assert loop.count is not None
    nodes.append(Node(constant, (), {"value": 0}, (), (Value(WEAK_SPECS[int]),), location))
    nodes.append(node_of(maximum, [loop.count, nodes[-1].result], {}, location))
    return nodes[-1].result


def _empty(loop: Loop, like: Value, size: Value | None, nodes: list[Node]) -> Value:
    """Append what makes the array that takes the rows of a loop."""
    location, dtype = loop.node.location, like.spec.dtype
    if size is None:
        attrs = {"value": dtype.type(0), "shape": like.spec.shape}
        nodes.append(Node(filled, (), attrs, (), (Value(like.spec),), location))
        return nodes[-1].result
    zero = np.zeros((), dtype)[()]
    nodes.append(node_of(constant, (), {"value": zero}, location))
    attrs = full.attributes({"shape": (None, *(like.spec.shape or ())[1:])})
    nodes.append(Node(full, (nodes[-1].result, size), attrs, (), (Value(like.spec),), location))
    return nodes[-1].result
