"""Nodes as expressions: which nodes are written inside the expression that uses them.

Comes in: a graph. Goes out: its statements, trees of nodes in execution order. It knows nothing of
slots or of the text of expressions.

A node becomes part of the tree of its only use when Python then evaluates everything in the order
of the graph, as a stack machine would: the nodes that wait to be used form a stack, and a node
takes its operands from the top of it. So errors are raised where, and in the order in which, the
program raises them. Only nodes of one line of the user's program share a tree, and what is tested
or returned is a tree of its own line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.regions import is_branch
from runtime.graph.traits import Form
from runtime.lower.async_call import is_heavy
from runtime.ops.creation import constant

MOST_NODES = 8
"""How many nodes a tree has at most, which keeps lines short and nesting shallow."""
MOST_WAITING = 16


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A node whose operands are values or trees that are evaluated in its place."""

    node: Node
    operands: tuple[Value | Tree, ...]
    size: int = 1


Leaf = Value | Tree


@dataclass(frozen=True, slots=True, eq=False)
class Statements:
    """A graph as trees, in order; `results` may be trees that follow the last of them."""

    trees: tuple[Tree, ...]
    results: tuple[Leaf, ...]


def statements(graph: Graph, in_place: Mapping[Node, Value], last: bool) -> Statements:
    """Write the nodes of a graph as trees.

    Args:
        graph: a graph or region; its regions are left as they are.
        in_place: what nodes write into, for those that write into an operand; they are statements.
        last: whether a single result may be a tree; if not, results are values.
    """
    writer = _Writer(graph, in_place)
    for node in graph.nodes:
        if node.op is not constant:
            writer.add(node)
    results: Sequence[Leaf] = graph.results
    if last and len(results) == 1:
        results = writer.take(graph.results, None)
    writer.flush()
    return Statements(tuple(writer.done), tuple(results))


def leaves(tree: Leaf) -> list[Value]:
    """Return the values that a tree uses, in the order of their evaluation.

    Trees are shallow (see MOST_NODES), so recursion is safe.
    """
    if isinstance(tree, Value):
        return [tree]
    found = []
    for operand in tree.operands:
        if isinstance(operand, Value):
            found.append(operand)
        else:
            found += leaves(operand)
    return found


def uses(graph: Graph) -> Counter[Value]:
    """Count the uses of the values of a graph by its nodes and results, regions apart."""
    found: Counter[Value] = Counter()
    for node in graph.nodes:
        found.update(node.inputs)
    found.update(graph.results)
    return found


@lru_cache(maxsize=4096)
def _can_nest(op: OpDef) -> bool:
    return op.effect is None and not op.multiple and op is not constant


def _on_one_line(a: Node, b: Node) -> bool:
    return a.location is b.location or (
        a.location is not None and b.location is not None and a.location.is_beside(b.location)
    )


class _Writer:
    """The stack machine; `waiting` holds trees whose only use is still to come."""

    def __init__(self, graph: Graph, in_place: Mapping[Node, Value]) -> None:
        self.uses = uses(graph)
        heavy = [node for node in graph.nodes if is_heavy(node)]
        self.alone = {*heavy} if len(heavy) > 1 else set()  # each may run beside others
        self.in_place = in_place
        self.done: list[Tree] = []
        self.waiting: list[Tree] = []

    def add(self, node: Node) -> None:
        operands = self.operands(node)
        size = 1 + sum(x.size for x in operands if isinstance(x, Tree))
        tree = Tree(node, tuple(operands), size)
        is_nested = _can_nest(node.op) and node not in self.alone
        if is_nested and self.uses[node.result] == 1 and node not in self.in_place:
            self.waiting.append(tree)
            if len(self.waiting) > MOST_WAITING:
                self.done.append(self.waiting.pop(0))
        else:
            self.flush()
            self.done.append(tree)

    def operands(self, node: Node) -> list[Leaf]:
        """Take the operands of a node, those that may be trees as such.

        These are: all, but for the array that an op writes in place; of nodes with regions the test
        or number only.
        """
        if node.regions:
            has_head = is_branch(node) or node.op.form is Form.REDUCE
            first = self.take(node.inputs[:1], None) if has_head else []
            self.flush()
            return [*first, *node.inputs[len(first) :]]
        if node in self.in_place:
            place = len(node.inputs) - node.inputs[::-1].index(self.in_place[node])
            others = self.take(node.inputs[place:], node)
            self.flush()
            return [*node.inputs[:place], *others]
        return self.take(node.inputs, node)

    def take(self, values: Sequence[Value], user: Node | None) -> list[Leaf]:
        """Take the operands that are on top of the stack, the last first."""
        taken: list[Leaf] = []
        room = MOST_NODES - (user is not None)
        for value in reversed(values):
            top = self.waiting[-1] if self.waiting else None
            if top is None or top.node.result is not value:
                taken.append(value)
            elif top.size <= room and (user is None or _on_one_line(top.node, user)):
                taken.append(self.waiting.pop())
                room -= top.size
            else:
                self.flush()
                taken.append(value)
        self._flush_used(taken)
        return taken[::-1]

    def _flush_used(self, operands: Sequence[Leaf]) -> None:
        """Write the waiting trees that a user needs as values, and those before them."""
        if not self.waiting:
            return
        wanted = {x for x in operands if isinstance(x, Value)}
        last = max((k for k, t in enumerate(self.waiting) if t.node.result in wanted), default=-1)
        self.done += self.waiting[: last + 1]
        del self.waiting[: last + 1]

    def flush(self) -> None:
        """Write all waiting trees as statements."""
        self.done += self.waiting
        self.waiting.clear()
