"""Removing `keep` nodes that nobody needs: the caller stores what variables hold at the end.

What was assigned before an op that fails is to be seen. So a `keep` stays when something that may
fail follows, before the next one of its variable or before the graph ends. One that comes after
another that stays does so, too: else what the variable was lent could be written meanwhile.

Those that stay wait until something may fail, so that what is computed meanwhile can be one kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import is_loop
from runtime.graph.walk import walk
from runtime.ops.effects import keep
from runtime.passes.log import Log
from runtime.passes.may_fail import may_fail
from runtime.passes.rewriter import changed, known_values, with_nodes


def remove_needless_keeps(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph without the `keep` nodes that nobody needs."""
    return _removed(graph, False, log or Log()) if _numbers(graph.nodes) else graph


def _removed(graph: Graph, fails_after: bool, log: Log) -> Graph:
    """Remove them from a graph, or a region after whose end something may fail."""
    needed = _needed(graph, fails_after)
    kept: set[int] = set()
    held: dict[int, Value] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        if node.op is keep:
            number = node.attrs["variable"]
            if number not in kept and node not in needed:
                log.did("removed keep")
                if len(node.inputs) > 1:
                    held.setdefault(number, node.inputs[1])
                continue
            node = _protecting(node, held.pop(number, None))
        elif node.regions:
            node = changed(node, regions=[_removed(x, _fails_in(node), log) for x in node.regions])
        kept |= _numbers([node])
        nodes.append(node)
    return with_nodes(graph, _late(nodes, known_values(graph)))


def _late(nodes: Iterable[Node], known: Mapping[Value, Any]) -> list[Node]:
    """Return nodes with each `keep` just before the next one that may fail or has an effect."""
    found: list[Node] = []
    waiting: list[Node] = []
    for node in nodes:
        if node.op is keep:
            waiting.append(node)
            continue
        if waiting and (node.regions or not node.op.is_pure or may_fail(node, known)):
            found += waiting
            waiting = []
        found.append(node)
    return [*found, *waiting]


def _protecting(node: Node, held: Value | None) -> Node:
    """Return a `keep` until which nobody may write into what was held before removed ones."""
    if held is None or len(node.inputs) == 1:
        return node
    return changed(node, inputs=(node.inputs[0], held))


def _needed(graph: Graph, fails_after: bool) -> set[Node]:
    """Return the nodes after which something may fail before the next one of their variable."""
    found: set[Node] = set()
    safe: set[int] = set()
    known = known_values(graph)
    for node in reversed(graph.nodes):
        if node.op is keep:
            if fails_after and node.attrs["variable"] not in safe:
                found.add(node)
            safe.add(node.attrs["variable"])
        elif may_fail(node, known):
            fails_after = True
            safe.clear()
    return found


def _numbers(nodes: Iterable[Node]) -> set[int]:
    """Return the variables that nodes keep, or nodes in their regions."""
    return {x.attrs["variable"] for x in walk(Graph((), tuple(nodes), ())) if x.op is keep}


def _fails_in(node: Node) -> bool:
    """Tell whether something may fail after a round of a loop, in the next one."""
    return is_loop(node) and may_fail(node)
