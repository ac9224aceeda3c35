"""Which nodes may raise when the graph runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from runtime.floating_errors import reporting_of
from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import possible_errors
from runtime.graph.walk import walk
from runtime.passes.rewriter import known_values

_NOTHING: Mapping[Value, Any] = MappingProxyType({})


def may_fail(node: Node, known: Mapping[Value, Any] = _NOTHING) -> bool:
    """Tell whether a node may raise when the graph runs.

    Args:
        node: with regions, or without.
        known: the values of constants around it.
    """
    if node.regions:
        return raises_what_it_warns_of(node) or any(map(_region_may_fail, node.regions))
    values = (*node.inputs, *node.results)
    if node.inputs and node.op.is_pure and not all(x.spec.is_static for x in values):
        return True
    places = {k: known[x] for k, x in enumerate(node.inputs) if x in known}
    specs = [value.spec for value in node.inputs]
    return bool(possible_errors(node.op, specs, node.attrs, places))


def raises_what_it_warns_of(node: Node) -> bool:
    """Tell whether floating point errors in the regions of a node are raised."""
    is_raised = reporting_of(node.attrs).raises
    return is_raised and any(x.op.warns for region in node.regions for x in walk(region))


def _region_may_fail(region: Graph) -> bool:
    known = known_values(region)
    return any(may_fail(node, known) for node in region.nodes)
