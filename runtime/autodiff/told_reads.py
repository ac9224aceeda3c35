"""What branches and loops of a round tell, so that it can be kept for going back.

Comes in: a loop. Goes out: the same loop, in whose body branches have more results: the single
elements that their arms read, and zero where another arm is taken; and loops that test tell how
many rounds they have made. So these can be kept as what the body itself reads is (`kept_values`);
going back, an arm is given what it has read, and a loop does not count again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runtime.dtypes import python_type
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, attrs_for, branch_of
from runtime.graph.traits import Form, Subscript
from runtime.ops.creation import constant
from runtime.ops.elementwise import add
from runtime.passes.rewriter import node_of
from runtime.spec import WEAK_SPECS

NUMBER = WEAK_SPECS[int]


class Told:
    """A loop whose body tells more.

    Attributes:
        loop: it.
        reads: results of branches of its body: what arms read.
        counts: results of branches and loops of its body: how many rounds a loop has made.
    """

    def __init__(self, loop: Loop) -> None:
        self._counts: set[Value] = set()
        body, found = self._told(loop.body)
        regions = (*loop.node.regions[:-1], body)
        self.loop = Loop(replace(loop.node, regions=regions)) if found else loop
        self.reads = frozenset(x for x in found if x not in self._counts)
        self.counts = [x for x in found if x in self._counts]

    def _told(self, region: Graph) -> tuple[Graph, list[Value]]:
        """Return a region that tells more, and the results of its nodes that do."""
        nodes, found = list[Node](), list[Value]()
        for node in region.nodes:
            told = node
            if branch_of(node) is not None:
                told = self._branch(node)
            elif node.op.form is Form.WHILE:
                nodes.append(start := _number(0, node))
                told = counting(node, start.result)
                self._counts.add(told.results[-1])
            nodes.append(told)
            found += told.results[len(node.results) :]
        return (replace(region, nodes=tuple(nodes)) if found else region), found

    def _branch(self, node: Node) -> Node:
        """Return a branch that tells what its arms read and count."""
        arms = list(map(self._told, node.regions))
        reads = [[*found, *filter(_is_read, _made(arm))] for arm, found in arms]
        told = [x for own in reads for x in own]
        if not told:
            return node
        regions = [_with_results(x, own, told) for (x, _), own in zip(arms, reads, strict=True)]
        more = [Value(x.spec) for x in told]
        pairs = zip(told, more, strict=True)
        self._counts.update(new for x, new in pairs if x in self._counts)
        return replace(node, regions=tuple(regions), results=(*node.results, *more))


def counting(node: Node, start: Value) -> Node:
    """Return a loop that tests and counts its rounds, too, as the last part of its state.

    Args:
        node: the loop.
        start: zero, in the graph that it is to stand in.
    """
    loop = Loop(node)
    operands = replace(loop.operands, carried=(*loop.operands.carried, start))
    numbers, made = list[Value](), list[Graph]()
    for region in node.regions:
        own = loop.layout.split(region.params)
        numbers.append(Value(NUMBER))
        params = replace(own, carried=(*own.carried, numbers[-1]))
        made.append(replace(region, params=(*params,)))
    test, body = made
    one = _number(1, node)
    more = node_of(add, [numbers[-1], one.result], {}, node.location)
    body = Graph(body.params, (*body.nodes, one, more), (*body.results, more.result))
    results = (*node.results, Value(NUMBER))
    attrs = attrs_for(node, operands)
    return Node(node.op, (*operands,), attrs, (test, body), results, node.location)


def _number(value: int, node: Node) -> Node:
    return Node(constant, (), {"value": value}, (), (Value(NUMBER),), node.location)


def _made(arm: Graph) -> list[Value]:
    """Return the elements that an arm itself reads of arrays."""
    return [x.result for x in arm.nodes if x.op.subscript is Subscript.READ]


def _is_read(value: Value) -> bool:
    return value.spec.shape == () and value.spec.dtype.kind in "biufc"


def _with_results(arm: Graph, own: Sequence[Value], told: Sequence[Value]) -> Graph:
    """Return an arm that returns what all arms read, zeros for what it does not read itself."""
    nodes, results = [*arm.nodes], [*arm.results]
    for value in told:
        if value not in own:
            kind = python_type(value.spec.dtype) if value.spec.weak else value.spec.dtype.type
            nodes.append(node_of(constant, [], {"value": kind(0)}, None))
            value = nodes[-1].result
        results.append(value)
    return Graph(arm.params, tuple(nodes), tuple(results))
