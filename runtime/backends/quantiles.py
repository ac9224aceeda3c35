"""Quantiles of the numbers that are not NaN, for libraries that have none."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.errors import BackendError


def nanpercentile(lib: Any, x: Any, q: Any, **attrs: Any) -> Any:
    """Return the numbers below which `q` hundredths of those that are not NaN lie."""
    is_number = isinstance(q, int | float)
    return nanquantile(lib, x, q / 100 if is_number else lib.true_divide(q, 100), **attrs)


def nanquantile(
    lib: Any, x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the numbers below which the shares `q` of those that are not NaN lie."""
    if method != "linear":
        raise BackendError(f"nanquantile of {lib.__name__}'s arrays has no method {method!r}")
    is_weak = isinstance(q, int | float) and x.dtype.kind == "f"
    x, q = lib.asarray(x), lib.asarray(q)
    axes = [k % x.ndim for k in ([*range(x.ndim)] if axis is None else np.atleast_1d(axis))]
    kept = [k for k in range(x.ndim) if k not in axes]
    shape = [1 if k in axes else n for k, n in enumerate(x.shape) if keepdims or k not in axes]
    rows = lib.transpose(x, [*kept, *axes]).reshape((*(x.shape[k] for k in kept), -1))
    rows = lib.sort(rows, -1)
    count = lib.sum(~lib.isnan(rows), axis=-1, keepdims=True)
    place = lib.maximum(q.ravel() * (count - 1), 0)
    low = lib.floor(place)
    share, low = place - low, low.astype("int64")
    a = lib.take_along_axis(rows, low, -1)
    b = lib.take_along_axis(rows, lib.minimum(low + 1, lib.maximum(count - 1, 0)), -1)
    width = b - a
    found = lib.where(share >= 0.5, b - width * (1 - share), a + width * share)
    found = found.astype(x.dtype) if is_weak else found
    return lib.moveaxis(found, -1, 0).reshape((*q.shape, *shape))
