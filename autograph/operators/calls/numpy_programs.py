"""Functions of NumPy's that call functions of the user's, as Python programs: they are converted.

So what they call is part of the graph, and has derivatives. What each does is what NumPy's function
of that name does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """As `np.piecewise`."""
    x = np.asanyarray(x)
    conditions = np.asarray(condlist, dtype=bool)
    if conditions.ndim == 0 or (conditions.ndim == 1 and x.ndim > 0):
        conditions = conditions[None]
    n = len(conditions)
    if n == len(funclist) - 1:
        other = ~np.any(conditions, axis=0, keepdims=True)
        conditions = np.concatenate([conditions, other])
    elif n != len(funclist):
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            y[condition] = function
        else:
            values = x[condition]
            if values.size > 0:
                y[condition] = function(values, *args, **kw)
    return y


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """As `np.apply_along_axis`."""
    arr = np.asanyarray(arr)
    if not -arr.ndim <= axis < arr.ndim:
        raise np.exceptions.AxisError(axis, arr.ndim)
    rows = np.moveaxis(arr, axis, -1)
    axis = axis % arr.ndim
    places = np.ndindex(rows.shape[:-1])
    found = [np.asanyarray(func1d(rows[(*place, ...)], *args, **kwargs)) for place in places]
    if not found:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    first = found[0]
    made = np.stack([one.astype(first.dtype) for one in found])
    made = made.reshape((*rows.shape[:-1], *first.shape))
    inner = range(rows.ndim - 1, made.ndim)
    return np.moveaxis(made, inner, range(axis, axis + first.ndim))


PROGRAMS: dict[Any, Any] = {
    np.piecewise: piecewise,
    np.apply_along_axis: apply_along_axis,
}
