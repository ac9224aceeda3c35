"""`TensorArray`: arrays that are written one by one, by rounds of a loop, say, and then stacked."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.calls.converting import convert
from runtime.dtypes import as_dtype
from runtime.errors import ShapeError
from runtime.state.tensor_array import Slots, element_spec
from runtime.tensor import is_staged


class TensorArray:
    """A sequence of arrays of one dtype and shape, each written by its index.

    In plain Python and in staged loops it is changed in place; `write` and the like return it, so
    that `ta = ta.write(i, x)` is the same.

    Args:
        dtype: of the elements.
        size: how many there are, `int[]`.
        dynamic_size: whether writing behind the end makes it longer, filled with zeros.
        element_shape: of the elements, whose sizes may be staged; by default that of the
            first one that is written.

    >>> squares = TensorArray(np.int64, size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, i * i)
    >>> squares.stack()
    array([0, 1, 4])
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = 0,
        dynamic_size: bool = False,
        element_shape: Sequence[Any] | None = None,
    ) -> None:
        self.dtype = as_dtype(dtype)
        self.dynamic_size = dynamic_size
        self.element_shape = None if element_shape is None else tuple(element_shape)
        if not is_staged(size) and operator.index(size) < 0:
            raise ShapeError(f"the size of a TensorArray cannot be {size}; it is at least 0")
        self._slots: Slots | None = None
        self._items: list[Any] = []
        if dynamic_size:
            self._first_items(size)
        else:
            self._slots = Slots(self.dtype, size, self.element_shape)

    def _first_items(self, size: Any) -> None:
        if is_staged(size) or size:
            if self.element_shape is None or is_staged(size):
                raise ShapeError(
                    "a TensorArray of dynamic size begins empty, or has a size and an "
                    "element_shape that are known; write size=0, and write() makes it longer"
                )
            self._items += [np.zeros(self.element_shape, self.dtype)[()] for _ in range(size)]

    def write(self, index: Any, value: Any) -> TensorArray:
        """Put an array at an index, and return the TensorArray.

        Raises:
            DtypeError: the array has another dtype.
            IndexError: there is no such index, and the size is not dynamic.
        """
        element_spec(value, self.dtype, "write")
        if self._slots is None:
            _put(self._items, index, rnp.asarray(value, self.dtype)[()])
        else:
            self._slots.write(index, value)
        return self

    def read(self, index: Any) -> Any:
        """Return the array at an index."""
        return _item(self._items, index) if self._slots is None else self._slots.read(index)

    def stack(self) -> Any:
        """Return all arrays as one, stacked along a new first axis.

        Raises:
            ShapeError: nothing was written, and the shape of the elements was not given.
        """
        return self._rows() if self._slots is None else self._slots.stack()

    def _rows(self) -> Any:
        return _stacked(self._items, self.element_shape, self.dtype)

    def concat(self) -> Any:
        """Return all arrays as one, one after the other along their first axis."""
        rows = self.stack()
        if rows.ndim < 2:
            raise ShapeError("concat of single numbers; write stack()")
        return rnp.reshape(rows, (-1, *rows.shape[2:]))

    def gather(self, indices: Any) -> Any:
        """Return the arrays at some indices, stacked."""
        if self._slots is None:
            return self._rows()[rnp.asarray(indices)]
        return self._slots.gather(indices)

    def scatter(self, indices: Any, values: Any) -> TensorArray:
        """Put the rows of an array at indices, and return the TensorArray."""
        if self._slots is None:
            rows = rnp.asarray(values)
            element_spec(rows, self.dtype, "scatter")
            for place, index in enumerate(rnp.asarray(indices)):
                _put(self._items, index, rows[place])
        else:
            self._slots.scatter(indices, values)
        return self

    def unstack(self, values: Any) -> TensorArray:
        """Put the rows of an array at all indices, and return the TensorArray."""
        if self._slots is not None:
            self._slots.unstack(values)
            return self
        rows = rnp.asarray(values)
        element_spec(rows, self.dtype, "unstack")
        _put_all(self._items, rows)
        return self

    def size(self) -> Any:
        """Return how many arrays there are."""
        return _count(self._items) if self._slots is None else self._slots.size

    def __len__(self) -> int:
        return len(self._items) if self._slots is None else int(self._slots.size)

    def __repr__(self) -> str:
        size = "dynamic size" if self._slots is None else f"size {self._slots.size}"
        return f"<TensorArray of {self.dtype}, {size}>"


@convert
def _put(items: Any, index: Any, value: Any) -> None:
    if index == len(items):
        items.append(value)
    else:
        while len(items) <= index:
            items.append(value * 0)
        items[index] = value


@convert
def _put_all(items: Any, rows: Any) -> None:
    for index, row in enumerate(rows):
        _put(items, index, row)


@convert
def _item(items: Any, index: Any) -> Any:
    return items[index]


@convert
def _count(items: Any) -> Any:
    return len(items)


@convert
def _stacked(items: Any, shape: Any, dtype: Any) -> Any:
    if shape is not None and not items:
        return np.zeros((0, *shape), dtype)
    return np.stack(items)
