"""Functions of a graph that are not the same have names of their own.

Comes in: a graph. Goes out: the same graph. A trace calls a function in several forms, where it is
given numbers that are known for example, and these have one name; in the emitted program a name is
one function.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from runtime.graph.node import Graph, Node
from runtime.graph.regions import CALLS
from runtime.graph.traits import Form
from runtime.graph.walk import walk
from runtime.passes.cse import node_key
from runtime.passes.rewriter import changed, with_nodes


def with_own_names(graph: Graph) -> Graph:
    """Return a graph in which calls of different functions have different names."""
    if not any(node.op.form is Form.CALL for node in walk(graph)):
        return graph
    return _Names().graph(graph)


class _Names:
    """Renames functions; `known` has what they do by the names that they got."""

    def __init__(self) -> None:
        self.known: dict[str, Hashable] = {}

    def graph(self, graph: Graph) -> Graph:
        """Return a graph with its functions renamed."""
        return with_nodes(graph, [self.node(x) for x in graph.nodes])

    def node(self, node: Node) -> Node:
        """Return a node with the functions in it renamed."""
        if node.op.form is Form.CALL:
            node = self.named(node)
        return changed(node, regions=[self.graph(x) for x in node.regions])

    def named(self, node: Node) -> Node:
        """Return a call whose function has a name that no other function has."""
        (region,), name = node.regions, node.attrs["function"]
        own, found, count = meaning(region), name, 1
        while self.known.setdefault(found, own) != own:
            count += 1
            found = f"{name}_{count}"
        if found == name:
            return node
        inner = _calling(region, name, found)
        return changed(node, attrs={"function": found}, regions=[inner])


def _calling(region: Graph, old: str, new: str) -> Graph:
    """Return the region of a function that calls itself by another name."""

    def renamed(node: Node) -> Node:
        if node.op.form not in CALLS or node.attrs["function"] != old:
            return changed(node, regions=[_calling(x, old, new) for x in node.regions])
        is_other = node.op.form is Form.CALL
        return node if is_other else replace(node, attrs={**node.attrs, "function": new})

    return with_nodes(region, [*map(renamed, region.nodes)])


def meaning(region: Graph) -> Hashable:
    """Return what regions have in common exactly when they are written alike."""
    numbers = {x: k for k, x in enumerate(region.params)}
    number: Callable[..., int] = lambda x: numbers.setdefault(x, len(numbers))  # noqa: E731
    found: list[Hashable] = [tuple(str(x.spec) for x in region.params)]
    for node in region.nodes:
        found.append((node_key(node, numbers), tuple(map(meaning, node.regions))))
        found += [(number(x), str(x.spec)) for x in node.results]
    return (*found, *map(number, region.results))
