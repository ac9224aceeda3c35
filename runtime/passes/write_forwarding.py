"""What was written into an array is read as what it is: `x[i] = v; x[i]` is `v`.

The read is gone, so nobody waits for the write, and arrays whose elements are all that is read of
them are gone, too. Only numbers are forwarded that an elementwise op gives: others may be arrays
without axes, which NumPy's numbers are not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import Subscript
from runtime.passes.log import Log
from runtime.passes.rewriter import each_graph, rewritten

_NUMBERS = re.compile(r"\d+(, \d+)*")


@each_graph
def forward_writes(graph: Graph, log: Log) -> Graph:
    """Return the graph without reads of numbers that were written before, in the same place."""
    if not any(map(_is_write, graph.nodes)):
        return graph
    makers: dict[Value, Node] = {}

    def written(node: Node, nodes: list[Node]) -> Sequence[Value] | None:
        makers.update(dict.fromkeys(node.results, node))
        if node.op.subscript is not Subscript.READ or node.result.spec.shape != ():
            return None
        write = makers.get(node.inputs[0])
        while write is not None and _is_write(write) and _are_apart(write, node):
            write = makers.get(write.inputs[0])
        if write is None or not _is_write(write) or not _is_same_place(write, node):
            return None
        value = write.inputs[1]
        maker = makers.get(value)
        if value.spec != node.result.spec or maker is None or maker.op.ufunc is None:
            return None
        log.did("forwarded")
        return [value]

    return rewritten(graph, written)


def _is_write(node: Node) -> bool:
    return node.op.subscript is Subscript.WRITE


def _is_same_place(write: Node, read: Node) -> bool:
    return write.attrs["key"] == read.attrs["key"] and write.inputs[2:] == read.inputs[1:]


def _are_apart(write: Node, read: Node) -> bool:
    """Tell whether two nodes write and read different elements: numbers that are known differ."""
    one, other = write.attrs["key"], read.attrs["key"]
    are_numbers = _NUMBERS.fullmatch(one) and _NUMBERS.fullmatch(other)
    return bool(are_numbers) and one != other and one.count(",") == other.count(",")
