from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.graph.verify import verify
from runtime.graph.walk import walk
from runtime.ops.control import cond
from runtime.ops.elementwise import add, negative, subtract
from runtime.passes.cse import constant_key, merge_common
from runtime.spec import Dim, TensorSpec
from tests.runtime.passes.build import BOOL, Draft, ops_of

DIFFERENT = [
    1, 1.0, True, 0.0, -0.0, 0, False, 1j, complex(-0.0, 1),
    np.float32(1), np.float64(1), np.int64(1), np.array(1.0), np.ones(1), np.ones((1, 1)),
    np.array([0.0]), np.array([-0.0]), np.ones(1, np.float32), np.True_,
]  # fmt: skip


def test_equal_expressions_become_one() -> None:
    draft = Draft()
    x, y = draft.param(), draft.param()
    graph = merge_common(draft.graph([x, y], draft(subtract, x, y), draft(subtract, x, y)))
    assert ops_of(graph) == ["subtract"]
    assert graph.results[0] is graph.results[1]


def test_operands_of_a_commutative_op_may_be_exchanged() -> None:
    draft = Draft()
    x, y = draft.param(), draft.param()
    assert ops_of(merge_common(draft.graph([x, y], draft(add, x, y), draft(add, y, x)))) == ["add"]


def test_operands_stay_where_their_order_decides_about_the_class() -> None:
    found = ag.function(lambda x: (x * 1j, 1j * x))(np.float64(2.0))
    assert [type(x) for x in found] == [np.complex128, complex]


def test_operands_of_another_op_may_not() -> None:
    draft = Draft()
    x, y = draft.param(), draft.param()
    graph = draft.graph([x, y], draft(subtract, x, y), draft(subtract, y, x))
    assert merge_common(graph) is graph


def test_constants_that_only_compare_equal_stay_apart() -> None:
    keys = {constant_key(value) for value in DIFFERENT}
    assert len(keys) == len(DIFFERENT)


@pytest.mark.parametrize("value", [1, 2.5, np.nan, np.arange(3), np.float32(2)])
def test_same_constants_become_one(value: object) -> None:
    draft = Draft()
    x = draft.param()
    graph = merge_common(draft.graph([x], draft(add, x, value), draft(add, x, value)))
    assert ops_of(graph) == ["constant", "add"]


def test_sizes_of_what_becomes_one_are_one() -> None:
    """The rules of what is made of it give the same names, in regions, too."""

    @ag.function
    def positive(x, n):
        first, second, total = x[x > 0], x[x > 0], 0.0
        for _ in range(n):
            total += np.sum(first + second * 2)
        return first + 1, second + total

    concrete = positive.get_concrete_function(np.ones(3), np.int64(2))
    graph = merge_common(concrete.traced_graph)
    verify(graph)

    def sizes(graph):
        results = (x for node in walk(graph) for x in node.results)
        return {n for x in results for n in x.spec.shape or () if isinstance(n, Dim)}

    assert len(sizes(graph)) == 1
    assert len(sizes(concrete.traced_graph)) == 3


def test_sizes_without_a_name_stay_apart() -> None:
    draft = Draft()
    x, y = (draft.param(TensorSpec([None])) for _ in range(2))
    graph = draft.graph([x, y], draft(negative, x), draft(negative, x), draft(negative, y))
    first, second, other = merge_common(graph).results
    assert first is second
    assert first.spec.shape != other.spec.shape or "?" in str(other.spec)


def test_regions_are_searched_by_themselves() -> None:
    draft = Draft()
    test, x = draft.param(BOOL), draft.param()
    arm = lambda d: [d(add, d(add, x, x), d(add, x, x))]  # noqa: E731
    graph = draft.graph([test, x], *draft.nest(cond, [test], [[], []], [arm, arm]))
    assert [ops_of(region) for region in merge_common(graph).nodes[-1].regions] == [["add"] * 2] * 2
