"""Nodes that were just made, taken out of the graph to be written once more.

What a function computes stands in nodes: going back through it needs them in another form, where
loops keep what rounds begin with. Values that were taken out stand for the new ones, wherever the
program has put them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from runtime.errors import DerivativeError
from runtime.graph.builder import Builder, Context
from runtime.graph.node import Graph, Node, Value
from runtime.ops.movement import stop_gradient

Anchor: TypeAlias = Node | None
"""The node after which something happened; None for the beginning of the graph."""


class Rewritten(Context):
    """Which nodes of a graph or region were written once more, by the last of the new ones."""

    def __init__(self) -> None:
        self.nodes: dict[int, tuple[Node, Anchor]] = {}

    def inner(self) -> Rewritten:
        """Return that of a region."""
        return Rewritten()

    def now(self, node: Anchor) -> Anchor:
        """Return what stands for a node now."""
        while node is not None and id(node) in self.nodes:
            node = self.nodes[id(node)][1]
        return node


class CutOut:
    """The nodes that are made after it.

    Args:
        builder: of the graph or region.
        given: values that are operands.

    Attributes:
        params: what stands for these in the nodes.
    """

    def __init__(self, builder: Builder, given: Sequence[Value]) -> None:
        self._builder = builder
        self._operands = [*map(builder.resolve, given)]
        self._mark = builder.mark()
        self.params = [builder.emit(stop_gradient, [x], {})[0] for x in self._operands]
        self._first = builder.nodes[self._mark :]

    def write_again(
        self,
        results: Sequence[Value],
        write: Callable[[Graph, Sequence[Value]], Sequence[Value]],
    ) -> None:
        """Write the nodes once more.

        Args:
            results: values that are asked for.
            write: takes a graph of the nodes and its operands, and returns what stands for its
                results: those, then all that the nodes computed.

        Raises:
            DerivativeError: a tape that was begun before has written them once more.
        """
        builder, begin = self._builder, self._mark + len(self._first)
        if builder.nodes[self._mark : begin] != self._first:
            raise DerivativeError(
                "a tape that was begun outside of a function that is differentiated is asked for "
                "a gradient in it. Begin the tape in the function"
            )
        nodes = builder.nodes[begin:]
        inside = [x for node in nodes for x in node.results]
        own = {*self.params, *inside}
        used = dict.fromkeys([*(x for node in nodes for x in node.inputs), *results])
        outside = [x for x in used if x not in own]
        graph = Graph((*self.params, *outside), tuple(nodes), (*results, *inside))
        operands = [*self._operands, *outside]
        with cut(builder, self._mark):
            found = write(graph, operands)
        for old, new in zip(self.params, self._operands, strict=True):
            builder.stand_for(old, new)
        for old, new in zip(inside, found[len(results) :], strict=True):
            builder.stand_for(old, new)
        self._note([*self._first, *nodes])

    def _note(self, nodes: Sequence[Node]) -> None:
        """Note which nodes were written for others, for tapes that begin or watch there."""
        builder = self._builder
        made = {x: node for node in builder.nodes[self._mark :] for x in node.results}
        again = builder.context(Rewritten).nodes
        last: Anchor = builder.nodes[self._mark - 1] if self._mark else None
        for node in nodes:
            found = [made[new] for new in map(builder.resolve, node.results) if new in made]
            last = found[-1] if found else last
            again[id(node)] = (node, last)


@contextmanager
def cut(builder: Builder, mark: int) -> Iterator[None]:
    """Write nodes in the place of those made since a mark; these are there again after an error.

    What is written tells nobody what was written before: values that were taken out are nothing
    until others stand for them.
    """
    nodes, watcher = builder.cut(mark), builder.watcher
    builder.watcher = None
    try:
        yield
    except BaseException:
        builder.put_back(mark, nodes)
        raise
    finally:
        builder.watcher = watcher
