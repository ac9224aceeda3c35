"""`tf.nn`: activations, losses and the like."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.nn import activations
from autograph.nn.ctc import ctc_loss as _ctc_loss
from autograph.tf.absent import missing_from
from autograph.tf.elementwise import log_sigmoid, sigmoid, softplus
from autograph.tf.random import uniform
from autograph.tf.selection import in_top_k, top_k
from autograph.tf.tensors import convert_to_tensor, takes
from autograph.tf.windows import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    batch_normalization,
    compute_average_loss,
    conv1d,
    conv2d,
    conv3d,
    depthwise_conv2d,
    local_response_normalization,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    scale_regularization_loss,
    separable_conv2d,
)

__all__ = [
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_normalization",
    "bias_add",
    "compute_average_loss",
    "conv1d",
    "conv2d",
    "conv3d",
    "crelu",
    "ctc_loss",
    "depth_to_space",
    "depthwise_conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "local_response_normalization",
    "lrn",
    "max_pool",
    "separable_conv2d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "moments",
    "relu",
    "relu6",
    "scale_regularization_loss",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "zero_fraction",
]


lrn = local_response_normalization


@takes(1)
def relu(features: Any) -> Any:
    """Return `max(x, 0)`."""
    return activations.relu(features)


@takes(1)
def relu6(features: Any) -> Any:
    """Return `min(max(x, 0), 6)`."""
    return activations.relu6(features)


@takes(1)
def elu(features: Any) -> Any:
    """Return `exp(x) - 1` where `x` is negative, else `x`."""
    return activations.elu(features)


@takes(1)
def selu(features: Any) -> Any:
    """Return the scaled exponential linear unit (Klambauer et al., 2017)."""
    return activations.selu(features)


@takes(1)
def leaky_relu(features: Any, alpha: float = 0.2) -> Any:
    """Return `alpha * x` where `x` is negative, else `x`."""
    return activations.leaky_relu(features, alpha)


@takes(1)
def gelu(features: Any, approximate: bool = False) -> Any:
    """Return the Gaussian error linear unit, or its approximation with tanh."""
    return activations.gelu(features, approximate)


@takes(1)
def silu(features: Any) -> Any:
    """Return `x * sigmoid(x)`."""
    return activations.silu(features)


swish = silu


@takes(1)
def softsign(features: Any) -> Any:
    """Return `x / (1 + |x|)`."""
    return activations.softsign(features)


@takes(1)
def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return rnp.tanh(x)


@takes(1)
def softmax(logits: Any, axis: int = -1) -> Any:
    """Return exponentials divided by their sum along an axis, without overflow."""
    return activations.softmax(logits, axis)


@takes(1)
def log_softmax(logits: Any, axis: int = -1) -> Any:
    """Return the logarithm of `softmax`, without overflow."""
    return activations.log_softmax(logits, axis)


@takes(2)
def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1) -> Any:
    """Return the cross-entropy of probabilities and the softmax of logits, for each row."""
    return -rnp.sum(labels * activations.log_softmax(logits, axis), axis=axis)


@takes(2)
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any) -> Any:
    """Return the cross-entropy of classes, given as numbers, and the softmax of logits."""
    chosen = rnp.take_along_axis(activations.log_softmax(logits), labels[..., None], -1)
    return -rnp.squeeze(chosen, -1)


@takes(2)
def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any) -> Any:
    """Return the cross-entropy of probabilities and the sigmoid of logits, for each element."""
    positive, negative = activations.halves(logits)
    return positive - logits * labels + rnp.log1p(rnp.exp(negative))


@takes(2)
def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any) -> Any:
    """Return that of `sigmoid_cross_entropy_with_logits`, in which positive ones weigh more."""
    weight = 1 + (convert_to_tensor(pos_weight, logits.dtype) - 1) * labels
    _, negative = activations.halves(logits)
    lost = rnp.log1p(rnp.exp(negative)) + rnp.maximum(-logits, 0)
    return (1 - labels) * logits + weight * lost


@takes(1)
def crelu(features: Any, axis: int = -1) -> Any:
    """Return `relu(x)` and `relu(-x)`, one behind the other."""
    return rnp.maximum(rnp.concatenate([features, -features], axis), 0)


@takes(4)
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
) -> Any:
    """Return how unlikely sequences spell their labels; see `autograph.nn.ctc_loss`.

    Args:
        labels: `i32[batch, most]`, or a sparse tensor of them, whose rows say their lengths.
        logits: `f32[steps, batch, classes]`; batch first if not `logits_time_major`.
        label_length, logit_length: `i32[batch]`; the first is not read for sparse labels.
        logits_time_major: whether steps are the first axis.
        unique: has no effect.
        blank_index: the class that says nothing: by default 0, for sparse labels the last one.
    """
    rows = logits if logits_time_major else rnp.swapaxes(logits, 0, 1)
    return _ctc_loss(labels, rows, label_length, logit_length, blank_index or 0)


@takes(1)
def depth_to_space(input: Any, block_size: int) -> Any:
    """Return pictures whose channels are blocks of points `[batch, rows, columns, channels]`."""
    batch, rows, columns, channels = input.shape
    n, depth = block_size, channels // block_size**2
    parts = rnp.reshape(input, (batch, rows, columns, n, n, depth))
    return rnp.reshape(rnp.transpose(parts, (0, 1, 3, 2, 4, 5)), (batch, rows * n, columns * n, -1))


@takes(1)
def space_to_depth(input: Any, block_size: int) -> Any:
    """Return pictures whose blocks of points are channels `[batch, rows, columns, channels]`."""
    batch, rows, columns, channels = input.shape
    n = block_size
    parts = rnp.reshape(input, (batch, rows // n, n, columns // n, n, channels))
    moved = rnp.transpose(parts, (0, 1, 3, 2, 4, 5))
    return rnp.reshape(moved, (batch, rows // n, columns // n, n * n * channels))


@takes(1)
def dropout(x: Any, rate: float, seed: int | None = None) -> Any:
    """Return a tensor of which a part is 0, and the rest larger, so that the mean is the same."""
    kept = uniform(x.shape, dtype=x.dtype) >= rate
    return rnp.where(kept, x / (1 - rate), 0)


@takes(1)
def l2_loss(t: Any) -> Any:
    """Return half of the sum of squares."""
    return rnp.sum(t * t) / 2


@takes(1)
def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12) -> Any:
    """Return a tensor divided by its norm along an axis."""
    return x / rnp.sqrt(rnp.maximum(rnp.sum(x * x, axis=axis, keepdims=True), epsilon))


@takes(1)
def moments(x: Any, axes: Any, keepdims: bool = False) -> Any:
    """Return mean and variance over axes."""
    axis = tuple(axes) if isinstance(axes, list | tuple) else axes
    return rnp.mean(x, axis=axis, keepdims=keepdims), rnp.var(x, axis=axis, keepdims=keepdims)


@takes(2)
def bias_add(value: Any, bias: Any) -> Any:
    """Return a tensor with a bias added to its last axis."""
    return value + bias


@takes(2)
def embedding_lookup(params: Any, ids: Any) -> Any:
    """Return the rows of a matrix at indices."""
    return params[ids]


@takes(1)
def zero_fraction(value: Any) -> Any:
    """Return which part of the elements is 0."""
    return rnp.mean(value == 0).astype(np.float32)


__getattr__ = missing_from("autograph.tf.nn", globals())
