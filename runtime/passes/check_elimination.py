"""Removing checks that cannot fail: of what is known to be true, or was found true before.

After `check(t)`, or a `fail(t)` that did not leave, `t` is true, in all that follows and in the
regions that capture it. Passes bring such checks about: equal tests become one value, and what is
tested in a loop that was unrolled is known.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import fixed_params
from runtime.ops.effects import check, fail
from runtime.passes.log import Log
from runtime.passes.rewriter import changed, known_values, with_nodes


def remove_passed_checks(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph without the checks that are known to pass."""
    return _removed(graph, frozenset(), log or Log())


def _removed(graph: Graph, outside: Set[Value], log: Log) -> Graph:
    """Remove checks from a graph, some of whose parameters were found true outside of it."""
    true = {*outside, *(x for x, value in known_values(graph).items() if _is_true(value))}
    nodes: list[Node] = []
    for node in graph.nodes:
        if node.op is check or node.op is fail:
            if node.inputs[0] in true:
                log.did(f"removed {node.op.name}")
                continue
            true.add(node.inputs[0])
        nodes.append(_in_regions(node, true, log) if node.regions else node)
    return with_nodes(graph, nodes)


def _in_regions(node: Node, true: Set[Value], log: Log) -> Node:
    inner: dict[Graph, set[Value]] = {region: set() for region in node.regions}
    for region, param, operand in fixed_params(node):
        if operand in true:
            inner[region].add(param)
    regions = [_removed(region, inner[region], log) for region in node.regions]
    return changed(node, regions=regions)


def _is_true(value: Any) -> bool:
    return np.size(value) == 1 and not isinstance(value, str) and bool(value)
