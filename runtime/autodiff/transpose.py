"""Going back through an op that says only how tangents go along it.

Tangents of results are linear in those of operands. So what goes back is what goes back through the
program that computes them: it is traced, one goes back through it, and what of that is needed is
copied to where it belongs. What stands for tangents while going back does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.autodiff.choosing import picked
from runtime.autodiff.tape import Back
from runtime.autodiff.values import application, asked, fitted, spread
from runtime.default_graph import building
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import Derivative
from runtime.passes.dce import remove_unused
from runtime.passes.rewriter import copied_region
from runtime.tensor import Symbol


def back_by_transpose(
    builder: Builder,
    node: Node,
    values: tuple[Sequence[Value], Sequence[Value]],
    cotangents: Sequence[Value | None],
    wanted: Sequence[bool],
    known: Mapping[Value, Any],
    back: Back,
) -> list[Symbol | None]:
    """Write what goes back through a node; return the cotangents of its operands.

    Args:
        builder: where it is written.
        node: its op's rule has no `vjp`.
        values: its operands and its results there.
        cotangents: of the results; None for zero.
        wanted: which operands they are asked for.
        known: the numbers that some operands are.
        back: writes what goes back through a region.
    """
    numbers = {k: known[x] for k, x in enumerate(values[0]) if x in known}
    along, captured, is_there = _along(builder, node, wanted, cotangents, numbers)
    inner = Builder(builder)
    params = [inner.param(x.spec) for x in along.params]
    given = [inner.param(x.spec) for x in along.results]
    count = len(values[0]) + len(values[1])
    last = count + sum(wanted)
    follows = [count <= k < last for k in range(len(params))]
    found = back(inner, along, params, follows, given)[count:last]
    made_of = inner.captured()
    whole = inner.seal([*params, *given], [g for g in found if g is not None], made_of)
    of_results = [g for g in picked(cotangents, is_there) if g is not None]
    of_operands = picked(values[0], wanted)
    operands = [*values[0], *values[1], *of_operands, *captured, *of_results, *made_of]
    made = (Symbol(builder, x) for x in _inlined(builder, remove_unused(whole), operands))
    rest = iter([None if g is None else next(made) for g in found])
    return [next(rest) if is_wanted else None for is_wanted in wanted]


def _along(
    builder: Builder,
    node: Node,
    wanted: Sequence[bool],
    cotangents: Sequence[Value | None],
    numbers: Mapping[int, Any],
) -> tuple[Graph, list[Value], list[bool]]:
    """Return the program from operands, results and tangents to tangents of results.

    Also returns the values that follow as parameters, and which results have a tangent that is not
    zero and is asked for.
    """
    inner, rule = Builder(builder), node.op.derivative
    assert isinstance(rule, Derivative)
    operands = [inner.param(x.spec) for x in node.inputs]
    results = [inner.param(x.spec) for x in node.results]
    pairs = zip(operands, wanted, strict=True)
    tangents = [inner.param(x.spec) if is_wanted else None for x, is_wanted in pairs]
    known = {operands[k]: number for k, number in numbers.items()}
    with building(inner):
        call = application(inner, node, operands, results, wanted, known)
        symbols = [None if t is None else Symbol(inner, t) for t in tangents]
        found = asked(node, rule.jvp, call, symbols)
        is_there = [t is not None and g is not None for t, g in zip(found, cotangents, strict=True)]
        made = [
            spread(inner, fitted(inner, t, y), y)
            for t, y in picked(zip(found, results, strict=True), is_there)
        ]
    given = [t for t in tangents if t is not None]
    captured = inner.captured()
    return inner.seal([*operands, *results, *given], made, captured), captured, is_there


def _inlined(builder: Builder, graph: Graph, given: Sequence[Value]) -> list[Value]:
    """Write the nodes of a graph that its results need; return what stands for these.

    What only tangents go through is left out, also where it may raise: there are none.
    """
    needed, nodes = set(graph.results), list[Node]()
    for node in reversed(graph.nodes):
        if node.op.effect is not None or node.regions or not needed.isdisjoint(node.results):
            needed.update(node.inputs)
            nodes.append(node)
    env = dict(zip(graph.params, map(builder.resolve, given), strict=True))
    for node in reversed(nodes):
        regions = [copied_region(x) for x in node.regions]
        results = builder.copy(node, [env[x] for x in node.inputs], regions)
        env.update(zip(node.results, results, strict=True))
    return [env[x] for x in graph.results]
