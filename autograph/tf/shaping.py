"""Shapes and parts of tensors: reshaping, joining, slicing, gathering, sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.composite import takes_composites
from autograph.tf.creation import dims
from autograph.tf.debugging import need
from autograph.tf.errors import translating
from autograph.tf.segments import places
from autograph.tf.tensors import as_result, convert_to_tensor, takes
from runtime.errors import ShapeError
from runtime.subscripts import with_items
from runtime.tensor import is_staged

__autograph_takes_arrays__ = True


@takes(1)
def reshape(tensor: Any, shape: Any) -> Any:
    """Return a tensor of another shape; -1 is the size that is left."""
    return rnp.reshape(tensor, dims(shape))


@takes(1)
def transpose(a: Any, perm: Any = None, conjugate: bool = False) -> Any:
    """Return a tensor with its axes in another order, or in the reverse one."""
    found = rnp.transpose(a, None if perm is None else [int(k) for k in perm])
    return rnp.conjugate(found) if conjugate else found


@takes(1)
def expand_dims(input: Any, axis: Any) -> Any:
    """Return a tensor with one more axis, of size 1."""
    return rnp.expand_dims(input, axis)


@takes(1)
def squeeze(input: Any, axis: Any = None) -> Any:
    """Return a tensor without its axes of size 1."""
    return rnp.squeeze(input, tuple(axis) if isinstance(axis, list) else axis)


@takes(1)
def broadcast_to(input: Any, shape: Any) -> Any:
    """Return a tensor repeated to a shape."""
    return rnp.broadcast_to(input, dims(shape))


@takes(1)
def tile(input: Any, multiples: Any) -> Any:
    """Return a tensor repeated along each axis."""
    counts = dims(multiples)
    sizes: list[Any] = []
    for count, size in zip(counts, input.shape, strict=True):
        sizes += [count, size]
    rows = rnp.reshape(input, [n for size in input.shape for n in (1, size)])
    whole = [count * size for count, size in zip(counts, input.shape, strict=True)]
    return rnp.reshape(rnp.broadcast_to(rows, tuple(sizes)), whole)


@takes(1)
def repeat(input: Any, repeats: Any, axis: Any = None) -> Any:
    """Return a tensor with its elements repeated."""
    return rnp.repeat(input, repeats, axis)


@takes_composites
def concat(values: Any, axis: Any, name: Any = None) -> Any:
    """Return tensors one after the other along an axis."""
    with translating():
        if isinstance(values, list | tuple):
            return as_result(rnp.concatenate(_several(values), axis=axis))
        return as_result(rnp.concatenate(unstack(values), axis=axis))


@takes_composites
def stack(values: Any, axis: int = 0, name: Any = None) -> Any:
    """Return tensors stacked along a new axis."""
    with translating():
        if isinstance(values, list | tuple):
            return as_result(rnp.stack(_several(values), axis=axis))
        return as_result(rnp.moveaxis(convert_to_tensor(values), 0, axis))


def _several(values: Any) -> list[Any]:
    """Return tensors, of which those of Python's numbers take the dtype of the others."""
    typed = next((x for x in values if hasattr(x, "dtype")), None)
    dtype = None if typed is None else typed.dtype
    return [convert_to_tensor(x, None if hasattr(x, "dtype") else dtype) for x in values]


@takes_composites
def unstack(value: Any, num: int | None = None, axis: int = 0, name: Any = None) -> list[Any]:
    """Return the parts of a tensor along an axis, as a list."""
    with translating():
        rows = rnp.moveaxis(convert_to_tensor(value), axis, 0)
        count = num if num is not None else rows.shape[0]
        if is_staged(count):
            raise ShapeError("tf.unstack of an axis of unknown size; say how many parts in num")
        return [as_result(rows[k]) for k in range(count)]


@takes_composites
def split(value: Any, num_or_size_splits: Any, axis: int = 0, name: Any = None) -> list[Any]:
    """Return the parts of a tensor, equal ones or of given sizes, as a list."""
    with translating():
        tensor, sizes = convert_to_tensor(value), num_or_size_splits
        places = sizes if isinstance(sizes, int) else np.cumsum(np.asarray(sizes))[:-1].tolist()
        return list(as_result(list(rnp.split(tensor, places, axis=axis))))


@takes(1)
def slice(input_: Any, begin: Any, size: Any) -> Any:
    """Return the part of a tensor from a place on; the size -1 is all that is left."""
    starts, sizes = dims(begin), dims(size)
    key = []
    for start, count in zip(starts, sizes, strict=True):
        is_rest = not is_staged(count) and count == -1
        key.append(np.s_[start:] if is_rest else np.s_[start : start + count])
    return input_[tuple(key)]


@takes(1)
def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0) -> Any:
    """Return a tensor with elements around it: zeros, or those at the edge mirrored."""
    kind = mode.lower()
    if kind == "constant":
        rows = [
            dims(row)
            for row in (
                paddings if isinstance(paddings, list | tuple) else np.asarray(paddings).tolist()
            )
        ]
        for axis, (before, after) in enumerate(rows):
            parts = [_filled(tensor, axis, before, constant_values), tensor]
            tensor = rnp.concatenate([*parts, _filled(tensor, axis, after, constant_values)], axis)
        return tensor
    return rnp.pad(tensor, np.asarray(paddings).tolist(), kind)


def _filled(tensor: Any, axis: int, count: Any, value: Any) -> Any:
    sizes = (*tensor.shape[:axis], count, *tensor.shape[axis + 1 :])
    return rnp.full(sizes, value, tensor.dtype)


@takes(1)
def reverse(tensor: Any, axis: Any) -> Any:
    """Return a tensor with the order of its elements reversed along axes."""
    return rnp.flip(tensor, tuple(axis) if isinstance(axis, list) else axis)


@takes(1)
def roll(input: Any, shift: Any, axis: Any) -> Any:
    """Return a tensor whose elements are moved along axes, the last ones to the front."""
    return rnp.roll(input, shift, axis)


@takes(2)
def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: int = 0, batch_dims: int = 0
) -> Any:
    """Return the parts of a tensor at indices along an axis; InvalidArgumentError without one."""
    if batch_dims:
        return rnp.take_along_axis(params, indices, batch_dims)
    return params[(*(np.s_[:],) * axis, indices)]


@takes(2)
def gather_nd(params: Any, indices: Any) -> Any:
    """Return the parts of a tensor at places, which are the last axis of the indices."""
    return params[places(indices)]


@takes(3)
def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any) -> Any:
    """Return a tensor with other values at places, which are the last axis of the indices."""
    return with_items(tensor, places(indices), updates)


@takes(2)
def boolean_mask(tensor: Any, mask: Any, axis: int | None = None) -> Any:
    """Return the parts of a tensor where a mask is true."""
    return tensor[(*(np.s_[:],) * (axis or 0), mask)]


@takes(1)
def unique(x: Any, out_idx: Any = np.int32) -> Any:
    """Return the different elements, as they first occur, and the place of each element in them.

    While tracing they are sorted.
    """
    values = rnp.unique(x)
    order = rnp.argsort(rnp.argmax(x[None, :] == values[:, None], axis=1))
    places = rnp.argsort(order)[rnp.searchsorted(values, x)]
    return values[order], places.astype(out_idx)


def unique_with_counts(x: Any, out_idx: Any = np.int32, name: Any = None) -> Any:
    """Return what `unique` does, and how often each element occurs."""
    values, found = unique(x, out_idx)
    with translating():
        counts = rnp.bincount(found, None, 0).astype(out_idx)
        return values, found, as_result(counts)


def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, name: Any = None, **others: Any
) -> Any:
    """Return `x[begin:end:stride]` for each axis."""
    with translating():
        starts, ends = dims(begin), dims(end)
        steps = (1,) * len(starts) if strides is None else dims(strides)
        key = tuple(np.s_[a:b:c] for a, b, c in zip(starts, ends, steps, strict=True))
        return as_result(convert_to_tensor(input_)[key])


@takes(1)
def sort(values: Any, axis: int = -1, direction: str = "ASCENDING") -> Any:
    """Return a tensor sorted along an axis."""
    found = rnp.sort(values, axis=axis)
    return rnp.flip(found, axis) if direction == "DESCENDING" else found


@takes(1)
def argsort(values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False) -> Any:
    """Return the indices that sort a tensor along an axis; equal elements keep their order."""
    keys = -values if direction == "DESCENDING" else values
    return rnp.argsort(keys, axis=axis, kind="stable").astype(np.int32)


@takes(1)
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = np.int32
) -> Any:
    """Return where values belong in a sorted sequence."""
    return rnp.searchsorted(sorted_sequence, convert_to_tensor(values), side).astype(out_type)


@takes(1)
def meshgrid(*args: Any, indexing: str = "xy") -> Any:
    """Return matrices of coordinates."""
    return list(rnp.meshgrid(*map(convert_to_tensor, args), indexing=indexing))


@takes(1)
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = bool) -> Any:
    """Return for each length a row that is true so far."""
    most = rnp.max(lengths) if maxlen is None else maxlen
    return rnp.less(rnp.arange(most), lengths[..., None]).astype(dtype)


def ensure_shape(x: Any, shape: Any, name: Any = None) -> Any:
    """Return a tensor whose shape is known from here on; an error when it is another one."""
    with translating():
        tensor = convert_to_tensor(x)
        pairs = list(zip(tensor.shape, shape, strict=True))
        for n, wanted in pairs:
            if wanted is not None:
                need(n == wanted, f"the shape of the tensor is not {tuple(shape)}")
        return as_result(rnp.reshape(tensor, [n if k is None else k for n, k in pairs]))
