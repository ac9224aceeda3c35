"""Derivatives of functions of many results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0, 3.0])


def wide(x: Any) -> Any:
    return x[:, None] * x


def narrow(x: Any) -> Any:
    return np.stack([x[0] * x[1], np.sin(x[2])])


def newton(a: Any) -> Any:
    y = a
    while np.max(np.abs(y * y - a)) > 1e-12:
        y = 0.5 * (y + a / y)
    return y


@pytest.mark.parametrize("function", [wide, narrow, newton])
def test_a_jacobian_is_that_of_differences(function: Any) -> None:
    e = 1e-6
    rows = [(function(X + d) - function(X - d)) / (2 * e) for d in np.eye(3) * e]
    found = ag.jacobian(function)(X)
    np.testing.assert_allclose(found, np.moveaxis(np.array(rows), 0, -1), rtol=1e-6, atol=1e-8)


def test_structures_are_those_of_results_then_arguments() -> None:
    def function(p: Any, k: Any) -> Any:
        return {"a": p["x"] * p["y"] * k, "b": np.sum(p["x"])}

    found = ag.jacobian(function, argnums=(0,))({"x": X, "y": np.float64(2.0)}, 3.0)
    np.testing.assert_array_equal(found["a"][0]["x"], 6 * np.eye(3))
    np.testing.assert_array_equal(found["a"][0]["y"], 3 * X)
    np.testing.assert_array_equal(found["b"][0]["x"], np.ones(3))


def test_second_derivatives() -> None:
    def function(x: Any) -> Any:
        return np.sum(x) ** 3 + x[0] * x[1]

    hessian = ag.hessian(function)(X)
    np.testing.assert_allclose(hessian, 36 + np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    np.testing.assert_allclose(ag.hvp(function, (X,), (X,)), hessian @ X)


def test_a_linear_function_is_asked_often() -> None:
    value, along = ag.linearize(narrow, X)
    np.testing.assert_array_equal(value, narrow(X))
    np.testing.assert_allclose(along(np.eye(3)[0]), [2.0, 0.0])


def test_an_argument_that_is_not_there_is_refused() -> None:
    with pytest.raises(ag.DerivativeError, match="argnums says which"):
        ag.jacobian(narrow, argnums=1)(X)
