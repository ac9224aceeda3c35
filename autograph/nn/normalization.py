"""Normalisation: of each sample (`LayerNormalization`), of a batch (`BatchNormalization`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn import initializers
from autograph.nn.layer import Layer
from autograph.transforms.custom import stop_gradient


class LayerNormalization(Layer):
    """Shift and scale each sample to mean 0 and variance 1 (Ba et al., 2016).

    Args:
        axis: the axis, or axes, over which mean and variance are taken.
        epsilon: is added to the variance.
        center: whether `beta` is added.
        scale: whether the result is multiplied by `gamma`.
        beta_initializer, gamma_initializer: what the variables hold first.
        options: of `Layer`.

    >>> LayerNormalization(epsilon=0.0)(np.array([[1.0, 3.0], [2.0, 6.0]]))
    array([[-1.,  1.],
           [-1.,  1.]])
    """

    least_rank = 1

    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        size = sizes_of(self, shape, self.axis)
        if self.scale:
            self.gamma = self.add_weight(size, self.gamma_initializer, name="gamma")
        if self.center:
            self.beta = self.add_weight(size, self.beta_initializer, name="beta")

    def call(self, x: Any) -> Any:
        mean = np.mean(x, axis=self.axis, keepdims=True)
        apart = x - mean
        variance = np.mean(apart * apart, axis=self.axis, keepdims=True)
        y = apart / np.sqrt(variance + self.epsilon)
        rank = len(x.shape)
        if self.scale:
            y = y * beside(self.gamma, self.axis, rank)
        if self.center:
            y = y + beside(self.beta, self.axis, rank)
        return y


class BatchNormalization(Layer):
    """Shift and scale each channel to mean 0 and variance 1 (Ioffe and Szegedy, 2015).

    In training by mean and variance of the batch, which move averages along; else by those. A layer
    that is not `trainable` does the latter in training, too.

    Args:
        axis: that of the channels.
        momentum: which part of the moving averages stays at a step.
        epsilon: is added to the variance.
        center: whether `beta` is added.
        scale: whether the result is multiplied by `gamma`.
        beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer:
            what the variables hold first.
        options: of `Layer`.

    >>> layer, x = BatchNormalization(momentum=0.0, name="b"), np.array([[1.0], [3.0]])
    >>> layer(x, training=True).round(2).tolist(), layer.moving_mean
    ([[-1.0], [1.0]], Variable(array([2.]), name='b/moving_mean'))
    """

    least_rank = 1

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
        self.center, self.scale = center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        size = sizes_of(self, shape, (self.axis,))
        if self.scale:
            self.gamma = self.add_weight(size, self.gamma_initializer, name="gamma")
        if self.center:
            self.beta = self.add_weight(size, self.beta_initializer, name="beta")
        self.moving_mean = self.add_weight(
            size, self.moving_mean_initializer, trainable=False, name="moving_mean"
        )
        self.moving_variance = self.add_weight(
            size, self.moving_variance_initializer, trainable=False, name="moving_variance"
        )

    def call(self, x: Any, training: Any = False) -> Any:
        rank = len(x.shape)
        if training and self.trainable:
            others = tuple(k for k in range(rank) if k != self.axis % rank)
            mean = np.mean(x, axis=others)
            apart = x - beside(mean, (self.axis,), rank)
            variance = np.mean(apart * apart, axis=others)
            self._move(self.moving_mean, mean)
            self._move(self.moving_variance, variance)
        else:
            variance = self.moving_variance.read()
            apart = x - beside(self.moving_mean, (self.axis,), rank)
        factor = 1 / np.sqrt(variance + self.epsilon)
        if self.scale:
            factor = factor * self.gamma
        y = apart * beside(factor, (self.axis,), rank)
        if self.center:
            y = y + beside(self.beta, (self.axis,), rank)
        return y

    def _move(self, average: Any, value: Any) -> None:
        average.assign(average * self.momentum + stop_gradient(value) * (1 - self.momentum))


def sizes_of(layer: Layer, shape: Sequence[int | None], axes: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of some axes of the first input of a layer."""
    if any(not -len(shape) <= k < len(shape) for k in axes):
        raise ValueError(f"axis of {layer.name!r} is {axes}, and its input has the shape {shape}")
    return tuple(layer.size_of(shape, k) for k in axes)


def beside(row: Any, axes: Sequence[int], rank: int) -> Any:
    """Return the values of some axes with axes of size 1 in the places of all others."""
    places = [k % rank for k in axes]
    if places == [*range(rank - len(places), rank)]:
        return row
    sizes = [row.shape[places.index(k)] if k in places else 1 for k in range(rank)]
    return np.reshape(row, sizes)
