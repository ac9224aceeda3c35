"""Layers that bring data to a scale, `Rescaling` and `Normalization`, and `Masking` of steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn.layer import Layer


class Rescaling(Layer):
    """`x * scale + offset`.

    >>> Rescaling(1 / 255)(np.array([0, 255]))
    array([0., 1.], dtype=float32)
    """

    def __init__(self, scale: Any, offset: Any = 0.0, **options: Any) -> None:
        super().__init__(**options)
        self.scale, self.offset = scale, offset

    def call(self, x: Any) -> Any:
        return x * np.asarray(self.scale, x.dtype) + np.asarray(self.offset, x.dtype)


class Normalization(Layer):
    """Shift and scale so that the data that `adapt` was given have mean 0 and variance 1.

    Args:
        axis: the axes that have a mean for each place, the last one by default; None for one mean
            of all.
        mean, variance: if they are known; then nothing is to be adapted.
        invert: whether it goes back from such data to those before.
        options: of `Layer`.

    >>> layer = Normalization()
    >>> layer.adapt(np.array([[1.0, 10.0], [3.0, 30.0]]))
    >>> layer(np.array([[3.0, 10.0]]))
    array([[ 1., -1.]])
    """

    least_rank = 1

    def __init__(
        self,
        axis: int | Sequence[int] | None = -1,
        mean: Any = None,
        variance: Any = None,
        invert: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if (mean is None) != (variance is None):
            raise ValueError(f"{self.name!r} is given both mean and variance, or neither")
        self.axis, self.given, self.invert = axis, (mean, variance), invert

    def adapt(self, data: Any) -> None:
        """Set mean and variance to those of data.

        Args:
            data: an array `[samples, ...]`, or batches of such, a dataset for one.
        """
        if self.given[0] is not None:
            raise ValueError(f"{self.name!r} was given its mean and variance, and does not adapt")
        batches = [data] if hasattr(data, "shape") or isinstance(data, list | tuple) else data
        count, total, squares, shape = 0, np.float64(0), np.float64(0), ()
        for batch in batches:
            given = np.asarray(batch)
            x = given.astype(np.float64)
            x = x[:, None] if x.ndim == 1 else x
            others, shape = self._others(x.shape), x.shape
            count += int(np.prod([x.shape[k] for k in others]))
            total = total + np.sum(x, axis=others)
            squares = squares + np.sum(x * x, axis=others)
        if count == 0:
            raise ValueError(f"{self.name!r} adapts to data, and there are none")
        if not self.built:
            self._settle(np.zeros((0, *shape[1:]), given.dtype))
        mean = total / count
        self.mean.assign(mean.astype(self.mean.dtype))
        self.variance.assign((squares / count - mean * mean).astype(self.variance.dtype))

    def _others(self, shape: Sequence[Any]) -> tuple[int, ...]:
        """Return the axes over which means are taken."""
        axes = () if self.axis is None else self.axis
        kept = {k % len(shape) for k in ((axes,) if isinstance(axes, int) else axes)}
        if 0 in kept and len(shape) > 1:
            raise ValueError(f"axis of {self.name!r} is not that of the samples, 0")
        return tuple(k for k in range(len(shape)) if k not in kept)

    def build(self, shape: Sequence[int | None]) -> None:
        others = self._others(shape)
        size = [self.size_of(shape, k) for k in range(len(shape)) if k not in others]
        if self.given[0] is None:
            self.mean = self.add_weight(size, "zeros", trainable=False, name="mean")
            self.variance = self.add_weight(size, "ones", trainable=False, name="variance")
        else:
            made: Any = [np.broadcast_to(np.asarray(x, self.dtype), size) for x in self.given]
            self.mean, self.variance = made

    def call(self, x: Any) -> Any:
        wide = [1 if k in self._others(x.shape) else x.shape[k] for k in range(len(x.shape))]
        mean = np.reshape(self.mean, wide)
        deviation = np.maximum(np.sqrt(np.reshape(self.variance, wide)), 1e-7)
        return x * deviation + mean if self.invert else (x - mean) / deviation


class Masking(Layer):
    """Mark the steps of a sequence that hold nothing but one number, and set them to 0.

    `compute_mask` tells where there is something, for the layers after it.

    Args:
        mask_value: the number.
        options: of `Layer`.

    >>> layer, x = Masking(), np.array([[[1.0, 0.0], [0.0, 0.0]]])
    >>> layer.compute_mask(x)
    array([[ True, False]])
    """

    least_rank = 2

    def __init__(self, mask_value: float = 0.0, **options: Any) -> None:
        super().__init__(**options)
        self.mask_value = mask_value

    def compute_mask(self, x: Any, mask: Any = None) -> Any:
        """Return where a step has another number."""
        return np.any(x != self.mask_value, axis=-1)

    def call(self, x: Any) -> Any:
        return x * self.compute_mask(x)[..., None].astype(x.dtype)
