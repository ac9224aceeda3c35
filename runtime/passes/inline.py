"""What only derivatives ask for is gone once they are taken: what it stands for is in its place."""

from __future__ import annotations

from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import Form
from runtime.ops.effects import done
from runtime.passes.log import Log
from runtime.passes.rewriter import in_regions, with_inputs, with_nodes


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
            first = node.regions[0]
            env.update(zip(first.params, node.inputs, strict=True))
            nodes += [with_inputs(x, env) for x in first.nodes]
            results = (env.get(x, x) for x in first.results)
            env.update(zip(node.results, results, strict=True))
        return with_nodes(region, nodes, [env.get(x, x) for x in region.results])

    return in_regions(inlined)(graph)
