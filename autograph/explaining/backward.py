"""What going back through a function keeps of its loops, and what it computes again.

In: the graph of a derivative. Out: for each loop that goes back what it is given of the rounds,
with its size, and the lines whose operations its rounds compute from that: those that do not
follow cotangents, which the rounds hand on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from autograph.explaining.report import Kept
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, loop_of
from runtime.graph.walk import walk
from runtime.ops.creation import constant


def kept_in(graph: Graph) -> tuple[Kept, ...]:
    """Return what is kept for the loops of a graph that go back, and of its regions."""
    return tuple(found for region in _graphs(graph) for found in _kept(region))


def _graphs(graph: Graph) -> Iterator[Graph]:
    yield graph
    for node in walk(graph):
        yield from node.regions


def _kept(graph: Graph) -> Iterator[Kept]:
    made: dict[Value, Node] = {}
    for node in graph.nodes:
        loop = loop_of(node)
        if loop is None:
            continue
        rows = [x for x in loop.operands.sequences if x in made]
        is_back = (
            loop.test is None and rows and any(made[x].location == node.location for x in rows)
        )
        if is_back:
            yield _of_loop(node, loop, rows)
        made.update(dict.fromkeys(node.results, node))


def _of_loop(node: Node, loop: Loop, rows: Sequence[Value]) -> Kept:
    round_bytes = sum(_size(x, 1) for x in rows)
    shapes = [x.spec.shape for x in rows]
    is_known = all(shape is not None and all(isinstance(n, int) for n in shape) for shape in shapes)
    body = loop.body
    follows = set(loop.layout.split(body.params).carried)
    count, again = 0, dict[int, list[Node]]()
    for one in body.nodes:
        if one.op is constant:
            continue
        count += 1
        if any(x in follows for x in one.inputs):
            follows.update(one.results)
        elif one.location is not None:
            again.setdefault(one.location.line, []).append(one)
    return Kept(
        line=node.location.line if node.location is not None else 0,
        specs=tuple(str(x.spec) for x in rows),
        bytes=sum(_size(x, 0) for x in rows) if is_known else None,
        round_bytes=round_bytes,
        again=tuple(sorted(again)),
        operations=(sum(len(nodes) for nodes in again.values()), count),
    )


def _size(value: Value, first: int) -> int:
    """Return the bytes of an array, or of its rows; sizes that are not known count as one."""
    shape = [n if isinstance(n, int) else 1 for n in (value.spec.shape or ())[first:]]
    return prod(shape) * value.spec.dtype.itemsize
