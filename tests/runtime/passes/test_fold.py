from __future__ import annotations

import numpy as np

from runtime.graph.node import Value
from runtime.graph.verify import verify
from runtime.ops.control import cond, while_loop
from runtime.ops.elementwise import add, divide, less, multiply
from runtime.ops.joining import concatenate
from runtime.passes.fold import LARGEST_RESULT, fold_constants
from runtime.passes.simplify import simplify
from tests.runtime.passes.build import BOOL, FLOAT, INT, VECTOR, Draft, ops_of


def test_op_of_constants_becomes_a_constant() -> None:
    draft = Draft()
    x = draft.param()
    graph = fold_constants(draft.graph([x], draft(add, x, draft(multiply, 2, 3))))
    assert ops_of(graph) == ["constant", "constant", "constant", "add"]
    assert graph.nodes[2].attrs == {"value": 6}


def test_op_that_raises_stays() -> None:
    draft = Draft()
    graph = draft.graph([], draft(divide, 1, 0))
    assert fold_constants(graph) is graph


def test_op_that_warns_stays() -> None:
    draft = Draft()
    graph = draft.graph([], draft(divide, np.ones(2), np.zeros(2)))
    assert fold_constants(graph) is graph


def test_large_result_stays_unless_an_operand_is_as_large() -> None:
    draft = Draft()
    column, row = np.ones((64, 1)), np.ones(64)
    graph = draft.graph([], draft(add, column, row))
    assert LARGEST_RESULT < 64 * 64
    assert fold_constants(graph) is graph
    large = np.ones(2 * LARGEST_RESULT)
    again = Draft()
    assert ops_of(fold_constants(again.graph([], again(add, large, 1.0))))[-1] == "constant"


def test_folded_array_cannot_be_written() -> None:
    draft = Draft()
    graph = fold_constants(draft.graph([], draft(add, np.ones(2), 1.0)))
    assert not graph.nodes[-1].attrs["value"].flags.writeable


def test_branch_on_a_constant_becomes_its_arm() -> None:
    draft = Draft()
    x = draft.param()
    arms = [lambda d: [d(add, x, 1.0)], lambda d: [d(multiply, x, 2.0)]]
    results = draft.nest(cond, [draft(less, 1, 2)], [[], []], arms)
    assert ops_of(fold_constants(draft.graph([x], *results)))[-1] == "add"


def test_branch_on_a_constant_stays_when_its_arm_has_another_type() -> None:
    draft = Draft()
    test = draft.literal(True)
    arms = [lambda d: [d.literal(1)], lambda d: [d.literal(2.0)]]
    results = draft.nest(cond, [test], [[], []], arms)
    assert results[0].spec == FLOAT
    assert "cond" in ops_of(fold_constants(draft.graph([], *results)))


def test_constants_are_known_in_branches() -> None:
    draft = Draft()
    test, two = draft.param(BOOL), draft.literal(2)
    arms = [lambda d: [d(multiply, two, 3)], lambda d: [d.literal(1)]]
    results = draft.nest(cond, [test], [[], []], arms)
    graph = fold_constants(draft.graph([test], *results))
    assert ops_of(graph.nodes[-1].regions[0]) == ["constant", "constant"]


def test_arm_knows_the_condition_of_its_branch() -> None:
    draft = Draft()
    test, x = draft.param(BOOL), draft.param()
    inner = lambda d: d.nest(  # noqa: E731
        cond, [test], [[], []], [lambda e: [e(add, x, x)], lambda e: [e(multiply, x, x)]]
    )
    results = draft.nest(cond, [test], [[], []], [inner, inner])
    graph = fold_constants(draft.graph([test, x], *results))
    assert [ops_of(region) for region in graph.nodes[-1].regions] == [["add"], ["multiply"]]


def loop_from(first: int) -> tuple[Draft, Value, Value]:
    """Return a draft with a loop that counts up to three."""
    draft = Draft()
    x = draft.param()
    test = lambda d, i, a: [d(less, i, 3)]  # noqa: E731
    body = lambda d, i, a: [d(add, i, 1), d(add, a, x)]  # noqa: E731
    start = [draft.literal(first), x]
    return draft, x, draft.nest(while_loop, start, [[INT, VECTOR]] * 2, [test, body], carry=2)[1]


def test_loop_that_is_known_to_have_no_round_goes() -> None:
    draft, x, result = loop_from(3)
    graph = fold_constants(draft.graph([x], result))
    assert ops_of(graph) == ["constant"]


def test_loop_that_has_a_round_stays() -> None:
    draft, x, result = loop_from(2)
    assert ops_of(fold_constants(draft.graph([x], result))) == ["constant", "while_loop"]


def test_a_number_that_a_region_is_given_is_a_constant_there() -> None:
    draft = Draft()
    test, x, one = draft.param(BOOL), draft.param(VECTOR), draft.literal(np.float64(1.0))
    arms = [lambda d: [d(add, d(multiply, x, one), x)], lambda d: [d(add, x, x)]]
    results = draft.nest(cond, [test], [[], []], arms)
    graph = simplify(fold_constants(draft.graph([test, x], *results)))
    assert ops_of(graph.nodes[-1].regions[0]) == ["constant", "copy", "add"]


def test_sizes_that_become_known_are_known_in_regions_too() -> None:
    """What rules make of them is again what the graph says."""
    draft = Draft()
    test, x = draft.param(BOOL), draft.param()
    arms = [lambda d, n=n: [d.literal(np.ones(n))] for n in (2, 4)]
    (chosen,) = draft.nest(cond, [draft.literal(True)], [[], []], arms)
    made = draft(concatenate, chosen, x, axis=0)
    arm = lambda d: [d(multiply, made, made)]  # noqa: E731
    graph = draft.graph([test, x], *draft.nest(cond, [test], [[], []], [arm, arm]))
    assert "?" not in str(made.spec) != "f64[5]"
    folded = fold_constants(graph)
    verify(folded)
    assert [str(x.spec) for x in folded.results] == ["f64[5]"]
