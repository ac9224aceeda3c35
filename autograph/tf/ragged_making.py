"""How rows of several lengths are made: of values, and of what tells the rows apart.

They are class methods of `tf.RaggedTensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.debugging import need
from autograph.tf.errors import translating
from autograph.tf.ragged_tensor import (
    RaggedTensor,
    counted,
    merged,
    row_count,
    splits_of,
    values_of,
    whole,
)
from autograph.tf.shapes import TensorShape, TensorSpec
from autograph.tf.tensors import as_result, convert_to_tensor


def from_row_splits(
    values: Any, row_splits: Any, name: Any = None, validate: bool = True
) -> RaggedTensor:
    """Return the rows `values[row_splits[k]:row_splits[k + 1]]`."""
    with translating():
        rows, splits = values_of(values), whole(row_splits)
        if validate:
            last, count = splits[-1], row_count(rows)
            need(splits[0] == 0, "row_splits begin with 0")
            need(rnp.all(splits[1:] >= splits[:-1]), "row_splits do not fall")
            need(last == count, "the last of row_splits is the number of values")
        return RaggedTensor(rows, splits)


def from_row_lengths(
    values: Any, row_lengths: Any, name: Any = None, validate: bool = True
) -> RaggedTensor:
    """Return rows of given lengths."""
    return from_row_splits(values, splits_of(whole(row_lengths)), validate=validate)


def from_row_starts(
    values: Any, row_starts: Any, name: Any = None, validate: bool = True
) -> RaggedTensor:
    """Return rows that begin at given places."""
    rows = values_of(values)
    ends = rnp.reshape(rnp.asarray(row_count(rows)), (1,))
    splits = rnp.concatenate([whole(row_starts), rnp.asarray(ends, dtype=np.int64)])
    return from_row_splits(rows, splits, validate=validate)


def from_row_limits(
    values: Any, row_limits: Any, name: Any = None, validate: bool = True
) -> RaggedTensor:
    """Return rows that end at given places."""
    splits = rnp.concatenate([np.zeros(1, np.int64), whole(row_limits)])
    return from_row_splits(values, splits, validate=validate)


def from_value_rowids(
    values: Any,
    value_rowids: Any,
    nrows: Any = None,
    name: Any = None,
    validate: bool = True,
) -> RaggedTensor:
    """Return rows of values whose row is given for each of them, in order."""
    with translating():
        ids = whole(value_rowids)
        need(rnp.all(ids[1:] >= ids[:-1]), "value_rowids do not fall")
        last = rnp.max(ids, initial=-1) + 1
        lengths = counted(ids, last if nrows is None else nrows)
        return from_row_lengths(values, lengths, validate=validate)


def from_uniform_row_length(
    values: Any,
    uniform_row_length: Any,
    nrows: Any = None,
    validate: bool = True,
    name: Any = None,
) -> RaggedTensor:
    """Return rows of one length; `nrows` says how many there are where that is zero."""
    with translating():
        rows, size = values_of(values), whole(uniform_row_length)
        count = row_count(rows) // rnp.maximum(size, 1) if nrows is None else whole(nrows)
        return from_row_splits(rows, rnp.arange(count + 1) * size, validate=validate)


def from_nested_row_splits(
    flat_values: Any, nested_row_splits: Any, name: Any = None, validate: bool = True
) -> Any:
    """Return rows of rows, by the splits of each axis, the outermost first."""
    found = flat_values
    for splits in reversed(nested_row_splits):
        found = from_row_splits(found, splits, validate=validate)
    return found


def from_nested_row_lengths(
    flat_values: Any,
    nested_row_lengths: Any,
    name: Any = None,
    validate: bool = True,
) -> Any:
    """Return rows of rows, by the lengths of the rows of each axis, the outermost first."""
    splits = [splits_of(whole(x)) for x in nested_row_lengths]
    return from_nested_row_splits(flat_values, splits, validate=validate)


def from_tensor(
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    name: Any = None,
    row_splits_dtype: Any = np.int64,
) -> Any:
    """Return the rows of a tensor: of given lengths, or without what is `padding` at the end.

    With `ragged_rank` above 1, its further axes become rows, too.
    """
    with translating():
        dense = convert_to_tensor(tensor)
        if ragged_rank > 1:
            inner = from_tensor(merged(dense), lengths, padding, ragged_rank - 1)
            return RaggedTensor(inner, splits_of(_full(dense)))
        if padding is not None:
            is_kept = rnp.not_equal(dense, convert_to_tensor(padding, dense.dtype))
            places = rnp.arange(1, dense.shape[1] + 1)
            lengths = rnp.max(rnp.where(is_kept, places, 0), axis=1, initial=0)
        counts = _full(dense) if lengths is None else whole(lengths)
        mask = rnp.less(rnp.arange(dense.shape[1]), counts[:, None])
        flat = merged(dense) if lengths is None else dense[mask]
        return RaggedTensor(as_result(flat), splits_of(counts))


def from_sparse(st_input: Any, name: Any = None, row_splits_dtype: Any = None) -> Any:
    """Return the rows of a sparse matrix, each without what is not there at its end."""
    rows = st_input.indices[:, 0]
    order = rnp.arange(rnp.size(rows)) - rnp.searchsorted(rows, rows)
    need(rnp.all(st_input.indices[:, 1] == order), "a row of the sparse tensor has gaps in front")
    return from_value_rowids(st_input.values, rows, st_input.dense_shape[0])


def _full(dense: Any) -> Any:
    """Return the length of each row of a tensor."""
    return rnp.full((dense.shape[0],), dense.shape[1], np.int64)


def RaggedTensorSpec(  # noqa: N802  (a class there)
    shape: Any = None,
    dtype: Any = np.float32,
    ragged_rank: int | None = None,
    row_splits_dtype: Any = np.int64,
) -> Any:
    """Return the specs of a ragged tensor, of which all axes but the first have rows."""
    sizes = (None, None) if shape is None else tuple(TensorShape(shape))
    rank = len(sizes) - 1 if ragged_rank is None else ragged_rank
    found: Any = TensorSpec([None, *sizes[rank + 1 :]], dtype)
    for size in [*[None] * (rank - 1), sizes[0]]:
        found = RaggedTensor(found, TensorSpec([None if size is None else size + 1], np.int64))
    return found


for _made in (
    from_nested_row_lengths,
    from_nested_row_splits,
    from_row_lengths,
    from_row_limits,
    from_uniform_row_length,
    from_row_splits,
    from_row_starts,
    from_sparse,
    from_tensor,
    from_value_rowids,
):
    setattr(RaggedTensor, _made.__name__, staticmethod(_made))
