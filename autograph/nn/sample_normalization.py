"""Normalisation of each sample: of groups of channels, by the root mean square, by the norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn import initializers
from autograph.nn.layer import Layer
from autograph.nn.normalization import beside, sizes_of


class GroupNormalization(Layer):
    """Shift and scale groups of channels of each sample to mean 0 and variance 1 (Wu and He, 2018).

    Args:
        groups: how many there are; -1 makes one of each channel.
        axis: that of the channels.
        epsilon: is added to the variance.
        center: whether `beta` is added.
        scale: whether the result is multiplied by `gamma`.
        beta_initializer, gamma_initializer: what the variables hold first.
        options: of `Layer`.

    >>> x = np.array([[1.0, 3.0, 10.0, 30.0]])
    >>> GroupNormalization(2, epsilon=0.0)(x)
    array([[-1.,  1., -1.,  1.]])
    """

    least_rank = 2

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if groups < 1 and groups != -1:
            raise ValueError(f"groups of {self.name!r} are 1 or more, or -1, not {groups}")
        self.groups, self.axis, self.epsilon = groups, axis, epsilon
        self.center, self.scale = center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)

    def build(self, shape: Sequence[int | None]) -> None:
        size = sizes_of(self, shape, (self.axis,))
        if size[0] % self.groups:
            raise ValueError(f"{self.name!r} makes {self.groups} groups of {size[0]} channels")
        if self.scale:
            self.gamma = self.add_weight(size, self.gamma_initializer, name="gamma")
        if self.center:
            self.beta = self.add_weight(size, self.beta_initializer, name="beta")

    def call(self, x: Any) -> Any:
        rank = len(x.shape)
        axis = self.axis % rank
        count = x.shape[axis] if self.groups == -1 else self.groups
        sizes = (*x.shape[:axis], count, x.shape[axis] // count, *x.shape[axis + 1 :])
        parts = np.reshape(x, sizes)
        others = tuple(k for k in range(1, rank + 1) if k != axis)
        apart = parts - np.mean(parts, axis=others, keepdims=True)
        variance = np.mean(apart * apart, axis=others, keepdims=True)
        y = np.reshape(apart / np.sqrt(variance + self.epsilon), x.shape)
        if self.scale:
            y = y * beside(self.gamma, (axis,), rank)
        if self.center:
            y = y + beside(self.beta, (axis,), rank)
        return y


class RMSNormalization(Layer):
    """Divide each sample by its root mean square (Zhang and Sennrich, 2019).

    Args:
        axis: the axis, or axes, over which that is taken.
        epsilon: is added to the mean square.
        options: of `Layer`.

    >>> RMSNormalization(epsilon=0.0)(np.array([[1.0, 7.0]]))
    array([[0.2, 1.4]])
    """

    least_rank = 1

    def __init__(
        self, axis: int | Sequence[int] = -1, epsilon: float = 1e-6, **options: Any
    ) -> None:
        super().__init__(**options)
        self.axis = (axis,) if isinstance(axis, int) else tuple(sorted(axis))
        self.epsilon = epsilon

    def build(self, shape: Sequence[int | None]) -> None:
        self.scale = self.add_weight(sizes_of(self, shape, self.axis), "ones", name="scale")

    def call(self, x: Any) -> Any:
        square = np.mean(x * x, axis=self.axis, keepdims=True)
        return x / np.sqrt(square + self.epsilon) * beside(self.scale, self.axis, len(x.shape))


class UnitNormalization(Layer):
    """Divide each sample by its norm.

    Args:
        axis: the axis, or axes, over which that is taken.
        options: of `Layer`.

    >>> UnitNormalization()(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """

    least_rank = 1

    def __init__(self, axis: int | Sequence[int] = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)

    def call(self, x: Any) -> Any:
        return x / np.sqrt(np.maximum(np.sum(x * x, axis=self.axis, keepdims=True), 1e-24))
