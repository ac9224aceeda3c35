"""Derivatives of functions of arrays as users write them, of first and second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import huber

import autograph as ag

LINE = np.array([0.3, -1.2, 0.7, 1.9])
MATRIX = np.random.default_rng(0).normal(size=(4, 4))
WEIGHTS = np.arange(4.0)
PLACES = np.array([[0], [-1], [2], [1]])


def written(x: Any) -> Any:
    y = x * x
    y[np.array([2, 0])] = np.sin(x[:2])
    np.add.at(y, np.array([1, 1]), x[2:])
    return y


def running(x: Any) -> Any:
    y, k = x * 1.0, 0
    while y[0] > -1.0 and k < 3:
        k += 1
        y[::2] += x[k % 4]
        x = np.tanh(np.multiply.accumulate(y))
    return np.sum(x * y)


def logarithms(x: Any) -> Any:
    y = x[0]
    while y < 9.0:
        y += np.logaddexp.reduce(x * y)
    return y


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "product with a zero": (lambda x: np.prod(x * np.array([1.0, 0.0, 2.0, 3.0])), LINE),
    "running product": (lambda x: np.sum(np.cumprod(x) * WEIGHTS), LINE),
    "running products in a loop": (running, LINE),
    "logarithms of sums in a loop": (logarithms, LINE),
    "running loss of SciPy's, from nought on": (
        lambda x: np.sum(huber.accumulate(np.abs(x) + 1.5) * WEIGHTS) + huber.reduce(x + 3.0),
        LINE,
    ),
    "running maximum": (lambda x: np.sum(np.maximum.accumulate(x) * WEIGHTS), LINE),
    "sorted": (lambda x: np.sum(np.sort(x) ** 2 * WEIGHTS), LINE),
    "deviation": (lambda x: np.std(x), LINE),
    "clipped": (lambda x: np.sum(np.clip(x, -0.5, 0.5) * x), LINE),
    "differences": (lambda x: np.sum(np.diff(x) ** 3), LINE),
    "outer": (lambda x: np.sum(np.outer(x, x) ** 2), LINE),
    "norm": (lambda x: np.linalg.norm(x), MATRIX),
    "solution": (lambda x: np.sum(np.linalg.solve(x, WEIGHTS)), MATRIX),
    "determinant": (lambda x: np.linalg.slogdet(x)[1], MATRIX),
    "cholesky": (lambda x: np.sum(np.linalg.cholesky(x @ x.T + np.eye(4))), MATRIX),
    "eigenvalue": (lambda x: np.linalg.eigvalsh(x @ x.T)[-1], MATRIX),
    "singular values": (lambda x: np.sum(np.linalg.svd(x, full_matrices=False)[1]), MATRIX),
    "einsum": (lambda x: np.sum(np.einsum("ij,jk->ik", x, x) ** 2), MATRIX),
    "einsum of three": (lambda x: np.einsum("ij,jk,ki->", x, x, x), MATRIX),
    "einsum with a vector": (lambda x: np.sum(np.einsum("ij,j->ji", x, x[0]) ** 2), MATRIX),
    "inner": (lambda x: np.sum(np.inner(x, x[:2]) ** 2) + np.inner(x[0], x[1]), MATRIX),
    "outer of matrices": (lambda x: np.sum(np.outer(x, x[0]) ** 2), MATRIX),
    "cubes of cholesky": (lambda x: np.sum(np.linalg.cholesky(x @ x.T + np.eye(4)) ** 3), MATRIX),
    "triangular": (lambda x: np.sum(np.linalg.qr(x)[1] ** 3), MATRIX),
    "percentile": (lambda x: np.percentile(x, 30.0) ** 2 + np.quantile(x, 1.0) ** 3, LINE),
    "quantiles of rows": (lambda x: np.sum(np.quantile(x, 0.77, axis=1) ** 2), MATRIX),
    "sorted rows": (lambda x: np.sum(np.sort(x, axis=1) ** 2 * WEIGHTS), MATRIX),
    "taken from rows": (
        lambda x: np.sum(np.take_along_axis(x, PLACES, 1) ** 2 * WEIGHTS[:, None]),
        MATRIX,
    ),
    "backwards": (lambda x: np.sum(x[::-1, ::-1] ** 2 * WEIGHTS) + x[:, ::-1][0, 0] ** 2, MATRIX),
    "sums of what is broadcast": (
        lambda x: np.sum(x[:, None] * x[:3] ** 2) * np.mean(x[:, :1] + x[0] ** 2),
        MATRIX,
    ),
    "a choice of what is broadcast": (lambda x: np.sum(np.maximum(x[:, :1], x[0])), MATRIX),
    "repeated": (lambda x: np.sum(np.tile(x, 2) * np.repeat(x, 2, axis=1)), MATRIX),
    "joined": (lambda x: np.sum(np.concatenate([x, x * x[:1]], axis=-1) ** 3), MATRIX),
    "written at places": (lambda x: np.sum(written(x) ** 3), LINE),
    "sinc": (lambda x: np.sum(np.sinc(x) ** 2), LINE),
    "distance": (lambda x: np.ptp(x) ** 2 + np.sum(np.ptp(x) * x), LINE),
    "norms of rows": (lambda x: np.sum(np.linalg.norm(x, axis=1) ** 3), MATRIX),
    "tensordot": (lambda x: np.tensordot(x, x, 2) ** 2, MATRIX),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_and_second_derivatives_are_those_of_differences(name: str) -> None:
    function, x = FUNCTIONS[name]
    e, t = 1e-5, np.cos(np.arange(float(x.size))).reshape(x.shape)
    gradient = ag.grad(function)
    slope = (function(x + e * t) - function(x - e * t)) / (2 * e)
    np.testing.assert_allclose(np.sum(gradient(x) * t), slope, rtol=1e-5, atol=1e-7)
    bend = (gradient(x + e * t) - gradient(x - e * t)) / (2 * e)
    np.testing.assert_allclose(ag.hvp(function, (x,), (t,)), bend, rtol=1e-4, atol=1e-5)


def test_the_least_of_a_norm_and_of_a_deviation_has_the_derivative_zero() -> None:
    assert ag.grad(lambda x: np.linalg.norm(x))(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    assert ag.grad(lambda x: np.std(x))(np.ones(3)).tolist() == [0.0, 0.0, 0.0]


def test_what_is_not_determined_is_refused_with_what_to_ask_for() -> None:
    with pytest.raises(ag.DerivativeError, match=r"svd has no derivative.*full_matrices=False"):
        ag.grad(lambda x: np.sum(np.linalg.svd(x)[0]))(np.ones((2, 3)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("add", [np.logaddexp, np.logaddexp2])
@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([-np.inf, -np.inf], [0.5, 0.5]),
        ([np.inf, np.inf], [0.5, 0.5]),
        ([np.inf, 1.0], [1.0, 0.0]),
        ([1.0, np.inf], [0.0, 1.0]),
        ([-np.inf, 1.0], [0.0, 1.0]),
        ([1.0, 1.0], [0.5, 0.5]),
    ],
)
def test_the_infinite_terms_share_an_infinite_logarithm_of_a_sum(
    add: Any, x: list[float], expected: list[float]
) -> None:
    functions = (
        lambda x: add(x[0], x[1]),
        lambda x: 1.0 * add.reduce(x),
        lambda x: add.accumulate(x)[1],
    )
    bend = 0.25 * (1 if add is np.logaddexp else np.log(2)) * (x == [1.0, 1.0])
    for function in functions:
        found = ag.grad(function)(np.array(x))
        np.testing.assert_allclose(found, expected, rtol=1e-15)
        second = ag.hessian(function)(np.array(x))
        np.testing.assert_allclose(second, bend * np.array([[1, -1], [-1, 1]]), atol=1e-15)
