from __future__ import annotations

from runtime.ops.control import cond, reduce, while_loop
from runtime.ops.elementwise import add, less, multiply
from runtime.passes.dce import remove_unused
from tests.runtime.passes.build import BOOL, INT, VECTOR, Draft, ops_of


def test_unused_node_goes_with_what_only_it_used() -> None:
    draft = Draft()
    x = draft.param()
    draft(add, draft(multiply, x, x), 1.0)
    kept = draft(add, x, x)
    assert ops_of(remove_unused(draft.graph([x], kept))) == ["add"]


def test_unused_result_of_a_branch_goes() -> None:
    draft = Draft()
    test, x, y = draft.param(BOOL), draft.param(), draft.param()
    arm = lambda d: [d(add, x, x), d(multiply, y, y)]  # noqa: E731
    used, _ = draft.nest(cond, [test], [[], []], [arm, arm])
    node = remove_unused(draft.graph([test, x, y], used)).nodes[-1]
    assert node.inputs == (test, x)
    assert [ops_of(region) for region in node.regions] == [["add"], ["add"]]


def test_state_that_only_feeds_itself_goes() -> None:
    draft = Draft()
    n, x = draft.param(INT), draft.param()
    specs = [INT, VECTOR, VECTOR]
    test = lambda d, i, a, b: [d(less, i, n)]  # noqa: E731
    body = lambda d, i, a, b: [d(add, i, 1), d(add, a, x), d(multiply, b, a)]  # noqa: E731
    start = [draft.literal(0), x, x]
    _, a, _ = draft.nest(while_loop, start, [specs, specs], [test, body], carry=3)
    node = remove_unused(draft.graph([n, x], a)).nodes[-1]
    assert node.attrs["carry"] == 2
    assert ops_of(node.regions[1]) == ["constant", "add", "add"]


def test_state_that_the_test_needs_stays() -> None:
    draft = Draft()
    n, x = draft.param(INT), draft.param()
    test = lambda d, i, a: [d(less, i, n)]  # noqa: E731
    body = lambda d, i, a: [d(add, i, 1), d(add, a, a)]  # noqa: E731
    start = [draft.literal(0), x]
    _, a = draft.nest(while_loop, start, [[INT, VECTOR]] * 2, [test, body], carry=2)
    graph = draft.graph([n, x], a)
    assert remove_unused(graph) is graph


def test_unused_output_and_sequence_of_a_loop_go() -> None:
    draft = Draft()
    x, y = draft.param(), draft.param()
    element = VECTOR.with_shape(())
    body = lambda d, i, total, a, b: [d(add, total, a), d(multiply, b, b)]  # noqa: E731
    inputs = [draft.literal(3), draft.literal(0.0), x, y]
    inputs[1] = draft(add, draft(add, x, x), x)
    specs = [[INT, VECTOR, element, element]]
    total, _ = draft.nest(reduce, inputs, specs, [body], carry=1, sequences=2, length=3)
    node = remove_unused(draft.graph([x, y], total)).nodes[-1]
    assert (node.attrs["carry"], node.attrs["sequences"]) == (1, 1)
    assert node.inputs[2:] == (x,)
    assert ops_of(node.regions[0]) == ["add"]
