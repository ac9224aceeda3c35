"""Normalisation of samples and of batches against their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import FLOATS, check_same, drawn, tolerance


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("axis", [-1, (1, 2), (0, 2)], ids=str)
def test_each_sample_is_normalised(axis: Any, dtype: Any) -> None:
    x = drawn((3, 4, 5), dtype) * 2 + 1
    layer = nn.LayerNormalization(axis, gamma_initializer="uniform", beta_initializer="ones")
    y = check_same(layer, x)
    axes = (axis,) if isinstance(axis, int) else axis
    shape = [x.shape[k] if k in (axes if axis != -1 else (2,)) else 1 for k in range(3)]
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    expected = (x - mean) / np.sqrt(variance + 1e-3) * layer.gamma.numpy().reshape(shape) + 1
    np.testing.assert_allclose(y, expected, **tolerance(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("axis", [-1, 1])
def test_a_batch_is_normalised_and_averages_move(axis: int, dtype: Any) -> None:
    x = drawn((6, 3, 3), dtype) * 2 + 1
    layer = nn.BatchNormalization(axis, momentum=0.9)
    other = tuple(k for k in range(3) if k != axis % 3)
    mean, variance = x.mean(other), x.var(other)
    shape = [3 if k == axis % 3 else 1 for k in range(3)]

    def normal(mean: Any, variance: Any) -> Any:
        return (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + 1e-3)

    y = ag.function(lambda x: layer(x, training=True))(x)
    np.testing.assert_allclose(y, normal(mean, variance), **tolerance(dtype))
    np.testing.assert_allclose(layer.moving_mean, 0.1 * mean, **tolerance(dtype))
    np.testing.assert_allclose(layer.moving_variance, 0.9 + 0.1 * variance, **tolerance(dtype))
    expected = normal(0.1 * mean, 0.9 + 0.1 * variance)
    np.testing.assert_allclose(check_same(layer, x), expected, **tolerance(dtype))


def test_gradients_go_through_the_moments_of_a_batch() -> None:
    layer, x = nn.BatchNormalization(), drawn((6, 3))
    pull, step = drawn((6, 3), seed=1), drawn((6, 3), seed=2) * 1e-6

    def loss(x: Any) -> Any:
        return np.sum(layer(x, training=True) * pull)

    change = loss(x + step) - loss(x - step)
    np.testing.assert_allclose(2 * np.sum(ag.grad(loss)(x) * step), change, rtol=1e-5)


def test_a_frozen_layer_keeps_its_averages() -> None:
    layer, x = nn.BatchNormalization(trainable=False), drawn((6, 3))
    np.testing.assert_allclose(layer(x, training=True), x / np.sqrt(1.001))
    assert layer.moving_mean.numpy().tolist() == [0, 0, 0]
    assert nn.parameters(layer) == {}


def test_an_axis_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"axis of 'b' is \(3,\), and its input has the shape"):
        nn.BatchNormalization(3, name="b")(np.zeros((2, 3)))
