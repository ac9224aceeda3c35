"""Rules of what makes one number of many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.graph.traits import Application, Derivative
from runtime.ops.derivatives.constructors import Axis, conjugated, normal_axes, of_one


def along(g: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """Return what belongs to a reduced array with the axes of the whole one, of size one.

    What is to be broadcast may have fewer axes.
    """
    if keepdims or axis is None or not np.shape(g):
        return g
    rank, axes = len(np.shape(x)), normal_axes(axis, len(np.shape(x)))
    missing = rank - len(axes) - len(np.shape(g))
    return np.expand_dims(np.expand_dims(g, tuple(range(missing))) if missing else g, axes)


def spread(
    apply: Any, g: Any, x: Any, axis: Axis = None, keepdims: bool = False, **attrs: Any
) -> Any:
    """Return the cotangent of what was added up."""
    return along(g, x, axis, keepdims)


def spread_mean(
    apply: Any, g: Any, x: Any, axis: Axis = None, keepdims: bool = False, **attrs: Any
) -> Any:
    """Return the cotangent of what a mean was taken of."""
    sizes = np.shape(x)
    count = math.prod(sizes[k] for k in normal_axes(axis, len(sizes)))
    return along(g, x, axis, keepdims) / count


def _are_extreme(call: Application) -> tuple[Any, Any]:
    """Return which elements are the extreme ones, and how many there are of them."""
    (x,), (y,), axis = call.operands, call.results, call.attrs["axis"]
    mask = x == along(y, x, axis, call.attrs["keepdims"])
    return mask, np.sum(mask.astype(y.dtype), axis=axis, keepdims=True)


def _extreme_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    mask, count = _are_extreme(call)
    chosen = np.where(mask, tangents[0] / count, 0)
    return [np.sum(chosen, axis=call.attrs["axis"], keepdims=call.attrs["keepdims"])]


def _extreme_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    mask, count = _are_extreme(call)
    g = along(cotangents[0], call.operands[0], call.attrs["axis"], call.attrs["keepdims"])
    return [np.where(mask, g / count, 0)]


EXTREME = Derivative(_extreme_jvp, _extreme_vjp)
"""The derivative of the greatest or smallest element: equal ones have equal shares."""


def flattened(x: Any, axis: Axis) -> Any:
    """Return an array whose last axis has the elements that are reduced together."""
    sizes = np.shape(x)
    axes = normal_axes(axis, len(sizes))
    kept = [n for k, n in enumerate(sizes) if k not in axes]
    moved = np.moveaxis(x, axes, tuple(range(-len(axes), 0))) if len(axes) < len(sizes) else x
    return np.reshape(moved, (*kept, math.prod(sizes[k] for k in axes)))


def _of_others(x: Any) -> Any:
    """Return for each element of rows the product of all others, also where some are zero."""

    def before(x: Any) -> Any:
        return np.cumprod(np.concatenate([np.ones_like(x[..., :1]), x[..., :-1]], -1), -1)

    return before(x) * np.flip(before(np.flip(x, -1)), -1)


def _product(t: Any, y: Any, x: Any, axis: Axis, **attrs: Any) -> Any:
    found = np.sum(_of_others(flattened(x, axis)) * flattened(t, axis), -1)
    return np.reshape(found, np.shape(y))


def _variance(
    t: Any, y: Any, x: Any, axis: Axis, keepdims: bool, ddof: int = 0, **attrs: Any
) -> Any:
    off = conjugated(x - np.mean(x, axis=axis, keepdims=True))
    sizes = np.shape(x)
    count = math.prod(sizes[k] for k in normal_axes(axis, len(sizes))) - ddof
    return np.sum(np.real(off * t), axis=axis, keepdims=keepdims) * (2 / count)


def _variance_without_nan(
    t: Any, y: Any, x: Any, axis: Axis, keepdims: bool, ddof: int = 0, **attrs: Any
) -> Any:
    off = np.where(np.isnan(x), 0, x - np.nanmean(x, axis=axis, keepdims=True))
    count = np.sum(~np.isnan(x), axis=axis, keepdims=keepdims) - ddof
    return np.sum(off * t, axis=axis, keepdims=keepdims) * (2 / count)


def _divided(x: Any, y: Any) -> Any:
    """Return quotients, and zero where the divisor is: at the least of what is like `abs`."""
    return np.where(y == 0, 0, x / np.where(y == 0, 1, y))


def _deviation(variance: Any) -> Any:
    return lambda t, y, x, **attrs: _divided(variance(t, y, x, **attrs), 2 * y)


def _sum_without_nan(t: Any, y: Any, x: Any, axis: Axis, keepdims: bool, **attrs: Any) -> Any:
    return np.sum(np.where(np.isnan(x), 0, t), axis=axis, keepdims=keepdims)


def _product_without_nan(t: Any, y: Any, x: Any, **attrs: Any) -> Any:
    is_nan = np.isnan(x)
    return _product(np.where(is_nan, 0, t), y, np.where(is_nan, 1, x), **attrs)


def _mean_without_nan(t: Any, y: Any, x: Any, axis: Axis, keepdims: bool, **attrs: Any) -> Any:
    is_there = ~np.isnan(x)
    count = np.sum(is_there, axis=axis, keepdims=keepdims)
    return np.sum(np.where(is_there, t, 0), axis=axis, keepdims=keepdims) / count


def _distance(t: Any, y: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    def of(extreme: Any) -> Any:
        mask = x == extreme(x, axis=axis, keepdims=True)
        count = np.sum(mask.astype(y.dtype), axis=axis, keepdims=True)
        return np.where(mask, 1 / count, 0)

    return np.sum((of(np.max) - of(np.min)) * t, axis=axis, keepdims=keepdims)


def logarithm_of_powers(power: Any) -> Derivative:
    """Return the rule of the logarithm of a sum; its infinite terms share an infinite result."""

    def tangent(t: Any, y: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
        whole = along(y, x, axis, keepdims)
        is_infinite = np.isinf(whole)
        part = power(np.where(is_infinite, 0, x) - np.where(is_infinite, 0, whole))
        is_equal = is_infinite & (x == whole)
        count = np.sum(is_equal.astype(y.dtype), axis=axis, keepdims=True)
        shared = np.where(is_equal, 1 / np.maximum(count, 1), 0)
        return np.sum(np.where(is_infinite, shared, part) * t, axis=axis, keepdims=keepdims)

    return of_one(tangent)


def _norm(t: Any, y: Any, x: Any, ord: Any, axis: Axis, keepdims: bool) -> Any:
    axes = normal_axes(axis, len(np.shape(x)))

    def total(x: Any, axis: Axis = axes, keepdims: bool = keepdims) -> Any:
        return np.sum(x, axis=axis, keepdims=keepdims)

    is_vector = len(axes) == 1
    if ord is None or (ord == "fro" and not is_vector) or (ord == 2 and is_vector):
        return _divided(total(np.real(conjugated(x) * t)), y)
    size, of_sizes = np.abs(x), np.real(conjugated(np.sign(x)) * t)
    if not is_vector:
        return _matrix_norm(t, x, size, of_sizes, ord, axes, np.shape(y))
    if ord == 1:
        return total(of_sizes)
    if ord == 0:
        return total(0 * of_sizes)
    if ord in (np.inf, -np.inf):
        return total(_share(size == along(y, x, axis, keepdims), axes) * of_sizes)
    return total(size ** (ord - 1) * of_sizes) / y ** (ord - 1)


def _share(mask: Any, axis: Axis) -> Any:
    return np.where(mask, 1 / np.sum(mask, axis=axis, keepdims=True), 0)


def _matrix_norm(t: Any, x: Any, size: Any, of_sizes: Any, ord: Any, axes: Any, shape: Any) -> Any:
    """Return the tangent of norms of matrices that are made of sums, or of singular values."""
    if ord in (2, -2, "nuc"):
        u, _, v = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
        of_values = conjugated(u) * (
            np.moveaxis(t, axes, (-2, -1)) @ conjugated(np.swapaxes(v, -1, -2))
        )
        found = np.real(np.sum(of_values, -2))
        return np.reshape(
            np.sum(found, -1) if ord == "nuc" else found[..., 0 if ord == 2 else -1], shape
        )
    inner, outer = axes if abs(ord) == 1 else axes[::-1]
    sums = np.sum(size, axis=inner, keepdims=True)
    best = (np.max if ord > 0 else np.min)(sums, axis=outer, keepdims=True)
    moved = np.sum(of_sizes, axis=inner, keepdims=True)
    return np.reshape(np.sum(_share(sums == best, outer) * moved, axis=axes), shape)


PRODUCT = of_one(_product)
VARIANCE = of_one(_variance)
DEVIATION = of_one(_deviation(_variance))
SUM_WITHOUT_NAN = of_one(_sum_without_nan)
PRODUCT_WITHOUT_NAN = of_one(_product_without_nan)
MEAN_WITHOUT_NAN = of_one(_mean_without_nan)
VARIANCE_WITHOUT_NAN = of_one(_variance_without_nan)
DEVIATION_WITHOUT_NAN = of_one(_deviation(_variance_without_nan))
DISTANCE = of_one(_distance)
LOGARITHM_OF_SUM = logarithm_of_powers(np.exp)
NORM = of_one(_norm)
