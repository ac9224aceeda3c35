"""Loops make views with gaps themselves, as kernels of loops take arrays without gaps only.

Comes in: a graph. Goes out: the same graph, in which loops over elements take what such views are
of. Columns that left a loop as its invariants come back: without them no call of the loop's kernel
was served.
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, fixed_params, is_loop
from runtime.graph.traits import Subscript
from runtime.lower.write_targets import renewed_arrays
from runtime.ops.keys import read_key
from runtime.passes.dce import remove_unused
from runtime.passes.rewriter import changed, with_inputs, with_nodes


def with_loop_views(graph: Graph) -> Graph:
    """Return a graph in which loops over elements make the views with gaps that they read."""
    found = _with_loop_views(graph)
    return graph if found is graph else remove_unused(found)


def _with_loop_views(graph: Graph) -> Graph:
    """Outer loops come first: what one has taken is taken by those in it."""
    makers = {x.result: x for x in graph.nodes if x.op.view == "always" and has_gaps(x)}
    nodes = [_taking_views(x, makers) if makers else x for x in graph.nodes]
    nodes = [
        changed(x, regions=[*map(_with_loop_views, x.regions)]) if x.regions else x for x in nodes
    ]
    is_same = all(x is y for x, y in zip(nodes, graph.nodes, strict=True))
    return graph if is_same else with_nodes(graph, nodes)


def has_gaps(view: Node) -> bool:
    """Tell whether the elements of a view of an array without gaps have gaps, or another order."""
    if view.op.subscript is not Subscript.READ:
        return True
    is_behind = False
    for item in (x for x in read_key(view.attrs["key"]) if x is not None):
        is_whole = item is ... or item == slice(None)
        is_spaced = isinstance(item, slice) and item.step not in (None, 1)
        if is_spaced or (is_behind and not is_whole):
            return True
        is_behind = is_behind or is_whole or isinstance(item, slice)
    return False


def _taking_views(node: Node, makers: Mapping[Value, Node]) -> Node:
    """Return a loop that makes views of what it captures; kernels over whole arrays take views."""
    if not is_loop(node) or renewed_arrays(node):
        return node
    body = node.regions[-1]
    fixed = (x for x in fixed_params(node) if x[0] is body and x[2] in makers)
    read = {param: operand for _, param, operand in fixed if _is_read(param, body)}
    if not read:
        return node
    sources, views = dict[Value, Value](), dict[Value, Node]()

    def inside(value: Value) -> Value:
        """Return what stands for a value: what a view is of may be a view, too."""
        if value not in makers:
            return sources.setdefault(value, Value(value.spec, value.name))
        if value not in views:
            made, inputs = Value(value.spec, value.name), [*map(inside, makers[value].inputs)]
            views[value] = changed(makers[value], inputs=inputs, results=[made])
        return views[value].result

    env = {param: inside(operand) for param, operand in read.items()}
    nodes = (*views.values(), *(with_inputs(x, env) for x in body.nodes))
    results = tuple(env.get(x, x) for x in body.results)
    more, own = tuple(sources), tuple(sources.values())
    return Loop(node).capturing(more, own, Graph(body.params, nodes, results))


def _is_read(value: Value, region: Graph) -> bool:
    return value in region.results or any(value in x.inputs for x in region.nodes)
