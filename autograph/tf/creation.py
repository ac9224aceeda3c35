"""Tensors made of values and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor, pair, takes
from runtime import default_graph, trees
from runtime.dtypes import as_dtype, is_string
from runtime.tensor import TensorLike, is_staged


def constant(value: Any, dtype: Any = None, shape: Any = None, name: Any = None) -> Any:
    """Return a tensor of a value; Python's floats become `float32`, integers `int32`.

    >>> constant([1, 2]).dtype
    tf.int32
    """
    with translating():
        found = convert_to_tensor(value, dtype)
        if shape is None:
            return found
        is_one = found.spec.shape == ()
        return as_result((rnp.broadcast_to if is_one else rnp.reshape)(found, dims(shape)))


def dims(shape: Any) -> Any:
    """Return a shape whose sizes may be tensors."""
    if is_tensor(shape):
        sizes = shape if is_staged(shape) else np.asarray(shape)
        return tuple(sizes[k] for k in range(sizes.shape[0])) if sizes.ndim else sizes
    if isinstance(shape, list | tuple):
        return tuple(x if is_staged(x) else int(np.asarray(x)) for x in shape)
    return shape


def zeros(shape: Any, dtype: Any = np.float32, name: Any = None) -> Any:
    """Return a tensor of zeros."""
    with translating():
        kind = as_dtype(dtype)
        made = rnp.full(dims(shape), "", kind) if is_string(kind) else rnp.zeros(dims(shape), kind)
        return as_result(made)


def ones(shape: Any, dtype: Any = np.float32, name: Any = None) -> Any:
    """Return a tensor of ones."""
    with translating():
        return as_result(rnp.ones(dims(shape), as_dtype(dtype)))


def fill(dims_: Any, value: Any, name: Any = None) -> Any:
    """Return a tensor of a shape filled with one value."""
    with translating():
        return as_result(rnp.full(dims(dims_), convert_to_tensor(value)))


def eye(num_rows: Any, num_columns: Any = None, dtype: Any = np.float32, name: Any = None) -> Any:
    """Return a matrix with ones on its diagonal."""
    with translating():
        return as_result(rnp.eye(num_rows, num_columns, dtype=as_dtype(dtype)))


@takes(1)
def zeros_like(input: Any, dtype: Any = None) -> Any:
    """Return zeros of the shape of another tensor."""
    return rnp.zeros_like(input, dtype=dtype)


@takes(1)
def ones_like(input: Any, dtype: Any = None) -> Any:
    """Return ones of the shape of another tensor."""
    return rnp.ones_like(input, dtype=dtype)


def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: Any = None
) -> Any:
    """Return numbers from `start` to `limit`, without it; a loop over them is part of the graph.

    >>> range(3).numpy()
    array([0, 1, 2], dtype=int32)
    """
    first, last = (0, start) if limit is None else (start, limit)
    with translating():
        bounds = [convert_to_tensor(x) for x in (first, last, delta)]
        kinds = [x.dtype for x in bounds]
        kind = as_dtype(dtype) if dtype is not None else _widest(kinds)
        if not any(map(is_staged, (first, last, delta))):
            bounds = [np.asarray(x)[()] for x in _values((first, last, delta))]
        return as_result(rnp.arange(*bounds).astype(kind))


def _widest(kinds: Any) -> Any:
    order = [np.dtype(x) for x in (np.int32, np.int64, np.float32, np.float64)]
    return max(kinds, key=lambda x: order.index(x) if x in order else 0)


def _values(given: Any) -> Any:
    return [np.asarray(x) for x in given]


def linspace(start: Any, stop: Any, num: Any, name: Any = None, axis: int = 0) -> Any:
    """Return evenly spaced numbers between two, both included."""
    with translating():
        a, b = pair(start, stop)
        if not is_staged(num):
            return as_result(rnp.linspace(a, b, int(num), axis=axis, dtype=a.dtype))
        steps = rnp.arange(num).astype(a.dtype) / rnp.maximum(num - 1, 1).astype(a.dtype)
        return as_result(a + steps * (b - a))


@takes(1)
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = 1,
    off_value: Any = 0,
    axis: int = -1,
    dtype: Any = np.float32,
) -> Any:
    """Return for each index a row that has `on_value` there, and `off_value` elsewhere."""
    is_there = rnp.equal(indices[..., None], rnp.arange(depth))
    kind = as_dtype(dtype)
    found = rnp.where(is_there, kind.type(on_value), kind.type(off_value))
    return found if axis == -1 else rnp.moveaxis(found, -1, axis)


@takes(1)
def shape(input: Any, out_type: Any = np.int32) -> Any:
    """Return the sizes of a tensor, as a tensor."""
    sizes = [x.astype(out_type) if is_staged(x) else x for x in input.shape]
    return rnp.asarray(rnp.stack(sizes) if sizes else np.zeros(0), dtype=as_dtype(out_type))


@takes(1)
def size(input: Any, out_type: Any = np.int32) -> Any:
    """Return the number of elements of a tensor."""
    return rnp.asarray(rnp.size(input), dtype=as_dtype(out_type))


@takes(1)
def rank(input: Any) -> Any:
    """Return the number of dimensions of a tensor."""
    return np.int32(input.ndim)


def is_tensor(x: Any) -> bool:
    """Tell whether a value is a tensor or a variable."""
    return isinstance(x, TensorLike) or hasattr(x, "assign")


def map_structure(func: Any, *structure: Any) -> Any:
    """Return a structure of what a function returns for the leaves of others."""
    leaves = zip(*(trees.flatten(x)[0] for x in structure), strict=True)
    return trees.unflatten(trees.flatten(structure[0])[1], [func(*row) for row in leaves])


def flatten(structure: Any) -> list[Any]:
    """Return the leaves of a structure, as a list."""
    return list(trees.flatten(structure)[0])


def is_eager() -> bool:
    """Tell whether no graph is being built."""
    return default_graph.current() is None
