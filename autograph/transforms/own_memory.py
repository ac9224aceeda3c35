"""Cotangents that a caller gets: arrays of their own, which may be written.

The cotangent of `x` in `x * y` is `y` itself, that of a mean has one row that stands for all, and
those of `x` and `y` in `x + y` are one. Whoever writes `g *= rate` means no other array than `g`.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Value
from runtime.lower.alias import may_share
from runtime.ops.creation import constant
from runtime.ops.movement import broadcast_to, copy


def with_own_memory(
    builder: Builder, found: Sequence[Value], beside: Sequence[Value]
) -> list[Value]:
    """Return cotangents, copied where they may share memory with one another or with what is given.

    Args:
        builder: where they were written.
        found: the cotangents.
        beside: what the caller gets, too.
    """
    nodes = builder.nodes
    makers = {x: node for node in nodes for x in node.results if node.op is not constant}
    classes = may_share(Graph((), tuple(nodes), ()))
    given = [x for node in nodes for x in (*node.inputs, *node.results) if x not in makers]
    taken = {classes.find(x) for x in (*given, *beside)}
    made = []
    for value in found:
        node, root = makers.get(value), classes.find(value)
        is_own = node is not None and node.op is not broadcast_to and root not in taken
        taken.add(root)
        if not is_own and value.spec.shape != ():
            (value,) = builder.emit(copy, (value,), {"order": "K"})
        made.append(value)
    return made
