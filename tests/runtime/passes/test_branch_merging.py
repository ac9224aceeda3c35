from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph, Value
from runtime.graph.verify import verify
from runtime.ops.control import cond
from runtime.ops.effects import print_
from runtime.ops.elementwise import add, multiply, subtract
from runtime.ops.joining import concatenate
from runtime.passes.branch_merging import merge_branches
from runtime.passes.log import Log
from runtime.spec import TensorSpec
from tests.runtime.lower.same import all_same
from tests.runtime.passes.build import BOOL, Draft, ops_of


def two(between: Any = None) -> Graph:
    """Return a graph with two branches on one condition."""
    draft = Draft()
    test, x, y = draft.param(BOOL), draft.param(), draft.param()

    def arm(op: Any, other: Any) -> Any:
        return lambda d: [d(op, x, other)]

    (a,) = draft.nest(cond, [test], [[], []], [arm(add, y), arm(multiply, y)])
    c = draft(subtract, y, x) if between is None else between(draft, a)
    (b,) = draft.nest(cond, [test], [[], []], [arm(multiply, c), arm(add, a)])
    return draft.graph([test, x, y], a, b, c)


def test_branches_on_one_condition_are_merged() -> None:
    graph = two()
    merged = merge_branches(graph)
    verify(merged)
    assert ops_of(merged) == ["subtract", "cond"]
    then, other = merged.nodes[-1].regions
    assert (ops_of(then), ops_of(other)) == (["add", "multiply"], ["multiply", "add"])
    for test in (True, False):
        given = [test, np.arange(3.0), np.ones(3) * 2]
        assert all_same(interpret(merged, given, np), interpret(graph, given, np))


def test_branch_whose_result_is_needed_before_the_second_one_stays() -> None:
    log = Log()
    graph = two(lambda draft, a: draft(add, a, 1.0))
    assert merge_branches(graph, log) is graph
    (found,) = log.runs[-1].left
    assert found.endswith(": add needs the first one")


def test_branch_is_not_moved_beyond_a_print() -> None:
    def shown(draft: Draft, a: Value) -> Value:
        draft.builder.emit(print_, (), print_.attributes({"format": "here"}))
        return draft(add, 1.0, 1.0)

    log = Log()
    assert merge_branches(two(shown), log).nodes[0].op is cond
    (found,) = log.runs[-1].left
    assert found.endswith(": print and what they do keep their order")


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_program_with_two_branches_on_one_condition(turn: float) -> None:
    def turned(x, c):
        if c > 0:
            y = x + 1
        else:
            y = x - 1
        z = x * 2
        if c > 0:
            z = z + y
        else:
            z = z - y
        return y, z

    x, c = np.arange(4.0), np.float64(turn)
    staged = ag.function(turned)
    assert all_same(list(staged(x, c)), list(turned(x, c)))
    assert staged.graph(x, c).count(" = cond(") == 1


def test_branch_that_may_raise_is_not_moved_behind_a_loop_that_might_never_end() -> None:
    def read(x, i, n):
        y = x[0]
        if n > 0:
            y = x[i]
        k = n
        while k != 0:
            k = k - 2
        if n > 0:
            y = y + k
        return y

    staged, x = ag.function(read), np.arange(4.0)
    assert staged(x, np.int64(2), np.int64(4)) == 2.0
    why = "the first one may raise, and while_loop might never end"
    assert why in str(staged.passes(x, np.int64(2), np.int64(4)))
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        staged(x, np.int64(9), np.int64(5))  # 5, 3, 1, -1, ...


def test_sizes_in_an_arm_are_those_of_what_the_first_arm_gives() -> None:
    draft = Draft()
    test, x = draft.param(BOOL), draft.param(TensorSpec(["n"]))
    longer = lambda d: [d(concatenate, x, x, axis=0)]  # noqa: E731
    (a,) = draft.nest(cond, [test], [[], []], [longer, lambda d: [x]])
    (b,) = draft.nest(cond, [test], [[], []], [lambda d: [d(multiply, a, a)]] * 2)
    merged = merge_branches(draft.graph([test, x], b))
    assert ops_of(merged) == ["cond"]
    verify(merged)
