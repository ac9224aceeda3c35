"""What the tests of layers share."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag
from autograph import nn

FLOATS = [np.float32, np.float64]


def drawn(shape: tuple[int, ...], dtype: Any = np.float64, seed: int = 0) -> Any:
    """Return normal numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def tolerance(dtype: Any) -> dict[str, float]:
    """Return how far results of a dtype may be apart."""
    return {"rtol": 2e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-8, "atol": 1e-10}


def check_same(layer: Any, *inputs: Any, **options: Any) -> Any:
    """Return what a layer gives eagerly; it, and its gradients, are the same when staged."""
    eager = layer(*inputs, **options)
    staged = ag.function(lambda *xs: layer(*xs, **options))(*inputs)
    assert np.asarray(staged).dtype == np.asarray(eager).dtype
    close = tolerance(np.asarray(eager).dtype)
    np.testing.assert_allclose(staged, eager, **close)
    parameters = nn.parameters(layer)
    if parameters:
        with ag.GradientTape() as tape:
            loss = np.sum(np.square(layer(*inputs, **options)))
        found = tape.gradient(loss, parameters)
        graph = ag.grad(lambda p: np.sum(np.square(layer(*inputs, **options))))(parameters)
        for name, gradient in graph.items():
            scale = max(float(np.max(np.abs(gradient))), 1e-3)
            near = {**close, "atol": close["rtol"] * scale}
            np.testing.assert_allclose(found[name].numpy(), gradient, **near)
    return eager
