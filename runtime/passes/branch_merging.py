"""Branch merging: two branches on one condition, one after the other, become one.

The first one moves down to the second; what stands between them must not need its results, nor have
an effect, and when the first has one, nothing may stand between them. One that may raise is not
moved behind a `while`, which might never end. Then each arm has the nodes of both, which other
passes see together.
"""

from __future__ import annotations

from runtime.floating_errors import reporting_of
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import as_branch, is_branch
from runtime.graph.traits import Form
from runtime.graph.walk import effects, walk
from runtime.ops.creation import constant
from runtime.passes.log import Log
from runtime.passes.may_fail import may_fail
from runtime.passes.rewriter import copied, each_graph, with_nodes


@each_graph
def merge_branches(graph: Graph, log: Log) -> Graph:
    """Return the graph with branches on one condition that follow each other made one."""
    if sum(is_branch(node) for node in graph.nodes) < 2:
        return graph
    merger = _Merger(log)
    for node in graph.nodes:
        merger.add(node)
    return with_nodes(graph, [node for node in merger.nodes if node is not None])


class _Merger:
    """Goes through nodes.

    `waiting` are branches that others may be merged with, by condition; those of them that a node
    with an effect blocks are in `silent`, those of these that a `while` blocks in `failing`, and
    those that any node blocks in `loud`.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.nodes: list[Node | None] = []
        self.waiting: dict[tuple[object, Value], int] = {}
        self.silent: list[int] = []
        self.failing: list[int] = []
        self.loud: list[int] = []
        self.blocked: dict[int, str] = {}
        self.makers: dict[Value, int] = {}

    def add(self, node: Node) -> None:
        """Append a node, merged with an earlier one where that may be."""
        if is_branch(node):
            node = self._merged(node)
        has_effect = bool(effects(node))
        self._block(node, has_effect)
        place = len(self.nodes)
        self.nodes.append(node)
        self.makers.update(dict.fromkeys(node.results, place))
        if is_branch(node):
            self.waiting[node.op, as_branch(node).test] = place
            (self.loud if has_effect else self.silent).append(place)
            if may_fail(node):
                self.failing.append(place)

    def _block(self, node: Node, has_effect: bool) -> None:
        """Note which branches cannot move down beyond a node."""
        for value in node.inputs:
            if value in self.makers:
                self.blocked.setdefault(self.makers[value], f"{node.op.name} needs the first one")
        if node.op is constant:
            return
        order = f"{node.op.name} and what they do keep their order"
        self._stay(self.loud, order)
        if has_effect:
            self._stay(self.silent, order)
        if any(x.op.form is Form.WHILE for x in walk(Graph((), (node,), ()))):
            self._stay(self.failing, f"the first one may raise, and {node.op.name} might never end")

    def _stay(self, places: list[int], why: str) -> None:
        """Note that branches cannot move down any more."""
        self.blocked.update((place, why) for place in places if place not in self.blocked)
        places.clear()

    def _merged(self, node: Node) -> Node:
        """Return a branch, together with an earlier one on its condition where that may be."""
        place = self.waiting.get((node.op, as_branch(node).test))
        first = None if place is None else self.nodes[place]
        if place is None or first is None:
            return node
        why = self.blocked.get(place) or _differ(first, node)
        if why:
            self.log.left(node, "merged", why)
            return node
        self.log.did(f"merged {node.op.name}")
        self.nodes[place] = None
        return _both(first, node)


def _differ(first: Node, second: Node) -> str | None:
    """Return what two branches do not have in common."""
    if len(first.regions) != len(second.regions):
        return "they have not the same number of arms"
    if reporting_of(first.attrs) != reporting_of(second.attrs):
        return "they report floating point errors in different ways"
    return None


def _both(first: Node, second: Node) -> Node:
    """Return one branch for two; results of the first one that the second needs stay inside."""
    own = dict(zip(first.results, range(len(first.results)), strict=True))
    used, asked = as_branch(first).captured, as_branch(second).captured
    others = [x for x in asked if x not in own]
    regions = []
    for a, b in zip(first.regions, second.regions, strict=True):
        given = [Value(x.spec, x.name) for x in used]
        nodes, made = copied(a, given)
        outside = [Value(x.spec, x.name) for x in others]
        left = iter(outside)
        taken = [made[own[x]] if x in own else next(left) for x in asked]
        more, results = copied(b, taken)
        params = (*given, *outside)
        regions.append(Graph(params, (*nodes, *more), (*made, *results)))
    return Node(
        first.op,
        (*first.inputs, *others),
        first.attrs,
        tuple(regions),
        (*first.results, *second.results),
        second.location,
    )
