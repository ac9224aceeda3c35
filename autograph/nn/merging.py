"""Layers of several arrays: their sum, product, mean, extremes, products along axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn.layer import ANYTHING, Layer


class _Merge(Layer):
    """What joins a list of arrays, one after the other."""

    takes = ANYTHING
    fewest = 1

    def call(self, inputs: Any) -> Any:
        if len(inputs) < self.fewest:
            raise ValueError(f"{self.name!r} takes a list of {self.fewest} arrays or more")
        found = inputs[0]
        for x in inputs[1:]:
            found = self.join(found, x)
        return found

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return where there is something in one of the arrays, if all have masks."""
        if mask is None or any(x is None for x in mask):
            return None
        found = mask[0]
        for x in mask[1:]:
            found = found | x
        return found

    def join(self, x: Any, y: Any) -> Any:
        """Return what two arrays are together."""
        raise NotImplementedError


class Add(_Merge):
    """The sum of several arrays.

    >>> Add()([np.ones(2), np.ones(2)])
    array([2., 2.])
    """

    def join(self, x: Any, y: Any) -> Any:
        return x + y


class Subtract(_Merge):
    """The difference of two arrays.

    >>> Subtract()([np.ones(2), np.ones(2)])
    array([0., 0.])
    """

    fewest = 2

    def join(self, x: Any, y: Any) -> Any:
        return x - y


class Multiply(_Merge):
    """The product of several arrays, element by element.

    >>> Multiply()([np.full(2, 3.0), np.full(2, 2.0)])
    array([6., 6.])
    """

    def join(self, x: Any, y: Any) -> Any:
        return x * y


class Maximum(_Merge):
    """The largest elements of several arrays.

    >>> Maximum()([np.array([1.0, 4.0]), np.array([2.0, 3.0])])
    array([2., 4.])
    """

    def join(self, x: Any, y: Any) -> Any:
        return np.maximum(x, y)


class Minimum(_Merge):
    """The smallest elements of several arrays.

    >>> Minimum()([np.array([1.0, 4.0]), np.array([2.0, 3.0])])
    array([1., 3.])
    """

    def join(self, x: Any, y: Any) -> Any:
        return np.minimum(x, y)


class Average(Add):
    """The mean of several arrays.

    >>> Average()([np.zeros(2), np.ones(2)])
    array([0.5, 0.5])
    """

    def call(self, inputs: Any) -> Any:
        return super().call(inputs) / len(inputs)


class Concatenate(Layer):
    """Several arrays one after the other along an axis.

    >>> Concatenate()([np.ones((1, 2)), np.zeros((1, 1))])
    array([[1., 1., 0.]])
    """

    takes = ANYTHING

    def __init__(self, axis: int = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        return np.concatenate(inputs, axis=self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return where one of the arrays has something; along the axis one after the other."""
        if mask is None:
            return None
        parts = [
            np.ones(x.shape, bool) if m is None else np.broadcast_to(wide(m, x), x.shape)
            for x, m in zip(inputs, mask, strict=True)
        ]
        return np.any(np.concatenate(parts, axis=self.axis), axis=-1)


class Dot(Layer):
    """Sums of products of two arrays along one axis of each, for each sample.

    Args:
        axes: the axis of both, or one of each; the axes that are left follow the batch, those of
            the first array first.
        normalize: whether both are divided by their norms along the axes before, which gives
            cosines.
        options: of `Layer`.

    >>> Dot(axes=1)([np.ones((2, 3)), np.ones((2, 3))])
    array([[3.],
           [3.]])
    """

    takes = ANYTHING

    def __init__(self, axes: Any, normalize: bool = False, **options: Any) -> None:
        super().__init__(**options)
        pair = tuple(axes) if isinstance(axes, list | tuple) else (axes, axes)
        if len(pair) != 2 or 0 in pair:
            raise ValueError(f"axes of {self.name!r} are one or two, without that of the batch")
        self.axes, self.normalize = pair, normalize

    def call(self, inputs: Any) -> Any:
        x, y = inputs
        if self.normalize:
            x, y = unit(x, self.axes[0]), unit(y, self.axes[1])
        first, second = np.moveaxis(x, self.axes[0], -1), np.moveaxis(y, self.axes[1], 1)
        rows = np.reshape(first, (first.shape[0], -1, first.shape[-1]))
        columns = np.reshape(second, (second.shape[0], second.shape[1], -1))
        sizes = (*first.shape[:-1], *second.shape[2:])
        found = rows @ columns
        return np.reshape(found, sizes) if len(sizes) > 1 else found[:, :, 0]

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """Return None: products have no mask."""


def wide(mask: Any, x: Any) -> Any:
    """Return a mask with as many axes as an array."""
    return np.reshape(mask, (*mask.shape, *(1,) * (len(x.shape) - len(mask.shape))))


def unit(x: Any, axis: int) -> Any:
    """Return an array divided by its norm along an axis; rows that are almost 0 stay so."""
    squares = np.sum(x * x, axis=axis, keepdims=True)
    return x / np.sqrt(np.maximum(squares, 1e-12))
