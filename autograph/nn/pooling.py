"""Pooling: the maximum or mean of windows of each channel, `[batch, ..., channels]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn.convolution import Sizes, each_axis, padded, padding_of
from autograph.nn.layer import Layer
from autograph.operators.calls.converting import do_not_convert
from runtime.errors import ShapeError
from runtime.subscripts import describe


class Pooling(Layer):
    """What layers of pooling share.

    Args:
        pool_size: the size of a window, one number or one for each axis.
        strides: how far it is from one window to the next; by default its size.
        padding: "valid" or "same": the elements beyond the array do not count.
        data_format: "channels_last".
        options: of `Layer`.
    """

    axes = 1
    reduce: Any = None

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.ranks = (self.axes + 2,)
        self.pool_size = each_axis(pool_size, "pool_size", self)
        self.strides = self.pool_size if strides is None else each_axis(strides, "strides", self)
        self.padding = padding_of(padding, data_format, self)


class _Max(Pooling):
    def call(self, x: Any) -> Any:
        return maximum(x, self.pool_size, self.strides, self.padding)


class _Average(Pooling):
    def call(self, x: Any) -> Any:
        return average(x, self.pool_size, self.strides, self.padding)


class MaxPooling1D(_Max):
    """The maxima of windows of one axis.

    >>> MaxPooling1D(2)(np.arange(4.0).reshape(1, 4, 1)).ravel()
    array([1., 3.])
    """


class MaxPooling2D(_Max):
    """The maxima of windows of two axes.

    >>> MaxPooling2D()(np.arange(16.0).reshape(1, 4, 4, 1))[0, :, :, 0]
    array([[ 5.,  7.],
           [13., 15.]])
    """

    axes = 2


class MaxPooling3D(_Max):
    """The maxima of windows of three axes.

    >>> MaxPooling3D()(np.zeros((1, 4, 4, 6, 2))).shape
    (1, 2, 2, 3, 2)
    """

    axes = 3


class AveragePooling1D(_Average):
    """The means of windows of one axis.

    >>> AveragePooling1D(2)(np.arange(4.0).reshape(1, 4, 1)).ravel()
    array([0.5, 2.5])
    """


class AveragePooling2D(_Average):
    """The means of windows of two axes.

    >>> AveragePooling2D()(np.arange(16.0).reshape(1, 4, 4, 1))[0, :, :, 0]
    array([[ 2.5,  4.5],
           [10.5, 12.5]])
    """

    axes = 2


class AveragePooling3D(_Average):
    """The means of windows of three axes.

    >>> AveragePooling3D()(np.zeros((1, 4, 4, 6, 2))).shape
    (1, 2, 2, 3, 2)
    """

    axes = 3


class _Global(Layer):
    axes = 1

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        padding_of("valid", data_format, self)
        self.ranks, self.keepdims = (self.axes + 2,), keepdims

    @property
    def _along(self) -> tuple[int, ...]:
        return tuple(range(1, self.axes + 1))


class GlobalMaxPooling1D(_Global):
    """The maximum of each channel: `[batch, steps, channels]` to `[batch, channels]`."""

    def call(self, x: Any) -> Any:
        return np.max(x, axis=self._along, keepdims=self.keepdims)


class GlobalMaxPooling2D(GlobalMaxPooling1D):
    """The maximum of each channel: `[batch, rows, columns, channels]` to `[batch, channels]`."""

    axes = 2


class GlobalMaxPooling3D(GlobalMaxPooling1D):
    """The maximum of each channel: `[batch, planes, rows, columns, channels]`."""

    axes = 3


class _GlobalAverage(_Global):
    def call(self, x: Any) -> Any:
        return np.mean(x, axis=self._along, keepdims=self.keepdims)


class GlobalAveragePooling1D(_Global):
    """The mean of each channel: `[batch, steps, channels]` to `[batch, channels]`.

    `call` takes by name `mask`, `bool[batch, steps]`: steps where it is false do not count.
    """

    def call(self, x: Any, mask: Any = None) -> Any:
        if mask is None:
            return np.mean(x, axis=1, keepdims=self.keepdims)
        marks = np.asarray(mask).astype(x.dtype)[..., None]
        counted = np.sum(marks, axis=1, keepdims=self.keepdims)
        return np.sum(x * marks, axis=1, keepdims=self.keepdims) / counted

    def compute_mask(self, x: Any, mask: Any = None) -> None:
        """Return None: there are no steps any more."""


class GlobalAveragePooling2D(_GlobalAverage):
    """The mean of each channel: `[batch, rows, columns, channels]` to `[batch, channels]`.

    >>> GlobalAveragePooling2D()(np.ones((2, 4, 4, 3))).shape
    (2, 3)
    """

    axes = 2


class GlobalAveragePooling3D(_GlobalAverage):
    """The mean of each channel: `[batch, planes, rows, columns, channels]`."""

    axes = 3


def maximum(x: Any, sizes: Sizes, strides: Sizes, padding: str) -> Any:
    """Return the maximum of each window."""
    ones = (1,) * len(sizes)
    return swept(padded(x, sizes, strides, padding, ones, -np.inf), sizes, strides, np.maximum)


def average(x: Any, sizes: Sizes, strides: Sizes, padding: str) -> Any:
    """Return the mean of what each window has within the array."""
    ones = (1,) * len(sizes)
    filled = padded(x, sizes, strides, padding, ones, 0.0)
    found = swept(filled, sizes, strides, np.add)
    if padding == "valid":
        return found / int(np.prod(sizes))
    counted = padded(np.ones_like(x[:1, ..., :1]), sizes, strides, padding, ones, 0.0)
    return found / swept(counted, sizes, strides, np.add)


def swept(x: Any, sizes: Sizes, strides: Sizes, join: Any) -> Any:
    """Return windows joined by a function, one axis after the other, one element after the other.

    That is less work than to join all elements of windows at once, and kernels do it.
    """
    for axis, (size, step) in enumerate(zip(sizes, strides, strict=True), 1):
        before, last = (slice(None),) * axis, x.shape[axis] - size
        fits(size, describe(x), axis)
        found = x[(*before, slice(0, last + 1, step))]
        for k in range(1, size):
            found = join(found, x[(*before, slice(k, last + k + 1, step))])
        x = found
    return x


@do_not_convert
def fits(size: int, spec: Any, axis: int) -> None:
    """Raise ShapeError when a window is known to be larger than an axis."""
    n = spec.shape[axis]
    if isinstance(n, int) and size > n:
        raise ShapeError(f"a window of {size} elements is larger than an axis of {n}")
