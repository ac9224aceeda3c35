"""`tf.ragged`: rows of several lengths; the class is `tf.RaggedTensor`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import creation
from autograph.tf.absent import missing_from
from autograph.tf.errors import translated, translating
from autograph.tf.ragged_functions import boolean_mask, stack
from autograph.tf.ragged_making import from_nested_row_splits
from autograph.tf.ragged_tensor import RaggedTensor, splits_of
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.errors import ShapeError

__all__ = [
    "boolean_mask",
    "constant",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "stack",
]


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: Any = None,
    row_splits_dtype: Any = np.int64,
) -> Any:
    """Return nested lists of several lengths as rows; all numbers stand in lists of one depth.

    Raises:
        ValueError: numbers or texts stand at several depths, or are mixed.

    >>> constant([[3, 1], [], [2]])
    <tf.RaggedTensor [[3, 1], [], [2]]>
    """
    count = _depth(pylist) - 1 - len(inner_shape or ()) if ragged_rank is None else ragged_rank
    values, splits = pylist, []
    for _ in repeat(None, count):
        splits.append(splits_of(np.array([len(row) for row in values], np.int64)))
        values = [x for row in values for x in row]
    with translating(of_user=True):
        flat = creation.constant(values, dtype, inner_shape and [-1, *inner_shape])
    return from_nested_row_splits(flat, splits)


def _depth(pylist: Any) -> int:
    """Return how deep the numbers stand in nested lists."""
    numbers: set[int] = set()
    lists: set[int] = set()
    todo = [(pylist, 0)]
    while todo:
        value, level = todo.pop()
        if isinstance(value, list | tuple | np.ndarray):
            lists.add(level + 1)
            todo += [(x, level + 1) for x in value]
        else:
            numbers.add(level)
    if len(numbers) > 1 or (numbers and max(lists, default=0) > max(numbers)):
        raise ValueError(f"all scalar values must have the same nesting depth: {pylist!r}")
    return max(numbers | lists)


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return rows of the same lengths, of what a function makes of the values of all rows."""
    if not callable(op):
        raise TypeError(f"map_flat_values takes a function, and then tensors, not {op!r}")
    rows = [x for x in args if isinstance(x, RaggedTensor)]
    flat = [x.flat_values if isinstance(x, RaggedTensor) else x for x in args]
    return rows[0].with_flat_values(op(*flat, **kwargs)) if rows else op(*args, **kwargs)


def range(
    starts: Any, limits: Any = None, deltas: Any = 1, dtype: Any = None, name: Any = None
) -> RaggedTensor:
    """Return a row of numbers for each start and limit, or from 0 to each limit.

    >>> range([2, 0, 3])
    <tf.RaggedTensor [[0, 1], [], [0, 1, 2]]>
    """
    with translating():
        first, last = (0, starts) if limits is None else (starts, limits)
        a, b, step = rnp.broadcast_arrays(*map(convert_to_tensor, (first, last, deltas)))
        counts = rnp.maximum(rnp.ceil(rnp.divide(rnp.subtract(b, a), step)), 0).astype(np.int64)
        splits = splits_of(counts)
        within = rnp.arange(splits[-1]) - rnp.repeat(splits[:-1], counts)
        found = rnp.add(rnp.repeat(a, counts), rnp.multiply(within, rnp.repeat(step, counts)))
        return RaggedTensor(as_result(found.astype(a.dtype if dtype is None else dtype)), splits)


@translated
def row_splits_to_segment_ids(splits: Any, name: Any = None, out_type: Any = np.int64) -> Any:
    """Return the row of each value."""
    bounds = convert_to_tensor(splits)
    if bounds.ndim != 1:
        raise ShapeError("row_splits are a tensor of one dimension")
    count = rnp.shape(bounds)[0] - 1
    return as_result(rnp.repeat(rnp.arange(count), bounds[1:] - bounds[:-1]).astype(out_type))


__getattr__ = missing_from("autograph.tf.ragged", globals())
