"""Attributes of arrays and numbers that no symbol has as its own: NumPy's, when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import mode
from runtime.dtypes import python_type
from runtime.errors import missing_attribute
from runtime.numpy.staged_call import stage_call
from runtime.ops.numpy_calls import FILES
from runtime.tensor import Tensor, root_of, value_error


def other_member(self: Any, name: str) -> Any:
    """Return what has no method here: a method that calls NumPy's when the graph runs."""
    if name.startswith("_") or hasattr(type(self), name):  # one of its own properties raised
        raise AttributeError(f"a staged value has no attribute {name!r}")
    member = getattr(_plain_class(self), name, None)
    if member is None or name in FILES or isinstance(self, Tensor):
        raise missing_attribute(self, name)
    if name == "nbytes":
        return self.size * self.itemsize
    if not callable(member):
        if self.known is not None and root_of(self).builder is mode.current():
            return getattr(self.known, name)
        raise value_error(self, f"the attribute {name!r}")
    return lambda *args, **kwargs: stage_call(member, (self, *args), kwargs)


def _plain_class(self: Any) -> Any:
    """Return the class that a value has in plain Python."""
    spec = self.spec
    if spec.shape != () or isinstance(self, Tensor) or self.is_cell:
        return np.ndarray
    return python_type(spec.dtype) if spec.weak else spec.dtype.type
