"""Rules of functions along one line: differences, convolutions, interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.graph.traits import Application, Derivative
from runtime.ops.derivatives.constructors import NoDerivativeError, conjugated, forward, total
from runtime.ops.derivatives.indexing_rules import op_of


def differences_back(apply: Any, g: Any, x: Any, n: int, axis: int) -> Any:
    """Return the cotangent of what differences of neighbours were taken of."""
    if not n:
        return g
    if isinstance(np.shape(x)[axis], int) and np.shape(x)[axis] == 0:
        return np.zeros_like(x)
    end = np.zeros_like(np.take(x, np.array([0] * n), axis))
    found = np.diff(np.concatenate([end, g, end], axis), n, axis)
    return -found if n % 2 else found


def _product_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    (x, y), (s, t) = call.operands, tangents
    first = None if s is None else call.apply(call.op, (s, y), **call.attrs)
    second = None if t is None else call.apply(call.op, (x, t), **call.attrs)
    return [total([first, second])]


def _is_inside(call: Application) -> bool:
    """Tell whether the second vector is known to stay within the first one."""
    n, m = (np.shape(x)[0] for x in call.operands)
    return call.attrs["mode"] == "valid" and isinstance(n, int) and isinstance(m, int) and n >= m


def _whole(call: Application, g: Any, at_same: int) -> Any:
    """Return the cotangent of the whole convolution, of that of the part that a mode gives."""
    n, m = (np.shape(x)[0] for x in call.operands)
    mode = call.attrs["mode"]
    if mode == "full":
        return g
    if not (isinstance(n, int) and isinstance(m, int)):
        raise NoDerivativeError("the sizes must be known; ask for mode='full'")
    less = min(n, m)
    start = less - 1 if mode == "valid" else at_same
    whole = np.zeros(n + m - 1, g.dtype)
    return call.apply(op_of("update"), (whole, g, start, start + np.shape(g)[0]), key="?:?")


def _convolved_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    x, y = call.operands
    g = _whole(call, cotangents[0], (np.minimum(np.shape(x)[0], np.shape(y)[0]) - 1) // 2)
    first = np.correlate(g, conjugated(y), "valid") if call.wanted[0] else None
    if call.wanted[1] and _is_inside(call):
        return [first, np.flip(np.correlate(x, conjugated(cotangents[0]), "valid"))]
    return [first, np.correlate(g, conjugated(x), "valid") if call.wanted[1] else None]


def _correlated_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    x, y = call.operands
    n, m = np.shape(x)[0], np.shape(y)[0]
    g = _whole(call, cotangents[0], np.where(n >= m, (m - 1) // 2, n // 2))
    first = np.convolve(g, conjugated(y), "valid")[:n] if call.wanted[0] else None
    if not call.wanted[1]:
        return [first, None]
    if _is_inside(call):
        return [first, conjugated(np.correlate(x, conjugated(cotangents[0]), "valid"))]
    return [first, conjugated(np.flip(np.correlate(g, conjugated(x), "valid")))]


def _interpolated(call: Application, tangents: Sequence[Any]) -> list[Any]:
    x, points, heights = call.operands
    s, of_points, of_heights = tangents
    last = np.shape(points)[0] - 1
    right = np.clip(np.searchsorted(points, x, side="right"), np.minimum(1, last), last)
    left = np.maximum(right - 1, 0)

    def ends(values: Any) -> tuple[Any, Any]:
        return np.take(values, left), np.take(values, right)

    (x0, x1), (y0, y1) = ends(points), ends(heights)
    width = np.where(x1 == x0, 1, x1 - x0)
    weight = np.clip((x - x0) / width, 0, 1)
    is_inside = (x >= points[0]) & (x <= points[last])
    slope = np.where(is_inside, (y1 - y0) / width, 0)
    parts = [] if s is None else [slope * s]
    if of_points is not None:
        before, after = ends(of_points)
        parts.append(-slope * (before + (after - before) * weight))
    if of_heights is not None:
        before, after = ends(of_heights)
        parts.append(before + (after - before) * weight)
    return [total(parts)]


CONVOLVED = Derivative(_product_jvp, _convolved_vjp)
CORRELATED = Derivative(_product_jvp, _correlated_vjp)
INTERPOLATED = forward(_interpolated)
