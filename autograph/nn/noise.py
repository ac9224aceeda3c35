"""Layers that disturb in training: dropout of whole channels, and gaussian noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph.nn.core import Dropout, dropped, rate_of
from autograph.nn.layer import Layer
from runtime.numpy import random
from runtime.state.generator import Generator


class SpatialDropout1D(Dropout):
    """`Dropout` of whole channels of `[batch, steps, channels]` (Tompson et al., 2015).

    >>> x = np.ones((1, 4, 8))
    >>> np.ptp(SpatialDropout1D(0.5, seed=1)(x, training=True), axis=1).max()
    np.float64(0.0)
    """

    axes = 1

    def __init__(self, rate: float, seed: int | None = None, **options: Any) -> None:
        super().__init__(rate, (None, *(1,) * self.axes, None), seed, **options)
        self.ranks = (self.axes + 2,)


class SpatialDropout2D(SpatialDropout1D):
    """`Dropout` of whole channels of `[batch, rows, columns, channels]`."""

    axes = 2


class SpatialDropout3D(SpatialDropout1D):
    """`Dropout` of whole channels of `[batch, planes, rows, columns, channels]`."""

    axes = 3


class AlphaDropout(Layer):
    """Dropout that keeps mean and variance, for `selu` (Klambauer et al., 2017).

    Args:
        rate: which part, from 0 up to but without 1.
        noise_shape: the shape of what is drawn, with 1 along axes that share a draw.
        seed: of a generator of its own; else numbers come from the one that all share.
        options: of `Layer`.

    >>> AlphaDropout(0.5)(np.ones(2))
    array([1., 1.])
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.rate = rate_of(rate, self)
        self.noise_shape, self.seed = noise_shape, seed
        self.generator = None if seed is None else Generator(seed)

    def call(self, x: Any, training: Any = False) -> Any:
        if not training or self.rate == 0:
            return x
        kept = dropped(np.ones_like(x), self.rate, self.noise_shape, self.generator) != 0
        least = -1.7580993408473766
        width = 1 / math.sqrt((1 - self.rate) * (1 + self.rate * least**2))
        return width * np.where(kept, x, least) - width * least * self.rate


class _Noise(Layer):
    """What draws numbers in training.

    Args:
        amount: of the noise, 0 or more.
        seed: of a generator of its own; else numbers come from the one that all share.
        options: of `Layer`.
    """

    def __init__(self, amount: float, seed: int | None = None, **options: Any) -> None:
        super().__init__(**options)
        if amount < 0:
            raise ValueError(f"the noise of {self.name!r} is 0 or more, not {amount}")
        self.seed = seed
        self.generator = None if seed is None else Generator(seed)

    def drawn(self, x: Any, mean: float, deviation: float) -> Any:
        """Return normal numbers of the shape of an input."""
        draws = (random if self.generator is None else self.generator).normal(
            mean, deviation, x.shape
        )
        return draws.astype(x.dtype)


class GaussianNoise(_Noise):
    """Add normal numbers in training.

    Args:
        stddev: their standard deviation.
        seed, options: of the numbers, and of `Layer`.

    >>> GaussianNoise(0.1)(np.ones(2))
    array([1., 1.])
    """

    def __init__(self, stddev: float, seed: int | None = None, **options: Any) -> None:
        super().__init__(stddev, seed, **options)
        self.stddev = stddev

    def call(self, x: Any, training: Any = False) -> Any:
        if training and self.stddev > 0:
            return x + self.drawn(x, 0.0, self.stddev)
        return x


class GaussianDropout(_Noise):
    """Multiply with normal numbers around 1 in training (Srivastava et al., 2014).

    Args:
        rate: from 0 up to but without 1; the deviation is `sqrt(rate / (1 - rate))`.
        seed, options: of the numbers, and of `Layer`.

    >>> GaussianDropout(0.5)(np.ones(2))
    array([1., 1.])
    """

    def __init__(self, rate: float, seed: int | None = None, **options: Any) -> None:
        super().__init__(rate, seed, **options)
        self.rate = rate_of(rate, self)

    def call(self, x: Any, training: Any = False) -> Any:
        if training and self.rate > 0:
            return x * self.drawn(x, 1.0, math.sqrt(self.rate / (1 - self.rate)))
        return x
