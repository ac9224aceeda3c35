"""What has a region is its nodes: steps when a trace ends, and what only derivatives ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import Form
from runtime.graph.walk import walk
from runtime.ops.effects import done
from runtime.passes.log import Log
from runtime.passes.rewriter import (
    copied_region,
    each_graph,
    in_regions,
    put_in_place,
    renamed_sizes,
    rewritten,
)
from runtime.spec import Dim


@each_graph
def inline_custom(graph: Graph, log: Log) -> Graph:
    """Return the graph with what is computed in the place of `custom` and `done` nodes."""

    def inlined(node: Node, nodes: list[Node]) -> Sequence[Value] | None:
        if node.op is done:
            return node.inputs[: len(node.results)]
        if node.op.form not in (Form.CUSTOM, Form.STEP, Form.CHECKPOINT):
            return None
        log.did("inlined")
        return put_in_place(node.regions[0], node.inputs, nodes)

    return rewritten(graph, inlined)


def write_steps(graph: Graph, new_dim: Callable[[], Dim]) -> Graph:
    """Return the graph with a copy of its region in the place of each step."""
    if all(node.op.form is not Form.STEP for node in walk(graph)):
        return graph

    def written(node: Node, nodes: list[Node]) -> Sequence[Value] | None:
        if node.op.form is not Form.STEP:
            return None
        return put_in_place(written_out(node, new_dim), node.inputs, nodes)

    return in_regions(lambda region: rewritten(region, written))(graph)


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
