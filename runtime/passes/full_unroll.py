"""Loop unrolling by cost: the rounds of a short loop over whole arrays stand one after another.

Chains of elementwise ops then go on from round to round, and become one kernel; ops on what is
known of a round are computed. Loops over single numbers stay: they are machine code as they are. A
loop of one round is its body.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.regions import Loop, loop_of
from runtime.graph.walk import count_nodes, walk
from runtime.ops.creation import constant
from runtime.ops.indexing import index
from runtime.ops.joining import stack
from runtime.passes.fold import round_count
from runtime.passes.log import Log
from runtime.passes.rewriter import (
    copied,
    each_graph,
    known_values,
    node_of,
    rewritten,
)
from runtime.spec import Dim, make_spec

MOST_ROUNDS, MOST_NODES = 8, 64
"""How many rounds an unrolled loop has at most, and how many nodes all of them."""


@each_graph
def unroll_loops(graph: Graph, log: Log) -> Graph:
    """Return the graph without short loops over whole arrays whose number of rounds is known."""
    known = known_values(graph)

    def rounds(node: Node, nodes: list[Node]) -> Sequence[Value] | None:
        loop = loop_of(node)
        if loop is None or loop.test is not None:
            return None
        count = round_count(loop, known)
        why = _why_not(loop, count)
        if count is None or why:
            log.left(node, "unrolled", why)
            return None
        log.did("unrolled")
        return _write(loop, count, nodes)

    return rewritten(graph, rounds)


def _why_not(loop: Loop, count: int | None) -> str:
    """Return why a loop has to stay; nothing if it need not."""
    body = loop.body
    if count is None:
        return "how many rounds it has is not known"
    if count > MOST_ROUNDS or count * count_nodes(body) > MOST_NODES:
        return f"{count} rounds of {count_nodes(body)} ops are too many"
    if count != 1 and not any(_is_on_arrays(node) for node in walk(body)):
        return "it computes no whole arrays"
    inner = (x for node in walk(body) for x in node.results)
    if count != 1 and any(isinstance(n, Dim) for n in _sizes(inner) - _sizes(loop.node.inputs)):
        return "an array in it has another unknown size in each round"
    if any({x.initial.spec, x.next.spec} != {x.param.spec} for x in loop.carried):
        return "a variable changes its type"
    if any(_row(sequence) != element.spec for element, sequence in loop.elements):
        return "the sizes of its elements are not known"
    if not all(count and not x.spec.weak and rows.spec.is_static for x, rows in loop.stacked):
        return "what its rounds give is no array of known size"
    return ""


def _sizes(values: Iterable[Value]) -> set[int | Dim]:
    return {n for x in values for n in x.spec.shape or ()}


def _is_on_arrays(node: Node) -> bool:
    return node.op.ufunc is not None and bool(node.results[0].spec.rank)


def _row(sequence: Value) -> Any:
    """Return what a round is given of a sequence, which may have no rows."""
    spec = sequence.spec
    return make_spec(spec.dtype, spec.shape[1:]) if spec.shape else None


def _write(loop: Loop, count: int, nodes: list[Node]) -> list[Value]:
    """Append the rounds of a loop; return what stands for its results."""
    location = loop.node.location
    given = loop.operands
    rows: list[Sequence[Value]] = []

    def emit(op: OpDef, inputs: Sequence[Value], **attrs: Any) -> Value:
        nodes.append(node_of(op, inputs, attrs, location))
        return nodes[-1].result

    rounds = range(count)
    for k in reversed(rounds) if loop.reverse else rounds:
        numbers = tuple(Value(x.spec, x.name) for x in loop.params.head)
        nodes.append(Node(constant, (), {"value": k}, (), numbers, location))
        elements = tuple(emit(index, [x], key=str(k)) for x in given.sequences)
        made, results = copied(loop.body, [*replace(given, head=numbers, sequences=elements)])
        nodes += made
        carried, row = loop.layout.outputs(results)
        given = replace(given, carried=carried)
        rows.append(row)
    columns = zip(*(rows[::-1] if loop.reverse else rows), strict=True)
    return [*given.carried, *(emit(stack, column, axis=0, rows=False) for column in columns)]
