"""Sums and the like of parts of tensors: by places, by numbers of segments, of equal numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor, takes
from runtime.dtypes import as_dtype
from runtime.subscripts import with_items
from runtime.tensor import is_staged


def places(indices: Any) -> tuple[Any, ...]:
    """Return the places that the last axis of indices says, as an index."""
    return tuple(indices[..., k] for k in range(indices.shape[-1]))


def _scatter(name: str, ufunc: np.ufunc, what: str) -> Callable[..., Any]:
    def public(tensor: Any, indices: Any, updates: Any) -> Any:
        return with_items(tensor, places(indices), updates, ufunc)

    public.__name__ = public.__qualname__ = f"tensor_scatter_nd_{name}"
    public.__doc__ = f"Return a tensor with {what} at places: the last axis of the indices."
    return takes(3)(public)


tensor_scatter_nd_add = _scatter("add", np.add, "values added")
tensor_scatter_nd_sub = _scatter("sub", np.subtract, "values subtracted")
tensor_scatter_nd_max = _scatter("max", np.maximum, "the larger of two values")
tensor_scatter_nd_min = _scatter("min", np.minimum, "the smaller of two values")


def scatter_nd(indices: Any, updates: Any, shape: Any, name: Any = None) -> Any:
    """Return zeros with values added at places, which are the last axis of the indices."""
    with translating():
        values = convert_to_tensor(updates)
        sizes = tuple(shape) if isinstance(shape, list | tuple) else tuple(np.asarray(shape))
        return tensor_scatter_nd_add(rnp.zeros(sizes, values.dtype), indices, values)


def _least(ufunc: np.ufunc, dtype: Any) -> Any:
    """Return what a ufunc begins with."""
    if ufunc.identity is not None:
        return dtype.type(ufunc.identity)
    bounds = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    return bounds.min if ufunc is np.maximum else bounds.max


def _unsorted(name: str, ufunc: np.ufunc, what: str) -> Callable[..., Any]:
    def public(data: Any, segment_ids: Any, num_segments: Any) -> Any:
        shape = (num_segments, *data.shape[1:])
        start = rnp.full(shape, _least(ufunc, data.dtype), data.dtype)
        return with_items(start, segment_ids, data, ufunc)

    public.__name__ = public.__qualname__ = f"unsorted_segment_{name}"
    public.__doc__ = f"Return the {what} of the rows of each segment, whose numbers are given."
    return takes(2)(public)


unsorted_segment_sum = _unsorted("sum", np.add, "sums")
unsorted_segment_max = _unsorted("max", np.maximum, "maxima")
unsorted_segment_min = _unsorted("min", np.minimum, "minima")
unsorted_segment_prod = _unsorted("prod", np.multiply, "products")


def _shared(name: str, divisor: Callable[[Any], Any], what: str) -> Callable[..., Any]:
    def public(data: Any, segment_ids: Any, num_segments: Any) -> Any:
        ones = rnp.ones(segment_ids.shape, data.dtype)
        counts = rnp.maximum(unsorted_segment_sum(ones, segment_ids, num_segments), 1)
        counts = rnp.reshape(divisor(counts), (-1, *(1,) * (data.ndim - 1)))
        return unsorted_segment_sum(data, segment_ids, num_segments) / counts

    public.__name__ = public.__qualname__ = f"unsorted_segment_{name}"
    public.__doc__ = f"Return the {what} of the rows of each segment, whose numbers are given."
    return takes(2)(public)


unsorted_segment_mean = _shared("mean", lambda n: n, "means")
unsorted_segment_sqrt_n = _shared("sqrt_n", rnp.sqrt, "sums by the root of their number")


def _sorted(name: str, unsorted: Callable[..., Any], what: str) -> Callable[..., Any]:
    def public(data: Any, segment_ids: Any) -> Any:
        found = unsorted(data, segment_ids, segment_ids[-1] + 1)
        if unsorted in (unsorted_segment_sum, unsorted_segment_prod):
            return found
        counts = _counts(data, segment_ids)
        return rnp.where(counts == 0, found.dtype.type(0), found)

    public.__name__ = public.__qualname__ = f"segment_{name}"
    public.__doc__ = f"Return the {what} of the rows of each segment, whose numbers are sorted."
    return takes(2)(public)


def _counts(data: Any, segment_ids: Any) -> Any:
    """Return the number of rows of each segment, of the rank of the data."""
    ones = rnp.ones(segment_ids.shape, np.int64)
    found = unsorted_segment_sum(ones, segment_ids, segment_ids[-1] + 1)
    return rnp.reshape(found, (-1, *(1,) * (data.ndim - 1)))


segment_sum = _sorted("sum", unsorted_segment_sum, "sums")
segment_max = _sorted("max", unsorted_segment_max, "maxima")
segment_min = _sorted("min", unsorted_segment_min, "minima")
segment_prod = _sorted("prod", unsorted_segment_prod, "products")


@takes(2)
def segment_mean(data: Any, segment_ids: Any) -> Any:
    """Return the means of the rows of each segment, whose numbers are sorted."""
    total = unsorted_segment_sum(data, segment_ids, segment_ids[-1] + 1)
    counts = rnp.maximum(_counts(data, segment_ids), 1).astype(data.dtype)
    return (total / counts).astype(data.dtype)


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, dtype: Any = np.int32, name: Any = None
) -> Any:
    """Return how often each number occurs, or the sums of its weights."""
    with translating():
        given = None if weights is None else convert_to_tensor(weights)
        found = rnp.bincount(rnp.ravel(convert_to_tensor(arr)), given, minlength or 0)
        return as_result(found.astype(as_dtype(dtype) if given is None else given.dtype))


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, dtype: Any = np.int32, **others: Any
) -> Any:
    """Return how often each label was predicted as each class."""
    with translating():
        rows, columns = convert_to_tensor(labels), convert_to_tensor(predictions)
        count = num_classes
        if count is None:
            count = rnp.max(rnp.maximum(rows, columns)) + 1
        count = count if is_staged(count) else int(np.asarray(count))
        found = rnp.zeros((count, count), as_dtype(dtype))
        return as_result(with_items(found, (rows, columns), as_dtype(dtype).type(1), np.add))
