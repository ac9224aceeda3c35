"""Assignments by a mask: what is computed of selected elements is computed of all of them.

    z[m] = f(x[m], y[m])    becomes    z = where(m, f(where(m, x, 1), where(m, y, 1)), z)

which is a chain, so one kernel. Elements that are not selected are ones there: nothing is computed
of them that NumPy would warn of. That is tried once with ones, when the graph is compiled. Only
what takes few instructions is moved: a mask may select little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runtime.dtypes import DType
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.traits import Subscript
from runtime.ops.creation import constant
from runtime.ops.elementwise import where
from runtime.ops.strides import in_order_of
from runtime.passes.log import Log
from runtime.passes.rewriter import each_graph, node_of, with_nodes
from runtime.spec import TensorSpec

MOST_COST = 4
"""What is computed of an element costs so much at most, in additions: a mask may select little."""
MOST_NODES = 32
"""How many nodes are computed of selected elements at most."""


@each_graph
def widen_masked(graph: Graph, log: Log) -> Graph:
    """Return the graph with assignments by masks as choices between elements."""
    if not any(map(_is_scatter, graph.nodes)):
        return graph
    makers = {node.result: node for node in graph.nodes if len(node.results) == 1}
    nodes: list[Node] = []
    replaced: set[Value] = set()
    for node in graph.nodes:
        found = _wide(node, makers, replaced, log) if _is_scatter(node) else None
        nodes += [node] if found is None else found
    return with_nodes(graph, _but(replaced, nodes, graph.results))


def _is_scatter(node: Node) -> bool:
    return node.op.subscript is Subscript.SCATTER and node.op.applies is None


def _but(replaced: set[Value], nodes: Sequence[Node], results: Sequence[Value]) -> list[Node]:
    """Return nodes without those of selected elements that nobody uses: they raise nothing."""
    live, kept = set(results), []
    for node in reversed(nodes):
        if node.results and replaced.issuperset(node.results) and live.isdisjoint(node.results):
            continue
        live.update(node.inputs)
        kept.append(node)
    return kept[::-1]


def _wide(
    node: Node, makers: Mapping[Value, Node], replaced: set[Value], log: Log
) -> list[Node] | None:
    """Return the nodes that a scatter becomes; None when it stays. `replaced` gets what they do."""
    table, value, *parts = node.inputs
    if len(parts) != 1 or not _selects_all_of(parts[0].spec, table.spec, node.attrs["key"]):
        return None
    (mask,) = parts
    wide = _Wide(mask, makers)
    why = wide.why_not(value, table.spec.dtype)
    if why:
        log.left(node, "widened", why)
        return None
    log.did("widened")
    found = wide.value(value)
    replaced.update(x for x in wide.made if makers[x].op is not constant)
    is_row = table.spec.rank == 1
    results = node.results if is_row else (Value(node.result.spec),)
    either = (mask, found, table)
    chosen = Node(where, either, where.attributes({}), (), results, node.location)
    laid = Node(in_order_of, (*results, table), {}, (), node.results, node.location)
    return [*wide.nodes, chosen, *([] if is_row else [laid])]


def _selects_all_of(mask: TensorSpec, table: TensorSpec, key: str) -> bool:
    """Tell whether a mask says of each element of an array whether it is selected."""
    is_whole = bool(table.rank) and mask.shape == table.shape
    return is_whole and mask.dtype.kind == "b" and key == "?"


def _replaces_all(node: Node) -> bool:
    """Tell whether a node writes other elements of the same dtype into all of an array."""
    return (
        node.op.subscript is Subscript.WRITE
        and node.attrs["key"] == "..."
        and node.inputs[1].spec.dtype == node.result.spec.dtype
    )


def _is_cheap(op: OpDef) -> bool:
    """Tell whether an op computes element by element, in a short time."""
    return op.ufunc is not None and isinstance(op.cost, int) and op.cost <= MOST_COST


class _Wide:
    """Writes nodes that compute of all elements what others compute of selected ones."""

    def __init__(self, mask: Value, makers: Mapping[Value, Node]) -> None:
        self.mask = mask
        self.makers = makers
        self.nodes: list[Node] = []
        self.made: dict[Value, Value] = {}
        self.tried: dict[Value, Any] = {}

    def why_not(self, value: Value, dtype: DType) -> str | None:
        """Return why a value cannot be computed of all elements, for an array of a dtype."""
        if value.spec.dtype != dtype or value.spec.weak or value.spec.rank != 1:
            return "what is assigned has another dtype, or other elements"
        try:
            with np.errstate(all="raise"):
                is_possible = self.attempt(value)
        except (ArithmeticError, ValueError, TypeError):
            return "NumPy might warn of elements that are not selected"
        return None if is_possible else "it is not computed of what the same mask selects"

    def attempt(self, value: Value) -> bool:
        """Compute a value with ones for all that is selected; tell whether that is possible."""
        if value in self.tried:
            return True
        node = self.makers.get(value)
        if len(self.tried) > MOST_NODES or node is None:
            return False
        if node.op is constant and value.spec.shape == ():
            self.tried[value] = node.attrs["value"]
        elif self.is_selected(node):
            self.tried[value] = np.ones(1, value.spec.dtype)
        elif _replaces_all(node) and self.attempt(node.inputs[1]):
            self.tried[value] = self.tried[node.inputs[1]]
        elif _is_cheap(node.op) and all(map(self.attempt, node.inputs)):
            given = [self.tried[x] for x in node.inputs]
            self.tried[value] = node.op.kernel(np, *given, **node.attrs)
        else:
            return False
        return True

    def is_selected(self, node: Node) -> bool:
        """Tell whether a node gives the elements of an array that the mask selects."""
        if node.op.subscript is not Subscript.GATHER or node.inputs[1:] != (self.mask,):
            return False
        return _selects_all_of(self.mask.spec, node.inputs[0].spec, node.attrs["key"])

    def value(self, value: Value) -> Value:
        """Return a value for all elements."""
        if value not in self.made:
            node = self.makers[value]
            self.made[value] = value if node.op is constant else self.node(node)
        return self.made[value]

    def node(self, node: Node) -> Value:
        """Append what a node becomes; return its result."""
        if _replaces_all(node):
            return self.value(node.inputs[1])
        if node.op.subscript is not Subscript.GATHER:
            inputs = [self.value(x) for x in node.inputs]
            self.nodes.append(node_of(node.op, inputs, node.attrs, node.location))
            return self.nodes[-1].result
        (one,) = np.ones(1, node.result.spec.dtype)
        self.nodes.append(node_of(constant, (), {"value": one}, node.location))
        given = self.mask, node.inputs[0], self.nodes[-1].result
        self.nodes.append(node_of(where, given, where.attributes({}), node.location))
        return self.nodes[-1].result
