"""What every round of a loop sets alike is known after the loop: it was set, or no round ran.

Such is the class of a number: `total = 0` before a loop over an array of integers is an `int` where
that is empty, else an `int64`. What no round reads need not go from round to round. Nor does what
none changes, which is captured: the cotangent of a sum, which is the same for all its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Carried, Loop, fixed_params, loop_of
from runtime.ops.control import cond
from runtime.ops.creation import constant
from runtime.ops.elementwise import greater
from runtime.passes.fold import has_round
from runtime.passes.log import Log
from runtime.passes.rewriter import (
    changed,
    in_regions,
    known_values,
    node_of,
    unify_sizes,
    with_inputs,
    with_nodes,
    with_sizes,
)
from runtime.spec import WEAK_SPECS, Dim

NO_LABEL = {"label": None, "quiet": False}


def take_settled(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph with what rounds of counting loops set alike computed after them."""
    sizes: dict[Dim, int | Dim] = {}
    found = in_regions(partial(_take_settled, sizes=sizes, log=log or Log()))(graph)
    return with_sizes(found, sizes) if sizes else found


def _take_settled(graph: Graph, sizes: dict[Dim, int | Dim], log: Log) -> Graph:
    if not any(node.regions for node in graph.nodes):
        return graph
    used = {*graph.results, *(x for node in graph.nodes for x in node.inputs)}
    known = known_values(graph)
    nodes: list[Node] = []
    env: dict[Value, Value] = {}
    for node in graph.nodes:
        node = with_inputs(node, env)
        loop = loop_of(node)
        if loop is not None and (places := _kept(loop)):
            log.did("captured", len(places))
            env.update((loop.carried[k].final, loop.carried[k].initial) for k in places)
            node = _capturing(loop, places)
            loop = Loop(node)
        nodes.append(node)
        for rows, first in _alike(loop) if loop is not None else ():
            env[rows] = first
            unify_sizes(rows.spec, first.spec, sizes)
        if loop is None or loop.count is None or loop.count.spec != WEAK_SPECS[int]:
            continue  # a `while`, or one over a dataset
        for one, value in _settled(loop, nodes):
            if one.final in used:
                log.did("taken out")
                certain = has_round(node, known)
                env[one.final] = value if certain else _after(loop, one, value, nodes)
    return with_nodes(graph, nodes, [env.get(x, x) for x in graph.results])


def _kept(loop: Loop) -> list[int]:
    """Return the places of the state that no round changes."""
    pairs = enumerate(loop.carried)
    alike = [k for k, x in pairs if x.next is x.param and x.initial.spec == x.param.spec]
    return [k for k in alike if k != loop.until]


def _alike(loop: Loop) -> list[tuple[Value, Value]]:
    """Return what a loop stacks twice, with what is the same."""
    first: dict[Value, Value] = {}
    return [(rows, first[x]) for x, rows in loop.stacked if first.setdefault(x, rows) is not rows]


def _capturing(loop: Loop, places: Sequence[int]) -> Node:
    """Return a loop that captures some parts of its state, which no round changes."""

    def rest(items: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(x for k, x in enumerate(items) if k not in places)

    def moved(items: Sequence[Value]) -> tuple[Value, ...]:
        parts = loop.layout.split(items)
        captured = (*parts.captured, *(parts.carried[k] for k in places))
        return tuple(replace(parts, carried=rest(parts.carried), captured=captured))

    regions = [Graph(moved(x.params), x.nodes, x.results) for x in loop.node.regions]
    regions[-1] = replace(regions[-1], results=rest(loop.body.results))
    until = loop.until and loop.until - sum(k < loop.until for k in places)
    new = {"carry": len(loop.carried) - len(places), "until": until}
    attrs = {name: new.get(name, x) for name, x in loop.node.attrs.items()}
    return changed(
        loop.node,
        inputs=moved(loop.node.inputs),
        regions=regions,
        results=rest(loop.node.results),
        attrs=attrs,
    )


def _settled(loop: Loop, nodes: list[Node]) -> Iterator[tuple[Carried, Value]]:
    """Yield what each round sets alike and none reads, with what that is; add how it is made."""
    body = loop.body
    outer = {param: operand for region, param, operand in fixed_params(loop.node) if region is body}
    constants = {node.result: node for node in body.nodes if node.op is constant}
    read = {*body.results, *(x for node in body.nodes for x in node.inputs)}
    for one in loop.carried:
        is_number = one.final.spec.shape == () and one.initial.spec == one.next.spec
        if one.param in read or not is_number:
            continue
        if one.next in outer:
            yield one, outer[one.next]
        elif one.next in constants:
            nodes.append(changed(constants[one.next], results=[Value(one.next.spec)]))
            yield one, nodes[-1].result


def _after(loop: Loop, one: Carried, value: Value, nodes: list[Node]) -> Value:
    """Return the value after a loop that may have no round."""
    assert loop.count is not None
    at, results = loop.node.location, (Value(one.final.spec),)
    zero = node_of(constant, (), {"value": 0}, at)
    test = node_of(greater, (loop.count, zero.result), {}, at)
    operands = (value, one.initial)
    nodes += [
        zero,
        test,
        Node(cond, (test.result, *operands), NO_LABEL, _arms(operands), results, at),
    ]
    return results[0]


def _arms(operands: tuple[Value, Value]) -> tuple[Graph, Graph]:
    """Return the arm of the first operand, and that of the second one."""
    first, second = (tuple(Value(x.spec) for x in operands) for _ in range(2))
    return Graph(first, (), first[:1]), Graph(second, (), second[1:])
