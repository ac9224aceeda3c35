"""Loop-invariant code motion: what every round of a loop would compute alike is computed before it.

A loop may have no rounds, and then the program does not compute what stands in it. So only such ops
leave a loop of unknown length as neither raise nor warn whatever they are given, and are cheap:
views that cannot fail, and elementwise ops that are defined for all numbers. From a loop that is
known to have a round, that no check can leave and that keeps nothing, everything without an effect
leaves: the round would compute it anyway. (Which of two errors comes first may change.)
"""

from __future__ import annotations

from collections.abc import Container, Set

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, fixed_params, is_loop
from runtime.graph.walk import effects
from runtime.ops.creation import constant
from runtime.passes.fold import has_round
from runtime.passes.log import Log
from runtime.passes.may_fail import may_fail
from runtime.passes.rewriter import (
    changed,
    each_graph,
    known_values,
    with_inputs,
    with_nodes,
)

ORDERED = frozenset({"check", "state"})
"""Effects that an error of another op must not come before."""


@each_graph
def hoist_invariants(graph: Graph, log: Log) -> Graph:
    """Return the graph with invariant nodes moved out of loops, as far out as they can go."""
    if not any(node.regions for node in graph.nodes):
        return graph
    known = known_values(graph)
    nodes: list[Node] = []
    for node in graph.nodes:
        if is_loop(node):
            moved, node = _split(node, _why_not(node, known), log)
            nodes += moved
        nodes.append(node)
    return with_nodes(graph, nodes)


def _why_not(node: Node, known: dict[Value, object]) -> str | None:
    """Return why what may fail must not leave a loop; None when it may."""
    if not effects(node).isdisjoint(ORDERED):
        return "it may raise or warn, and a check in the loop may come before it"
    if not has_round(node, known):
        return "it may raise or warn, or costs much, and the loop may have no round"
    return None


def _split(loop: Node, why_not: str | None, log: Log) -> tuple[list[Node], Node]:
    """Return what leaves a loop, and the loop; `why_not` tells why some ops have to stay."""
    body = loop.regions[-1]
    outer = {param: operand for region, param, operand in fixed_params(loop) if region is body}
    constants = {node.result: node for node in body.nodes if node.op is constant}
    leaving: list[Node] = []
    moved: list[Node] = []
    for node in body.nodes:
        if not _is_invariant(node, outer, constants):
            continue
        if why_not is not None and not _is_total(node):
            log.left(node, "moved", why_not)
        else:
            copies = [_copied(constants[x]) for x in node.inputs if x not in outer]
            wanted = [x for x in node.inputs if x not in outer]
            outer.update(zip(wanted, (copy.result for copy in copies), strict=True))
            leaving.append(node)
            moved += [*copies, with_inputs(node, outer)]
            outer.update((value, value) for value in node.results)
    if leaving:
        log.did("moved out", len(leaving))
    return (moved, _without(loop, set(leaving))) if leaving else ([], loop)


def _copied(node: Node) -> Node:
    return changed(node, results=[_like(node.result)])


def _is_invariant(node: Node, outer: Container[Value], constants: Container[Value]) -> bool:
    """Tell whether every round computes a node alike."""
    if node.regions or node.op.effect is not None or node.op is constant:
        return False
    return all(value in outer or value in constants for value in node.inputs)


def _is_total(node: Node) -> bool:
    """Tell whether a node neither raises nor warns, and takes next to no time."""
    op = node.op
    if op.warns or may_fail(node) or any(x.spec.weak for x in node.inputs):
        return False
    return op.view == "always" or (op.ufunc is not None and not node.attrs)


def _without(loop: Node, left: Set[Node]) -> Node:
    """Return a loop without nodes that moved out; it takes their results from outside."""
    body = loop.regions[-1]
    used = set(body.results)
    used.update(value for node in body.nodes if node not in left for value in node.inputs)
    captured = [value for node in body.nodes if node in left for value in node.results]
    captured = [value for value in captured if value in used]
    inner = {value: _like(value) for value in captured}
    nodes = tuple(with_inputs(node, inner) for node in body.nodes if node not in left)
    results = tuple(inner.get(value, value) for value in body.results)
    region = Graph(body.params, nodes, results)
    return Loop(loop).capturing(captured, tuple(inner.values()), region)


def _like(value: Value) -> Value:
    return Value(value.spec, value.name)
