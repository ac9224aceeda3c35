from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.walk import walk
from runtime.ops.elementwise import add, multiply
from runtime.ops.indexing import index, update
from runtime.passes.writes import write_once
from tests.runtime.passes.build import Draft, ops_of


def halved(x: Any) -> Any:
    x[1:] *= 0.5
    return x


def moved(x: Any, n: Any) -> Any:
    for k in range(n):
        x[k:] -= x[: len(x) - k]
    return x


@pytest.mark.parametrize(("function", "others"), [(halved, ()), (moved, (np.int64(4),))])
def test_what_is_updated_in_place_is_written_once(function: Any, others: tuple[Any, ...]) -> None:
    x = np.arange(4.0)
    graph = ag.function(function).get_concrete_function(x, *others).executable.plan.graph
    assert sum(node.op is update for node in walk(graph)) == 1
    assert np.array_equal(ag.function(function)(x.copy(), *others), function(x.copy(), *others))


def test_another_part_between_is_written_as_well() -> None:
    draft = Draft()
    x, y = draft.param(), draft.param()
    part = draft(index, x, key="1:")
    new = draft(update, part, draft(add, part, draft(index, y, key="1:")), key="...")
    first = draft(update, x, new, key="1:")
    between = draft(update, first, 2.0, key="2")
    graph = write_once(draft.graph([x, y], draft(update, between, new, key="1:")))
    assert ops_of(graph).count("update") == 3


def test_a_part_that_is_used_stays() -> None:
    draft = Draft()
    x = draft.param()
    part = draft(index, x, key="1:")
    new = draft(update, part, draft(multiply, part, 2.0), key="...")
    graph = write_once(draft.graph([x], draft(update, x, new, key="1:"), new))
    assert ops_of(graph).count("update") == 2


def test_parts_of_arrays_that_are_not_alike_stay() -> None:
    draft = Draft()
    x = draft.param()
    part = draft(index, draft(index, x, key=":2"), key=":2")
    new = draft(update, part, 1.0, key="...")
    graph = draft.graph([x], draft(update, x, new, key=":2"))
    assert write_once(graph) is graph


def doubled(x: Any, y: Any) -> Any:
    x[:] = 2 * y
    return np.sum(x)


def exchanged(x: Any, y: Any) -> None:
    first, second = x * 1, y * 1
    x[:], y[...] = second.T, first


def same_twice(x: Any, y: Any) -> Any:
    x[:, :] = y[:] = new = x + y
    return new


def of_another(x: Any, y: Any) -> None:
    x[:], y[:] = y[::-1], x


def in_a_row(x: Any, y: Any) -> None:
    x[:] = y[0] + 1


@pytest.mark.parametrize(
    ("function", "updates"),
    [(doubled, 1), (exchanged, 0), (same_twice, 0), (of_another, 1), (in_a_row, 1)],
)
def test_what_an_argument_is_filled_with_is_not_copied_first(function: Any, updates: int) -> None:
    x, y = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3).T ** 2
    u, v = x.copy(), y.copy()
    graph = ag.function(function).get_concrete_function(u, v).executable.plan.graph
    assert sum(node.op is update for node in walk(graph)) == updates
    results = ag.function(function)(u, v), function(x, y)
    assert np.array_equal(*results) if results[1] is not None else results[0] is None
    assert np.array_equal(u, x)
    assert np.array_equal(v, y)
