"""Convolutions of each channel by itself, alone or before a product that mixes the channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn import activations, initializers
from autograph.nn.convolution import Convolution, convolved
from autograph.nn.core import at_least, product


class _Depthwise(Convolution):
    """What convolves each channel by itself.

    Args:
        filters: the number of channels of the result; None for all that the kernel gives.
        kernel_size, strides, padding, data_format, dilation_rate: as `Conv2D` has them.
        depth_multiplier: how many channels each one gives.
        activation, use_bias, bias_initializer: as `Conv2D` has them.
        depthwise_initializer: what the kernel holds first.
        options: of `Layer`.
    """

    def __init__(
        self,
        filters: int | None,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(
            1 if filters is None else filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            **options,
        )
        self.depth_multiplier = at_least(1, depth_multiplier, "depth_multiplier", self)
        self.depthwise_initializer = initializers.get(depthwise_initializer)

    def add_kernel(self, shape: Sequence[int | None], name: str) -> Any:
        """Return the kernel, which holds so many windows for each channel."""
        self.features = self.size_of(shape)
        size = (*self.kernel_size, self.features, self.depth_multiplier)
        return self.add_weight(size, self.depthwise_initializer, name=name)

    def each_channel(self, x: Any, kernel: Any) -> Any:
        """Return the convolution of each channel."""
        *sizes, channels, times = kernel.shape
        wide = np.reshape(kernel, (*sizes, 1, channels * times))
        return convolved(x, wide, self.strides, self.padding, self.dilation_rate, channels)


class DepthwiseConv1D(_Depthwise):
    """A convolution of each channel by itself: `[batch, steps, channels]`.

    >>> DepthwiseConv1D(3, depth_multiplier=2)(np.zeros((2, 10, 3))).shape
    (2, 8, 6)
    """

    def __init__(self, kernel_size: Any, *args: Any, **options: Any) -> None:
        super().__init__(None, kernel_size, *args, **options)

    def build(self, shape: Sequence[int | None]) -> None:
        self.kernel = self.add_kernel(shape, "kernel")
        if self.use_bias:
            size = (self.size_of(shape) * self.depth_multiplier,)
            self.bias = self.add_weight(size, self.bias_initializer, name="bias")

    def call(self, x: Any) -> Any:
        return self.finished(self.each_channel(x, self.kernel))


class DepthwiseConv2D(DepthwiseConv1D):
    """A convolution of each channel by itself: `[batch, rows, columns, channels]`.

    >>> DepthwiseConv2D(3, padding="same")(np.zeros((2, 9, 8, 3))).shape
    (2, 9, 8, 3)
    """

    axes = 2


class SeparableConv1D(_Depthwise):
    """A convolution of each channel, and a product that mixes them: `[batch, steps, channels]`.

    Args:
        filters: the number of channels of the result.
        kernel_size: the size of a window.
        args: as `Conv1D` has them.
        pointwise_initializer: what the matrix of the product holds first.
        options: of `Layer`.

    >>> SeparableConv1D(4, 3)(np.zeros((2, 10, 3))).shape
    (2, 8, 4)
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            depth_multiplier,
            data_format,
            dilation_rate,
            activations.get(activation),
            use_bias,
            depthwise_initializer,
            bias_initializer,
            **options,
        )
        self.pointwise_initializer = initializers.get(pointwise_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        self.depthwise_kernel = self.add_kernel(shape, "depthwise_kernel")
        channels = self.size_of(shape) * self.depth_multiplier
        size = (*(1,) * self.axes, channels, self.filters)
        self.pointwise_kernel = self.add_weight(
            size, self.pointwise_initializer, name="pointwise_kernel"
        )
        if self.use_bias:
            self.bias = self.add_weight((self.filters,), self.bias_initializer, name="bias")

    def call(self, x: Any) -> Any:
        y = self.each_channel(x, self.depthwise_kernel)
        mixed = np.reshape(self.pointwise_kernel, self.pointwise_kernel.shape[-2:])
        return self.finished(product(y, mixed))


class SeparableConv2D(SeparableConv1D):
    """A convolution of each channel, and a product that mixes them: `[batch, rows, ...]`.

    >>> SeparableConv2D(4, (3, 2), padding="same")(np.zeros((2, 9, 8, 3))).shape
    (2, 9, 8, 4)
    """

    axes = 2
