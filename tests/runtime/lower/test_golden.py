"""Plans and drivers of small programs, letter by letter; UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.graph.node import Graph
from runtime.lower.compile import compile_graph
from runtime.ops.control import cond, reduce, while_loop
from runtime.ops.elementwise import add, divide, greater, less, multiply, subtract
from runtime.ops.indexing import index, update
from runtime.ops.ufuncs import tanh
from runtime.spec import TensorSpec
from tests.runtime.passes.build import FLOAT, INT, VECTOR, Draft

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "plan"


def newton() -> Graph:
    """Refine a square root while it is not near enough."""
    draft = Draft()
    a, tolerance = draft.param(FLOAT, "a"), draft.param(FLOAT, "tolerance")

    def test(d: Draft, x: object) -> list[object]:
        return [d(greater, d(subtract, d(multiply, x, x), a), tolerance)]

    def body(d: Draft, x: object) -> list[object]:
        return [d(multiply, 0.5, d(add, x, d(divide, a, x)))]

    (x,) = draft.nest(while_loop, [a], [[FLOAT], [FLOAT]], [test, body], carry=1)
    return draft.graph([a, tolerance], x)


def bubble() -> Graph:
    """Exchange neighbours that are in the wrong order, once through an array."""
    draft = Draft()
    spec = TensorSpec([100])
    a = draft.param(spec, "a")

    def body(d: Draft, i: object, a: object) -> list[object]:
        following = d(add, i, 1)
        left, right = d(index, a, i, key="?"), d(index, a, following, key="?")
        arms = [
            lambda e: [e(update, e(update, a, right, i, key="?"), left, following, key="?")],
            lambda e: [a],
        ]
        return list(d.nest(cond, [d(greater, left, right)], [[], []], arms))

    start = [draft.literal(99), a]
    results = draft.nest(reduce, start, [[INT, spec]], [body], carry=1, sequences=0, length=99)
    return draft.graph([a], *results)


def running_sum() -> Graph:
    """Collect the sums of the elements so far."""
    draft = Draft()
    xs = draft.param(VECTOR, "xs")
    element = TensorSpec([])

    def body(d: Draft, i: object, total: object, x: object) -> list[object]:
        new = d(add, total, x)
        return [new, new]

    start = [draft.literal(3), draft(index, xs, key="0"), xs]
    specs = [[INT, element, element]]
    _, sums = draft.nest(reduce, start, specs, [body], carry=1, sequences=1, length=None)
    return draft.graph([xs], sums)


def large() -> Graph:
    """Compute on arrays that are worth keeping."""
    draft = Draft()
    spec = TensorSpec([100_000])
    x, y = draft.param(spec, "x"), draft.param(spec, "y")

    def body(d: Draft, i: object, x: object) -> list[object]:
        return [d(tanh, d(add, d(multiply, x, 0.5), y))]

    start = [draft.literal(10), x]
    results = draft.nest(reduce, start, [[INT, spec]], [body], carry=1, sequences=0, length=10)
    return draft.graph([x, y], *results)


def arms() -> Graph:
    """Choose among three."""
    draft = Draft()
    x, n = draft.param(VECTOR, "x"), draft.param(INT, "n")
    inner = lambda e: e.nest(  # noqa: E731
        cond, [e(less, n, 10)], [[], []], [lambda f: [f(add, x, 1.0)], lambda f: [x]]
    )
    double = lambda d: [d(multiply, d(subtract, x, 1.0), 2.0)]  # noqa: E731
    results = draft.nest(cond, [draft(less, n, 0)], [[], []], [double, inner])
    return draft.graph([x, n], *results)


@pytest.mark.parametrize("program", [newton, bubble, running_sum, arms, large])
def test_plan_and_driver_are_as_before(program: Callable[[], Graph]) -> None:
    executable = compile_graph(program())
    text = f"{executable.plan}\n\n{executable.source}"
    file = GOLDEN / f"{program.__name__}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()
