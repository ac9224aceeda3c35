"""Layers that change pictures at random in training: flips, turns, zooms, shifts, contrast.

Comes in: pictures `[batch, rows, columns, channels]`, or one without the batch. Each picture is
changed by numbers of its own. Those that move elements compute where each element of the result
comes from, and take it from the nearest elements there, in one function, `sampled`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.nn.layer import Layer
from runtime.numpy import random
from runtime.state.generator import Generator

Factor = float | Sequence[float]
FILLS = ("reflect", "wrap", "constant", "nearest")


class _Random(Layer):
    """What draws numbers for each picture, unless it is told not to train.

    Args:
        seed: of a generator of its own; else numbers come from the one that all share.
        options: of `Layer`.
    """

    ranks = (3, 4)

    def __init__(self, seed: int | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.seed = seed
        self.generator = None if seed is None else Generator(seed)

    def drawn(self, x: Any, bounds: tuple[float, float]) -> Any:
        """Return a number for each picture, between two bounds: `[batch, 1, 1, 1]`."""
        source = random if self.generator is None else self.generator
        return source.uniform(bounds[0], bounds[1], (x.shape[0], 1, 1, 1)).astype(x.dtype)

    changed: Callable[[Any], Any]
    """Returns pictures changed at random."""

    def call(self, x: Any, training: Any = True) -> Any:
        if training:
            return self.changed(x) if len(x.shape) == 4 else self.changed(x[None])[0]
        return x


def bounds_of(factor: Factor, layer: Layer, least: float = -1.0) -> tuple[float, float]:
    """Return the bounds that a factor says: from `-factor` to `factor`, or the two of a pair."""
    given = (-factor, factor) if isinstance(factor, int | float) else tuple(factor)
    if len(given) != 2 or given[0] > given[1] or given[0] < least:
        raise ValueError(
            f"a factor of {layer.name!r} is a number of 0 or more, or two in order, not {factor!r}"
        )
    return float(given[0]), float(given[1])


class RandomFlip(_Random):
    """Exchange left and right, or top and bottom, or both, of each picture with a half chance.

    Args:
        mode: "horizontal", "vertical" or "horizontal_and_vertical".
        options: of the numbers, and of `Layer`.

    >>> RandomFlip(seed=1)(np.ones((1, 2, 2, 1)), training=True).shape
    (1, 2, 2, 1)
    """

    def __init__(self, mode: str = "horizontal_and_vertical", **options: Any) -> None:
        super().__init__(**options)
        axes = {"horizontal": (2,), "vertical": (1,), "horizontal_and_vertical": (2, 1)}
        if mode not in axes:
            raise ValueError(f"the mode of {self.name!r} is one of {[*axes]}, not {mode!r}")
        self.axes = axes[mode]

    def changed(self, x: Any) -> Any:
        for axis in self.axes:
            x = np.where(self.drawn(x, (0.0, 1.0)) < 0.5, np.flip(x, axis), x)
        return x


class _Moved(_Random):
    """What moves elements.

    Args:
        fill_mode: what is outside: "reflect", "wrap", "constant" or "nearest".
        interpolation: "bilinear" or "nearest".
        fill_value: what is outside for "constant".
        options: of the numbers, and of `Layer`.
    """

    def __init__(
        self,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        fill_value: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        kinds = ("bilinear", "nearest")
        if fill_mode not in FILLS or interpolation not in kinds:
            raise ValueError(
                f"{self.name!r} takes fill_mode, one of {FILLS}, and interpolation, one of "
                f"{kinds}, and was given {fill_mode!r} and {interpolation!r}"
            )
        self.fill_mode, self.fill_value = fill_mode, fill_value
        self.interpolation = interpolation

    def moved(self, x: Any, rows: Any, columns: Any) -> Any:
        """Return what is at places, counted from the middle: `[batch, rows, columns]`."""
        height, width = x.shape[1], x.shape[2]
        rows, columns = rows + (height - 1) / 2, columns + (width - 1) / 2
        if self.interpolation == "nearest":
            rows, columns = np.rint(rows), np.rint(columns)
        return sampled(x, rows, columns, self.fill_mode, self.fill_value)


def _grid(x: Any) -> tuple[Any, Any]:
    """Return the rows and columns of elements, counted from the middle."""
    height, width = x.shape[1], x.shape[2]
    rows = np.arange(height).astype(x.dtype)[None, :, None]
    columns = np.arange(width).astype(x.dtype)[None, None, :]
    return rows - (height - 1) / 2, columns - (width - 1) / 2


def sampled(x: Any, rows: Any, columns: Any, fill_mode: str, fill_value: float) -> Any:
    """Return pictures at places between elements, by lines between the nearest four.

    Args:
        x: pictures `[batch, height, width, channels]`.
        rows, columns: places `[batch, n, m]`.
        fill_mode, fill_value: what is outside of a picture.
    """
    top, left = np.floor(rows), np.floor(columns)
    down, right = (rows - top)[..., None], (columns - left)[..., None]

    def at(row: Any, column: Any) -> Any:
        return _elements(x, row, column, fill_mode, fill_value)

    upper = at(top, left) * (1 - right) + at(top, left + 1) * right
    lower = at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right
    return (upper * (1 - down) + lower * down).astype(x.dtype)


def _elements(x: Any, rows: Any, columns: Any, fill_mode: str, fill_value: float) -> Any:
    height, width = x.shape[1], x.shape[2]
    rows, columns = rows.astype(np.int64), columns.astype(np.int64)
    pictures = np.arange(x.shape[0])[:, None, None]
    found = x[pictures, _inside(rows, height, fill_mode), _inside(columns, width, fill_mode)]
    if fill_mode != "constant":
        return found
    is_there = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    return np.where(is_there[..., None], found, np.asarray(fill_value, x.dtype))


def _inside(places: Any, size: Any, fill_mode: str) -> Any:
    """Return the places of elements that stand for those outside."""
    if fill_mode == "wrap":
        return places % size
    if fill_mode == "reflect":  # d c b a | a b c d | d c b a
        once = places % (2 * size)
        return np.minimum(once, 2 * size - 1 - once)
    return np.clip(places, 0, size - 1)


class RandomRotation(_Moved):
    """Turn each picture around its middle.

    Args:
        factor: the most, as a part of a whole turn, in both directions; or the least and the most.
        options: of what is outside, of the numbers, and of `Layer`.
    """

    def __init__(self, factor: Factor, **options: Any) -> None:
        super().__init__(**options)
        self.factor = bounds_of(factor, self, -math.inf)

    def changed(self, x: Any) -> Any:
        angle = self.drawn(x, self.factor)[..., 0] * (2 * math.pi)
        rows, columns = _grid(x)
        sine, cosine = np.sin(angle), np.cos(angle)
        return self.moved(x, columns * sine + rows * cosine, columns * cosine - rows * sine)


class RandomTranslation(_Moved):
    """Shift each picture.

    Args:
        height_factor, width_factor: the most, as parts of a picture, down and to the right.
        options: of what is outside, of the numbers, and of `Layer`.
    """

    def __init__(self, height_factor: Factor, width_factor: Factor, **options: Any) -> None:
        super().__init__(**options)
        self.factors = bounds_of(height_factor, self), bounds_of(width_factor, self)

    def changed(self, x: Any) -> Any:
        down, right = (self.drawn(x, factor)[..., 0] for factor in self.factors)
        rows, columns = _grid(x)
        everywhere = rows * 0 + columns * 0
        return self.moved(
            x, everywhere + rows - down * x.shape[1], everywhere + columns - right * x.shape[2]
        )


class RandomZoom(_Moved):
    """Make each picture smaller or larger around its middle.

    Args:
        height_factor: how much smaller at most; negative for larger.
        width_factor: the same for columns; by default the number that was drawn for rows.
        options: of what is outside, of the numbers, and of `Layer`.
    """

    def __init__(
        self, height_factor: Factor, width_factor: Factor | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.height = bounds_of(height_factor, self)
        self.width = None if width_factor is None else bounds_of(width_factor, self)

    def changed(self, x: Any) -> Any:
        tall = 1 + self.drawn(x, self.height)[..., 0]
        wide = tall if self.width is None else 1 + self.drawn(x, self.width)[..., 0]
        rows, columns = _grid(x)
        return self.moved(x, rows * tall + columns * 0, columns * wide + rows * 0)


class _Toned(_Random):
    """What changes the values of elements, which stay in a range.

    Args:
        factor: by how much at most; or two numbers.
        value_range: of elements.
        options: of the numbers, and of `Layer`.
    """

    def __init__(
        self, factor: Factor, value_range: Sequence[float] = (0.0, 255.0), **options: Any
    ) -> None:
        super().__init__(**options)
        self.factor = self.bounds(factor)
        self.value_range = tuple(value_range)

    bounds: Callable[[Factor], tuple[float, float]]
    """Returns the bounds of the numbers that are drawn."""

    def in_range(self, x: Any) -> Any:
        """Return elements, those beyond the range at its ends."""
        least, most = self.value_range
        return np.clip(x, least, most).astype(x.dtype)


class RandomContrast(_Toned):
    """Move the elements of each picture away from the mean of its channel, or towards it.

    Args:
        factor: how much at most, as a part of the distance; or how much closer, and further away.
        value_range: of elements, in which the result stays.
        options: of the numbers, and of `Layer`.
    """

    def bounds(self, factor: Factor) -> tuple[float, float]:
        """Return by what distances are multiplied, beside 1."""
        closer, further = (factor, factor) if isinstance(factor, int | float) else factor
        return bounds_of((-closer, further), self)

    def changed(self, x: Any) -> Any:
        mean = np.mean(x, axis=(1, 2), keepdims=True)
        return self.in_range((x - mean) * (1 + self.drawn(x, self.factor)) + mean)


class RandomBrightness(_Toned):
    """Add a number to the elements of each picture.

    Args:
        factor: the most, as a part of the range of elements; or two bounds.
        value_range: of elements, in which the result stays.
        options: of the numbers, and of `Layer`.
    """

    def bounds(self, factor: Factor) -> tuple[float, float]:
        """Return what is added, as parts of the range."""
        return bounds_of(factor, self)

    def changed(self, x: Any) -> Any:
        least, most = self.value_range
        return self.in_range(x + self.drawn(x, self.factor) * (most - least))
