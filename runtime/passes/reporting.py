"""Loops and branches in which all operations report floating point errors in one way, report so.

While tracing, each operation under `np.errstate` becomes a region of its own. A loop of such
regions would enter a context in each round, and could be no kernel; here the context goes around
the loop. Neighbours come together as branches on one condition do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runtime.floating_errors import USUAL, Reporting, reporting_of
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import as_branch
from runtime.graph.traits import Form
from runtime.ops.control import switch
from runtime.ops.creation import constant
from runtime.passes.log import Log
from runtime.passes.rewriter import (
    changed,
    each_graph,
    node_of,
    put_in_place,
    rewritten,
    with_nodes,
)


@each_graph
def report_together(graph: Graph, log: Log) -> Graph:
    """Return the graph with what loops and branches report in one way said of them."""
    nodes: list[Node] = []
    for node in graph.nodes:
        reporting = _common(node)
        if reporting == USUAL:
            nodes.append(node)
        else:
            log.did(f"gathered {node.op.name}")
            nodes += _around(node, reporting)
    return with_nodes(graph, nodes)


def _common(node: Node) -> Reporting:
    """Return in which way all that a node has in its regions reports errors; else the usual one."""
    if not node.regions or node.op.form is Form.CALL or reporting_of(node.attrs) != USUAL:
        return USUAL
    found = set(_ways(node))
    return found.pop() if len(found) == 1 else USUAL


def _ways(node: Node) -> Iterator[Reporting]:
    """Yield the ways in which what is in the regions of a node reports errors."""
    for region in node.regions:
        for inner in region.nodes:
            reporting = reporting_of(inner.attrs)
            if reporting != USUAL:
                yield reporting if inner.op is switch else USUAL
            elif inner.regions:
                yield from _ways(inner)
            elif inner.op.warns and not all(x.spec.weak for x in inner.inputs):
                yield USUAL


def _around(node: Node, reporting: Reporting) -> list[Node]:
    """Return a region that reports so, with a node in it whose own regions say nothing of that."""
    params = [Value(x.spec, x.name) for x in node.inputs]
    bare = changed(_bare(node), inputs=params, results=[Value(x.spec) for x in node.results])
    region = Graph(tuple(params), (bare,), bare.results)
    zero = node_of(constant, (), {"value": 0}, node.location)
    inputs, attrs = (zero.result, *node.inputs), reporting._asdict()
    return [zero, Node(switch, inputs, attrs, (region,), node.results, node.location)]


def _bare(node: Node) -> Node:
    return changed(node, regions=[_inlined(x) for x in node.regions])


def _inlined(region: Graph) -> Graph:
    """Return a region with what reports errors in its own way put in its place."""

    def inlined(node: Node, nodes: list[Node]) -> Sequence[Value] | None:
        if reporting_of(node.attrs) != USUAL:
            return put_in_place(node.regions[0], as_branch(node).captured, nodes)
        nodes.append(_bare(node) if node.regions else node)
        return node.results

    return rewritten(region, inlined)
