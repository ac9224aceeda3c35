"""Views of the same elements are one; those that leave are views of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.walk import walk

X = np.random.default_rng(0).normal(size=(6, 6))


def count(function: Callable[..., Any], x: Any) -> int:
    """Return how many views are left in a graph."""
    graph = ag.function(function).get_concrete_function(x).executable.plan.graph
    return sum(node.op.view is not None for node in walk(graph))


@pytest.mark.parametrize(
    ("function", "views"),
    [
        (lambda x: x.T.T + 1, 0),
        (lambda x: x.reshape(6, 6) * x[:, :] + np.moveaxis(x, (0, 1), (-2, -1)), 0),
        (lambda x: x[::-1][::-1] - np.broadcast_to(x, (6, 6)), 0),
        (lambda x: np.swapaxes(x, 0, 1) * x.T, 1),
        (lambda x: x[1][2:] * x[1, 2:], 2),
        (lambda x: x.T + x, 1),
        (lambda x: x[::-1] + x[:, ::-1], 2),
        (lambda x: x.ravel().reshape(6, 6) + x, 2),
        (lambda x: x.T.ravel() + x.ravel(), 3),
    ],
)
@pytest.mark.parametrize("x", [X, np.asfortranarray(X), np.tile(X, 2)[:, ::2]])
def test_views_of_the_same_elements_are_one(
    function: Callable[..., Any], views: int, x: Any
) -> None:
    found, wanted = ag.function(function)(x), function(x)
    assert (found.tobytes(), found.strides) == (wanted.tobytes(), wanted.strides)
    assert count(function, x) == views


def test_the_real_part_is_not_the_number_nor_are_bytes_what_they_are_of() -> None:
    def parts(z: Any) -> Any:
        return np.real(z) * 2, z.imag + z.real, np.real(z.T) * z.real.T, z.view(np.int64) + 1

    z = X[:2] + 1j * X[2:4]
    assert repr(ag.function(parts)(z)) == repr(parts(z))


def test_a_view_that_leaves_is_an_array_of_its_own() -> None:
    def both(x: Any) -> Any:
        return x.reshape(6, 6), x.T.T, x[:], x.sum()

    x = X.copy()
    for found in ag.function(both)(x)[:3]:
        assert found is not x
        assert np.shares_memory(found, x)


def test_what_is_written_through_a_view_is_in_all_of_them() -> None:
    def written(x: Any) -> Any:
        y = x * 1.0
        z = y.T.T
        if x[0, 0] > -9:
            z[0] = 7.0
        return y.sum(), z.reshape(6, 6).sum(), y[0]

    assert repr(ag.function(written)(X)) == repr(written(X))
