"""Activations against their formulas, eagerly and staged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.nn import activations
from tests.autograph.nn.same import FLOATS, tolerance

X = np.linspace(-3.0, 3.0, 14).reshape(2, 7)


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


CASES: dict[str, Callable[[Any], Any]] = {
    "celu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "hard_silu": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "hard_shrink": lambda x: x * (abs(x) > 0.5),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "soft_shrink": lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0),
    "sparse_plus": lambda x: np.where(abs(x) < 1, (x + 1) ** 2 / 4, np.maximum(x, 0)),
    "sparse_sigmoid": lambda x: np.clip((x + 1) / 2, 0, 1),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2,
    "tanh_shrink": lambda x: x - np.tanh(x),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", CASES)
def test_an_activation_is_its_formula(name: str, dtype: Any) -> None:
    function, x = activations.get(name), X.astype(dtype)
    for found in (function(x), ag.function(function)(x)):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, CASES[name](X), **tolerance(dtype))


def test_half_of_the_channels_are_gates() -> None:
    found = activations.glu(X, axis=0)
    np.testing.assert_allclose(found, X[:1] * logistic(X[1:]))


def test_a_sparse_distribution_is_the_nearest_one() -> None:
    found = ag.function(activations.sparsemax)(X)
    np.testing.assert_allclose(found.sum(-1), 1)
    assert np.all((found > 0).sum(-1) < X.shape[-1])
    shifts = np.where(found > 0, X - found, np.nan)
    np.testing.assert_allclose(np.nanmax(shifts, -1), np.nanmin(shifts, -1))
    assert np.all(X[found == 0] <= np.nanmax(shifts))
