"""Derivatives of Fourier transforms, which are linear; the whole ones are symmetric matrices.

Of real transforms the other half of the points is what the symmetry of the points says: a
transform to half of them goes back through the whole one, with zeros for the other half, and one
back from half of them counts all points twice, but for the first and the middle one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.graph.traits import Derivative
from runtime.ops.derivatives.constructors import linear

OTHER_WAY: dict[Any, Any] = {
    None: "forward",
    "backward": "forward",
    "forward": "backward",
    "ortho": "ortho",
}
"""Which norm of a transform scales as this one does in the transform back."""


def whole(function: Callable[..., Any]) -> Derivative:
    """Return the derivative of a transform of complex numbers."""

    def transpose(apply: Any, g: Any, x: Any, *, n: Any, axis: int, norm: Any) -> Any:
        return _fitting(function(g, axis=axis, norm=norm), x, n, axis)

    return linear(transpose)


def _half(apply: Any, g: Any, x: Any, *, n: int | None, axis: int, norm: Any) -> Any:
    count = x.shape[axis] if n is None else n
    like = _part(g, axis, slice(1, count - g.shape[axis] + 1))
    rows = np.concatenate([g, np.zeros_like(like)], axis)
    return _fitting(np.fft.fft(rows, axis=axis, norm=norm), x, n, axis)


def _half_back(apply: Any, g: Any, x: Any, *, n: int | None, axis: int, norm: Any) -> Any:
    found = np.conj(np.fft.rfft(g, axis=axis, norm=OTHER_WAY[norm]))
    last = g.shape[axis] // 2 + g.shape[axis] % 2  # an even number has a point in the middle
    parts = [slice(0, 1), slice(1, last), slice(last, None)]
    first, twice, middle = (_part(found, axis, part) for part in parts)
    points = None if n is None else n // 2 + 1
    return _fitting(np.concatenate([first, twice * 2, middle], axis), x, points, axis)


HALF, HALF_BACK = linear(_half), linear(_half_back)


def _part(x: Any, axis: int, part: slice) -> Any:
    """Return a part of an array along an axis."""
    return x[(slice(None),) * (axis % x.ndim) + (part,)]


def _fitting(g: Any, x: Any, n: int | None, axis: int) -> Any:
    """Return the cotangent of an array of which so many points were taken, zeros behind them."""
    if n is None:
        return g
    size = x.shape[axis]
    if isinstance(size, int) and size <= n:
        return g if size == n else _part(g, axis, slice(size))
    rest = np.zeros_like(_part(x, axis, slice(n, None)))
    return np.concatenate([_part(g, axis, slice(size)), rest], axis)
