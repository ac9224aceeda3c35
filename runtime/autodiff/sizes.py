"""Sizes of arrays that are kept apart from the arrays.

What goes back often needs of an array only how large it was, of a list that grows in a loop for
example. Its sizes are then kept for each round, and the array is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import as_branch, is_branch
from runtime.ops.movement import dim
from runtime.passes.rewriter import node_of, with_inputs
from runtime.spec import WEAK_SPECS, Dim

Sizes: TypeAlias = Mapping[tuple[Value, int], Value]
"""The size of an array along an axis, by both."""


def unknown_axes(value: Value) -> list[int]:
    """Return the axes of an array along which its size is not known."""
    return [k for k, n in enumerate(value.spec.shape or ()) if isinstance(n, Dim)]


def with_sizes_of(region: Graph, params: Sequence[Value]) -> Graph:
    """Return a region that gives the unknown sizes of some of its parameters, too.

    They are asked first: afterwards an array may be written where it is, or be a longer one.
    """
    nodes = [node_of(dim, [x], {"axis": k}, None) for x in params for k in unknown_axes(x)]
    results = (*region.results, *(x.result for x in nodes))
    return replace(region, nodes=(*nodes, *region.nodes), results=results)


def with_known_sizes(region: Graph, sizes: Sizes) -> Graph:
    """Return a region that asks no array for sizes that are known."""
    if not sizes:
        return region
    env: dict[Value, Value] = {}
    nodes = []
    for node in region.nodes:
        node = with_inputs(node, env)
        known = _known(node, sizes)
        if known is not None:
            env[node.result] = known
        else:
            nodes.append(_branch_with(node, sizes) if is_branch(node) else node)
    results = tuple(env.get(x, x) for x in region.results)
    return Graph(region.params, tuple(nodes), results)


def _known(node: Node, sizes: Sizes) -> Value | None:
    if node.op is not dim:
        return None
    (array,) = node.inputs
    return sizes.get((array, node.attrs["axis"] % len(array.spec.shape or (0,))))


def _branch_with(node: Node, sizes: Sizes) -> Node:
    """Return a branch whose arms take the known sizes of what they capture."""
    captured = as_branch(node).captured
    asked = [(x, axis) for x, axis in sizes if x in captured]
    arms = []
    for arm in node.regions:
        own = dict(zip(captured, arm.params, strict=True))
        more = [Value(WEAK_SPECS[int]) for _ in asked]
        inner = {(own[x], axis): size for (x, axis), size in zip(asked, more, strict=True)}
        wider = replace(arm, params=(*arm.params, *more))
        arms.append(with_known_sizes(wider, inner))
    inputs = (*node.inputs, *(sizes[x] for x in asked))
    return replace(node, inputs=inputs, regions=tuple(arms))
