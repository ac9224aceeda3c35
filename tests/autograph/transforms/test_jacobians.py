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


class Point:
    def __init__(self, x):
        self.x = x


def of_objects(x: Any) -> Any:
    p = Point(x[0])
    for _ in range(2):
        p = Point(p.x * x[1])
        if p.x > 3.0:
            return p.x * x
    return p.x**2 * x


@pytest.mark.parametrize("function", [wide, narrow, newton, of_objects])
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


def test_complex_results_of_real_arguments_have_complex_derivatives() -> None:
    x = np.array([0.3, 0.7])
    found = ag.jacobian(lambda x: x * np.exp(1j * x))(x)
    np.testing.assert_allclose(found, np.diag((1 + 1j * x) * np.exp(1j * x)))
    by_both = ag.jacobian(lambda x, z: np.sum(x * z), (0, 1), holomorphic=True)(x, 1j * x)
    np.testing.assert_allclose(by_both, (1j * x, x))


def test_complex_results_of_complex_arguments_are_holomorphic_or_refused() -> None:
    z = np.array([1.0 + 2.0j, 0.5j])
    found = ag.jacobian(lambda z: z * z, holomorphic=True)(z)
    np.testing.assert_allclose(found, np.diag(2 * z))
    with pytest.raises(ag.DerivativeError, match="say holomorphic=True if it is holomorphic"):
        ag.jacobian(np.conj)(z)


def test_arrays_without_elements_have_jacobians_without_elements() -> None:
    assert ag.jacobian(lambda x: x * x)(np.zeros((0, 2))).shape == (0, 2, 0, 2)
    assert ag.jacobian(np.sum)(np.zeros(0)).shape == (0,)


def test_a_number_of_one_of_several_kinds_has_one_derivative_in_all_modes() -> None:
    def function(x: Any) -> Any:
        return np.where(x > 3.0, x * x, x * 3.0) if x > 0.5 else x * x

    for point, slope in (0.2, 0.4), (0.7, 3.0), (4.0, 8.0):
        x = np.float64(point)
        assert ag.jvp(function, (x,), (np.float64(1.0),))[1] == slope
        assert ag.vjp(function, x)[1](np.float64(1.0)) == (slope,)
        assert ag.jacobian(lambda x: {"one": function(x)})(x)["one"] == slope
        assert ag.grad(lambda x: np.sum(ag.vmap(function)(x)))(np.array([x]))[0] == slope


def test_jacobians_and_hessians_of_known_arguments_are_taken_in_staged_functions() -> None:
    def function(shift: Any) -> Any:
        return ag.hessian(lambda y: np.sum(y**3))(X) + ag.jacobian(np.sin)(X) + shift

    np.testing.assert_array_equal(ag.function(function)(1.0), function(1.0))
