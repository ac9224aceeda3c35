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
