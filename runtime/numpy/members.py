"""Attributes of arrays and numbers that no symbol has as its own: NumPy's, when the graph runs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runtime import default_graph
from runtime.dtypes import python_type
from runtime.errors import missing_attribute
from runtime.numpy.call_text import Member
from runtime.numpy.staged_call import stage_call
from runtime.ops.public_names import DOERS, FILES
from runtime.tensor import Symbol, Tensor, root_of, value_error
from runtime.union import Choice, values_of


def other_member(self: Any, name: str) -> Any:
    """Return what has no method here: a method that calls NumPy's when the graph runs."""
    if name.startswith("_") or hasattr(type(self), name):  # one of its own properties raised
        raise AttributeError(f"a staged value has no attribute {name!r}")
    union = self.union if type(self) is Symbol else None
    if union is not None and any(hasattr(_plain_class(x), name) for x in values_of(union)):
        return _member_of_each(union, name)
    kind = _plain_class(self)
    member = getattr(kind, name, None)
    if member is None and type(self) is Symbol and not hasattr(kind, name):  # Python's own error
        shown = f"{kind.__module__}.{kind.__name__}".removeprefix("builtins.")
        raise AttributeError(f"{shown!r} object has no attribute {name!r}", name=name, obj=self)
    is_refused = name in FILES and name not in DOERS
    if member is None or is_refused or isinstance(self, Tensor):
        raise missing_attribute(self, name)
    if name == "nbytes":
        return self.size * self.itemsize
    if not callable(member):
        if self.known is not None and root_of(self).builder is default_graph.current():
            return getattr(self.known, name)
        return _attribute(self, name)
    if member is np.ndarray.resize:  # which counts references, as nobody does in a graph
        return lambda *shape, refcheck=True: stage_call(member, (self, *shape), {"refcheck": False})
    if member is np.ndarray.view:
        return partial(_view, self)
    return lambda *args, **kwargs: stage_call(member, (self, *args), kwargs)


def _view(self: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Return the same array, or what NumPy sees in its memory: numbers of another dtype."""
    if not kwargs and (not args or args[0] is np.ndarray):
        return self[...]
    return stage_call(np.ndarray.view, (self, *args), kwargs)


def _member_of_each(union: Choice, name: str) -> Any:
    """Return an attribute, or a method, of a number of several classes."""
    if any(callable(getattr(_plain_class(x), name, None)) for x in values_of(union)):
        return lambda *args, **kwargs: Choice.each(
            union, lambda x: getattr(x, name)(*args, **kwargs)
        )
    return Choice.each(union, lambda x: getattr(x, name))


def call_member(self: Any, name: str, *args: Any, is_method: bool = True) -> Any:
    """Return an attribute of NumPy's array when the graph runs, or what a method gives."""
    return stage_call(Member(name, is_method), (self, *args), {})


def _attribute(self: Any, name: str) -> Any:
    """Return an attribute of a number of Python's, or of an array that tells of its memory.

    That is known of an argument.
    """
    is_of_memory = name in ("strides", "flags", "base")
    if self.spec.shape == () and not self.is_cell and is_of_memory:
        return getattr(self.spec.dtype.type(), name)
    if self.spec.weak or (self.is_param and not self.was_written and is_of_memory):
        return stage_call(Member(name, False), (self,), {}, is_whole=name == "base")
    raise value_error(
        self,
        f"the attribute {name!r}, which tells where an array is in memory, and a graph decides that"
        " for what is no argument,",
    )


def _plain_class(self: Any) -> Any:
    """Return the class that a value has in plain Python."""
    if type(self) not in (Symbol, Tensor):
        return type(self)
    spec = self.spec
    if spec.shape != () or isinstance(self, Tensor) or self.is_cell:
        return np.ndarray
    return python_type(spec.dtype) if spec.weak else spec.dtype.type
