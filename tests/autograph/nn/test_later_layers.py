"""Pooling to a size, convolutional memory, and kernels of spectral norm 1."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from runtime.errors import ShapeError
from tests.autograph.nn.same import FLOATS, check_same, drawn, tolerance


def pooled(x: Any, sizes: Any, combine: Any) -> Any:
    found = np.zeros((x.shape[0], *sizes, x.shape[-1]), x.dtype)
    for place in product(*map(range, sizes)):
        each = zip(place, sizes, x.shape[1:], strict=False)
        parts = tuple(slice(k * n // m, -(-(k + 1) * n // m)) for k, m, n in each)
        window = x[(slice(None), *parts)]
        found[(slice(None), *place)] = combine(window, axis=tuple(range(1, len(sizes) + 1)))
    return found


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", ["Max", "Average"])
@pytest.mark.parametrize(
    ("shape", "sizes"), [((7,), (3,)), ((7, 5), (3, 2)), ((4, 5, 6), (2, 5, 1))]
)
def test_windows_of_adaptive_pooling_cover_the_array(
    shape: Any, sizes: Any, kind: str, dtype: Any
) -> None:
    x = drawn((2, *shape, 3), dtype)
    layer = getattr(nn, f"Adaptive{kind}Pooling{len(shape)}D")(sizes)
    wanted = pooled(x, sizes, np.max if kind == "Max" else np.mean)
    np.testing.assert_allclose(check_same(layer, x), wanted, **tolerance(dtype))


def test_adaptive_pooling_needs_to_know_sizes() -> None:
    layer = nn.AdaptiveMaxPooling1D(2)
    staged = ag.function(
        lambda x: layer(x), input_signature=[ag.TensorSpec((2, None, 3), np.float64)]
    )
    with pytest.raises(ShapeError, match="needs to know the size of axis 1"):
        staged(np.zeros((2, 5, 3)))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("strides", [1, 2])
def test_a_convolutional_memory_is_a_memory_of_convolutions(
    padding: str, strides: int, dtype: Any
) -> None:
    x = drawn((2, 4, 6, 5, 2), dtype)
    layer = nn.ConvLSTM2D(3, (3, 2), strides, padding, return_sequences=True, return_state=True)
    found = ag.function(layer)(x)
    own = nn.Conv2D(12, (3, 2), strides, padding)
    state = nn.Conv2D(12, (3, 2), padding="same", use_bias=False)
    own(x[:, 0]), state(np.zeros((1, *found[1].shape[1:]), dtype))
    own.kernel.assign(layer.cell.kernel)
    own.bias.assign(layer.cell.bias)
    state.kernel.assign(layer.cell.recurrent_kernel)
    h = c = np.zeros(found[1].shape, dtype)
    for k in range(4):
        i, f, g, o = np.split(own(x[:, k]) + state(h), 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        np.testing.assert_allclose(found[0][:, k], h, **tolerance(dtype))
    np.testing.assert_allclose(found[1], h, **tolerance(dtype))
    np.testing.assert_allclose(found[2], c, **tolerance(dtype))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolutional_memories_are_the_same_staged_and_have_gradients(rank: int) -> None:
    layer = getattr(nn, f"ConvLSTM{rank}D")(2, 2, go_backwards=True, unit_forget_bias=False)
    check_same(layer, drawn((2, 3, *(3, 4, 3)[:rank], 2)))
    again = type(layer).from_config(layer.get_config())
    assert again.go_backwards
    assert not again.cell.unit_forget_bias


def test_a_convolutional_memory_says_that_it_drops_nothing() -> None:
    with pytest.raises(ValueError, match="ConvLSTM2D has no dropout; put Dropout before it"):
        nn.ConvLSTM2D(2, 3, dropout=0.5)


@pytest.mark.parametrize("staged", [False, True])
def test_training_divides_a_kernel_by_its_largest_singular_value(staged: bool) -> None:
    x, layer = drawn((1, 5, 5, 2)), nn.SpectralNormalization(nn.Conv2D(3, 2), power_iterations=40)
    before = layer(x)
    kernel = layer.layer.kernel.numpy()
    call = ag.function(layer) if staged else layer
    found = call(x, training=True)
    sigma = np.linalg.norm(kernel.reshape(-1, 3), 2)
    np.testing.assert_allclose(layer.layer.kernel.numpy(), kernel / sigma, rtol=1e-6)
    np.testing.assert_allclose(found, before / sigma, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(layer(x), found)


def test_gradients_are_those_by_the_kernel_that_was_divided() -> None:
    x, layer = drawn((4, 3)), nn.SpectralNormalization(nn.Dense(2), power_iterations=5)
    layer(x)
    parameters = nn.parameters(layer)
    found = ag.grad(lambda p: np.sum(layer(x, training=True) ** 2))(parameters)
    kernel = layer.layer.kernel.numpy()
    (name,) = (k for k, x in parameters.items() if x is layer.layer.kernel)
    np.testing.assert_allclose(found[name], 2 * x.T @ (x @ kernel))


def test_a_kernel_of_zeros_stays_and_what_has_none_is_refused() -> None:
    layer = nn.SpectralNormalization(nn.Dense(2, kernel_initializer="zeros"))
    np.testing.assert_array_equal(layer(drawn((4, 3)), training=True), np.zeros((4, 2)))
    assert np.all(np.isfinite(layer.vector_u.numpy()))
    with pytest.raises(ValueError, match="has no kernel, and no embeddings"):
        nn.SpectralNormalization(nn.Flatten())(drawn((4, 3)))
