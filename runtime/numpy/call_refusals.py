"""The error for a call of NumPy that cannot be a part of a graph."""

from __future__ import annotations

from typing import Any

from runtime.errors import StagedValueError
from runtime.graph.location import user_location
from runtime.numpy.call_text import Member, path_of


class RefusedCallError(StagedValueError):
    """A call of NumPy that cannot be a part of a graph."""


def refused(function: Any, why: str) -> RefusedCallError:
    """Return the error for a call that cannot be a part of a graph."""
    own = function.name if isinstance(function, Member) else repr(function)
    name = path_of(function) or getattr(function, "__qualname__", own)
    place = user_location()
    where = f"\n{place.describe()}" if place is not None else ""
    return RefusedCallError(
        f"{name} of a staged value {why}. Call it outside of the staged function, or by "
        f"ag.numpy_function(function, arguments, what it gives){where}"
    )


def kind_of(error: Exception) -> type:
    """Return the first public class of an exception, by which programs catch it."""
    public = ("builtins", "numpy.linalg", "numpy.exceptions")
    return next(kind for kind in type(error).__mro__ if kind.__module__ in public)
