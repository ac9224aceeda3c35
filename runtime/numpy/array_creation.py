"""Public functions that make arrays: constants, ranges, and arrays of values."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from runtime import default_graph
from runtime.dispatch import apply, as_known, emit, lift, value_of
from runtime.dtypes import as_dtype, asked_dtype, is_string
from runtime.numpy import functions as fn
from runtime.numpy import shaping
from runtime.numpy.face import as_attribute, as_dims, as_size, call_concretely, stands_for
from runtime.operands import as_dense
from runtime.ops import creation as ops
from runtime.ops.elementwise import cast, strong
from runtime.ops.strides import in_rows
from runtime.subscripts import concrete, copied, describe
from runtime.tensor import Symbol, TensorLike, is_staged, value_now

F = TypeVar("F", bound=Callable[..., Any])


def placed(function: F) -> F:
    """Give a function the keyword `device` of the array API: arrays are where the graph runs.

    ValueError for another device than NumPy's only one.
    """

    @wraps(function)
    def on_device(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is not None and device != "cpu":
            raise ValueError(
                f'Device not understood. Only "cpu" is allowed, but received: {device}'
            )
        return function(*args, **kwargs)

    known = inspect.signature(function)
    given = inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default=None)
    parameters = [*known.parameters.values()]
    names = [*known.parameters]
    parameters.insert(names.index("copy") if "copy" in names else len(names), given)
    on_device.__signature__ = known.replace(parameters=parameters)  # type: ignore[attr-defined]
    return on_device  # type: ignore[return-value]


def _filled(value: Any, shape: Any, dtype: Any) -> Any:
    dims, sizes = as_dims(shape)
    return apply(ops.full, (value, *sizes), shape=dims, dtype=as_attribute("dtype", dtype))


def _zero(dtype: Any) -> Any:
    """Return what arrays of zeros hold: for texts, the empty one."""
    return "" if is_string(as_dtype(dtype)) else 0


@stands_for(np.zeros)
@placed
def zeros(shape: Any, dtype: Any = float) -> Any:
    """Return an array of zeros; sizes may be staged."""
    return _filled(_zero(float if dtype is None else dtype), shape, dtype or float)


@stands_for(np.ones)
@placed
def ones(shape: Any, dtype: Any = None) -> Any:
    """Return an array of ones; sizes may be staged."""
    return _filled(1, shape, float if dtype is None else dtype)


@stands_for(np.empty)
@placed
def empty(shape: Any, dtype: Any = float) -> Any:
    """Return an array whose elements are to be set; here they are zeros."""
    return zeros(shape, dtype)


@stands_for(np.full)
@placed
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return an array that is filled with one value."""
    return _filled(fill_value, shape, dtype)


def _like(a: Any, value: Any, dtype: Any, shape: Any) -> Any:
    if shape is not None:
        return _filled(value, shape, describe(lift(a)).dtype if dtype is None else dtype)
    like, builder = asarray(a), default_graph.current()
    spec = like.spec if type(like) is Symbol else None
    if builder is None or spec is None or not spec.is_static or spec.rank not in (0, 1):
        return apply(ops.full_like, (like, value), dtype=as_attribute("dtype", dtype))
    kind = as_attribute("dtype", spec.dtype if dtype is None else dtype)
    attrs = ops.full.attributes({"shape": spec.shape, "dtype": kind})
    return emit(builder, ops.full, (value,), attrs)  # folds; a vector's layout has no order


@stands_for(np.zeros_like)
@placed
def zeros_like(a: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Return an array of zeros of the shape and dtype of another one."""
    like = asarray(a)
    return _like(like, _zero(describe(like).dtype if dtype is None else dtype), dtype, shape)


@stands_for(np.ones_like)
@placed
def ones_like(a: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Return an array of ones of the shape and dtype of another one."""
    return _like(a, 1, dtype, shape)


@stands_for(np.empty_like)
@placed
def empty_like(prototype: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Return an array like another one whose elements are to be set; here they are zeros."""
    return zeros_like(prototype, dtype, shape=shape)


@stands_for(np.full_like)
@placed
def full_like(a: Any, fill_value: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Return an array of the shape and dtype of another one, filled with one value."""
    return _like(a, fill_value, dtype, shape)


@stands_for(np.ascontiguousarray)
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Return a value as an array whose elements lie in rows: a copy where they do not."""
    found = asarray(a, dtype)
    if describe(found).shape == ():
        return shaping.reshape(found, (1,))
    is_staged_here = type(found) is Symbol and found.known is None
    return apply(in_rows, (found,)) if is_staged_here else found


@stands_for(np.asarray, np.asanyarray)
@placed
def asarray(a: Any, dtype: Any = None, *, copy: bool | None = None) -> Any:
    """Return a value as an array: nested lists with staged values are stacked.

    What is an array already is returned as it is, unless `copy` or another dtype is asked for.
    """
    a = value_now(a)
    found = lift(a)
    is_here = isinstance(found, np.ndarray | TensorLike) and found is a
    if copy is False and not (is_here and dtype in (None, describe(found).dtype)):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    fresh = isinstance(found, list | tuple | bool | int | float | complex)
    if fresh and not isinstance(found, np.generic):
        found = as_dense(_plain_items(found))
    builder = default_graph.current()
    if builder is not None and isinstance(found, np.ndarray) and (fresh or copy):
        found = as_known(builder, found if fresh else found.copy())
    if isinstance(found, Symbol) and found.spec.weak:
        found = apply(strong, (found,))
    if dtype is not None and describe(found).dtype != asked_dtype(dtype):
        return _as_cell(apply(cast, (found,), dtype=as_dtype(dtype).name))
    if copy and not fresh and found is a:
        found = copied(found) if isinstance(found, TensorLike) else np.array(found)
    return _as_cell(found)


def _as_cell(found: Any) -> Any:
    """Return a number as an array without axes."""
    builder = default_graph.current()
    if builder is not None and isinstance(found, np.generic):
        return as_known(builder, np.asarray(found))
    if not is_staged(found) or found.spec.shape != () or found.is_cell:
        return found
    cell = Symbol(found.builder_now(), value_of(found))
    cell.is_cell = True
    return cell


def _plain_items(value: Any) -> Any:
    """Return nested lists with arrays in the place of tensors and known symbols."""
    if isinstance(value, list | tuple):
        return [_plain_items(x) for x in value]
    return concrete(value)


@stands_for(np.array)
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    ndmin: int = 0,
) -> Any:
    """Return a new array of a value; nested lists with staged values are stacked."""
    found = asarray(object, dtype, copy=copy)
    missing = ndmin - (describe(found).rank or 0)
    return found[(None,) * missing] if missing > 0 else found


@stands_for(np.copy)
def copy(a: Any) -> Any:
    """Return a copy of an array."""
    return array(a)


@stands_for(np.arange)
@placed
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Return numbers in steps, up to but without `stop`; the bounds may be staged."""
    if stop is None:
        start, stop = 0, start
    bounds = (start, stop, 1 if step is None else step)
    return apply(ops.arange, bounds, dtype=as_attribute("dtype", dtype))


@stands_for(np.linspace)
@placed
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return so many numbers at equal distances from `start` to `stop`."""
    attrs = {"num": as_attribute("num", num), "endpoint": bool(endpoint)}
    found = apply(ops.linspace, (start, stop), **attrs, dtype=as_attribute("dtype", dtype))
    if axis:
        found = fn.moveaxis(found, 0, axis)
    if not retstep:
        return found
    gaps = attrs["num"] - 1 if endpoint else attrs["num"]
    return found, (stop - start) / gaps if gaps > 0 else np.nan


@stands_for(np.logspace)
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None
) -> Any:
    """Return so many numbers from `base ** start` to `base ** stop` in equal ratios."""
    found = fn.power(base, linspace(start, stop, num, endpoint))
    return found if dtype is None else asarray(found, dtype)


@stands_for(np.eye)
@placed
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:  # noqa: N803
    """Return a matrix with ones on a diagonal and zeros elsewhere; sizes may be staged."""
    dims, sizes = as_dims((N, N if M is None else M))
    attrs = {"k": as_attribute("k", k), "dtype": as_attribute("dtype", dtype)}
    return apply(ops.eye, sizes, shape=dims, **attrs)


@stands_for(np.identity)
def identity(n: Any, dtype: Any = None) -> Any:
    """Return the unit matrix of a size."""
    return eye(n, dtype=float if dtype is None else dtype)


@stands_for(np.tri)
def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:  # noqa: N803
    """Return a matrix with ones at and below a diagonal."""
    return fn.tril(ones((N, N if M is None else M), dtype), k)


@stands_for(np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """Return coordinate arrays of a grid, made of one vector of coordinates for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    rank = len(xi)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    vectors = [fn.ravel(x) for x in xi]
    parts = [_along(x, axis, rank) for x, axis in zip(vectors, order, strict=True)]
    if sparse and not copy:
        return _OF_VECTORS(parts)
    found = parts if sparse else shaping.broadcast_arrays(*parts)
    return tuple(x.copy() for x in found) if copy else tuple(found)


_OF_VECTORS: Any = type(np.meshgrid([0], sparse=True, copy=False))
"""A list up to NumPy 2.4."""


def _along(x: Any, axis: int, rank: int) -> Any:
    """Return a vector as an array of a rank that is broad in one axis only."""
    return x[tuple(slice(None) if k == axis else None for k in range(rank))]


@stands_for(np.indices)
def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """Return the indices of a grid, one array for each axis."""
    sizes = [n if is_staged(n) else as_size(n) for n in dimensions]
    if any(describe(n).dtype.kind not in "iu" for n in sizes):
        raise TypeError("a size of a grid is an integer")
    grid = [arange(n, dtype=dtype) for n in sizes]
    found = meshgrid(*grid, indexing="ij", sparse=sparse)
    return found if sparse else shaping.stack(found)


@stands_for(np.fromfunction)
def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **kw: Any) -> Any:
    """Return what a function makes of the indices of a grid."""
    return function(*indices(shape, dtype), **kw)


def window(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a window function, which needs a known length."""

    def made(M: int, *parameters: Any) -> Any:  # noqa: N803
        return call_concretely(function, (M, *parameters), {})

    made.__name__ = function.__name__
    made.__doc__ = f"Return the {function.__name__} window of a known length."
    return stands_for(function)(made)


hanning = window(np.hanning)
hamming = window(np.hamming)
bartlett = window(np.bartlett)
blackman = window(np.blackman)
kaiser = window(np.kaiser)
