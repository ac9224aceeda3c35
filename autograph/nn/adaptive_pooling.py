"""Pooling to a size that is given: the maximum or mean of windows that differ by one in length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.nn.convolution import Sizes, each_axis, padding_of
from autograph.nn.layer import Layer


class _Adaptive(Layer):
    """What these layers share.

    Args:
        output_size: how many windows there are, one number or one for each axis. That of number `k`
            of `m` goes from `floor(k * n / m)` to `ceil((k + 1) * n / m)` on an axis of `n`.
        data_format: "channels_last".
        options: of `Layer`.
    """

    axes = 1
    combine: Callable[..., Any]

    def __init__(self, output_size: Any, data_format: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        padding_of("valid", data_format, self)
        self.ranks = (self.axes + 2,)
        self.output_size = each_axis(output_size, "output_size", self)

    def build(self, shape: Sequence[int | None]) -> None:
        for axis in range(1, self.axes + 1):
            self.size_of(shape, axis)

    def call(self, x: Any) -> Any:
        return shrunk(x, self.output_size, self.combine)


class AdaptiveMaxPooling1D(_Adaptive):
    """The maxima of as many windows of one axis as are asked for.

    >>> AdaptiveMaxPooling1D(2)(np.arange(5.0).reshape(1, 5, 1)).ravel()
    array([2., 4.])
    """

    combine = staticmethod(np.max)


class AdaptiveMaxPooling2D(AdaptiveMaxPooling1D):
    """The maxima of as many windows of two axes as are asked for.

    >>> AdaptiveMaxPooling2D((1, 2))(np.arange(16.0).reshape(1, 4, 4, 1)).ravel()
    array([13., 15.])
    """

    axes = 2


class AdaptiveMaxPooling3D(AdaptiveMaxPooling1D):
    """The maxima of as many windows of three axes as are asked for.

    >>> AdaptiveMaxPooling3D(2)(np.zeros((1, 4, 5, 6, 2))).shape
    (1, 2, 2, 2, 2)
    """

    axes = 3


class AdaptiveAveragePooling1D(_Adaptive):
    """The means of as many windows of one axis as are asked for.

    >>> AdaptiveAveragePooling1D(2)(np.arange(5.0).reshape(1, 5, 1)).ravel()
    array([1., 3.])
    """

    combine = staticmethod(np.mean)


class AdaptiveAveragePooling2D(AdaptiveAveragePooling1D):
    """The means of as many windows of two axes as are asked for.

    >>> AdaptiveAveragePooling2D((1, 2))(np.arange(16.0).reshape(1, 4, 4, 1)).ravel()
    array([6.5, 8.5])
    """

    axes = 2


class AdaptiveAveragePooling3D(AdaptiveAveragePooling1D):
    """The means of as many windows of three axes as are asked for.

    >>> AdaptiveAveragePooling3D(2)(np.zeros((1, 4, 5, 6, 2))).shape
    (1, 2, 2, 2, 2)
    """

    axes = 3


def shrunk(x: Any, sizes: Sizes, combine: Callable[..., Any]) -> Any:
    """Return an array with its axes after the first made of so many windows, one after another."""
    for axis, m in enumerate(sizes, 1):
        n, before = x.shape[axis], (slice(None),) * axis
        windows = [x[(*before, slice(k * n // m, -(-(k + 1) * n // m)))] for k in range(m)]
        x = np.stack([combine(window, axis=axis) for window in windows], axis=axis)
    return x
