"""`tf.sparse`: tensors of which few elements are told; the class is `tf.SparseTensor`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import creation, linalg, nn, reductions, segments, shaping
from autograph.tf.absent import missing_from
from autograph.tf.composite import as_list
from autograph.tf.debugging import need
from autograph.tf.errors import translating
from autograph.tf.sparse_tensor import TABLE, SparseTensor, as_sparse, sparse_of, takes_sparse
from autograph.tf.tensors import as_result, convert_to_tensor

__all__ = [
    "SparseTensor",
    "add",
    "concat",
    "expand_dims",
    "from_dense",
    "map_values",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reshape",
    "retain",
    "slice",
    "sparse_dense_matmul",
    "to_dense",
    "transpose",
]


def from_dense(tensor: Any, name: Any = None) -> SparseTensor:
    """Return the elements of a tensor that are not 0, or not "".

    >>> from_dense([[0, 7], [0, 0]]).values
    <tf.Tensor: shape=(1,), dtype=int32, numpy=array([7], dtype=int32)>
    """
    with translating():
        dense = convert_to_tensor(tensor)
        nothing = "" if dense.spec.dtype.kind == "T" else 0
        found = rnp.nonzero(rnp.not_equal(dense, convert_to_tensor(nothing, dense.dtype)))
        return sparse_of(
            as_result(rnp.stack(list(found), axis=-1)),
            as_result(dense[found]),
            creation.shape(dense, np.int64),
        )


@takes_sparse
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: Any = None
) -> Any:
    """Return a tensor of the elements, with `default_value` where none is told."""
    kind = sp_input.values.spec.dtype
    nothing = ("" if kind.kind == "T" else 0) if default_value is None else default_value
    whole = creation.fill(sp_input.dense_shape, convert_to_tensor(nothing, kind))
    return shaping.tensor_scatter_nd_update(whole, sp_input.indices, sp_input.values)


def _places(sp_input: Any) -> Any:
    """Return the place of each element among all elements, counted row by row."""
    after = rnp.concatenate([sp_input.dense_shape[1:], np.ones(1, np.int64)])
    steps = rnp.flip(rnp.cumprod(rnp.flip(after, axis=0)), axis=0)
    return rnp.sum(rnp.multiply(sp_input.indices, steps), axis=1)


def _indices(places: Any, shape: Any) -> Any:
    """Return the indices of places that are counted row by row."""
    found = []
    for k in reversed(range(shape.shape[0])):
        found.append(rnp.mod(places, shape[k]))
        places = rnp.floor_divide(places, shape[k])
    return as_result(rnp.stack(found[::-1], axis=1))


@takes_sparse
def reorder(sp_input: Any, name: Any = None) -> SparseTensor:
    """Return the same elements in the order of a tensor's."""
    order = rnp.argsort(_places(sp_input), kind="stable")
    return sparse_of(
        as_result(sp_input.indices[order]), as_result(sp_input.values[order]), sp_input.dense_shape
    )


def _merged(a: Any, b: Any, by_segments: Callable[..., Any]) -> SparseTensor:
    """Return the elements of two sparse tensors of one shape, those at one place made one."""
    need(rnp.all(a.dense_shape == b.dense_shape), "the two have not the same shape")
    both = rnp.concatenate([_places(a), _places(b)])
    places = rnp.unique(both)
    values = shaping.concat([a.values, b.values], 0)
    found = by_segments(values, rnp.searchsorted(places, both), rnp.shape(places)[0])
    return sparse_of(_indices(places, a.dense_shape), found, a.dense_shape)


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Return the sum of two sparse tensors; with a tensor among them, a tensor."""
    with translating():
        if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
            return _merged(a, b, segments.unsorted_segment_sum)
        given, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        sparse = as_sparse(given, "add")
        whole = convert_to_tensor(dense, sparse.values.dtype)
        return segments.tensor_scatter_nd_add(whole, sparse.indices, sparse.values)


def concat(axis: int, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: Any = None) -> Any:
    """Return sparse tensors one after the other along an axis.

    With `expand_nonconcat_dims`, their other sizes may differ, and the largest ones count.
    """
    with translating():
        parts = [as_sparse(x, "concat") for x in as_list(sp_inputs, "tf.sparse.concat")]
        rank = parts[0].dense_shape.shape[0]
        place = axis % rank
        is_axis = rnp.arange(rank) == place
        offset, indices, shape = np.zeros(rank, np.int64), [], parts[0].dense_shape
        for one in parts:
            sizes = one.dense_shape
            if not expand_nonconcat_dims:
                need(rnp.all(is_axis | (sizes == shape)), "the other sizes are not the same")
            shape = rnp.where(is_axis, shape, rnp.maximum(shape, sizes))
            indices.append(rnp.add(one.indices, offset))
            offset = rnp.where(is_axis, rnp.add(offset, sizes), 0)
        whole = as_result(rnp.where(is_axis, offset, shape))
        values = shaping.concat([x.values for x in parts], 0)
        return reorder(sparse_of(as_result(rnp.concatenate(indices)), values, whole))


@takes_sparse
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Return the elements for which a mask, one for each, is true."""
    kept = convert_to_tensor(to_retain)
    return sparse_of(
        as_result(sp_input.indices[kept]), as_result(sp_input.values[kept]), sp_input.dense_shape
    )


@takes_sparse
def slice(sp_input: Any, start: Any, size: Any, name: Any = None) -> SparseTensor:
    """Return the part of a sparse tensor from a place on, of given sizes at most."""
    with translating():
        first = rnp.asarray(convert_to_tensor(start, np.int64))
        last = rnp.minimum(rnp.add(first, convert_to_tensor(size, np.int64)), sp_input.dense_shape)
        kept = rnp.all((sp_input.indices >= first) & (sp_input.indices < last), axis=1)
        return sparse_of(
            as_result(rnp.subtract(sp_input.indices[kept], first)),
            as_result(sp_input.values[kept]),
            as_result(rnp.maximum(rnp.subtract(last, first), 0)),
        )


@takes_sparse
def transpose(sp_input: Any, perm: Any = None, name: Any = None) -> SparseTensor:
    """Return a sparse tensor with its axes in another order, or in the reverse one."""
    rank = sp_input.dense_shape.shape[0]
    order = np.arange(rank)[::-1].copy() if perm is None else np.asarray(perm)
    indices = as_result(sp_input.indices[:, order])
    return reorder(sparse_of(indices, sp_input.values, as_result(sp_input.dense_shape[order])))


@takes_sparse
def reshape(sp_input: Any, shape: Any, name: Any = None) -> SparseTensor:
    """Return a sparse tensor of another shape; -1 is the size that is left."""
    with translating():
        wanted = convert_to_tensor(shape, np.int64)
        count = rnp.prod(sp_input.dense_shape)
        left = rnp.floor_divide(count, rnp.maximum(rnp.abs(rnp.prod(wanted)), 1))
        sizes = as_result(rnp.where(wanted == -1, left, wanted))
        need(rnp.prod(sizes) == count, "the elements do not make such a shape")
        return sparse_of(_indices(_places(sp_input), sizes), sp_input.values, sizes)


@takes_sparse
def expand_dims(sp_input: Any, axis: int = -1, name: Any = None) -> SparseTensor:
    """Return a sparse tensor with one more axis, of size 1."""
    rank = sp_input.dense_shape.shape[0]
    place = axis % (rank + 1)
    sizes = [sp_input.dense_shape[:place], np.ones(1, np.int64), sp_input.dense_shape[place:]]
    return reshape(sp_input, as_result(rnp.concatenate(sizes)))


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """Return what a function makes of the values alone, at the same places."""
    given = (x for x in args if isinstance(x, SparseTensor))
    found = as_sparse(next(given, None), "map_values")
    values = [x.values if isinstance(x, SparseTensor) else x for x in args]
    return found.with_values(op(*values, **kwargs))


def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: Any = None
) -> Any:
    """Return the product of two matrices of which one is sparse, as a tensor."""
    with translating():
        if not isinstance(sp_a, SparseTensor):
            b = as_sparse(b, "sparse_dense_matmul")
            left = linalg.matrix_transpose(sp_a) if adjoint_a else convert_to_tensor(sp_a)
            right = b if adjoint_b else transpose(b)
            return linalg.matrix_transpose(
                sparse_dense_matmul(right, linalg.matrix_transpose(left))
            )
        sparse = transpose(sp_a) if adjoint_a else sp_a
        dense = convert_to_tensor(b)
        dense = linalg.matrix_transpose(dense) if adjoint_b else dense
        need(sparse.dense_shape[1] == rnp.shape(dense)[0], "the inner sizes are not the same")
        rows = shaping.gather(dense, sparse.indices[:, 1])
        products = as_result(rnp.multiply(sparse.values[:, None], rows))
        return segments.unsorted_segment_sum(products, sparse.indices[:, 0], sparse.dense_shape[0])


def _reduced(name: str, by_segments: Callable[..., Any], whole: Callable[..., Any]) -> Any:
    def public(sp_input: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
        with translating():
            if axis is None:
                return whole(sp_input.values)
            if keepdims or sp_input.dense_shape.shape[0] != 2:
                raise TypeError("sparse matrices are reduced along an axis, without keepdims")
            kept = 1 - axis % 2
            rows, count = sp_input.indices[:, kept], sp_input.dense_shape[kept]
            found = by_segments(sp_input.values, rows, count)
            told = segments.unsorted_segment_sum(creation.ones_like(rows), rows, count)
            return as_result(rnp.where(told == 0, found.dtype.type(0), found))

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return the {name[7:]} of the elements that are told, over all or an axis."
    return takes_sparse(public)


reduce_sum = _reduced("reduce_sum", segments.unsorted_segment_sum, reductions.reduce_sum)
reduce_max = _reduced("reduce_max", segments.unsorted_segment_max, reductions.reduce_max)


def _ctc_loss(
    labels: SparseTensor,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: Any = None,
) -> Any:
    batch = convert_to_tensor(logits).shape[1 if logits_time_major else 0]
    lengths = rnp.bincount(labels.indices[:, 0], minlength=batch)
    blank_index = -1 if blank_index is None else blank_index
    rest = logits_time_major, unique, blank_index
    return nn.ctc_loss(to_dense(labels), logits, lengths, logit_length, *rest)


TABLE[nn.ctc_loss] = _ctc_loss

__getattr__ = missing_from("autograph.tf.sparse", globals())
