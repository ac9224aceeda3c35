"""Products of matrices leave loops: those of a known matrix with one row of an array after another.

    for t in count: ... x[t] @ w ...      becomes     p = x[:count] @ w
                                                      for t in count: ... p[t] ...

NumPy computes a stack of matrices one by one, by the same call for each, so the bits are those of
the loop; one call takes less time than many. Rows that are vectors stay: the product of a matrix
with a matrix adds in another order than that with a vector. So do products that would not stay in
the cache until they are used: reading them again costs more than the calls (docs/performance.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, fixed_params, loop_of
from runtime.graph.traits import Subscript
from runtime.graph.walk import effects
from runtime.ops.indexing import index
from runtime.ops.streams import DATASET
from runtime.passes.hoist import ORDERED
from runtime.passes.log import Log
from runtime.passes.rewriter import each_graph, node_of, with_nodes

MOST_BYTES = 1 << 20
"""So large may all products of a loop be at most."""


@each_graph
def hoist_products(graph: Graph, log: Log) -> Graph:
    """Return the graph with products of rows with a matrix computed before loops."""
    nodes: list[Node] = []
    for node in graph.nodes:
        loop = loop_of(node)
        if loop is not None and loop.count is not None and loop.count.spec != DATASET:
            node = _without_products(loop, loop.count, nodes, log)
        nodes.append(node)
    return with_nodes(graph, nodes)


def _without_products(loop: Loop, count: Value, nodes: list[Node], log: Log) -> Node:
    """Append the products of a loop of a number of rounds; return the loop, which reads them."""
    body = loop.body
    outer = {param: operand for _, param, operand in fixed_params(loop.node)}
    makers = {x.result: x for x in body.nodes if x.op.subscript is Subscript.READ}
    inner: list[Node] = []
    taken: list[Value] = []
    own: list[Value] = []
    for node in body.nodes:
        row = makers.get(node.inputs[0]) if node.op.product == "matrix" else None
        if row is None or not _is_row(row, loop, outer) or node.inputs[1] not in outer:
            inner.append(node)
            continue
        why = _why_not(loop.node, row, node)
        if why:
            log.left(node, "moved", why)
            inner.append(node)
            continue
        log.did("moved out")
        taken.append(_all(count, row, node, outer, nodes))
        own.append(Value(taken[-1].spec))
        inputs = (own[-1], *loop.params.head)
        inner.append(Node(index, inputs, row.attrs, (), node.results, row.location))
    if not taken:
        return loop.node
    return loop.capturing(taken, own, Graph(body.params, tuple(inner), body.results))


def _is_row(row: Node, loop: Loop, outer: Mapping[Value, Value]) -> bool:
    """Tell whether a node takes the row of the present round of what is known before the loop."""
    return row.attrs["key"] == "?" and row.inputs[1] is loop.number and row.inputs[0] in outer


def _why_not(loop: Node, row: Node, product: Node) -> str | None:
    """Return why a product has to stay in a loop, or None."""
    if not effects(loop).isdisjoint(ORDERED):
        return "it may warn, and a check in the loop may come before it"
    shapes = [x.spec.shape for x in (row.inputs[0], product.inputs[1], product.result)]
    if shapes[0] is None or len(shapes[0]) < 3 or shapes[1] is None or len(shapes[1]) != 2:
        return "rows that are vectors are multiplied in another order together"
    sizes = [n for n in (shapes[0][0], *(shapes[2] or ())) if isinstance(n, int)]
    if len(sizes) < 3:
        return "their size is not known"
    if math.prod(sizes) * product.result.spec.dtype.itemsize > MOST_BYTES:
        return f"all of them would take more than {MOST_BYTES >> 20} MB"
    return None


def _all(
    count: Value, row: Node, product: Node, outer: Mapping[Value, Value], nodes: list[Node]
) -> Value:
    """Append the product of all rows that the loop uses; return it."""
    x, w = outer[row.inputs[0]], outer[product.inputs[1]]
    part = node_of(index, (x, count), {"key": ":?"}, row.location)
    found = node_of(product.op, (part.result, w), product.attrs, product.location)
    nodes += [part, found]
    return found.result
