from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.verify import verify
from runtime.ops.control import reduce
from runtime.ops.elementwise import add, less, multiply
from runtime.ops.indexing import gather
from runtime.ops.reductions import sum_
from runtime.passes.full_unroll import MOST_ROUNDS, unroll_loops
from runtime.passes.log import Log
from runtime.spec import TensorSpec
from tests.runtime.lower.same import all_same
from tests.runtime.passes.build import INT, VECTOR, Draft, ops_of


def loop(count: int, write: Any, state: TensorSpec = VECTOR) -> Graph:
    """Return the graph of a loop over the rows of an array."""
    draft = Draft()
    x, rows = draft.param(state), draft.param(TensorSpec([count, *(state.shape or ())]))
    inputs = [draft.literal(count), x, rows]
    found = draft.nest(
        reduce, inputs, [[INT, state, state]], [write], carry=1, sequences=1, length=count
    )
    return draft.graph([x, rows], *found)


def test_short_loop_over_arrays_is_unrolled() -> None:
    graph = loop(3, lambda d, i, a, row: [d(add, d(multiply, a, i), row), d(add, a, a)])
    unrolled = unroll_loops(graph)
    verify(unrolled)
    assert ops_of(unrolled).count("multiply") == 3
    assert "reduce" not in ops_of(unrolled)
    given = [np.arange(3.0), np.random.default_rng(1).standard_normal((3, 3))]
    assert all_same(interpret(unrolled, given, np), interpret(graph, given, np))


def test_loop_of_one_round_is_its_body() -> None:
    number = TensorSpec([])
    graph = loop(1, lambda d, i, a, row: [d(add, a, row)], number)
    assert ops_of(unroll_loops(graph)) == ["constant", "constant", "index", "add"]


def reason(graph: Graph) -> str:
    """Return why the loop of a graph stays."""
    log = Log()
    assert unroll_loops(graph, log) is graph
    (found,) = log.runs[-1].left
    return found.partition(": ")[2]


def test_other_loops_stay_and_the_log_says_why() -> None:
    body = lambda d, i, a, row: [d(add, a, row)]  # noqa: E731
    count = MOST_ROUNDS + 1
    assert reason(loop(count, body)) == f"{count} rounds of 1 ops are too many"
    assert reason(loop(3, body, TensorSpec([]))) == "it computes no whole arrays"
    numbers = lambda d, i, a, row: [d(add, a, row), i]  # noqa: E731
    kept = lambda d, i, a, row: [d(add, a, d(sum_, d(gather, row, d(less, a, row), key="?")))]  # noqa: E731
    assert reason(loop(3, kept)) == "an array in it has another unknown size in each round"
    assert reason(loop(3, numbers)) == "what its rounds give is no array of known size"


def test_chain_over_the_rounds_of_a_loop_is_one_kernel() -> None:
    def layers(x, weights):
        for w in weights:
            x = np.maximum(x * w, 0) + x
        return x

    x, weights = np.linspace(-1, 1, 40), np.ones((4, 40)) * 0.5
    staged = ag.function(layers)
    assert np.array_equal(staged(x, weights), layers(x, weights))
    assert str(staged.plan(x, weights)).count("native(") == 2  # in the plan, and in the program


def test_loop_over_no_rows_is_looked_at_too() -> None:
    graph = loop(0, lambda d, i, a, row: [d(add, a, row)])
    given = [np.arange(3.0), np.zeros((0, 3))]
    assert all_same(interpret(unroll_loops(graph), given, np), interpret(graph, given, np))
    total = ag.function(lambda xs: sum(x for x in xs))
    assert total(np.zeros(0)) == 0
