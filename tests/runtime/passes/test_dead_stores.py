from __future__ import annotations

from typing import Any

import pytest

from runtime.graph.node import Value
from runtime.graph.reference import Reference
from runtime.ops.control import cond, while_loop
from runtime.ops.effects import keep
from runtime.ops.elementwise import add, less, multiply
from runtime.ops.linear import inv
from runtime.ops.movement import copy
from runtime.passes.dead_stores import remove_needless_keeps
from runtime.spec import TensorSpec
from tests.runtime.passes.build import BOOL, INT, VECTOR, Draft, ops_of


def kept(draft: Draft, new: Value, before: Value, number: int = 1) -> None:
    draft.builder.emit(keep, [new, before], {"variable": Reference("variable", "v", number)})


MATRIX = TensorSpec((2, 2), "float64")


def test_a_keep_stays_when_something_that_may_fail_follows() -> None:
    draft = Draft()
    x, m = draft.param(), draft.param(MATRIX)
    y = draft(add, x, x)
    kept(draft, y, x)
    graph = draft.graph([x, m], draft(inv, m), y)
    assert remove_needless_keeps(graph) is graph


def test_a_keep_waits_until_something_may_fail() -> None:
    draft = Draft()
    x, m = draft.param(), draft.param(MATRIX)
    y = draft(add, x, x)
    kept(draft, y, x)
    z = draft(multiply, y, x)
    graph = draft.graph([x, m], draft(inv, m), z)
    found = remove_needless_keeps(graph)
    assert ops_of(found) == ["add", "multiply", "keep", "inv"]
    assert remove_needless_keeps(found) is found


def test_a_keep_goes_when_nothing_may_fail_before_the_next_or_the_end() -> None:
    draft = Draft()
    x, m = draft.param(), draft.param(MATRIX)
    for value in (draft(add, x, x), draft(multiply, x, x)):
        kept(draft, value, x)
        kept(draft, value, x, 2)
    found = remove_needless_keeps(draft.graph([x, m], draft(inv, m)))
    assert [n.inputs[0].spec for n in found.nodes if n.op is keep] == [VECTOR, VECTOR]
    assert ops_of(found) == ["add", "multiply", "keep", "keep", "inv"]
    end = Draft()
    x = end.param()
    kept(end, end(add, x, x), x)
    assert ops_of(remove_needless_keeps(end.graph([x], x))) == ["add"]


def test_a_keep_protects_what_was_held_before_those_that_went() -> None:
    draft = Draft()
    x, m = draft.param(), draft.param(MATRIX)
    first = draft(copy, x)
    second = draft(add, first, first)
    kept(draft, first, x)
    kept(draft, second, first)
    found = remove_needless_keeps(draft.graph([x, m], draft(inv, m), second))
    (only,) = (node for node in found.nodes if node.op is keep)
    assert only.inputs == (second, x)


@pytest.mark.parametrize("fails", [False, True])
def test_keeps_of_a_loop_stay_when_a_round_may_fail(fails: bool) -> None:
    draft = Draft()
    n, x, m = draft.param(INT), draft.param(), draft.param(MATRIX)
    test = lambda d, i, a: [d(less, i, n)]  # noqa: E731

    def body(d: Draft, i: Any, a: Any) -> list[Any]:
        new = d(add, a, a)
        kept(d, new, a)
        if fails:
            d(inv, m)
        return [d(add, i, 1), new]

    start = [draft.literal(0), x]
    _, a = draft.nest(while_loop, start, [[INT, VECTOR]] * 2, [test, body], carry=2)
    kept(draft, a, x)
    found = remove_needless_keeps(draft.graph([n, x, m], a))
    loop = next(node for node in found.nodes if node.op is while_loop)
    assert ("keep" in ops_of(loop.regions[1])) is fails
    assert ("keep" in ops_of(found)) is fails


def test_keeps_of_an_arm_go_when_one_follows_the_branch() -> None:
    draft = Draft()
    test, x, m = draft.param(BOOL), draft.param(), draft.param(MATRIX)

    def arm(d: Draft) -> list[Any]:
        new = d(add, x, x)
        kept(d, new, x)
        return [new]

    (a,) = draft.nest(cond, [test], [[], []], [arm, lambda d: [d(multiply, x, x)]])
    kept(draft, a, x)
    found = remove_needless_keeps(draft.graph([test, x, m], a, draft(inv, m)))
    assert "keep" not in ops_of(found.nodes[0].regions[0])
    assert "keep" in ops_of(found)
