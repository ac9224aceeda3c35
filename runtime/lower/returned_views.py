"""Which views of a graph a kernel may return as arrays of their own.

Comes in: a graph. Goes out: results that are made by views, and yet no array that the caller knows:
NumPy copies what it cannot look at in another shape, and what nobody else has is nobody's view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import loop_of
from runtime.ops.creation import constant

Makers: TypeAlias = Mapping[Value, Node]


def known_outside(graph: Graph) -> set[Value]:
    """Return the results that may share memory with what is known outside of a graph."""
    makers = _makers(graph)
    found = {x: _chain(makers, x) for x in graph.results}
    bases = [nodes[0].inputs[0] if nodes else x for x, nodes in found.items()]
    return {x for x, nodes in found.items() if nodes and not _is_own(nodes, makers, bases)}


def _chain(makers: Makers, value: Value) -> list[Node]:
    """Return the views that a value is made by, from the array that they are of."""
    found = list[Node]()
    while value in makers and makers[value].op.view is not None:
        found.insert(0, makers[value])
        value = found[0].inputs[0]
    return found


def _is_own(nodes: list[Node], makers: Makers, bases: list[Value]) -> bool:
    """Tell whether views give an array that is nobody else's; as NumPy does, so it is asked."""
    base = nodes[0].inputs[0]
    if any(len(x.inputs) != 1 for x in nodes) or not base.spec.shape or not base.spec.is_static:
        return False
    array = memory = np.empty(
        [int(n) for n in base.spec.shape if isinstance(n, int)], base.spec.dtype
    )
    for node in nodes:
        array = node.op.kernel(np, array, **node.attrs)
    is_alone = bases.count(base) == 1 and _is_new(base, makers, bases)
    is_copy = array.size > 0 and not np.may_share_memory(array, memory)
    is_in_rows = array.strides == np.empty(array.shape, array.dtype).strides
    return is_in_rows and array.flags.writeable and (is_copy or is_alone)


def _is_new(value: Value, makers: Makers, results: Sequence[Value]) -> bool:
    """Tell whether an array was made, and is no other result; of a loop, whatever its rounds are.

    Args:
        value: the array.
        makers: the nodes that made what there is.
        results: of the graph.
    """
    maker = makers.get(value)
    if maker is None or maker.op is constant:
        return False
    if not maker.regions:
        return maker.op.view is None or _is_new(maker.inputs[0], makers, results)
    loop = loop_of(maker)
    if loop is None or sum(x in maker.results and bool(x.spec.rank) for x in results) > 1:
        return False
    state = next((x for x in loop.carried if x.final is value), None)
    if state is None or not _is_new(state.initial, makers, ()):
        return False
    return state.next is state.param or _is_new(state.next, _makers(loop.body), ())


def _makers(graph: Graph) -> Makers:
    """Return the nodes of a graph by their results."""
    return {x: node for node in graph.nodes for x in node.results}
