"""The interpreter: the definition of what a graph means.

It runs node after node by the ops' own kernels, with no optimisation whatever. Every other way of
running a graph is compared with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from runtime.graph.node import Graph, Node, Value


def interpret(graph: Graph, arguments: Sequence[Any], xp: ModuleType) -> tuple[Any, ...]:
    """Run a graph on arrays of the array module `xp` and return its results."""
    values: dict[Value, Any] = dict(zip(graph.params, arguments, strict=True))
    for node in graph.nodes:
        values.update(zip(node.results, _run_node(node, values, xp), strict=True))
    return tuple(values[value] for value in graph.results)


def _run_node(node: Node, values: dict[Value, Any], xp: ModuleType) -> Sequence[Any]:
    inputs = [values[value] for value in node.inputs]
    if node.regions:
        regions = [RegionFunction(region, xp) for region in node.regions]
        found = node.op.kernel(xp, *inputs, **node.attrs, regions=regions)
    else:
        found = node.op.kernel(xp, *inputs, **node.attrs)
    return found if node.op.multiple else (found,)


class RegionFunction:
    """A region as the kernels of control flow see it: a function from arrays to arrays.

    Args:
        graph: the region.
        xp: the array module.
    """

    __slots__ = ("_graph", "_xp", "specs")

    def __init__(self, graph: Graph, xp: ModuleType) -> None:
        self._graph = graph
        self._xp = xp
        self.specs = tuple(value.spec for value in graph.results)

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        return interpret(self._graph, arguments, self._xp)
