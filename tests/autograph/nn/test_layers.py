"""Layers: what they compute, eagerly and staged, in both floats; and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import FLOATS, check_same, drawn


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(5, 4), (4,), (2, 3, 4)], ids=str)
def test_dense_is_a_product_and_a_sum(shape: tuple[int, ...], dtype: Any) -> None:
    layer, x = nn.Dense(3, "tanh", bias_initializer="ones"), drawn(shape, dtype)
    y = check_same(layer, x)
    assert y.dtype == dtype
    expected = np.tanh(np.einsum("...i,ij->...j", x, layer.kernel.numpy()) + 1)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


def test_a_layer_computes_in_its_dtype() -> None:
    assert nn.Dense(2)(np.ones((1, 2), np.int64)).dtype == np.float32
    assert nn.Dense(2, dtype="float32")(np.ones((1, 2))).dtype == np.float32
    assert nn.Dense(2)([[1.0, 2.0]]).dtype == np.float64


def test_shapes_are_changed() -> None:
    x = drawn((2, 3, 4))
    assert np.array_equal(check_same(nn.Flatten(), x), x.reshape(2, 12))
    assert np.array_equal(check_same(nn.Reshape((4, -1)), x), x.reshape(2, 4, 3))
    assert check_same(nn.Flatten(), x[0, 0]).shape == (4, 1)


def test_rows_are_embedded() -> None:
    layer, numbers = nn.Embedding(5, 3, mask_zero=True), np.array([[0, 4, 1]])
    assert np.array_equal(check_same(layer, numbers), layer.embeddings.numpy()[numbers])
    assert layer.compute_mask(numbers).tolist() == [[False, True, True]]
    for wrong in (-1, 5):
        with pytest.raises(IndexError, match="index 5 is out of bounds"):
            layer(np.array([wrong]))


def test_a_part_is_dropped_in_training_only() -> None:
    layer, x = nn.Dropout(0.25, seed=3), np.ones((40, 50))
    assert layer(x) is x
    found = ag.function(lambda: layer(x, training=True))()
    assert set(np.unique(found)) == {0.0, 1 / 0.75}
    assert 0.2 < np.mean(found == 0) < 0.3
    columns = nn.Dropout(0.5, noise_shape=(1, None))(x, training=True)
    assert np.array_equal(columns, np.broadcast_to(columns[:1], x.shape))


def test_whether_layers_train_is_told_to_those_inside() -> None:
    class Outer(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential([nn.Dropout(0.5, seed=1)])

        def call(self, x):
            return self.inner(x)

    layer, x = Outer(), np.ones((4, 4))
    assert layer(x, training=True).tolist() != x.tolist()
    assert layer(x).tolist() == x.tolist()


@pytest.mark.parametrize(
    "model", [nn.Sequential([nn.Dense(3), nn.Dense(4)]), nn.Dense(4)], ids=["several", "one"]
)
def test_a_layer_is_built_once_where_it_is_first_called(model: Any) -> None:

    @ag.function
    def rounds(x, n):
        for _ in range(n):
            x = model(x)
        return x

    x = drawn((2, 4), np.float32)
    first = rounds(x, np.int64(2))
    before = [v.numpy() for v in model.variables]
    np.testing.assert_array_equal(rounds(x, np.int64(2)), first)
    assert rounds.trace_count == 1
    for variable, held in zip(model.variables, before, strict=True):
        np.testing.assert_array_equal(variable, held)
    np.testing.assert_allclose(model(model(x)), first, rtol=1e-6)


def test_a_layer_of_ones_own_has_control_flow_that_is_staged() -> None:
    class Steep(nn.Layer):
        def build(self, shape):
            self.scale = self.add_weight(shape[-1:], "ones", name="scale")

        def call(self, x):
            while np.max(np.abs(x)) > 1:
                x = x / 2 * self.scale
            return x

    assert check_same(Steep(), np.array([[8.0, -1.0]])).tolist() == [[1.0, -0.125]]


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "features": (
        lambda: built(nn.Dense(2, name="d"), (1, 3))(np.zeros((5, 4))),
        r"the layer 'd' \(Dense\) takes inputs whose last axis has size 3, .* f64\[5, 4\]",
    ),
    "rank": (
        lambda: nn.Dense(2, name="d")(np.float64(1.0)),
        r"the layer 'd' \(Dense\) takes inputs of 1 dimensions or more, and was given f64\[\]",
    ),
    "complex": (lambda: nn.Dense(2, name="d")(np.array([1j])), "'d' .* takes numbers, .* c128"),
    "floats": (lambda: nn.Embedding(2, 3)(np.ones(2)), r"takes integers, and was given f64\[2\]"),
    "units": (lambda: nn.Dense(0, name="d"), "units of 'd' is an integer, 1 or more, not 0"),
    "rate": (lambda: nn.Dropout(1.0), "up to but without 1, not 1.0"),
    "activation": (
        lambda: nn.Dense(1, "rellu"),
        "there is no activation 'rellu'; did you mean 'relu'?",
    ),
    "initializer": (lambda: nn.Dense(1, kernel_initializer=3), "3 is no initializer"),
}


def built(layer: Any, shape: tuple[int, ...]) -> Any:
    layer(np.zeros(shape))
    return layer


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_said_with_the_name_of_the_layer(case: str) -> None:
    program, message = REFUSED[case]
    with pytest.raises((ValueError, TypeError), match=message):
        program()


def test_sizes_must_be_known_to_build() -> None:
    layer = nn.Dense(2, name="d")
    spec = ag.TensorSpec([3, None], np.float32)
    staged = ag.function(lambda x: layer(x), input_signature=[spec])
    with pytest.raises(ag.ShapeError, match=r"'d' .* needs to know the size of axis -1"):
        staged(np.zeros((3, 4), np.float32))
