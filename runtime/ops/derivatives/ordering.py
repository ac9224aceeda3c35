"""Rules of what depends on the order of elements: sorting, quantiles, running results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.graph.traits import Application, Derivative
from runtime.ops.derivatives.constructors import NoDerivativeError, forward, of_one, total
from runtime.ops.derivatives.indexing_rules import op_of, put_along
from runtime.ops.derivatives.reduction_rules import flattened


def _in_one_row(x: Any, axis: int | None) -> tuple[Any, int]:
    return (np.reshape(x, (-1,)), 0) if axis is None else (x, axis)


def _order(call: Application) -> tuple[Any, int]:
    x, axis = _in_one_row(call.operands[0], call.attrs["axis"])
    return np.argsort(x, axis, kind="stable"), axis


def _sorted_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    order, axis = _order(call)
    t, _ = _in_one_row(tangents[0], call.attrs["axis"])
    return [np.take_along_axis(t, order, axis)]


def _sorted_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    order, axis = _order(call)
    x, _ = _in_one_row(call.operands[0], call.attrs["axis"])
    found = put_along(call.apply, "scatter", cotangents[0], x, order, axis)
    return [np.reshape(found, np.shape(call.operands[0]))]


def _partitioned(t: Any, y: Any, x: Any, kth: int, axis: int) -> Any:
    return np.take_along_axis(t, np.argpartition(x, kth, axis), axis)


def _distinct(t: Any, y: Any, x: Any) -> Any:
    places = np.searchsorted(y, np.ravel(x))
    found = np.zeros_like(y)
    shares = np.zeros_like(y)
    np.add.at(shares, places, 1)
    np.add.at(found, places, np.ravel(t))
    return found / shares


SHARES_OF_STEP = {
    "linear": lambda n: n - 1,
    "hazen": lambda n: n,
    "weibull": lambda n: n + 1,
    "median_unbiased": lambda n: n + 1 / 3,
    "normal_unbiased": lambda n: n + 1 / 4,
    "interpolated_inverted_cdf": lambda n: n,
}
"""How far one goes through the sorted elements as the share goes from zero to one, by method."""


def _quantiles(
    call: Application, tangents: Sequence[Any], whole: float, skips: bool = False
) -> list[Any]:
    """Return tangents of numbers between two neighbours among the sorted elements.

    Where that is, the op itself says, but for one known share of known many elements: it is its
    result for the numbers of the sorted elements.

    Args:
        call: the op as rules see it.
        tangents: of the elements, and of the shares.
        whole: the share that is all.
        skips: whether NaN are no elements.
    """
    x, *more = call.operands
    t, *of_share = tangents
    rows = flattened(x, call.attrs["axis"])
    count = np.shape(rows)[-1]
    is_linear = bool(more) and not skips and call.attrs["method"] == "linear"
    is_known = isinstance(count, int) and count > 0
    if t is not None and is_linear and is_known and isinstance(more[0], int | float):
        place = more[0] / whole * (count - 1)
        low = min(int(place), max(count - 2, 0))
        return [_between(call, t, low, min(low + 1, count - 1), place - low)]
    attrs = {name: held for name, held in call.attrs.items() if name == "method"}
    order = np.argsort(rows, -1, kind="stable")
    rows = np.take_along_axis(rows, order, -1)
    numbers = np.where(np.isnan(rows), np.nan, np.cumsum(np.ones_like(rows), -1) - 1)
    shape = np.shape(call.results[0])
    place = call.apply(call.op, (numbers, *more), axis=-1, keepdims=False, **attrs)
    low = np.nan_to_num(np.floor(place)).astype(int)
    high = np.minimum(low + 1, count - 1)
    weight = place - low

    def at(values: Any, places: Any) -> Any:
        """Return elements of rows at places that stand in front of the axes of rows."""
        lead = len(np.shape(places)) - (len(np.shape(values)) - 1)
        found = np.reshape(places, (-1, *np.shape(places)[lead:]))
        taken = np.take_along_axis(values, np.moveaxis(found, 0, -1), -1)
        return np.reshape(np.moveaxis(taken, -1, 0), np.shape(places))

    found = None
    if t is not None:
        moved = np.take_along_axis(flattened(t, call.attrs["axis"]), order, -1)
        below = at(moved, low)
        found = below + (at(moved, high) - below) * weight
    if of_share and of_share[0] is not None:
        step = SHARES_OF_STEP.get(call.attrs["method"])
        if step is not None:
            present = np.sum(~np.isnan(rows), -1)
            slope = (at(rows, high) - at(rows, low)) * (step(present) / whole)
            lead = len(np.shape(slope)) - len(np.shape(of_share[0]))
            s = np.reshape(of_share[0], (*np.shape(of_share[0]), *(1 for _ in range(lead))))
            found = slope * s if found is None else found + slope * s
    return [None if found is None else np.reshape(found, shape)]


def _between(call: Application, t: Any, low: int, high: int, weight: float) -> Any:
    """Return the tangent between two neighbours among sorted elements; of NaN it is NaN."""
    rows = flattened(call.operands[0], call.attrs["axis"])
    order = np.argsort(rows, -1, kind="stable")[..., low : high + 1]
    share = np.array([1 - weight, weight] if high > low else [1.0], t.dtype)
    found = np.sum(np.take_along_axis(flattened(t, call.attrs["axis"]), order, -1) * share, -1)
    y = call.results[0]
    return np.reshape(found, np.shape(y)) * np.where(np.isnan(y), y, 1)


def _middles(call: Application, tangents: Sequence[Any]) -> list[Any]:
    """Return tangents of the middles of sorted elements; of a middle that is NaN it is NaN."""
    x, (t,), axis = call.operands[0], tangents, call.attrs["axis"]
    rows = flattened(x, axis)
    count = np.shape(rows)[-1]
    if t is None or not isinstance(count, int):
        return _quantiles(call, tangents, 1)
    return [_between(call, t, max(count - 1, 0) // 2, count // 2, 0.5)]


def cumsum_back(apply: Any, g: Any, x: Any, axis: int | None, **attrs: Any) -> Any:
    """Return the cotangent of what was added up along an axis."""
    back = np.flip(np.cumsum(np.flip(g, axis or 0), axis or 0), axis or 0)
    return np.reshape(back, np.shape(x))


def recurrence(apply: Any, x: Any, y: Any) -> Any:
    """Return `z[k] = x[k - 1] * z[k - 1] + y[k]` along the last axis, from `y[0]` on."""
    return apply(op_of("recurrence"), (x, y))


def _recurrence_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    (x, y), (z,), (s, t) = call.operands, call.results, tangents
    if s is not None:
        s = np.concatenate([np.zeros_like(y[..., :1]), s * z[..., :-1]], -1)
    return [recurrence(call.apply, x, total([s, t]))]


def _recurrence_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    found = _backwards(call.apply, call.operands[0], cotangents[0])
    return [found[..., 1:] * call.results[0][..., :-1] if call.wanted[0] else None, found]


def _backwards(apply: Any, x: Any, g: Any) -> Any:
    """Return the recurrence that begins with the last element."""
    return np.flip(recurrence(apply, np.flip(x, -1), np.flip(g, -1)), -1)


def _before(y: Any) -> Any:
    """Return the product of what stands before each element."""
    return np.concatenate([np.ones_like(y[..., :1]), y[..., :-1]], -1)


def _rows(axis: int | None, *arrays: Any) -> list[Any]:
    """Return arrays with the axis as the last one."""
    return [np.moveaxis(_in_one_row(v, axis)[0], axis or 0, -1) for v in arrays]


def _cumprod_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    axis = call.attrs["axis"]
    x, t, y = _rows(axis, call.operands[0], tangents[0], call.results[0])
    return [np.moveaxis(recurrence(call.apply, x[..., 1:], _before(y) * t), -1, axis or 0)]


def _cumprod_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    """Return `c[k]` times what stands before, with `c[k] = g[k] + x[k + 1] * c[k + 1]`."""
    axis = call.attrs["axis"]
    x, g, y = _rows(axis, call.operands[0], cotangents[0], call.results[0])
    back = np.moveaxis(_backwards(call.apply, x[..., 1:], g) * _before(y), -1, axis or 0)
    return [np.reshape(back, np.shape(call.operands[0]))]


def _nancumprod_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    is_nan = np.isnan(call.operands[0])
    others = replace(call, operands=(np.where(is_nan, 1, call.operands[0]),))
    return _cumprod_jvp(others, [np.where(is_nan, 0, tangents[0])])


def _without_nan(rule: Callable[..., Any], fill: int) -> Callable[..., Any]:
    """Return the rule of an op that counts NaN as another number."""

    def of_others(t: Any, y: Any, x: Any, **attrs: Any) -> Any:
        return rule(np.where(np.isnan(x), 0, t), y, np.where(np.isnan(x), fill, x), **attrs)

    return of_others


def accumulation(step: Derivative, name: str, start: Any) -> Derivative:
    """Return the derivative of `accumulate`, the op of a name, of a ufunc that has another one."""

    def jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
        axis = call.attrs["axis"]
        rows = _rows(axis, call.operands[0], tangents[0], call.results[0])
        return [np.moveaxis(accumulated(call.apply, step, *rows), -1, axis)]

    return forward(jvp)


def reduction(step: Derivative, name: str, start: Any) -> Derivative:
    """Return the derivative of `reduce` of a ufunc: that of the last that `accumulate` gives.

    It begins with `start`, if that is not None; SciPy's ufuncs do so where that is not neutral.
    """

    def jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
        x, t = (flattened(v, call.attrs["axis"]) for v in (call.operands[0], tangents[0]))
        if start is not None:
            x, t = (
                np.concatenate([np.full_like(v[..., :1], k), v], -1)
                for v, k in ((x, start), (t, 0))
            )
        y = call.apply(op_of(name), (x,), axis=-1)
        found = accumulated(call.apply, step, x, t, y)[..., -1]
        return [np.reshape(found, np.shape(call.results[0]))]

    return forward(jvp)


def accumulated(apply: Any, step: Derivative, x: Any, t: Any, y: Any) -> Any:
    """Return the tangents of what is accumulated along the last axis."""
    operands = (y[..., :-1], x[..., 1:])
    call = Application(_no_apply, None, operands, {}, (y[..., 1:],), (True, True))
    (a,) = step.jvp(call, [np.ones_like(operands[0]), None])
    (b,) = step.jvp(call, [None, t[..., 1:]])
    zero = np.zeros_like(operands[0])
    b = np.concatenate([t[..., :1], zero if b is None else zero + b], -1)
    return recurrence(apply, zero if a is None else zero + a, b)


def _no_apply(op: Any, inputs: Any, **attrs: Any) -> Any:
    raise NoDerivativeError("its running results have none")


SORTED = Derivative(_sorted_jvp, _sorted_vjp)
PARTITIONED = of_one(_partitioned)
DISTINCT = of_one(_distinct)
"""The derivative of the distinct elements: equal ones have equal shares."""
MIDDLE = forward(_middles)
QUANTILE = forward(lambda call, tangents: _quantiles(call, tangents, 1))
PERCENTILE = forward(lambda call, tangents: _quantiles(call, tangents, 100))
QUANTILE_WITHOUT_NAN = forward(lambda call, tangents: _quantiles(call, tangents, 1, True))
PERCENTILE_WITHOUT_NAN = forward(lambda call, tangents: _quantiles(call, tangents, 100, True))
RUNNING_SUM_WITHOUT_NAN = of_one(
    _without_nan(lambda t, y, x, axis, **attrs: np.cumsum(t, axis=axis), 0)
)
RUNNING_PRODUCT = Derivative(_cumprod_jvp, _cumprod_vjp)
RUNNING_PRODUCT_WITHOUT_NAN = forward(_nancumprod_jvp)
RECURRENCE = Derivative(_recurrence_jvp, _recurrence_vjp)
