"""Derivatives of functions of arrays as users write them, of first and second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

LINE = np.array([0.3, -1.2, 0.7, 1.9])
MATRIX = np.random.default_rng(0).normal(size=(4, 4))
WEIGHTS = np.arange(4.0)
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "product with a zero": (lambda x: np.prod(x * np.array([1.0, 0.0, 2.0, 3.0])), LINE),
    "running product": (lambda x: np.sum(np.cumprod(x) * WEIGHTS), LINE),
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
