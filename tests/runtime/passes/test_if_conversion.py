from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.runtime.lower.same import all_same

X = np.array([[3.0, -1.0, 0.0, np.inf], [-0.0, np.nan, 2.5, -7.0]])
Y = np.linspace(-1, 2, 8).reshape(2, 4)


def signs(x: Any, y: Any) -> Any:
    z = np.zeros_like(x)
    m = x > y
    z[m] = x[m] * 2
    z[~m] = -np.square(y[~m]) + x[~m]
    return z


def logarithm(x: Any, y: Any) -> Any:
    z = np.zeros_like(x)
    z[x > 0] = np.log(x[x > 0]) / 2
    return z + y


def inverse(x: Any, y: Any) -> Any:
    y = y.copy()
    part = y[x != 0]
    part /= x[x != 0]
    y[x != 0] = part * 3
    return y


def in_a_loop(x: Any, y: Any) -> Any:
    for _ in range(3):
        x = x + y
        x[x < 0] *= -0.5
    return x


def integers(x: Any, y: Any) -> Any:
    n = (y * 10).astype(np.int64)
    n[n > 3] = n[n > 3] - 100 | 1
    return n


@pytest.mark.parametrize("function", [signs, logarithm, inverse, in_a_loop, integers])
def test_nothing_is_computed_that_would_warn(function: Any) -> None:
    staged = ag.function(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, expected = staged(X, Y), function(X, Y)
    assert all_same([found], [expected])
    assert "widen_masked: widened" in str(staged.passes(X, Y))


def test_a_selected_element_warns() -> None:
    def halves(x: Any) -> Any:
        x = x + 1
        x[x >= 0] = 1 / x[x >= 0]
        return x

    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        found = ag.function(halves)(np.array([-1.0, -2.0, 3.0]))
    assert found.tolist() == [np.inf, -1.0, 0.25]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (lambda x, m: 1 / (x[m] - 1), "NumPy might warn of elements that are not selected"),
        (lambda x, m: np.sin(x[m]), "it is not computed of what the same mask selects"),
        (lambda x, m: x[m == m][:2], "it is not computed of what the same mask selects"),
        (lambda x, m: x[m].astype(np.float32), "what is assigned has another dtype"),
    ],
)
def test_what_stays_and_why(value: Any, reason: str) -> None:
    def assigned(x: Any) -> Any:
        x = x + 0.5
        m = x > 0
        x[m] = value(x, m)
        return x

    given = np.array([1.0, -3.0, 2.0])
    staged = ag.function(assigned)
    assert all_same([staged(given)], [assigned(given)])
    assert f"not widened scatter (line {assigned.__code__.co_firstlineno + 3}): {reason}" in str(
        staged.passes(given)
    )


@pytest.mark.parametrize("is_all", [True, False])
def test_a_mask_without_axes_selects_all_or_nothing(is_all: bool) -> None:
    def assigned(x: Any) -> Any:
        x[is_all] = 1
        return x

    assert all_same([ag.function(assigned)(X.copy())], [assigned(X.copy())])
