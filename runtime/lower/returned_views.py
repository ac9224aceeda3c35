"""Which views of a graph a kernel may return as arrays of their own.

Comes in: a graph. Goes out: results that are made by views, and yet no array that the caller knows:
NumPy copies what it cannot look at in another shape, and what nobody else has is nobody's view.
"""

from __future__ import annotations

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.ops.creation import constant


def known_outside(graph: Graph) -> set[Value]:
    """Return the results that may share memory with what is known outside of a graph."""
    makers = {x: node for node in graph.nodes for x in node.results}
    found = {x: _chain(makers, x) for x in graph.results}
    bases = [nodes[0].inputs[0] if nodes else x for x, nodes in found.items()]
    return {
        x
        for x, nodes in found.items()
        if nodes and not _is_own(nodes, makers.get(nodes[0].inputs[0]), bases)
    }


def _chain(makers: dict[Value, Node], value: Value) -> list[Node]:
    """Return the views that a value is made by, from the array that they are of."""
    found = list[Node]()
    while value in makers and makers[value].op.view is not None:
        found.insert(0, makers[value])
        value = found[0].inputs[0]
    return found


def _is_own(nodes: list[Node], maker: Node | None, bases: list[Value]) -> bool:
    """Tell whether views give an array that is nobody else's; as NumPy does, so it is asked."""
    base = nodes[0].inputs[0]
    if any(len(x.inputs) != 1 for x in nodes) or not base.spec.shape or not base.spec.is_static:
        return False
    array = memory = np.empty(
        [int(n) for n in base.spec.shape if isinstance(n, int)], base.spec.dtype
    )
    for node in nodes:
        array = node.op.kernel(np, array, **node.attrs)
    is_new = maker is not None and maker.op is not constant and not maker.regions
    is_alone = is_new and bases.count(base) == 1
    is_copy = array.size > 0 and not np.may_share_memory(array, memory)
    is_in_rows = array.strides == np.empty(array.shape, array.dtype).strides
    return is_in_rows and array.flags.writeable and (is_copy or is_alone)
