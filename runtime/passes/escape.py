"""Which arrays of a graph may leave it, as results or as the memory of results.

A caller may write into what it gets, so an array that leaves must not become another one's memory:
`x * 1` is `x` for all who only read it, and an array of its own for who receives it.
"""

from __future__ import annotations

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import fixed_params, is_loop
from runtime.ops.effects import fail


def escaping(graph: Graph) -> set[Value]:
    """Return the values whose memory results of a graph or region may have."""
    found = {value for value in graph.results if value.spec.shape != ()}
    for node in reversed(graph.nodes):
        if node.regions:
            found.update(_through_regions(node))
        elif node.op is fail:
            found.update(node.inputs[1:])  # results of the handler may be these
        elif node.op.view is not None and node.inputs and node.result in found:
            found.add(node.inputs[0])
    return found


def _through_regions(node: Node) -> set[Value]:
    """Return the operands whose memory results of the regions of a node may have."""
    inner = {region: escaping(region) for region in node.regions}
    found = {x for region, param, x in fixed_params(node) if param in inner[region]}
    if is_loop(node):
        found.update(node.inputs)
    return {value for value in found if value.spec.shape != ()}
