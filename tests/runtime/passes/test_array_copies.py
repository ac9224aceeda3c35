"""A copy stays where its layout in memory may be seen: by products, sums over axes, the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.walk import walk
from runtime.ops.movement import copy


def written(x, y):
    z = x.T.copy()
    z += 0
    return z @ x, z.sum()


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x[::-1].copy() @ y,
        lambda x, y: np.array(x[::-1]) @ y,
        lambda x, y: np.ascontiguousarray(x.T) @ x,
        lambda x, y: (x.T.copy() * 1) @ x,
        lambda x, y: (x.T.copy().sum(), np.var(x.T.copy()), np.linalg.norm(x.T.copy())),
        lambda x, y: (y[::-1].copy() @ y, np.prod(x.T.copy())),
        written,
    ],
)
def test_sums_and_products_are_those_of_the_copy(function: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    for shape in ((7, 3), (70, 3), (3, 900)):
        x, y = rng.normal(size=shape), rng.normal(size=shape[1])
        assert repr(_bits(ag.function(function)(x, y))) == repr(_bits(function(x, y)))


def _bits(found: Any) -> list[bytes]:
    return [np.asarray(x).tobytes() for x in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("order", ["C", "K"])
def test_the_caller_gets_the_order_that_was_asked_for(order: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    found = ag.function(lambda x: x.T.copy(order))(x)
    assert found.strides == x.T.copy(order).strides


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (lambda x: np.sin(x[0].copy()).max(), 0),
        (lambda x: (x.copy() * 2).max(), 0),
        (lambda x: x[0].copy() * 2, 0),
        (lambda x: x.copy() * 2, 1),
    ],
)
def test_a_copy_that_nobody_can_tell_is_dropped(function: Callable[..., Any], count: int) -> None:
    graph = ag.function(function).get_concrete_function(np.ones((3, 4))).executable.plan.graph
    assert sum(node.op is copy for node in walk(graph)) == count
