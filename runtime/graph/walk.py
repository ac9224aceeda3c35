"""Going through a graph: uses, effects, and rebuilding with replacements."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.graph.node import Graph, Node


def walk(graph: Graph) -> Iterator[Node]:
    """Yield every node, those of regions before the node that has them."""
    todo: list[tuple[Node, bool]] = [(node, False) for node in reversed(graph.nodes)]
    while todo:
        node, is_open = todo.pop()
        if is_open or not node.regions:
            yield node
            continue
        todo.append((node, True))
        for region in reversed(node.regions):
            todo.extend((inner, False) for inner in reversed(region.nodes))


def effects(node: Node) -> frozenset[str]:
    """Return the effects of a node, those of its regions included."""
    own = {node.op.effect} if node.op.effect else set()
    for region in node.regions:
        own.update(x.op.effect for x in walk(region) if x.op.effect)
    return frozenset(own)


def count_nodes(graph: Graph) -> int:
    """Return the number of nodes, those of regions included."""
    return sum(1 for _ in walk(graph))
