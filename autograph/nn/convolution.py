"""Convolutions over one, two or three axes: windows of the input, as rows, times the kernel.

Arrays are `[batch, ..., channels]` ("channels_last"). A convolution is one product of matrices, of
windows as rows (im2col: Chellapilla et al., 2006); a transposed one adds rows up as windows, and so
does one of few filters, whose results are smaller than windows (kn2row: Vasudevan et al., 2017).
Padding and sizes are TensorFlow's: "same" pads as evenly as it can, the end more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn import activations, initializers
from autograph.nn.core import at_least
from autograph.nn.layer import Layer
from runtime.dispatch import apply
from runtime.errors import ShapeError
from runtime.ops import windows as ops

Sizes = tuple[int, ...]


class Convolution(Layer):
    """What layers of convolution share.

    Args:
        filters: the number of channels of the result.
        kernel_size: the size of a window, one number or one for each axis.
        strides: how far it is from one window to the next.
        padding: "valid" for windows within the array, "same" for as many as elements, divided by
            the strides and rounded up; over one axis "causal", too: no step sees a later one.
        data_format: "channels_last".
        dilation_rate: how far it is from one element of a window to the next.
        groups: so many parts of the channels are convolved each for itself.
        activation: a function, or its name.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: what the variables hold first.
        options: of `Layer`.
    """

    axes = 1
    is_causal = False

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.ranks = (self.axes + 2,)
        self.filters = at_least(1, filters, "filters", self)
        self.groups = at_least(1, groups, "groups", self)
        self.kernel_size = each_axis(kernel_size, "kernel_size", self)
        self.strides = each_axis(strides, "strides", self)
        self.dilation_rate = each_axis(dilation_rate, "dilation_rate", self)
        is_causal = padding == "causal" and type(self).is_causal
        self.padding = "causal" if is_causal else padding_of(padding, data_format, self)
        if self.filters % self.groups:
            raise ValueError(
                f"filters of {self.name!r} is a multiple of groups, and {filters} is none of "
                f"{groups}"
            )
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        self.features = self.size_of(shape)
        if self.features % self.groups:
            raise ShapeError(
                f"the channels of an input of {self.name!r} are a multiple of groups, and "
                f"{self.features} is none of {self.groups}"
            )
        self.kernel = self.add_weight(
            self.kernel_shape(self.features), self.kernel_initializer, name="kernel"
        )
        if self.use_bias:
            self.bias = self.add_weight((self.filters,), self.bias_initializer, name="bias")

    def kernel_shape(self, channels: int) -> Sizes:
        """Return the shape of the kernel for inputs of so many channels."""
        return (*self.kernel_size, channels // self.groups, self.filters)

    def finished(self, y: Any) -> Any:
        """Return the result of what a convolution gives."""
        if self.use_bias:
            y = y + self.bias
        return self.activation(y)


class Conv1D(Convolution):
    """A convolution over one axis: `[batch, steps, channels]` to `[batch, steps, filters]`.

    >>> Conv1D(4, 3, padding="same")(np.zeros((2, 10, 3))).shape
    (2, 10, 4)
    """

    is_causal = True

    def call(self, x: Any) -> Any:
        padding = self.padding
        if padding == "causal":
            before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            x, padding = np.pad(x, ((0, 0), (before, 0), (0, 0))), "valid"
        y = convolved(x, self.kernel, self.strides, padding, self.dilation_rate, self.groups)
        return self.finished(y)


class Conv2D(Conv1D):
    """A convolution over two axes: `[batch, rows, columns, channels]` to `[..., filters]`.

    >>> Conv2D(4, (3, 2), strides=2)(np.zeros((2, 9, 8, 3))).shape
    (2, 4, 4, 4)
    """

    axes = 2
    is_causal = False


class Conv3D(Conv2D):
    """A convolution over three axes: `[batch, planes, rows, columns, channels]`.

    >>> Conv3D(4, 2)(np.zeros((2, 3, 5, 4, 1))).shape
    (2, 2, 4, 3, 4)
    """

    axes = 3


class _Transposed(Convolution):
    """A convolution that goes back: each element gives a window, and windows are added up."""

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **options: Any) -> None:
        super().__init__(filters, kernel_size, *args, **options)
        if self.groups != 1:
            raise ValueError(f"{self.name!r} is a transposed convolution, which has no groups")

    def kernel_shape(self, channels: int) -> Sizes:
        return (*self.kernel_size, self.filters, channels)

    def call(self, x: Any) -> Any:
        y = transposed(x, self.kernel, self.strides, self.padding, self.dilation_rate)
        return self.finished(y)


class Conv1DTranspose(_Transposed):
    """A transposed convolution over one axis.

    >>> Conv1DTranspose(4, 3, strides=2, padding="same")(np.zeros((2, 5, 3))).shape
    (2, 10, 4)
    """


class Conv2DTranspose(_Transposed):
    """A transposed convolution over two axes.

    >>> Conv2DTranspose(4, 3, strides=2)(np.zeros((2, 5, 5, 3))).shape
    (2, 11, 11, 4)
    """

    axes = 2


class Conv3DTranspose(_Transposed):
    """A transposed convolution over three axes."""

    axes = 3


def convolved(
    x: Any, kernel: Any, strides: Sizes, padding: str, gaps: Sizes, groups: int = 1
) -> Any:
    """Return windows of an array times a kernel.

    Args:
        x: `[batch, ..., channels]`.
        kernel: `[*sizes, channels / groups, filters]`.
        strides: along each axis.
        padding: "same" or "valid".
        gaps: between elements of a window.
        groups: how many parts of the channels are convolved each for itself.
    """
    *sizes, channels, filters = kernel.shape
    spans = spans_of(sizes, gaps)
    holds = all(isinstance(n, int) and n >= m for n, m in zip(x.shape[1:-1], spans, strict=True))
    if groups == 1 and holds and max(strides) == 1 and 2 * filters <= channels:
        return convolved_by_sums(x, kernel, padding, gaps, spans)
    found = windows(padded(x, sizes, strides, padding, gaps, 0.0), tuple(sizes), strides, gaps)
    count, outer = len(sizes), found.shape[: len(sizes) + 1]
    area = int(np.prod(sizes))
    if groups == 1:
        order = (*range(count + 1), *range(count + 2, 2 * count + 2), count + 1)
        rows = np.reshape(np.transpose(found, order), (-1, area * channels))
        y = rows @ np.reshape(kernel, (area * channels, filters))
    else:
        parts = np.reshape(found, (*outer, groups, channels, *sizes))
        inner = range(count + 3, 2 * count + 3)
        order = (count + 1, *range(count + 1), *inner, count + 2)
        rows = np.reshape(np.transpose(parts, order), (groups, -1, area * channels))
        columns = np.reshape(kernel, (area * channels, groups, filters // groups))
        y = np.moveaxis(rows @ np.moveaxis(columns, 1, 0), 0, 1)
    return np.reshape(y, (*outer, filters))


def convolved_by_sums(x: Any, kernel: Any, padding: str, gaps: Sizes, spans: Sizes) -> Any:
    """Return what `convolved` does with strides of 1, for sizes that are known.

    Each element gives a window of results, whose places are those of the kernel from its end.
    """
    count = len(spans)
    turned = np.swapaxes(np.flip(kernel, tuple(range(count))), -1, -2)
    y = sum_of_windows(x, turned, (1,) * count, gaps)
    parts = []
    for n, span in zip(x.shape[1:-1], spans, strict=True):
        first = span - 1 - ((span - 1) // 2 if padding == "same" else 0)
        parts.append(slice(first, first + n if padding == "same" else n))
    return y[(slice(None), *parts)]


def transposed(x: Any, kernel: Any, strides: Sizes, padding: str, gaps: Sizes) -> Any:
    """Return the sum of the windows that the elements of an array give.

    Args:
        x: `[batch, ..., channels]`.
        kernel: `[*sizes, filters, channels]`.
        strides: from one window to the next.
        padding: "same" gives `strides` times as many elements, "valid" all.
        gaps: between elements of a window.
    """
    y = sum_of_windows(x, kernel, strides, gaps)
    if padding == "valid":
        return y
    kept = [n * step for n, step in zip(x.shape[1:-1], strides, strict=True)]
    spans = spans_of(kernel.shape[:-2], gaps)
    beyond = [max(span - step, 0) for span, step in zip(spans, strides, strict=True)]
    parts = [slice(more // 2, more // 2 + n) for n, more in zip(kept, beyond, strict=True)]
    return y[(slice(None), *parts)]


def sum_of_windows(x: Any, kernel: Any, strides: Sizes, gaps: Sizes) -> Any:
    """Return the windows that elements give, added up, `strides` times as many and what is beyond.

    Args:
        x: `[batch, ..., channels]`.
        kernel: `[*sizes, filters, channels]`.
        strides, gaps: from one window, and from one element of it, to the next.
    """
    *sizes, filters, channels = kernel.shape
    count = len(sizes)
    rows = np.reshape(x, (-1, channels)) @ np.reshape(kernel, (-1, channels)).T
    found = np.reshape(rows, (*x.shape[:-1], *sizes, filters))
    order = (*range(count + 1), 2 * count + 1, *range(count + 1, 2 * count + 1))
    each = zip(x.shape[1:-1], strides, spans_of(sizes, gaps), strict=True)
    full = [n * step + max(span - step, 0) for n, step, span in each]
    base = np.zeros((x.shape[0], *full, filters), x.dtype)
    attrs = {"sizes": tuple(sizes), "steps": strides, "gaps": gaps}
    axes = tuple(range(1, count + 1))
    return apply(ops.windows_sum, (base, np.transpose(found, order)), axes=axes, **attrs)


def spans_of(sizes: Sequence[int], gaps: Sizes) -> Sizes:
    """Return from how many elements of an axis windows take theirs."""
    return tuple([(size - 1) * gap + 1 for size, gap in zip(sizes, gaps, strict=True)])


def windows(x: Any, sizes: Sizes, strides: Sizes, gaps: Sizes) -> Any:
    """Return windows along the axes after the first one, their elements along axes at the end."""
    axes = tuple(range(1, len(sizes) + 1))
    return apply(ops.windows, (x,), axes=axes, sizes=sizes, steps=strides, gaps=gaps)


def padded(
    x: Any, sizes: Sequence[int], strides: Sizes, padding: str, gaps: Sizes, value: float
) -> Any:
    """Return an array with so much around it that windows are as many as `padding` says."""
    if padding == "valid":
        return x
    widths = [(0, 0)]
    for n, size, step, gap in zip(x.shape[1:-1], sizes, strides, gaps, strict=True):
        missing = max((-(-n // step) - 1) * step + (size - 1) * gap + 1 - n, 0)
        widths.append((missing // 2, missing - missing // 2))
    widths.append((0, 0))
    if all(a + b == 0 for a, b in widths):
        return x
    return np.pad(x, widths, constant_values=value)


def each_axis(given: Any, what: str, layer: Any) -> Sizes:
    """Return a number for each axis of a layer; ValueError when there are others."""
    numbers = tuple(given) if isinstance(given, list | tuple) else (given,) * layer.axes
    if len(numbers) != layer.axes:
        raise ValueError(
            f"{what} of {layer.name!r} is one number or {layer.axes}, and was given {given!r}"
        )
    return tuple(at_least(1, n, what, layer) for n in numbers)


def padding_of(padding: str, data_format: str | None, layer: Any) -> str:
    """Return how a layer pads; ValueError for what there is not."""
    if data_format not in (None, "channels_last"):
        raise ValueError(
            f"{layer.name!r} takes arrays with the channels last, not {data_format!r}; give it "
            "np.moveaxis(x, 1, -1)"
        )
    if padding not in ("valid", "same"):
        raise ValueError(f"the padding of {layer.name!r} is 'valid' or 'same', not {padding!r}")
    return padding
