"""Layers that make arrays larger or smaller, or put their axes in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn.convolution import each_axis, padding_of
from autograph.nn.core import at_least
from autograph.nn.layer import ANYTHING, Layer

Pairs = tuple[tuple[int, int], ...]


class _Around(Layer):
    """What takes a number of elements at both ends of each axis.

    Args:
        sizes: one number, one for each axis, or pairs of the beginning and the end.
        data_format: "channels_last".
        options: of `Layer`.
    """

    takes = ANYTHING
    axes = 1

    def __init__(self, sizes: Any, data_format: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        padding_of("valid", data_format, self)
        self.ranks = (self.axes + 2,)
        self.sizes = self._pairs(sizes)

    def _pairs(self, sizes: Any) -> Pairs:
        if self.axes == 1 and isinstance(sizes, list | tuple) and len(sizes) == 2:
            sizes = (sizes,)
        given = sizes if isinstance(sizes, list | tuple) else (sizes,) * self.axes
        pairs = [x if isinstance(x, list | tuple) else (x, x) for x in given]
        if len(pairs) != self.axes or any(len(x) != 2 for x in pairs):
            raise ValueError(
                f"{self.name!r} takes a number, one for each of {self.axes} axes, or pairs of "
                f"numbers, and was given {sizes!r}"
            )
        return tuple(
            (at_least(0, a, "a size", self), at_least(0, b, "a size", self)) for a, b in pairs
        )


class ZeroPadding1D(_Around):
    """Put zeros at both ends: `[batch, steps, channels]`.

    Args:
        padding: how many, or how many at the beginning and at the end.
        data_format: "channels_last".
        options: of `Layer`.

    >>> ZeroPadding1D((1, 2))(np.ones((1, 1, 1))).ravel()
    array([0., 1., 0., 0.])
    """

    def __init__(self, padding: Any = 1, data_format: str | None = None, **options: Any) -> None:
        super().__init__(padding, data_format, **options)

    def call(self, x: Any) -> Any:
        return np.pad(x, ((0, 0), *self.sizes, (0, 0)))


class ZeroPadding2D(ZeroPadding1D):
    """Put zeros around: `[batch, rows, columns, channels]`.

    >>> ZeroPadding2D(((1, 0), (0, 2)))(np.ones((1, 1, 1, 1)))[0, :, :, 0]
    array([[0., 0., 0.],
           [1., 0., 0.]])
    """

    axes = 2


class ZeroPadding3D(ZeroPadding1D):
    """Put zeros around: `[batch, planes, rows, columns, channels]`."""

    axes = 3


class Cropping1D(_Around):
    """Take elements away at both ends: `[batch, steps, channels]`.

    Args:
        cropping: how many, or how many at the beginning and at the end.
        data_format: "channels_last".
        options: of `Layer`.

    >>> Cropping1D((1, 2))(np.arange(5.0).reshape(1, 5, 1)).ravel()
    array([1., 2.])
    """

    def __init__(self, cropping: Any = 1, data_format: str | None = None, **options: Any) -> None:
        super().__init__(cropping, data_format, **options)

    def call(self, x: Any) -> Any:
        sizes = x.shape[1:-1]
        parts = [slice(a, n - b) for (a, b), n in zip(self.sizes, sizes, strict=True)]
        return x[(slice(None), *parts)]


class Cropping2D(Cropping1D):
    """Take rows and columns away: `[batch, rows, columns, channels]`.

    >>> Cropping2D(((1, 0), (0, 2)))(np.arange(6.0).reshape(1, 2, 3, 1)).ravel()
    array([3.])
    """

    axes = 2

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **options: Any
    ) -> None:
        super().__init__(cropping, data_format, **options)


class Cropping3D(Cropping1D):
    """Take planes, rows and columns away: `[batch, planes, rows, columns, channels]`."""

    axes = 3


class UpSampling1D(Layer):
    """Repeat each step: `[batch, steps, channels]`.

    Args:
        size: how often.
        options: of `Layer`.

    >>> UpSampling1D(2)(np.arange(2.0).reshape(1, 2, 1)).ravel()
    array([0., 0., 1., 1.])
    """

    takes = ANYTHING
    axes = 1

    def __init__(self, size: Any = 2, **options: Any) -> None:
        super().__init__(**options)
        self.ranks = (self.axes + 2,)
        self.size = each_axis(size, "size", self)

    def call(self, x: Any) -> Any:
        for axis, times in enumerate(self.size, 1):
            x = np.repeat(x, times, axis=axis)
        return x


class UpSampling2D(UpSampling1D):
    """Repeat rows and columns: `[batch, rows, columns, channels]`.

    Args:
        size: how often, one number or one for each axis.
        data_format: "channels_last".
        interpolation: "nearest".
        options: of `Layer`.

    >>> UpSampling2D((1, 2))(np.arange(2.0).reshape(1, 1, 2, 1)).ravel()
    array([0., 0., 1., 1.])
    """

    axes = 2

    def __init__(
        self,
        size: Any = 2,
        data_format: str | None = None,
        interpolation: str = "nearest",
        **options: Any,
    ) -> None:
        super().__init__(size, **options)
        padding_of("valid", data_format, self)
        if interpolation != "nearest":
            raise ValueError(
                f"{self.name!r} repeats elements (interpolation='nearest'), not {interpolation!r}"
            )


class UpSampling3D(UpSampling2D):
    """Repeat planes, rows and columns: `[batch, planes, rows, columns, channels]`."""

    axes = 3


class RepeatVector(Layer):
    """Repeat each sample as a sequence: `[batch, features]` to `[batch, n, features]`.

    >>> RepeatVector(3)(np.ones((2, 4))).shape
    (2, 3, 4)
    """

    takes = ANYTHING
    ranks = (2,)

    def __init__(self, n: int, **options: Any) -> None:
        super().__init__(**options)
        self.n = at_least(1, n, "n", self)

    def call(self, x: Any) -> Any:
        return np.repeat(x[:, None], self.n, axis=1)


class Permute(Layer):
    """Put the axes of samples in another order; 1 is the first after the batch.

    >>> Permute((2, 1))(np.ones((5, 3, 4))).shape
    (5, 4, 3)
    """

    takes = ANYTHING

    def __init__(self, dims: Sequence[int], **options: Any) -> None:
        super().__init__(**options)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                f"dims of {self.name!r} are the numbers 1 to {len(self.dims)} in an order, not "
                f"{self.dims}"
            )
        self.ranks = (len(self.dims) + 1,)

    def call(self, x: Any) -> Any:
        return np.transpose(x, (0, *self.dims))
