"""Slots for arrays of one shape: one buffer, which is made when the first of them is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.numpy as rnp
from runtime import default_graph
from runtime.dtypes import DType, conversion
from runtime.errors import DtypeError, MutationError, ShapeError
from runtime.spec import TensorSpec, row_spec
from runtime.tensor import Tensor
from runtime.union import leaf_spec


def element_spec(value: Any, dtype: DType, what: str) -> TensorSpec:
    """Return the spec of a value for an array of a dtype; DtypeError when it has another."""
    spec = leaf_spec(_strong(value))
    is_weak = type(value) in (list, tuple) or spec.weak
    if spec.dtype != dtype and not (is_weak and np.can_cast(spec.dtype, dtype, "same_kind")):
        raise DtypeError(
            f"{what} of a TensorArray of {dtype} was given {spec}; convert it with "
            f"x{conversion(dtype)}, or make the TensorArray one of {spec.dtype}"
        )
    return spec


def _strong(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, list | tuple) else value


class Slots:
    """A number of slots for arrays of one dtype and shape.

    The buffer belongs to the graph, or region, in which the slots were made, also when the first
    array that tells its shape is written in a loop further inside.

    Args:
        dtype: of the arrays.
        size: how many slots, an int or a staged integer.
        shape: of the arrays, ints or staged integers; None when the first one tells it.
    """

    __slots__ = ("_buffer", "_builder", "_dtype", "_shape", "_size")

    def __init__(self, dtype: DType, size: Any, shape: Sequence[Any] | None) -> None:
        self._dtype = dtype
        self._size = size
        self._shape = shape
        self._builder = default_graph.current()
        self._buffer: Any = None

    @property
    def size(self) -> Any:
        """The number of slots."""
        return self._size

    def write(self, index: Any, value: Any) -> None:
        """Put an array into a slot."""
        self._buffer_for(element_spec(value, self._dtype, "write"), value)[index] = value

    def read(self, index: Any) -> Any:
        """Return what is in a slot."""
        return self._written("read")[index].copy()

    def stack(self) -> Any:
        """Return all slots as one array."""
        return self._written("stack").copy()

    def gather(self, indices: Any) -> Any:
        """Return some slots as one array."""
        return self._written("gather")[rnp.asarray(indices)]

    def scatter(self, indices: Any, values: Any) -> None:
        """Put the rows of an array into slots."""
        rows = rnp.asarray(values)
        spec = element_spec(rows, self._dtype, "scatter")
        self._buffer_for(row_spec(spec), rows)[rnp.asarray(indices)] = rows

    def unstack(self, values: Any) -> None:
        """Put the rows of an array into all slots."""
        rows = rnp.asarray(values)
        spec = element_spec(rows, self._dtype, "unstack")
        count = None if spec.shape is None else spec.shape[0]
        if isinstance(count, int) and isinstance(self._size, int) and count != self._size:
            raise ShapeError(
                f"unstack of {count} rows into a TensorArray of size {self._size}; make one of "
                "that size"
            )
        self._buffer_for(row_spec(spec), rows)[...] = rows

    def _written(self, what: str) -> Any:
        if self._buffer is None and self._shape is None:
            raise ShapeError(
                f"{what} of a TensorArray into which nothing was written yet, so the shape of its "
                "elements is not known; give element_shape where it is made"
            )
        return self._made(tuple(self._shape or ()), None)

    def _buffer_for(self, spec: TensorSpec, value: Any) -> Any:
        shape = tuple(self._shape) if self._shape is not None else _known(spec)
        self._shape = shape
        buffer = self._made(shape, value)
        if spec.shape is not None and len(spec.shape) != len(shape):
            raise ShapeError(
                f"an element of a TensorArray of elements of shape {shape} is {spec}; all elements "
                "have one shape"
            )
        return buffer

    def _made(self, shape: Sequence[Any], value: Any) -> Any:
        if self._builder is None and default_graph.current() is not None:
            raise MutationError(
                "a TensorArray that was made outside of the staged function is used in it; make it "
                "inside, or pass its stack() as an argument"
            )
        if self._buffer is None:
            with default_graph.building(self._builder):
                made = rnp.zeros((self._size, *shape), self._dtype)
            self._buffer = Tensor(made) if isinstance(value, Tensor) else made
        return self._buffer


def _known(spec: TensorSpec) -> tuple[Any, ...]:
    """Return the shape of the first element, which must be known."""
    if spec.shape is None or not spec.is_static:
        raise ShapeError(
            f"the first element of a TensorArray is {spec}, whose shape is known only when the "
            "graph runs; give element_shape where the TensorArray is made, such as (x.shape[0], 4)"
        )
    return spec.shape
