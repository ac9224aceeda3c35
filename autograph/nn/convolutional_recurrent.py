"""`ConvLSTM1D` and its like: long short-term memory whose products are convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn import activations, initializers
from autograph.nn.cells import RNN
from autograph.nn.convolution import Sizes, convolved, each_axis, padding_of, spans_of
from autograph.nn.core import at_least
from autograph.nn.layer import Layer
from autograph.nn.recurrent import gated


class ConvLSTMCell(Layer):
    """One step: of `[batch, ..., channels]` and the states h and c, `[batch, ..., filters]`.

    Args:
        axes: over how many axes the convolutions go.
        filters, kernel_size, strides, padding, data_format, dilation_rate: of the convolution of
            the inputs, as for `Conv2D`; that of the state has strides of 1, and keeps its size.
        activation, recurrent_activation, use_bias: as for `LSTM`.
        kernel_initializer, recurrent_initializer, bias_initializer, unit_forget_bias: likewise.
        options: of `Layer`.
    """

    def __init__(
        self,
        axes: int,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.axes, self.ranks = axes, (axes + 2,)
        self.filters = at_least(1, filters, "filters", self)
        self.kernel_size = each_axis(kernel_size, "kernel_size", self)
        self.strides = each_axis(strides, "strides", self)
        self.dilation_rate = each_axis(dilation_rate, "dilation_rate", self)
        self.padding = padding_of(padding, data_format, self)
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.use_bias, self.unit_forget_bias = use_bias, unit_forget_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.state_size: Any = None

    def meet(self, shape: Sequence[int | None]) -> None:
        """Find the sizes of the states for the shape of the inputs of a step."""
        spans, sizes = spans_of(self.kernel_size, self.dilation_rate), list[int]()
        for k, (step, span) in enumerate(zip(self.strides, spans, strict=True), 1):
            n = self.size_of(shape, k)
            sizes.append(-(-n // step) if self.padding == "same" else (n - span) // step + 1)
        self.state_size = [(*sizes, self.filters)] * 2

    def build(self, shape: Sequence[int | None]) -> None:
        self.features, wide = self.size_of(shape), 4 * self.filters
        size = (*self.kernel_size, self.features, wide)
        self.kernel = self.add_weight(size, self.kernel_initializer, name="kernel")
        size = (*self.kernel_size, self.filters, wide)
        initializer = self.recurrent_initializer
        self.recurrent_kernel = self.add_weight(size, initializer, name="recurrent_kernel")
        if self.use_bias:
            self.bias = self.add_weight((wide,), self._first_bias, name="bias")

    def _first_bias(self, shape: Sizes, dtype: Any) -> Any:
        bias = np.array(self.bias_initializer(shape, dtype))
        if self.unit_forget_bias:
            bias[self.filters : 2 * self.filters] = 1
        return bias

    def call(self, x: Any, states: Any) -> Any:
        (h, c), ones = states, (1,) * self.axes
        z = convolved(x, self.kernel, self.strides, self.padding, self.dilation_rate)
        z = z + self.bias if self.use_bias else z
        z = z + convolved(h, self.recurrent_kernel, ones, "same", ones)
        after = gated(self, z, c, self.filters)
        return after[0], list(after)


class _ConvLSTM(RNN):
    """A layer of a sequence: `[batch, steps, ..., channels]` to `[batch, ..., filters]`.

    Args:
        filters, kernel_size, args: of the cell.
        return_sequences: whether the outputs of all steps are returned, `[batch, steps, ...]`.
        return_state: whether the states h and c after the last step are returned, too.
        go_backwards: whether the last step comes first.
        name, dtype, trainable, activity_regularizer: of `Layer`.
        options: of the cell.
    """

    axes = 1

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        *args: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        name: str | None = None,
        dtype: Any = None,
        trainable: bool = True,
        activity_regularizer: Any = None,
        **options: Any,
    ) -> None:
        for option in ("dropout", "recurrent_dropout"):
            if options.pop(option, 0):
                raise ValueError(f"{type(self).__name__} has no {option}; put Dropout before it")
        options.update(dtype=dtype, trainable=trainable)
        cell = ConvLSTMCell(self.axes, filters, kernel_size, *args, **options)
        own = {"name": name, "trainable": trainable, "activity_regularizer": activity_regularizer}
        super().__init__(cell, return_sequences, return_state, go_backwards, dtype=dtype, **own)
        self.ranks = (self.axes + 3,)
        self.cell: ConvLSTMCell

    def build(self, shape: Sequence[int | None]) -> None:
        self.cell.meet((shape[0], *shape[2:]))


class ConvLSTM1D(_ConvLSTM):
    """Long short-term memory of rows (Shi et al., 2015): `[batch, steps, n, channels]`.

    >>> ConvLSTM1D(4, 3, padding="same")(np.zeros((2, 5, 6, 3))).shape
    (2, 6, 4)
    """


class ConvLSTM2D(_ConvLSTM):
    """Long short-term memory of pictures: `[batch, steps, rows, columns, channels]`.

    >>> ConvLSTM2D(4, (3, 2), return_sequences=True)(np.zeros((2, 5, 6, 7, 3))).shape
    (2, 5, 4, 6, 4)
    """

    axes = 2


class ConvLSTM3D(_ConvLSTM):
    """Long short-term memory of volumes: `[batch, steps, planes, rows, columns, channels]`.

    >>> ConvLSTM3D(2, 2)(np.zeros((1, 2, 3, 4, 5, 1))).shape
    (1, 2, 3, 4, 2)
    """

    axes = 3
