from __future__ import annotations

import numpy as np

from runtime.ops.control import cond
from runtime.ops.elementwise import add, divide, less, multiply
from runtime.passes.fold import LARGEST_RESULT, fold_constants
from tests.runtime.passes.build import BOOL, FLOAT, Draft, ops_of


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
