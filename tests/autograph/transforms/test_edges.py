"""At kinks, ties and zeros derivatives are the same on tapes, in graphs and going forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def no_rounds(x: Any) -> Any:
    y = x
    while np.sum(y) > 100.0:
        y = y * 2
    return np.sum(y)


CASES: dict[str, tuple[Callable[[Any], Any], list[float], list[float]]] = {
    "abs": (lambda x: np.sum(np.abs(x)), [0.0, -0.0, 2.0], [0.0, 0.0, 1.0]),
    "max": (np.max, [1.0, 1.0, 0.0], [0.5, 0.5, 0.0]),
    "maximum": (lambda x: np.sum(np.maximum(x, 1.0)), [1.0, 2.0, 0.0], [0.5, 1.0, 0.0]),
    "sort": (lambda x: np.sum(np.sort(x) * np.arange(3.0)), [1.0, 1.0, 0.0], [1.0, 2.0, 0.0]),
    "median": (np.median, [1.0, 1.0, 2.0, 2.0], [0.0, 0.5, 0.5, 0.0]),
    "clip": (lambda x: np.sum(np.clip(x, 0.0, 1.0)), [0.0, 0.5, 1.0], [0.5, 1.0, 0.5]),
    "power": (lambda x: np.sum(x**0 + x**2 + 0.0 ** (x + 1)), [0.0, 1.0], [0.0, 2.0]),
    "prod": (np.prod, [0.0, 3.0, 2.0], [6.0, 0.0, 0.0]),
    "cumprod": (lambda x: np.sum(np.cumprod(x)), [0.0, 3.0, 2.0], [10.0, 0.0, 0.0]),
    "norm": (np.linalg.norm, [0.0, 0.0], [0.0, 0.0]),
    "hypot": (lambda x: np.hypot(x[0], x[1]), [0.0, 0.0], [0.0, 0.0]),
    "std": (np.std, [1.0, 1.0], [0.0, 0.0]),
    "sinc": (lambda x: np.sum(np.sinc(x)), [0.0, 1.0], [0.0, -1.0]),
    "empty": (lambda x: np.sum(x * x), [], []),
    "no rounds": (no_rounds, [1.0, 2.0], [1.0, 1.0]),
}


def taped(function: Callable[[Any], Any], x: Any) -> Any:
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, unconnected_gradients="zero")


@pytest.mark.parametrize("name", CASES)
def test_edges_are_the_same_in_all_ways(name: str) -> None:
    function, given, expected = CASES[name]
    x = np.array(given)
    called = lambda x: function(x)  # noqa: E731  (a function of Python, not NumPy's own)
    forward = [ag.jvp(called, (x,), (unit,))[1] for unit in np.eye(len(x))]
    ways = (
        ag.grad(called)(x),
        taped(called, ag.Tensor(x)).numpy(),
        ag.function(lambda x: taped(called, x))(x),
        np.array(forward).reshape(x.shape),
    )
    for found in ways:
        np.testing.assert_allclose(found, expected, atol=1e-15)


def test_what_was_not_chosen_counts_going_back_only() -> None:
    def chosen(x: Any) -> Any:
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0))

    x = np.array([-1.0, 4.0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(ag.grad(chosen)(x), [np.nan, 0.25])
        assert ag.jvp(chosen, (x,), (np.ones(2),))[1] == 0.25


def _smallest_square_above_one(x):
    best = None
    for v in x:
        if v > 1 and (best is None or v * v < best):
            best = v * v
    return best


@pytest.mark.parametrize(
    ("derive", "expected"),
    [
        (ag.grad, [0.0, 0.0, 3.0]),
        (ag.jacobian, [0.0, 0.0, 3.0]),
        (lambda f: lambda x: ag.vjp(f, x)[1](np.float64(1.0))[0], [0.0, 0.0, 3.0]),
        (lambda f: lambda x: ag.jvp(f, (x,), (np.ones(3),))[1], 3.0),
        (lambda f: lambda x: ag.hvp(f, (x,), (np.ones(3),)), [0.0, 0.0, 2.0]),
        (lambda f: lambda x: ag.vmap(f)(x[None])[0], 2.25),
        (lambda f: lambda x: ag.vmap(ag.grad(f))(x[None])[0], [0.0, 0.0, 3.0]),
    ],
)
def test_what_may_be_none_has_the_derivatives_of_the_number_that_it_is(derive, expected):
    found = derive(_smallest_square_above_one)(np.array([2.0, 3.0, 1.5]))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("derive", [ag.grad, ag.jacobian, lambda f: lambda x: ag.vmap(f)(x[None])])
def test_none_in_place_of_a_number_is_an_error_when_it_is_one(derive):
    with pytest.raises(TypeError, match=r"return.*None"):
        derive(_smallest_square_above_one)(np.array([0.5, 0.25, 0.75]))


def test_gradients_are_arrays_that_may_be_written() -> None:
    x, y = np.ones((3, 4)), np.full((3, 4), 2.0)
    both = ag.grad(lambda x, y: np.sum((x + y) ** 2), argnums=(0, 1))(x, y)
    rows = ag.grad(lambda x: np.sum(np.mean(x, 0) ** 2))(x)
    one = ag.grad(lambda x, y: np.sum(x * y))(x, y)
    (back,) = ag.vjp(lambda x: x + 1.0, x)[1](y)
    along = ag.jvp(lambda x: x + 1.0, (x,), (y,))[1]
    found = [*both, rows, one, back, along, x, y]
    before = [a.copy() for a in found]
    for k, array in enumerate(found):
        array *= 3.0
        for other, was in zip(found[k + 1 :], before[k + 1 :], strict=True):
            np.testing.assert_array_equal(other, was)
