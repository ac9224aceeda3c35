from __future__ import annotations

from typing import Any

from runtime.graph.node import Value
from runtime.ops.control import reduce, while_loop
from runtime.ops.elementwise import absolute, add, divide, less, multiply
from runtime.passes.hoist import hoist_invariants
from tests.runtime.passes.build import INT, VECTOR, Draft, ops_of


def loop(draft: Draft, op: tuple[Any, ...], n: Value, x: Value) -> Value:
    """Append a loop that adds what `op` makes of `x` in every round."""
    test = lambda d, i, a: [d(less, i, n)]  # noqa: E731
    body = lambda d, i, a: [d(add, i, 1), d(add, a, d(*op, x))]  # noqa: E731
    start = [draft.literal(0), x]
    return draft.nest(while_loop, start, [[INT, VECTOR]] * 2, [test, body], carry=2)[1]


def test_total_op_leaves_a_loop_that_may_have_no_rounds() -> None:
    draft = Draft()
    n, x = draft.param(INT), draft.param()
    graph = hoist_invariants(draft.graph([n, x], loop(draft, (absolute,), n, x)))
    assert ops_of(graph)[-2:] == ["absolute", "while_loop"]
    assert ops_of(graph.nodes[-1].regions[1]) == ["constant", "add", "add"]


def test_op_that_may_warn_stays_in_a_loop_that_may_have_no_rounds() -> None:
    draft = Draft()
    n, x = draft.param(INT), draft.param()
    graph = draft.graph([n, x], loop(draft, (divide, 1.0), n, x))
    assert hoist_invariants(graph) is graph


def test_op_that_may_warn_leaves_a_loop_that_has_a_round() -> None:
    draft = Draft()
    x = draft.param()
    body = lambda d, i, a: [d(add, a, d(multiply, d(divide, 1.0, x), 2.0))]  # noqa: E731
    start = [draft.literal(3), x]
    results = draft.nest(reduce, start, [[INT, VECTOR]], [body], carry=1, sequences=0, length=3)
    graph = hoist_invariants(draft.graph([x], *results))
    assert ops_of(graph) == ["constant", "constant", "divide", "constant", "multiply", "reduce"]


def test_what_depends_on_the_state_stays() -> None:
    draft = Draft()
    x = draft.param()
    body = lambda d, i, a: [d(multiply, a, d(add, a, x))]  # noqa: E731
    start = [draft.literal(3), x]
    results = draft.nest(reduce, start, [[INT, VECTOR]], [body], carry=1, sequences=0, length=3)
    graph = draft.graph([x], *results)
    assert hoist_invariants(graph) is graph


def test_op_that_may_warn_leaves_a_loop_whose_first_test_is_known_to_hold() -> None:
    draft = Draft()
    x = draft.param()
    test = lambda d, i, a: [d(less, i, 3)]  # noqa: E731
    body = lambda d, i, a: [d(add, i, 1), d(add, a, d(divide, 1.0, x))]  # noqa: E731
    start = [draft.literal(0), x]
    found = draft.nest(while_loop, start, [[INT, VECTOR]] * 2, [test, body], carry=2)[1]
    assert ops_of(hoist_invariants(draft.graph([x], found)))[-2:] == ["divide", "while_loop"]
