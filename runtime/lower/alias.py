"""Which values of a graph may share memory.

Comes in: a graph. Goes out: classes of values. It knows nothing of what is written when.

Values that may share memory form a class: a view and its base, a parameter of a region and its
operand, the state of a loop from round to round.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Carried, Loop, fixed_params, is_branch, loop_of, try_of
from runtime.graph.traits import Form
from runtime.ops.creation import constant
from runtime.ops.effects import fail


class Classes:
    """Classes of values, as a forest of parents (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[Value, Value] = {}
        self._foreign: set[Value] = set()

    def find(self, value: Value) -> Value:
        """Return the value that stands for a class."""
        root = value
        while (above := self._parent.get(root)) is not None:
            root = above
        while value is not root:
            self._parent[value], value = root, self._parent[value]
        return root

    def join(self, a: Value, b: Value) -> None:
        """Make one class of two."""
        if a.spec.weak or b.spec.weak:
            return
        root, other = self.find(a), self.find(b)
        if root is not other:
            self._parent[other] = root
            if other in self._foreign:
                self._foreign.add(root)

    def share(self, a: Value, b: Value) -> bool:
        """Tell whether two values may share memory."""
        return self.find(a) is self.find(b)

    def mark_foreign(self, value: Value) -> None:
        """Declare a class to be somebody else's."""
        self._foreign.add(self.find(value))

    def is_foreign(self, value: Value) -> bool:
        """Tell whether a class is somebody else's."""
        return self.find(value) in self._foreign


def may_share(graph: Graph, scalars: bool = True, renewed: Container[Value] = ()) -> Classes:
    """Return which values of a graph may share memory when nothing is written in place.

    `renewed` is as for `join_all`.
    """
    classes = Classes()
    join_all(graph, classes, scalars, renewed)
    for node in all_nodes(graph):
        loop = loop_of(node)
        for x in () if loop is None else loop.carried:
            if x.final not in renewed:
                classes.join(x.initial, x.param)
    return classes


def all_nodes(graph: Graph) -> Iterator[Node]:
    """Yield every node, a node before those of its regions."""
    for node in graph.nodes:
        yield node
        for region in node.regions:
            yield from all_nodes(region)


def inner_states(graph: Graph, is_inside: bool = False) -> Iterator[Carried]:
    """Yield the state of loops that other loops are around."""
    for node in graph.nodes:
        loop = loop_of(node)
        if loop is not None and is_inside:
            yield from loop.carried
        for region in node.regions:
            yield from inner_states(region, is_inside or loop is not None)


def is_view(node: Node, scalars: bool) -> bool:
    """Tell whether the result of a node may share memory with its first input."""
    if node.op.view is None or not node.inputs:
        return False
    element = (
        node.result.spec.shape == () and "key" in node.attrs and "..." not in node.attrs["key"]
    )
    return not (scalars and element)


def renewed_states(
    graph: Graph, scalars: bool, written: Sequence[Value], may_stay: bool = False
) -> frozenset[Value]:
    """Return the final values of loop state whose memory is named anew in each round.

    Every round leaves it in memory made in that round, or takes it from other such state. So `new`
    is not where `u` is in `new = u.copy(); ...; u = new`, though `u` of the next round is; nor are
    the two in one place that `u, v = v, u` exchanges.

    Args:
        graph: the whole graph.
        scalars: as for `join_all`.
        written: what is to be written; state that shares no memory with it is left out.
        may_stay: whether state counts that its loop writes in place: in a copy, from its begin on.
    """
    loops = [loop for node in all_nodes(graph) if (loop := loop_of(node)) is not None]
    usual = may_share(graph, scalars)
    wanted = {usual.find(x) for x in written}
    found = {
        x.final
        for loop in loops
        for x in loop.carried
        if x.final.spec.rank and usual.find(x.next) in wanted
    }
    known = -1
    while known != len(found):
        known = len(found)
        classes = may_share(graph, scalars, found)
        for node in all_nodes(graph):  # an update is to be in place
            if node.op.in_place is not None:
                classes.join(node.inputs[0], node.result)
        for loop in loops:
            own = [classes.find(x.next) for x in loop.carried]
            given = [classes.find(x) for x in loop.body.params]
            handed = {classes.find(x.param) for x in loop.carried if x.final in found}
            for x, root in zip(loop.carried, own, strict=True):
                is_one = own.count(root) == 1 and given.count(root) == (root in handed)
                stays = not may_stay and root is classes.find(x.param)
                if not is_one or stays or classes.is_foreign(root):
                    found.discard(x.final)
    return frozenset(found)


def join_all(graph: Graph, classes: Classes, scalars: bool, renewed: Container[Value] = ()) -> None:
    """Join what may share memory, but for the state of loops with its initial values.

    Args:
        graph: the whole graph.
        classes: what is joined.
        scalars: whether an array indexed down to one element gives a scalar and not a view.
        renewed: the final values of loop state whose memory is named anew in each round.
    """
    for node in all_nodes(graph):
        if node.op is constant:
            classes.mark_foreign(node.result)
        elif is_view(node, scalars):
            classes.join(node.inputs[0], node.result)
        if not node.regions:
            continue
        for _, param, operand in fixed_params(node):
            classes.join(operand, param)
        loop = loop_of(node)
        if loop is not None:
            _join_rounds(loop, classes, scalars, renewed)
        elif is_branch(node):
            _join_arms(node, classes)
        elif node.op.form is Form.TRY:
            _join_arms(node, classes)
            _join_failures(node, classes)
        else:
            for region in node.regions:
                for value in (*region.params, *region.results):
                    classes.mark_foreign(value)


def _join_arms(node: Node, classes: Classes) -> None:
    for region in node.regions:
        for value, result in zip(region.results, node.results, strict=True):
            classes.join(value, result)


def _join_failures(node: Node, classes: Classes) -> None:
    """Join what the failures in the body of a `try_` pass on with what its handlers receive."""
    found = try_of(node)
    assert found is not None
    for inner in all_nodes(found.body):
        if inner.op is fail and inner.attrs["point"] in found.handlers:
            values, _ = found.handlers[inner.attrs["point"]]
            for value, param in zip(inner.inputs[1:], values, strict=False):
                classes.join(value, param)


def _join_rounds(loop: Loop, classes: Classes, scalars: bool, renewed: Container[Value]) -> None:
    for x in loop.carried:
        if x.final not in renewed:  # a loop that owns what it begins with owns what it ends with
            classes.join(x.next, x.final)
            classes.join(x.param, x.next)
    if loop.test is not None:
        tested = loop.layout.split(loop.test.params)
        for param, own in zip(loop.params.carried, tested.carried, strict=True):
            classes.join(param, own)
    for element, sequence in loop.elements:
        if not (scalars and element.spec.shape == ()):
            classes.join(sequence, element)
    for row, _ in loop.stacked:
        if not row.spec.is_static:
            classes.mark_foreign(row)  # The rows are kept until the end.
