"""Which nodes may raise when the graph runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import possible_errors
from runtime.passes.rewriter import known_values

_NOTHING: Mapping[Value, Any] = MappingProxyType({})


def may_fail(node: Node, known: Mapping[Value, Any] = _NOTHING) -> bool:
    """Tell whether a node may raise when the graph runs.

    Args:
        node: with regions, or without.
        known: the values of constants around it.
    """
    if node.regions:
        return any(_region_may_fail(region) for region in node.regions)
    values = (*node.inputs, *node.results)
    if node.inputs and node.op.is_pure and not all(x.spec.is_static for x in values):
        return True
    places = {k: known[x] for k, x in enumerate(node.inputs) if x in known}
    specs = [value.spec for value in node.inputs]
    return bool(possible_errors(node.op, specs, node.attrs, places))


def _region_may_fail(region: Graph) -> bool:
    known = known_values(region)
    return any(may_fail(node, known) for node in region.nodes)
