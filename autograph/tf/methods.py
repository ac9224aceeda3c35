"""Methods that TensorFlow's tensors have, and NumPy's arrays do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.numpy as rnp
from autograph.tf.dtype import as_dtype
from autograph.tf.formatting import (
    symbol_repr,
    symbol_str,
    tensor_repr,
    tensor_str,
    variable_repr,
)
from autograph.tf.shapes import TensorShape
from autograph.tf.tensors import as_result, operate
from runtime.dispatch import value_of
from runtime.errors import ShapeError
from runtime.methods import dtype_of
from runtime.operator_methods import operate_of
from runtime.set_shapes import refine
from runtime.spec import TensorSpec as Spec
from runtime.spec import accepts
from runtime.state.variable import Variable
from runtime.tensor import Symbol, Tensor, TensorLike


def set_shape(self: Any, shape: Any) -> None:
    """Say what the shape is, where less is known; None stands for a size that is not known.

    Raises:
        ShapeError: the tensor has another shape.
    """
    spec = self.spec
    wanted = Spec(shape, spec.dtype)
    if accepts(wanted, Spec(spec.shape, spec.dtype)):
        return
    known = spec.shape is not None and wanted.shape is not None
    if not isinstance(self, Symbol) or (known and not _may_be(spec.shape, wanted.shape)):
        raise ShapeError(f"set_shape({shape}) of a tensor of shape {spec}: it has another shape")
    now: Any = rnp.shape(self)
    sizes = [now[k] if size is None else size for k, size in enumerate(shape)]
    refine(self, value_of(rnp.reshape(self, sizes)))


def _may_be(found: Any, wanted: Any) -> bool:
    """Tell whether a tensor of a shape that is known in part may have another one."""
    pairs = zip(found, wanted, strict=False)
    return len(found) == len(wanted) and all(
        a == b or not (isinstance(a, int) and isinstance(b, int)) for a, b in pairs
    )


def get_shape(self: Any) -> Any:
    """Return the shape."""
    return self.shape


PLAIN_SHAPE: Any = vars(TensorLike)["shape"]
PLAIN_DTYPE: Any = vars(TensorLike)["dtype"]
PLAIN_DEVICE: Any = vars(TensorLike)["device"]


def shape(self: Any) -> Any:
    """Return the shape: a tuple; of a tensor made here one that knows more."""
    found = PLAIN_SHAPE.fget(self)
    return TensorShape(found) if operate_of(self) is operate else found


def dtype(self: Any) -> Any:
    """The dtype of the elements: of a tensor made here one of TensorFlow's."""
    return as_dtype(self.spec.dtype) if _rules_of(self) is operate else dtype_of(self)


def read_value(self: Any) -> Any:
    """Return what a variable holds now."""
    return as_result(self.value())


def device(self: Any) -> str:
    """Return the name of the device that the array of a tensor is on; NumPy's with its rules."""
    found = PLAIN_DEVICE.fget(self)
    if operate_of(self) is not operate:
        return found  # type: ignore[no-any-return]
    return f"/device:{'CPU' if found == 'cpu' else 'GPU'}:0"


def _rules_of(value: Any) -> Any:
    return value.operate if isinstance(value, Variable) else operate_of(value)


def _as_there(kind: type, name: str, written: Callable[[Any], str]) -> tuple[type, str, Any]:
    """Return a method by which what follows the rules of TensorFlow prints as there."""
    plain: Any = getattr(kind, name)

    def method(self: Any) -> str:
        return written(self) if _rules_of(self) is operate else str(plain(self))

    return kind, name, method


MEMBERS = (
    _as_there(Tensor, "__str__", tensor_str),
    _as_there(Tensor, "__repr__", tensor_repr),
    _as_there(Symbol, "__str__", symbol_str),
    _as_there(Symbol, "__repr__", symbol_repr),
    _as_there(Variable, "__str__", variable_repr),
    _as_there(Variable, "__repr__", variable_repr),
    (TensorLike, "set_shape", set_shape),
    (TensorLike, "get_shape", get_shape),
    (TensorLike, "shape", property(shape, PLAIN_SHAPE.fset)),
    (TensorLike, "device", property(device)),
    (TensorLike, "dtype", property(dtype, PLAIN_DTYPE.fset)),
    (Variable, "dtype", property(dtype)),
    (Variable, "read_value", read_value),
)


def install() -> None:
    """Give tensors and variables what they have in TensorFlow."""
    for kind, name, member in MEMBERS:
        setattr(kind, name, member)
