"""Convolutions and pooling of `tf.nn`, over `[batch, ..., channels]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.numpy as rnp
from autograph.nn import convolution, pooling
from autograph.tf.tensors import takes
from runtime.errors import ShapeError
from runtime.subscripts import describe


def _each(given: Any, axes: int, what: str) -> tuple[int, ...]:
    """Return a number for each axis of windows, of one number, these, or those of all axes."""
    numbers = tuple(given) if isinstance(given, list | tuple) else (given,)
    if len(numbers) == axes + 2 and numbers[0] == numbers[-1] == 1:
        numbers = numbers[1:-1]
    if len(numbers) == 1:
        numbers *= axes
    if len(numbers) != axes:
        raise ValueError(
            f"{what} is one number, {axes}, or {axes + 2} of which the first and last are 1, and "
            f"not {given!r}"
        )
    return tuple(map(int, numbers))


def _padding(padding: Any, data_format: Any) -> str:
    if not isinstance(padding, str) or padding.upper() not in ("SAME", "VALID"):
        raise ValueError(f"padding is 'SAME' or 'VALID', not {padding!r}")
    if data_format is not None and not data_format.endswith("C"):
        raise ValueError(f"arrays have their channels last here, not {data_format!r}")
    return padding.lower()


def _convolution(axes: int) -> Callable[..., Any]:
    @takes(2)
    def convolve(
        input: Any,
        filters: Any,
        strides: Any,
        padding: str,
        data_format: str | None = None,
        dilations: Any = 1,
    ) -> Any:
        steps, gaps = _each(strides, axes, "strides"), _each(dilations or 1, axes, "dilations")
        groups = input.shape[-1] // filters.shape[-2]
        kind = _padding(padding, data_format)
        return convolution.convolved(input, filters, steps, kind, gaps, groups)

    convolve.__name__ = convolve.__qualname__ = f"conv{axes}d"
    convolve.__doc__ = f"Return windows of {axes} axes times filters `[*sizes, channels, filters]`."
    made: Callable[..., Any] = convolve
    return made


conv1d, conv2d, conv3d = map(_convolution, (1, 2, 3))


@takes(2)
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    dilations: Any = 1,
) -> Any:
    """Return windows of each channel times filters `[rows, columns, channels, times]`."""
    rows, columns, channels, times = filter.shape
    wide = rnp.reshape(filter, (rows, columns, 1, channels * times))
    steps, gaps = _each(strides, 2, "strides"), _each(dilations or 1, 2, "dilations")
    kind = _padding(padding, data_format)
    return convolution.convolved(input, wide, steps, kind, gaps, channels)


@takes(3)
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    dilations: Any = 1,
) -> Any:
    """Return `depthwise_conv2d`, and of its channels products with `[1, 1, channels, filters]`."""
    found = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(found, pointwise_filter, 1, "VALID")


@takes(1)
def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5
) -> Any:
    """Return each channel over `(bias + alpha * squares) ** beta`, of those at most so far away."""
    if input.ndim == 0:
        raise ShapeError("a number has no channels: give a tensor whose last axis they are")
    size, sides = input.shape[-1], (depth_radius, depth_radius)
    wide = rnp.pad(input * input, [(0, 0)] * (input.ndim - 1) + [sides])
    squares = sum(wide[..., k : k + size] for k in range(2 * depth_radius + 1))
    return input / (bias + alpha * squares) ** beta


def _pool(name: str, axes: int, reduce: Callable[..., Any], what: str) -> Callable[..., Any]:
    @takes(1)
    def pool(
        input: Any,
        ksize: Any,
        strides: Any,
        padding: str,
        data_format: str | None = None,
    ) -> Any:
        sizes, steps = _each(ksize, axes, "ksize"), _each(strides, axes, "strides")
        return reduce(input, sizes, steps, _padding(padding, data_format))

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"Return the {what} of each window."
    made: Callable[..., Any] = pool
    return made


max_pool1d = _pool("max_pool1d", 1, pooling.maximum, "maximum")
max_pool2d = _pool("max_pool2d", 2, pooling.maximum, "maximum")
avg_pool1d = _pool("avg_pool1d", 1, pooling.average, "mean")
avg_pool2d = _pool("avg_pool2d", 2, pooling.average, "mean")
max_pool3d = _pool("max_pool3d", 3, pooling.maximum, "maximum")
avg_pool3d = _pool("avg_pool3d", 3, pooling.average, "mean")
max_pool, avg_pool = max_pool2d, avg_pool2d


@takes(3)
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float
) -> Any:
    """Return `(x - mean) / sqrt(variance + variance_epsilon) * scale + offset`."""
    found = (x - mean) / rnp.sqrt(variance + variance_epsilon)
    found = found if scale is None else found * scale
    return found if offset is None else found + offset


@takes(1)
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Any:
    """Return the sum of the losses of samples, weighted, divided by the size of a batch."""
    if global_batch_size is None and describe(per_example_loss).shape == ():
        raise ValueError("compute_average_loss takes the losses of several samples, not one number")
    count = rnp.shape(per_example_loss)[0] if global_batch_size is None else global_batch_size
    found = per_example_loss if sample_weight is None else per_example_loss * sample_weight
    return (rnp.sum(found) / count).astype(found.dtype)


@takes(1)
def scale_regularization_loss(regularization_loss: Any) -> Any:
    """Return the sum of a term of the loss: there is one device."""
    return rnp.sum(regularization_loss)
