"""Common subexpressions: nodes that compute the same thing are computed once.

Constants are the same when type, dtype, shape and bytes are: 1, 1.0 and True differ, and so do 0.0
and -0.0.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import fixed_params
from runtime.ops.creation import constant
from runtime.passes.escape import escaping
from runtime.passes.log import Log
from runtime.passes.rewriter import changed, unify_sizes, with_inputs, with_nodes, with_sizes
from runtime.spec import Dim

LARGEST_CONSTANT = 1 << 16
"""Constants of more bytes are compared by identity."""


def merge_common(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph with each subexpression computed once."""
    sizes: dict[Dim, int | Dim] = {}
    merged = _merge(graph, {}, set(), sizes, log or Log())
    return with_sizes(merged, sizes) if sizes else merged


def _merge(
    graph: Graph,
    env: dict[Value, Value],
    leaving: set[Value],
    sizes: dict[Dim, int | Dim],
    log: Log,
) -> Graph:
    """Merge in a graph; arrays in `leaving`, which leave a region, stay arrays of their own.

    `sizes` gets the unknown sizes that are found to be equal, in this graph and its regions.
    """
    known: dict[Hashable, Node] = {}
    numbers: dict[Value, int] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        node = with_inputs(node, env)
        if node.regions:
            nodes.append(_in_regions(node, sizes, log))
            continue
        first = node if node.op.effect else known.setdefault(node_key(node, numbers), node)
        if first is node:
            nodes.append(node)
        elif _stay_apart(first, node, leaving):
            log.left(node, "merged", "both are results, which are arrays of their own")
            nodes.append(node)
        else:
            log.did(f"merged {node.op.name}")
            for x, y in zip(node.results, first.results, strict=True):
                env[x] = y
                unify_sizes(x.spec, y.spec, sizes)
    return with_nodes(graph, nodes, [env.get(value, value) for value in graph.results])


def _stay_apart(first: Node, node: Node, leaving: set[Value]) -> bool:
    """Tell whether two nodes make arrays that both leave, and are arrays of their own."""
    if node.op.view is not None or node.op is constant:
        return False
    return any(
        x in leaving and y in leaving for x, y in zip(first.results, node.results, strict=True)
    )


def _in_regions(node: Node, sizes: dict[Dim, int | Dim], log: Log) -> Node:
    """Merge within regions, where parameters that stand for one operand are one value."""
    envs: dict[Graph, dict[Value, Value]] = {region: {} for region in node.regions}
    firsts: dict[tuple[Graph, Value], Value] = {}
    for region, param, operand in fixed_params(node):
        first = firsts.setdefault((region, operand), param)
        if first is not param and first.spec == param.spec:
            envs[region][param] = first
    merged = (_merge(x, envs[x], escaping(x), sizes, log) for x in node.regions)
    return changed(node, regions=[*merged])


def node_key(node: Node, numbers: dict[Value, int]) -> Hashable:
    """Return what nodes without regions have in common exactly when they compute the same.

    Args:
        node: the node.
        numbers: of the values that are known; gets those of its inputs.
    """
    if node.op is constant:
        return constant_key(node.attrs["value"])
    inputs = [numbers.setdefault(value, len(numbers)) for value in node.inputs]
    if node.op.commutative and inputs[0] > inputs[1] and not _decides_class(*node.inputs[:2]):
        inputs[:2] = inputs[1], inputs[0]
    attrs = repr(tuple(node.attrs.items())) if node.attrs else ""
    return (node.op, tuple(inputs), attrs)


def _decides_class(x: Value, y: Value) -> bool:
    """Tell whether the order decides what a result is: 1j * np.float64(2) is Python's number."""
    return x.spec.weak != y.spec.weak and "c" in (x.spec.dtype.kind, y.spec.dtype.kind)


def constant_key(value: Any) -> Hashable:
    """Return what two constants have in common exactly when they are the same."""
    if isinstance(value, np.ndarray | np.generic):
        if value.nbytes > LARGEST_CONSTANT:
            return (type(value), id(value))
        order = value.flags.fnc  # which a copy of it keeps
        return (type(value), value.dtype.str, value.shape, order, value.tobytes())
    if isinstance(value, complex):
        return (complex, repr(value.real), repr(value.imag))
    return (type(value), repr(value) if isinstance(value, float) else value)
