"""Which values of a graph may share memory.

Comes in: a graph. Goes out: classes of values. It knows nothing of what is written when.

Values that may share memory form a class: a view and its base, a parameter of a region and its
operand, the state of a loop from round to round.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.graph.node import Graph, Node, Value
from runtime.ops.control import cond, reduce, switch, try_, while_loop
from runtime.ops.creation import constant
from runtime.ops.effects import fail
from runtime.passes.rewriter import fixed_params


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


def may_share(graph: Graph, scalars: bool = True) -> Classes:
    """Return which values of a graph may share memory when nothing is written in place."""
    classes = Classes()
    join_all(graph, classes, scalars)
    for node in all_nodes(graph):
        for initial, part in initial_state(node):
            classes.join(initial, part)
    return classes


def all_nodes(graph: Graph) -> Iterator[Node]:
    """Yield every node, a node before those of its regions."""
    for node in graph.nodes:
        yield node
        for region in node.regions:
            yield from all_nodes(region)


def is_view(node: Node, scalars: bool) -> bool:
    """Tell whether the result of a node may share memory with its first input."""
    if node.op.view is None or not node.inputs:
        return False
    element = (
        node.result.spec.shape == () and "key" in node.attrs and "..." not in node.attrs["key"]
    )
    return not (scalars and element)


def join_all(graph: Graph, classes: Classes, scalars: bool) -> None:
    """Join what may share memory, but for the state of loops with its initial values."""
    for node in all_nodes(graph):
        if node.op is constant:
            classes.mark_foreign(node.result)
        elif is_view(node, scalars):
            classes.join(node.inputs[0], node.result)
        for _, param, operand in fixed_params(node):
            classes.join(operand, param)
        if node.op is cond or node.op is switch:
            _join_arms(node, classes)
        elif node.op is try_:
            _join_arms(node, classes)
            _join_failures(node, classes)
        elif node.op is while_loop or node.op is reduce:
            _join_rounds(node, classes, scalars)
        elif node.regions:
            for region in node.regions:
                for value in (*region.params, *region.results):
                    classes.mark_foreign(value)


def _join_arms(node: Node, classes: Classes) -> None:
    for region in node.regions:
        for value, result in zip(region.results, node.results, strict=True):
            classes.join(value, result)


def _join_failures(node: Node, classes: Classes) -> None:
    """Join what the failures in the body of a `try_` pass on with what its handlers receive."""
    handlers = dict(zip(node.attrs["points"], node.regions[1:], strict=True))
    for inner in all_nodes(node.regions[0]):
        if inner.op is fail and inner.attrs["point"] in handlers:
            handler = handlers[inner.attrs["point"]]
            for value, param in zip(inner.inputs[1:], handler.params, strict=False):
                classes.join(value, param)


def _join_rounds(node: Node, classes: Classes, scalars: bool) -> None:
    body = node.regions[-1]
    carry = node.attrs["carry"]
    first = 1 if node.op is reduce else 0
    for k in range(carry):
        param = body.params[first + k]
        classes.join(param, body.results[k])
        classes.join(param, node.results[k])
        if node.op is while_loop:
            classes.join(param, node.regions[0].params[k])
    if node.op is reduce:
        for element, sequence in loop_elements(node):
            if not (scalars and element.spec.shape == ()):
                classes.join(sequence, element)
        for row in body.results[carry:]:
            if not row.spec.is_static:
                classes.mark_foreign(row)  # The rows are kept until the end.


def loop_elements(node: Node) -> Iterator[tuple[Value, Value]]:
    """Yield (element, sequence) of the sequences of a loop."""
    if node.op is reduce:
        start = 1 + node.attrs["carry"]
        for k in range(start, start + node.attrs["sequences"]):
            yield node.regions[0].params[k], node.inputs[k]


def initial_state(node: Node) -> Iterator[tuple[Value, Value]]:
    """Yield (initial value, parameter of the body) of the state of a loop."""
    if node.op is while_loop or node.op is reduce:
        first = 1 if node.op is reduce else 0
        for k in range(node.attrs["carry"]):
            yield node.inputs[first + k], node.regions[-1].params[first + k]
