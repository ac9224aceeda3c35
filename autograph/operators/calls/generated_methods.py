"""Methods that Python's library writes into the user's classes, as functions that are converted.

Those of `dataclasses` have no source of their own, and those of `functools.total_ordering` are in a
module that is left as it is.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

_ORDERS = frozenset(f.__code__ for pairs in functools._convert.values() for _, f in pairs)  # type: ignore[attr-defined]
"""What `functools.total_ordering` adds to a class: it asks for the truth of other methods."""


def source_of(kind: type, name: str, method: FunctionType) -> Any:
    """Return what is converted in the place of a method; None if that is the user's own.

    Args:
        kind: the class.
        name: of the method.
        method: the method.
    """
    if method.__code__ in _ORDERS:
        return method
    if name not in _OF_DATACLASSES or not is_dataclass(kind):
        return None
    is_generated = inspect.unwrap(method).__code__.co_filename == "<string>"
    return _OF_DATACLASSES[name] if is_generated else None


def compared(x: Any) -> tuple[Any, ...]:
    """Return the fields of an object that are compared."""
    return tuple(getattr(x, one.name) for one in fields(x) if one.compare)


def shown(x: Any) -> list[tuple[str, Any]]:
    """Return the names and values of the fields of an object that are shown."""
    return [(one.name, getattr(x, one.name)) for one in fields(x) if one.repr]


def equal(self: Any, other: Any) -> Any:
    """As `__eq__` of data classes before Python 3.13."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    return compared(self) == compared(other)


def equal_in_turn(self: Any, other: Any) -> Any:
    """As `__eq__` of data classes from Python 3.13 on: what the last comparison says."""
    if self is other:
        return True
    if other.__class__ is not self.__class__:
        return NotImplemented
    found = True
    for a, b in zip(compared(self), compared(other), strict=True):
        found = a == b
        if not found:
            return found
    return found


def less(self: Any, other: Any) -> Any:
    """As `__lt__` of ordered data classes."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    return compared(self) < compared(other)


def less_or_equal(self: Any, other: Any) -> Any:
    """As `__le__` of ordered data classes."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    return compared(self) <= compared(other)


def greater(self: Any, other: Any) -> Any:
    """As `__gt__` of ordered data classes."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    return compared(self) > compared(other)


def greater_or_equal(self: Any, other: Any) -> Any:
    """As `__ge__` of ordered data classes."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    return compared(self) >= compared(other)


def text(self: Any) -> str:
    """As `__repr__` of data classes."""
    parts = [f"{name}={value!r}" for name, value in shown(self)]
    return f"{self.__class__.__qualname__}({', '.join(parts)})"


_OF_DATACLASSES: dict[str, Callable[..., Any]] = {
    "__eq__": equal if sys.version_info < (3, 13) else equal_in_turn,
    "__lt__": less,
    "__le__": less_or_equal,
    "__gt__": greater,
    "__ge__": greater_or_equal,
    "__repr__": text,
}
