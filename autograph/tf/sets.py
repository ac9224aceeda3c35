"""`tf.sets`: sets of numbers or texts, one in each row of the last axis.

Comes in: tensors, or sparse ones, where the rows have different sizes. Goes out: a sparse tensor,
each row of which is in order, and has nothing twice. The work is Python's, when the graph runs.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import and_, or_, sub
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.calls.host_callback import numpy_function
from autograph.tf.absent import missing_from
from autograph.tf.creation import dims
from autograph.tf.errors import translating
from autograph.tf.segments import tensor_scatter_nd_add
from autograph.tf.sparse_tensor import SparseTensor, as_sparse, sparse_of
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.errors import DtypeError, ShapeError
from runtime.spec import TensorSpec

__all__ = ["difference", "intersection", "size", "union"]

Lists = dict[tuple[int, ...], list[Any]]


def difference(
    a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True, name: Any = None
) -> SparseTensor:
    """Return what is in the rows of `a` and not in those of `b`; else the other way round.

    >>> difference([[1, 2, 2]], [[2, 5]]).values.numpy()
    array([1], dtype=int32)
    """
    return _of_rows(sub, *((a, b) if aminusb else (b, a)))


def intersection(a: Any, b: Any, validate_indices: bool = True, name: Any = None) -> SparseTensor:
    """Return what is in the rows of both."""
    return _of_rows(and_, a, b)


def union(a: Any, b: Any, validate_indices: bool = True, name: Any = None) -> SparseTensor:
    """Return what is in the rows of one of them."""
    return _of_rows(or_, a, b)


def size(a: Any, validate_indices: bool = True, name: Any = None) -> Any:
    """Return how much is in each row of a sparse tensor."""
    with translating():
        places = as_sparse(a, "size").indices
        zeros = rnp.zeros(dims(a.dense_shape)[:-1], np.int32)
        return tensor_scatter_nd_add(zeros, places[:, :-1], rnp.ones_like(places[:, 0], np.int32))


def _of_rows(operation: Callable[[Any, Any], Any], a: Any, b: Any) -> SparseTensor:
    with translating():
        first, second = parts_of(a), parts_of(b)
        rank, dtype, other = _rank(first), _dtype(first), _dtype(second)
        if rank < 2 or _rank(second) != rank:
            raise ShapeError(
                "sets are the rows of two tensors of one rank, 2 or more, not of "
                f"{rank} axes and {_rank(second)}"
            )
        if dtype != other:
            raise DtypeError(
                f"sets of {dtype.name} and of {other.name} have no common dtype; use tf.cast"
            )

        def run(*parts: Any) -> Any:
            (one, shape), (two, sizes) = lists_in(*parts[:count]), lists_in(*parts[count:])
            nothing: list[Any] = []
            found = {
                place: sorted(operation(set(one.get(place, nothing)), set(two.get(place, nothing))))
                for place in sorted({*one, *two})
            }
            places = [(*place, k) for place, row in found.items() for k in range(len(row))]
            widest = max(map(len, found.values()), default=0)
            return (
                np.reshape(np.array(places, np.int64), (-1, rank)),
                np.array([x for row in found.values() for x in row], dtype),
                np.array([*np.maximum(shape, sizes)[:-1], widest], np.int64),
            )

        count = len(first)
        specs = (
            TensorSpec((None, rank), np.int64),
            TensorSpec((None,), dtype),
            TensorSpec((rank,), np.int64),
        )
        made = numpy_function(run, [*first, *second], specs)
        return sparse_of(*map(as_result, made))


def _rank(parts: list[Any]) -> Any:
    return parts[0].ndim if len(parts) == 1 else parts[0].shape[1]


def _dtype(parts: list[Any]) -> Any:
    return parts[len(parts) // 2].dtype


def parts_of(value: Any) -> list[Any]:
    """Return what a function of the host is given of a tensor, or of a sparse one."""
    if isinstance(value, SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    return [convert_to_tensor(value)]


def lists_in(*parts: Any) -> tuple[Lists, Any]:
    """Return what stands in each row of the last axis, by the place of the row, and the shape."""
    if len(parts) == 1:
        (x,) = parts
        return {place: x[place].tolist() for place in np.ndindex(x.shape[:-1])}, x.shape
    places, values, shape = parts
    found: Lists = {}
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found, shape


__getattr__ = missing_from(__name__, globals())
