"""Dropping copies of arrays whose layout in memory nobody sees.

Values do not change, so a copy is the value, and results that must be copies are made later. But a
copy may lie otherwise than what it is a copy of, and products, and sums over several axes, add in
the order of the memory: their last digits tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import CALLS
from runtime.graph.traits import Traits
from runtime.graph.walk import walk
from runtime.passes.log import Log
from runtime.passes.rewriter import in_regions, rewritten

_IN_ANY_ORDER = frozenset({"max", "min", "any", "all", "count", "place", "order"})
"""Kinds of reductions that give the same in whatever order they go."""


def drop_copies(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph without the copies whose layout does not matter."""
    nodes = list(walk(graph))
    if not any(node.op.copies for node in nodes):
        return graph
    least = 1 if any(_sees_rows(x.op) for x in nodes if any(y.spec.rank for y in x.inputs)) else 2
    return in_regions(partial(_dropped, least=least, log=log or Log()))(graph)


def _dropped(graph: Graph, least: int, log: Log) -> Graph:
    """Drop copies from one graph, given of how many axes those are that somebody may see."""
    seen = _seen(graph, least)

    def source(node: Node, nodes: list[Node]) -> Sequence[Value] | None:
        if not node.op.copies or node.result in seen:
            return None
        if node.inputs[0].spec.dtype.kind not in _PLAIN:
            return None
        log.did("dropped copy")
        return node.inputs

    return rewritten(graph, source)


_PLAIN = "biufc"


def _seen(graph: Graph, least: int) -> set[Value]:
    """Return the arrays whose layout may be seen."""

    def may_see(x: Value) -> bool:
        return x.spec.rank is None or x.spec.rank >= least

    seen = set(filter(may_see, graph.results))
    for node in reversed(graph.nodes):
        if (
            node.regions
            or node.op.form in CALLS
            or _sees(node.op)
            or not seen.isdisjoint(node.results)
        ):
            seen.update(filter(may_see, node.inputs))
    return seen


def _sees(op: Traits) -> bool:
    """Tell whether what an op gives depends on how the arrays lie that it is given."""
    if op.reduction is not None:
        return op.reduction.kind not in _IN_ANY_ORDER
    return _sees_rows(op)


def _sees_rows(op: Traits) -> bool:
    """Tell whether it depends on how a single row lies."""
    by_numbers = op.ufunc or op.scalar or op.in_place or op.form or op.reduction or not op.warns
    return op.product is not None or not by_numbers
