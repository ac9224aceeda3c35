"""Constants of the graph around a region, which the region can make itself."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.builder import Builder
from runtime.graph.node import Node, Value


def constant_in(builder: Builder, value: Value) -> Node | None:
    """Return the node of a constant that a graph knows, made in it or around it."""
    around: Builder | None = builder
    while around is not None:
        node = next((x for x in around.nodes if value in x.results), None)
        if node is not None:
            return node if not node.inputs and node.op.effect is None else None
        value = next((x for x, own in around.captures.items() if own is value), value)
        around = around.parent
    return None


def define_constants(inside: Builder, but: Sequence[Value]) -> list[Value]:
    """Have a region make the constants itself that it uses from outside; return what else it uses.

    Tracing it makes some anew each time.
    """
    assert inside.parent is not None
    found = {x: constant_in(inside.parent, x) for x in inside.captured() if x not in but}
    inside.nodes[:0] = [
        Node(node.op, (), node.attrs, (), (inside.captures[x],), node.location)
        for x, node in found.items()
        if node is not None
    ]
    return [x for x, node in found.items() if node is None]
