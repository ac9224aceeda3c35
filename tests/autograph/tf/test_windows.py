"""Convolutions and pooling of `tf.nn` are those of the layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph import tf

layers = tf.keras.layers
DRAW = np.random.default_rng(0)


def drawn(*shape: int) -> Any:
    return tf.constant(DRAW.normal(size=shape).astype(np.float32))


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("axes", "kind"), [(1, "Conv1D"), (2, "Conv2D"), (3, "Conv3D")])
def test_convolutions_are_those_of_layers(axes: int, kind: str, padding: str) -> None:
    x = drawn(2, *(7,) * axes, 4)
    layer = getattr(layers, kind)(
        6, 3, strides=2, padding=padding.lower(), groups=2, use_bias=False
    )
    expected = layer(x)
    convolve = getattr(tf.nn, f"conv{axes}d")
    for strides in (2, [2] * axes, [1, *[2] * axes, 1]):
        found = tf.function(convolve)(x, layer.kernel, strides, padding)
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_pooling_is_that_of_layers() -> None:
    x = drawn(2, 7, 6, 3)
    for name, kind in (("max_pool", "MaxPooling2D"), ("avg_pool2d", "AveragePooling2D")):
        expected = getattr(layers, kind)(2, 3, padding="same")(x)
        found = getattr(tf.nn, name)(x, 2, [1, 3, 3, 1], "SAME")
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


def test_depthwise_convolutions_are_those_of_layers() -> None:
    x, layer = drawn(2, 7, 6, 3), layers.DepthwiseConv2D(3, depth_multiplier=2)
    expected = layer(x)
    found = tf.nn.depthwise_conv2d(x, layer.kernel, [1, 1, 1, 1], "VALID")
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_channels_are_joined_and_weighed_against_their_neighbours() -> None:
    x, each, across = drawn(2, 6, 6, 3), drawn(3, 3, 3, 2), drawn(1, 1, 6, 4)
    found = tf.nn.separable_conv2d(x, each, across, [1, 2, 2, 1], "SAME")
    expected = tf.nn.depthwise_conv2d(x, each, [1, 2, 2, 1], "SAME") @ across[0, 0]
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)
    a = x.numpy()
    squares = a[..., 0] ** 2 + a[..., 1] ** 2
    found = tf.nn.lrn(x, depth_radius=1, bias=2.0, alpha=0.5, beta=0.75).numpy()[..., 0]
    np.testing.assert_allclose(found, a[..., 0] / (2 + 0.5 * squares) ** 0.75, rtol=1e-5)
    volume = tf.reshape(tf.range(16.0), [1, 2, 2, 4, 1])
    assert tf.nn.max_pool3d(volume, 2, 2, "VALID").numpy().ravel().tolist() == [13.0, 15.0]
    assert tf.nn.avg_pool3d(volume, 2, 2, "VALID").numpy().ravel().tolist() == [6.5, 8.5]


def test_batches_are_normalized_and_losses_averaged() -> None:
    found = tf.nn.batch_normalization(tf.constant([[3.0, 5.0]]), 1.0, 4.0, 0.5, 2.0, 0.0)
    assert found.numpy().tolist() == [[2.5, 4.5]]
    assert float(tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=8)) == 0.5
    assert float(tf.nn.compute_average_loss([1.0, 3.0], sample_weight=[1.0, 0.0])) == 0.5
    assert float(tf.nn.scale_regularization_loss([1.0, 3.0])) == 4.0


def test_what_is_no_window_is_told() -> None:
    x = drawn(1, 4, 4, 1)
    with pytest.raises(ValueError, match="padding is 'SAME' or 'VALID'"):
        tf.nn.max_pool(x, 2, 2, "FULL")
    with pytest.raises(ValueError, match="strides is one number, 2, or 4"):
        tf.nn.max_pool(x, 2, [1, 2, 3], "SAME")
    with pytest.raises(ValueError, match="channels last"):
        tf.nn.max_pool(x, 2, 2, "SAME", data_format="NCHW")
