"""Calls of NumPy that give memory of arguments, where whoever calls may see that they do.

Comes in: a graph, and what it does with its parameters. Goes out: the same graph, in which calls
whose results are only returned are given those that nobody writes as plain Python gives them, so
that the array that `x.ravel("K")` gives, or a masked array of `x`, is one of the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runtime.graph.node import Graph, Node, Value
from runtime.ops.numpy_calls import COPIED, LENT, OBJECT, READ, numpy_call
from runtime.signature import Signature

_AS_LENT = {READ: LENT, COPIED: OBJECT}


def lent(graph: Graph, signature: Signature, donated: Sequence[int]) -> Graph:
    """Return a graph whose results may share memory with arguments that it does not write.

    Args:
        graph: of a whole function.
        signature: what its parameters and results are.
        donated: the numbers of the arguments that it may overwrite, so that nothing is lent.
    """
    kept = {*range(len(signature.arguments))} - {*signature.writes}
    lenders = {graph.params[k] for k in kept} if not donated else set[Value]()
    returned = {*graph.results} - {x for node in graph.nodes for x in node.inputs}
    bases: dict[Value, Value] = {}
    for node in graph.nodes:
        if node.op.view is not None:
            bases[node.results[0]] = bases.get(node.inputs[0], node.inputs[0])

    def given(node: Node) -> Node:
        if node.op is not numpy_call or not returned.issuperset(node.results):
            return node
        ways = zip(node.attrs["given"], node.inputs, strict=True)
        new = (_AS_LENT.get(how, how) if bases.get(x, x) in lenders else how for how, x in ways)
        return replace(node, attrs={**node.attrs, "given": "".join(new)})

    return replace(graph, nodes=tuple(map(given, graph.nodes)))
