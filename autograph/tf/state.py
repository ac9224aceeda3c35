"""`tf.Variable` and `tf.TensorArray`: state, with TensorFlow's default dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tensor_array import TensorArray as Plain
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime import default_graph
from runtime.errors import ShapeError
from runtime.state.variable import Variable as PlainVariable
from runtime.tensor import Symbol, value_now


class _VariableType(type):
    """Makes variables of `autograph`, and knows them."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, PlainVariable)

    def __call__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        shape: Any = None,
        **others: Any,
    ) -> Any:
        def value() -> Any:
            made = value_now(initial_value() if callable(initial_value) else initial_value)
            with default_graph.building(
                default_graph.current() if isinstance(made, Symbol) else None
            ):
                return convert_to_tensor(made, dtype)

        first = value if callable(initial_value) else value()
        made = PlainVariable(
            first, name=name or "Variable", trainable=trainable is not False, shape=shape
        )
        made.gives_tensors = True
        return made


class Variable(metaclass=_VariableType):
    """A variable that gives tensors; what it can do is told at `autograph.Variable`.

    >>> v = Variable(1.5)
    >>> float(v.assign_add(2.0).numpy())
    3.5
    """


class TensorArray:
    """Tensors that are written one by one; what it can do is told at `autograph.TensorArray`.

    >>> ta = TensorArray(np.float32, size=2)
    >>> ta.write(0, 1.0).write(1, 2.0).stack().numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = 0,
        dynamic_size: bool = False,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        **others: Any,
    ) -> None:
        count = value_now(size)
        is_known = hasattr(count, "numpy")
        self._plain = Plain(
            dtype, int(count.numpy()) if is_known else count, dynamic_size, element_shape
        )

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._plain.dtype

    def write(self, index: Any, value: Any, name: Any = None) -> TensorArray:
        """Put a tensor at an index, and return the TensorArray."""
        with translating():
            self._plain.write(_index(index), convert_to_tensor(value, _kind(value, self.dtype)))
        return self

    def scatter(self, indices: Any, value: Any, name: Any = None) -> TensorArray:
        """Put the rows of a tensor at indices, and return the TensorArray."""
        with translating():
            rows = convert_to_tensor(value, _kind(value, self.dtype))
            self._plain.scatter(convert_to_tensor(indices), rows)
        return self

    def unstack(self, value: Any, name: Any = None) -> TensorArray:
        """Put the rows of a tensor at all indices, and return the TensorArray."""
        with translating():
            self._plain.unstack(convert_to_tensor(value, _kind(value, self.dtype)))
        return self

    def split(self, value: Any, lengths: Any, name: Any = None) -> TensorArray:
        """Put the parts of a tensor at all indices, which have equal lengths, and return it."""
        with translating():
            rows = convert_to_tensor(value, _kind(value, self.dtype))
            sizes = {int(n) for n in np.asarray(lengths)}
            if len(sizes) > 1:
                raise ShapeError(
                    f"split of a TensorArray makes parts of one length here, not of {lengths}"
                )
            for k, size in enumerate(np.asarray(lengths).tolist()):
                self._plain.write(k, rows[k * size : (k + 1) * size])
        return self

    def read(self, index: Any, name: Any = None) -> Any:
        """Return the tensor at an index."""
        return _given(self._plain.read, _index(index))

    def stack(self, name: Any = None) -> Any:
        """Return all tensors as one, stacked."""
        return _given(self._plain.stack)

    def concat(self, name: Any = None) -> Any:
        """Return all tensors as one, one after the other."""
        return _given(self._plain.concat)

    def gather(self, indices: Any, name: Any = None) -> Any:
        """Return the tensors at indices, stacked."""
        return _given(self._plain.gather, convert_to_tensor(indices))

    def size(self, name: Any = None) -> Any:
        """Return how many tensors there are."""
        return _given(self._plain.size)

    def __repr__(self) -> str:
        return repr(self._plain)


def _given(function: Callable[..., Any], *args: Any) -> Any:
    with translating():
        return as_result(function(*args))


def _kind(value: Any, dtype: Any) -> Any:
    """Return the dtype that a value of Python's gets; None for one that has its own."""
    return None if hasattr(value, "dtype") else dtype


def _index(index: Any) -> Any:
    found = value_now(index)
    return int(found.numpy()) if hasattr(found, "numpy") else found
