"""Loop unrolling by cost: the rounds of a short loop over whole arrays stand one after another.

Chains of elementwise ops then go on from round to round, and become one kernel; ops on what is
known of a round are computed. Loops over single numbers stay: they are machine code as they are. A
loop of one round is its body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.walk import count_nodes, walk
from runtime.ops.control import reduce
from runtime.ops.creation import constant
from runtime.ops.indexing import index
from runtime.ops.joining import stack
from runtime.passes.log import Log
from runtime.passes.rewriter import copied, in_regions, node_of, with_inputs, with_nodes
from runtime.spec import make_spec

MOST_ROUNDS, MOST_NODES = 8, 64
"""How many rounds an unrolled loop has at most, and how many nodes all of them."""


def unroll_loops(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph without short loops over whole arrays whose number of rounds is known."""
    return in_regions(partial(_unroll, log=log or Log()))(graph)


def _unroll(graph: Graph, log: Log) -> Graph:
    if not any(node.op is reduce for node in graph.nodes):
        return graph
    known = {x.result: x.attrs["value"] for x in graph.nodes if x.op is constant}
    nodes: list[Node] = []
    env: dict[Value, Value] = {}
    for node in graph.nodes:
        node = with_inputs(node, env)
        why = _why_not(node, known) if node.op is reduce else ""
        if why is None:
            log.did("unrolled")
            env.update(zip(node.results, _write(node, _count(node, known), nodes), strict=True))
            continue
        if why:
            log.left(node, "unrolled", why)
        nodes.append(node)
    return with_nodes(graph, nodes, [env.get(x, x) for x in graph.results])


def _count(loop: Node, known: Mapping[Value, Any]) -> int:
    """Return the number of rounds; -1 when it is not known."""
    count = known.get(loop.inputs[0], loop.attrs["length"])
    return max(count, 0) if isinstance(count, int) else -1


def _why_not(loop: Node, known: Mapping[Value, Any]) -> str | None:
    """Return why a loop has to stay, or None."""
    (body,) = loop.regions
    count, carry, sequences = _count(loop, known), loop.attrs["carry"], loop.attrs["sequences"]
    if count < 0:
        return "how many rounds it has is not known"
    if count > MOST_ROUNDS or count * count_nodes(body) > MOST_NODES:
        return f"{count} rounds of {count_nodes(body)} ops are too many"
    if count != 1 and not any(_is_on_arrays(node) for node in walk(body)):
        return "it computes no whole arrays"
    state = zip(loop.inputs[1 : 1 + carry], body.params[1 : 1 + carry], body.results, strict=False)
    given = zip(loop.inputs[1 + carry :], body.params[1 + carry :], strict=True)
    elements = [(_row(x), param) for x, param in list(given)[:sequences]]
    if any(x.spec != p.spec or y.spec != p.spec for x, p, y in state):
        return "a variable changes its type"
    if any(spec != param.spec for spec, param in elements):
        return "the sizes of its elements are not known"
    stacked = zip(body.results[carry:], loop.results[carry:], strict=True)
    if not all(count and not x.spec.weak and rows.spec.is_static for x, rows in stacked):
        return "what its rounds give is no array of known size"
    return None


def _is_on_arrays(node: Node) -> bool:
    return node.op.ufunc is not None and bool(node.results[0].spec.rank)


def _row(sequence: Value) -> Any:
    """Return what a round is given of a sequence, which may have no rows."""
    spec = sequence.spec
    return make_spec(spec.dtype, spec.shape[1:]) if spec.shape else None


def _write(loop: Node, count: int, nodes: list[Node]) -> list[Value]:
    """Append the rounds of a loop; return what stands for its results."""
    (body,) = loop.regions
    carry, sequences = loop.attrs["carry"], loop.attrs["sequences"]
    state, others = loop.inputs[1 : 1 + carry], loop.inputs[1 + carry :]
    rows: list[Sequence[Value]] = []

    def emit(op: OpDef, inputs: Sequence[Value], **attrs: Any) -> Value:
        nodes.append(node_of(op, inputs, attrs, loop.location))
        return nodes[-1].result

    for k in range(count):
        number = Value(body.params[0].spec, body.params[0].name)
        nodes.append(Node(constant, (), {"value": k}, (), (number,), loop.location))
        elements = [emit(index, [x], key=str(k)) for x in others[:sequences]]
        given = [number, *state, *elements, *others[sequences:]]
        made, results = copied(body, given)
        nodes += made
        state = tuple(results[:carry])
        rows.append(results[carry:])
    stacked = [emit(stack, column, axis=0) for column in zip(*rows, strict=True)]
    return [*state, *stacked]
