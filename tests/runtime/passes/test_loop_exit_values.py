from __future__ import annotations

import numpy as np

from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.regions import Loop, is_loop
from runtime.graph.verify import verify
from runtime.ops.control import reduce
from runtime.ops.elementwise import add
from runtime.passes.dce import remove_unused
from runtime.passes.loop_exit_values import take_settled
from tests.runtime.lower.same import all_same
from tests.runtime.passes.build import INT, VECTOR, Draft


def counting(reads: bool) -> Graph:
    """Return a loop that sets one variable to 1 in each round, and may read it."""
    draft = Draft()
    n, x = draft.param(INT), draft.param()
    body = lambda d, i, s, flag: [d(add, s, flag if reads else x), d.literal(1)]  # noqa: E731
    inputs = [n, x, draft.literal(0)]
    results = draft.nest(reduce, inputs, [[INT, VECTOR, INT]], [body], carry=2, sequences=0)
    return draft.graph([n, x], *results)


def test_what_each_round_sets_alike_is_not_carried() -> None:
    graph = remove_unused(take_settled(counting(False)))
    verify(graph)
    (node,) = filter(is_loop, graph.nodes)
    assert len(Loop(node).carried) == 1
    for rounds in (0, 1, 3):
        assert interpret(graph, [rounds, np.ones(3)], np)[1] == int(rounds > 0)


def test_what_no_round_changes_is_captured() -> None:
    draft = Draft()
    n, x, g = draft.param(INT), draft.param(), draft.param()
    body = lambda d, i, g, s: [g, d(add, s, g)]  # noqa: E731
    params = [[INT, VECTOR, VECTOR]]
    found = draft.nest(reduce, [n, g, x], params, [body], carry=2, sequences=0)
    graph = draft.graph([n, x, g], *found)
    made = take_settled(graph)
    verify(made)
    (node,) = filter(is_loop, made.nodes)
    assert node.attrs["carry"] == 1
    for rounds in (0, 3):
        given = rounds, np.ones(3), np.arange(3.0)
        assert all_same(interpret(made, given, np), interpret(graph, given, np))


def test_what_is_stacked_twice_is_stacked_once() -> None:
    draft = Draft()
    n, x = draft.param(INT), draft.param()
    body = lambda d, i, s: [d(add, s, x), s, s]  # noqa: E731
    found = draft.nest(reduce, [n, x], [[INT, VECTOR]], [body], carry=1, sequences=0)
    graph = draft.graph([n, x], *found)
    made = remove_unused(take_settled(graph))
    (node,) = filter(is_loop, made.nodes)
    assert len(node.results) == 2
    given = 3, np.arange(3.0)
    assert all_same(interpret(made, given, np), interpret(graph, given, np))


def test_what_a_round_reads_stays() -> None:
    graph = counting(True)
    assert take_settled(graph) is graph
