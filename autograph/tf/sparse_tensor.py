"""`tf.SparseTensor`: the elements of a tensor that are told, and where they are.

Comes in: `indices`, `i64[n, rank]`, in the order of a tensor's elements; `values`, one for each;
and `dense_shape`, `i64[rank]`. All are plain tensors. What is made of them stands in `sparse`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import runtime.numpy as rnp
from autograph.tf import creation, elementwise, math, shaping
from autograph.tf.composite import composite
from autograph.tf.debugging import need
from autograph.tf.dtype import as_dtype
from autograph.tf.errors import translating
from autograph.tf.shapes import TensorShape, TensorSpec
from autograph.tf.tensors import convert_to_tensor
from runtime.tensor import is_staged
from runtime.tree_classes import register_tree

F = TypeVar("F", bound=Callable[..., Any])


class SparseTensor:
    """Elements that are told, and where they are; all others are 0, or "".

    >>> SparseTensor([[0, 1], [2, 0]], [5, 7], [3, 2]).shape
    TensorShape([3, 2])
    """

    __slots__ = ("dense_shape", "indices", "values")
    instead = "tf.sparse.to_dense(x) makes a tensor of it"

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        with translating():
            self.indices = elementwise.cast(_at_least_one_row(indices), np.int64)
            self.values = convert_to_tensor(values)
            self.dense_shape = elementwise.cast(convert_to_tensor(dense_shape), np.int64)
            places = (self.indices >= 0) & (self.indices < self.dense_shape)
            need(rnp.all(places), "an index lies outside of the shape")

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Return a sparse tensor of what has its three parts."""
        x = sparse_tensor_value
        return cls(x.indices, x.values, x.dense_shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return as_dtype(self.values.spec.dtype)

    @property
    def shape(self) -> Any:
        """The sizes, with None for those that are not known."""
        if is_staged(self.dense_shape):
            return TensorShape([None] * self.dense_shape.shape[0])
        return TensorShape(np.asarray(self.dense_shape).tolist())

    def get_shape(self) -> Any:
        """Return the shape."""
        return self.shape

    def with_values(self, new_values: Any) -> SparseTensor:
        """Return other values at the same places."""
        return sparse_of(self.indices, convert_to_tensor(new_values), self.dense_shape)

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError(f"a sparse tensor is no array; {self.instead}")

    def __neg__(self) -> SparseTensor:
        return self.with_values(-self.values)

    def __mul__(self, other: Any) -> SparseTensor:
        return math.multiply(self, other)  # type: ignore[no-any-return]

    def __truediv__(self, other: Any) -> SparseTensor:
        return math.truediv(self, other)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        parts = f"values={self.values!s}, dense_shape={self.dense_shape!s}"
        return f"SparseTensor(indices={self.indices!s}, {parts})"

    __repr__ = __str__


def _at_least_one_row(indices: Any) -> Any:
    """Return places as a matrix; a list of none has no columns to tell."""
    found = convert_to_tensor(indices)
    return shaping.reshape(found, (0, 2)) if found.shape == (0,) else found


def sparse_of(indices: Any, values: Any, dense_shape: Any) -> SparseTensor:
    """Return a sparse tensor of parts that fit."""
    made = object.__new__(SparseTensor)
    made.indices, made.values, made.dense_shape = indices, values, dense_shape
    return made


def takes_sparse(function: F) -> F:
    """Let a function refuse a first argument that is no sparse tensor."""

    @functools.wraps(function)
    def public(sp_input: Any, *args: Any, **options: Any) -> Any:
        return function(as_sparse(sp_input, function.__name__), *args, **options)

    made: Any = public
    return made  # type: ignore[no-any-return]


def as_sparse(value: Any, taker: str) -> SparseTensor:
    """Return a sparse tensor itself; TypeError when it is something else."""
    if not isinstance(value, SparseTensor):
        raise TypeError(
            f"tf.sparse.{taker} takes a sparse tensor, not {value!r}; tf.sparse.from_dense(x) "
            "makes one of a tensor"
        )
    return value


TABLE = composite(SparseTensor)
register_tree(
    SparseTensor,
    lambda value: ((value.indices, value.values, value.dense_shape), None),
    lambda data, children: sparse_of(*children),
    lambda data: (".indices", ".values", ".dense_shape"),
)


def _with_dense(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what a function gives for the values and what stands beside them in a tensor."""

    def apply(x: Any, y: Any) -> SparseTensor:
        if not isinstance(x, SparseTensor) or isinstance(y, SparseTensor):
            raise TypeError(
                f"{function.__name__} takes a sparse tensor and then a tensor or number; "
                "tf.sparse.add adds two sparse ones"
            )
        dense = y if hasattr(y, "shape") else convert_to_tensor(y, x.dtype)
        if len(dense.shape):
            whole = shaping.broadcast_to(dense, creation.dims(x.dense_shape))
            dense = shaping.gather_nd(whole, x.indices)
        return x.with_values(function(x.values, dense))

    return apply


TABLE.update({f: _with_dense(f) for f in (math.multiply, math.truediv)})
TABLE[math.divide] = _with_dense(math.divide)
TABLE.update(
    {
        function: lambda x, *args, _function=function: x.with_values(_function(x.values, *args))
        for function in (elementwise.cast, math.negative, math.abs)
    }
)
TABLE[creation.shape] = lambda input, out_type=np.int32: elementwise.cast(
    input.dense_shape, out_type
)


def SparseTensorSpec(  # noqa: N802  (a class there)
    shape: Any = None, dtype: Any = np.float32
) -> Any:
    """Return the specs of a sparse tensor."""
    rank = None if shape is None else len(shape)
    return sparse_of(
        TensorSpec([None, rank], np.int64), TensorSpec([None], dtype), TensorSpec([rank], np.int64)
    )
