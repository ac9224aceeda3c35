"""Which arrays a loop only reads numbers of, at places that are the same for all elements.

Comes in: a loop. Goes out: places of its inputs.
"""

from __future__ import annotations

from runtime.graph.node import Graph, Node, Value
from runtime.ops.control import reduce
from runtime.ops.indexing import index


def whole_inputs(node: Node) -> frozenset[int]:
    """Return the places of the inputs of a loop that are read number by number."""
    first, carry = int(node.op is reduce), node.attrs["carry"]
    begin = first + carry
    rows = begin + node.attrs.get("sequences", 0)
    found = {k for k in range(begin, rows) if node.inputs[k].spec.rank == 1}
    for k in range(rows, len(node.inputs)):
        if node.inputs[k].spec.shape and all(_reads(x, x.params[k]) for x in node.regions):
            found.add(k)
    return frozenset(found)


def _reads(region: Graph, array: Value) -> bool:
    """Tell whether a region does nothing else with an array than to read numbers of it."""
    users = [x for x in region.nodes if array in x.inputs]
    return array not in region.results and all(
        x.op is index and x.result.spec.shape == () and array not in x.inputs[1:] for x in users
    )
