"""Public functions that put arrays together of parts, or write into places of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.numpy import calculus, shaping
from runtime.numpy import functions as fn
from runtime.numpy.array_creation import asarray
from runtime.numpy.face import as_attribute, call_concretely, named, stands_for
from runtime.numpy.searching import isin, unique, where
from runtime.numpy.shaping import operand, rank_of
from runtime.ops import indexing
from runtime.ops.effects import check
from runtime.ops.spec_rules import normal_axis
from runtime.subscripts import describe, set_item, update_in_place
from runtime.tensor import Symbol


@stands_for(np.block)
def block(arrays: Any) -> Any:
    """Return an array made of nested lists of blocks."""
    depth = _depth(arrays)
    if isinstance(arrays, tuple):
        raise TypeError("blocks are arranged in lists, not in a tuple")
    if not depth:
        return asarray(arrays, copy=True)
    ranks = [rank_of(operand(x), "joining blocks") for x in _leaves(arrays)]
    return _joined(arrays, depth, max([depth, *ranks]))


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _leaves(arrays: Any) -> list[Any]:
    if not isinstance(arrays, list):
        return [arrays]
    return [leaf for x in arrays for leaf in _leaves(x)]


def _joined(arrays: Any, depth: int, rank: int) -> Any:
    if not isinstance(arrays, list):
        x = operand(arrays)
        missing = rank - rank_of(x, "joining blocks")
        return fn.expand_dims(x, tuple(range(missing))) if missing else x
    return shaping.concatenate([_joined(x, depth - 1, rank) for x in arrays], -depth)


@stands_for(np.diag)
def diag(v: Any, k: int = 0) -> Any:
    """Return the diagonal of a matrix, a view that is not written, or the matrix of a diagonal."""
    v = operand(v)
    if describe(v).rank == 2:
        return fn.diagonal(v, k)
    return apply(indexing.diag, (v,), k=k)


@stands_for(np.diagflat)
def diagflat(v: Any, k: int = 0) -> Any:
    """Return the matrix with the elements of an array on its diagonal."""
    return diag(fn.ravel(operand(v)), k)


@stands_for(*named("unstack"))
def unstack(x: Any, /, *, axis: int = 0) -> Any:
    """Return the slices of an array along an axis, as a tuple."""
    return tuple(fn.moveaxis(operand(x), axis, 0))


@stands_for(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """Return an array with values put before one place along an axis."""
    place = as_attribute("obj", obj)
    if not isinstance(place, int):
        raise StagedValueError("insert() of staged arrays needs one place as an integer")
    arr = operand(arr) if axis is not None else fn.ravel(operand(arr))
    axis = normal_axis(axis or 0, rank_of(arr, "inserting"))
    _check_place(arr, place, axis, 0)
    before, after = calculus.cut(arr, place, axis)
    values = operand(values)
    if rank_of(values, "inserting") == 0:
        sizes = [1 if k == axis else n for k, n in enumerate(shaping.shape(arr))]
        values = shaping.broadcast_to(values, tuple(sizes))
    elif rank_of(values, "inserting") < rank_of(arr, "inserting"):
        values = fn.expand_dims(values, axis)
    values = values.astype(describe(arr).dtype)
    return shaping.concatenate([before, values, after], axis)


def _check_place(arr: Any, place: int, axis: int, least: int) -> None:
    """Raise IndexError for a place in an axis after which there are fewer elements than `least`."""
    length = shaping.shape(arr)[axis]
    if isinstance(length, int) and not -length <= place <= length - least:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")


@stands_for(np.delete)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """Return an array without the slice at one place along an axis."""
    place = as_attribute("obj", obj)
    if not isinstance(place, int):
        raise StagedValueError("delete() of staged arrays needs one place as an integer")
    arr = operand(arr) if axis is not None else fn.ravel(operand(arr))
    axis = normal_axis(axis or 0, rank_of(arr, "deleting"))
    _check_place(arr, place, axis, 1)
    before, _ = calculus.cut(arr, place, axis)
    _, after = calculus.cut(arr, place + 1, axis) if place != -1 else (None, None)
    return before.copy() if after is None else shaping.concatenate([before, after], axis)


@stands_for(np.ix_)
def ix_(*args: Any) -> Any:
    """Return vectors of indices as an open grid, for reading or writing a block."""
    rank = len(args)
    if any(describe(operand(x)).rank != 1 for x in args):
        return call_concretely(np.ix_, args, {})
    vectors = [_as_indices(operand(x)) for x in args]
    return tuple(
        x[tuple(slice(None) if k == axis else None for k in range(rank))]
        for axis, x in enumerate(vectors)
    )


def _as_indices(x: Any) -> Any:
    return fn.nonzero(x)[0] if describe(x).dtype.kind == "b" else x


@stands_for(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """Return the different elements of two arrays in rising order."""
    return unique(shaping.concatenate([operand(ar1), operand(ar2)], None))


@stands_for(np.intersect1d)
def intersect1d(ar1: Any, ar2: Any) -> Any:
    """Return the different elements that both arrays have in rising order."""
    found = unique(ar1)
    dtype = np.result_type(describe(found).dtype, describe(operand(ar2)).dtype)
    return found[isin(found, ar2)].astype(dtype, copy=False)


@stands_for(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any) -> Any:
    """Return the different elements that only the first array has in rising order."""
    found = unique(ar1)
    return found[isin(found, ar2, invert=True)]


@stands_for(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any = -1) -> None:
    """Write values at places along an axis that differ from row to row."""
    if isinstance(arr, np.ndarray):
        call_concretely(np.put_along_axis, (arr, indices, values, axis), {})
        return
    rank = rank_of(arr, "writing along an axis")
    axis = normal_axis(axis, rank)
    indices = operand(indices)
    sizes = shaping.shape(arr)
    grid = [
        indices if k == axis else np.arange(n).reshape([-1 if j == k else 1 for j in range(rank)])
        for k, n in enumerate(as_attribute("the shape of the array", sizes))
    ]
    set_item(arr, tuple(grid), values)


@stands_for(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> None:
    """Write the elements of an array of the same shape, or one value, where a mask is true."""
    if not isinstance(a, Symbol):
        call_concretely(np.putmask, (a, mask, values), {})
        return
    values, shape = operand(values), describe(a).shape
    if not np.can_cast(describe(values).promotable, describe(a).dtype):
        call_concretely(np.putmask, (a, mask, values), {})
        return
    if describe(operand(mask)).shape != shape or describe(values).shape not in ((), shape):
        raise StagedValueError(
            "putmask() of staged arrays needs one value, or an array of the same shape"
        )
    update_in_place(a, where(mask, values, a).astype(describe(a).dtype), "putmask")


@stands_for(np.unravel_index)
def unravel_index(indices: Any, shape: Any) -> Any:
    """Return indices into an array as one row as one array of indices for each axis."""
    found = []
    left = fn.add(operand(indices), np.intp(0))  # as NumPy casts them
    if describe(left).dtype != np.intp or (type(shape) is Symbol and shape.spec.rank):
        raise StagedValueError("unravel_index() needs integers, and sizes one by one")
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    count = math.prod(sizes)
    is_inside = fn.logical_and(fn.greater_equal(left, 0), fn.less(left, count))
    message = f"index is out of bounds for array with size {count}"
    apply(check, (fn.all(is_inside),), error="ValueError", message=message)
    for size in reversed(sizes):
        found.append(left % size)
        left = left // size
    return tuple(reversed(found))
