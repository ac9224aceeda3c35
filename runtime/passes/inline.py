"""What has a region is its nodes: steps when a trace ends, and what only derivatives ask for."""

from __future__ import annotations

from collections.abc import Callable

from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import Form
from runtime.graph.walk import walk
from runtime.ops.control import step
from runtime.ops.effects import done
from runtime.passes.log import Log
from runtime.passes.rewriter import (
    copied_region,
    in_regions,
    renamed_sizes,
    with_inputs,
    with_nodes,
)
from runtime.spec import Dim


def inline_custom(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph with what is computed in the place of `custom` and `done` nodes."""
    log = log or Log()

    def inlined(region: Graph) -> Graph:
        nodes: list[Node] = []
        env: dict[Value, Value] = {}
        for node in region.nodes:
            node = with_inputs(node, env)
            if node.op is done:
                env.update(zip(node.results, node.inputs, strict=False))
                continue
            if node.op.form not in (Form.CUSTOM, Form.INLINE):
                nodes.append(node)
                continue
            log.did("inlined")
            _inline(node, node.regions[0], nodes, env)
        return with_nodes(region, nodes, [env.get(x, x) for x in region.results])

    return in_regions(inlined)(graph)


def _inline(node: Node, first: Graph, nodes: list[Node], env: dict[Value, Value]) -> None:
    env.update(zip(first.params, node.inputs, strict=True))
    nodes += [with_inputs(x, env) for x in first.nodes]
    results = (env.get(x, x) for x in first.results)
    env.update(zip(node.results, results, strict=True))


def write_steps(graph: Graph, new_dim: Callable[[], Dim]) -> Graph:
    """Return the graph with a copy of its region in the place of each step."""
    if all(node.op is not step for node in walk(graph)):
        return graph

    def written(region: Graph) -> Graph:
        nodes: list[Node] = []
        env: dict[Value, Value] = {}
        for node in region.nodes:
            node = with_inputs(node, env)
            if node.op is step:
                _inline(node, written_out(node, new_dim), nodes, env)
            else:
                nodes.append(node)
        return with_nodes(region, nodes, [env.get(x, x) for x in region.results])

    return in_regions(written)(graph)


def written_out(node: Node, new_dim: Callable[[], Dim]) -> Graph:
    """Return the region of a step with sizes of its own, and as one of the line of the step."""
    (region,), known = node.regions, dict[Dim, int | Dim]()
    inner, outer = (*region.params, *region.results), (*node.inputs, *node.results)
    for x, own in zip(inner, outer, strict=True):
        known.update(sizes_of(x, own))
    parts = [region, *(x for each in walk(region) for x in each.regions)]
    values = [x for part in parts for x in part.params]
    values += [x for each in walk(region) for x in each.results]
    for n in (n for x in values for n in x.spec.shape or () if isinstance(n, Dim)):
        if n not in known:
            known[n] = new_dim()
    return copied_region(renamed_sizes(region, known), node.location)


def sizes_of(x: Value, own: Value) -> dict[Dim, int | Dim]:
    """Return what the unknown sizes of a value are in one that stands for it."""
    pairs = zip(x.spec.shape or (), own.spec.shape or (), strict=True)
    return {n: m for n, m in pairs if isinstance(n, Dim)}
