"""Parts of arrays that are written twice are written once.

`x[i] += y` of Python writes into the view `x[i]`, which `x` has then, and then assigns the view to
`x[i]`, which changes nothing. `x[:] = y` of an argument makes no copy of it, which would be copied
into it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import has_loop
from runtime.graph.traits import Subscript
from runtime.ops.creation import constant
from runtime.passes.log import Log
from runtime.passes.rewriter import changed, each_graph, with_inputs, with_nodes


@each_graph
def write_once(graph: Graph, log: Log) -> Graph:
    """Return the graph without writes of what is there already."""
    makers: dict[Value, Node] = {}
    env: dict[Value, Value] = {}
    nodes: list[Node] = []
    followed: set[Node] = set()
    for node in graph.nodes:
        node = with_inputs(node, env)
        if node.op.subscript is Subscript.WRITE:
            part = makers.get(node.inputs[1])
            found = _of_what_is_written(node, part, makers)
            if part is not None and found is not node and part is nodes[-1]:
                followed.add(part)
            node = found
            before = makers.get(node.inputs[0])
            if before is not None and _is_same(before, node):
                log.did("wrote once")
                env[node.result] = before.result
                continue
        nodes.append(node)
        makers.update(dict.fromkeys(node.results, node))
    results = [env.get(x, x) for x in graph.results]
    used = {*results, *(x for node in nodes for x in node.inputs)}
    kept = [x for x in nodes if x not in followed or x.result in used]
    return with_nodes(graph, kept, results)


def _is_same(before: Node, node: Node) -> bool:
    """Tell whether a node writes what the one before wrote, where it did."""
    return (before.op, before.attrs, before.inputs[1:]) == (node.op, node.attrs, node.inputs[1:])


def _of_what_is_written(node: Node, part: Node | None, makers: Mapping[Value, Node]) -> Node:
    """Return a write of a part, all of which was written before, as one of what that was given.

    The same value does not fit both times, or neither time.
    """
    array, _, *parts = node.inputs
    if part is None or part.op.subscript is not Subscript.WRITE or part.attrs["key"] != "...":
        return node
    view, value = part.inputs
    read = makers.get(view)
    if read is None or read.op.subscript is not Subscript.READ or read.attrs != node.attrs:
        return node
    is_there = [*read.inputs[1:]] == parts and read.inputs[0].spec == array.spec
    return changed(node, inputs=(array, value, *parts)) if is_there else node


def writing_once(graph: Graph, places: Sequence[int]) -> Graph:
    """Return the graph with what is copied into arguments, in place of new arrays that have it.

    Args:
        graph: of loops one kernel may write the arguments themselves, so these stay.
        places: the numbers of the results that are copied into arguments.
    """
    makers = {x: node for node in graph.nodes for x in node.results}
    results = [*graph.results]
    if not any(map(has_loop, graph.nodes)):
        for k in places:
            node = makers.get(results[k])
            if node is not None and node.op.subscript is Subscript.WRITE and _is_all(node):
                value = node.inputs[1]
                results[k] = value if _is_new(value, makers) else results[k]
    return with_nodes(graph, graph.nodes, results)


def _is_all(node: Node) -> bool:
    """Tell whether a node writes all of an array, with one that is like it."""
    old, new = (x.spec for x in node.inputs[:2])
    is_known = all(isinstance(n, int) for n in new.shape or (None,))
    is_all = {*node.attrs["key"].split(", ")} <= {":", "..."}
    return is_all and is_known and old == new


def _is_new(value: Value, makers: Mapping[Value, Node]) -> bool:
    """Tell whether an array, or what it is a view of, is made by the graph."""
    node = makers.get(value)
    while node is not None and node.op.view is not None:
        node = makers.get(node.inputs[0]) if node.inputs else None
    own = node is not None and not node.regions and node.op.effect is None
    return own and node is not None and node.op is not constant
