"""How long the values of a graph are used.

Comes in: a graph or region. Goes out: the number of the node that uses a value last.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from runtime.graph.node import Graph, Node, Value


@dataclass(slots=True)
class Level:
    """A graph that is being gone through.

    Args:
        count: of its nodes.
        death: the last use of its values.
        until: of each class, the last use of a value that exists by now.
        node: the node with regions, and
        index: its place, that is being gone into.
    """

    count: int
    death: dict[Value, int]
    until: dict[Value, int] = field(default_factory=dict)
    node: Node | None = None
    index: int = -1

    def is_left(self, value: Value) -> bool:
        """Tell whether a value is a result of the graph."""
        return self.death.get(value) == self.count


def deaths(graph: Graph) -> dict[Value, int]:
    """Return the numbers of the nodes of a graph that use its values last; its end uses results."""
    death: dict[Value, int] = {}
    for index, node in enumerate(graph.nodes):
        death.update(dict.fromkeys(node.inputs, index))
    death.update(dict.fromkeys(graph.results, len(graph.nodes)))
    return death
