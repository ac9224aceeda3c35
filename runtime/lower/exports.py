"""What public faces export: functions and classes whose errors show the user's frames only.

Comes in: a face, which is a module with `__all__`. Goes out: the same names. Its functions are
behind a door (`tracebacks.pruned`), and so are the methods of its classes, in place. The library's
own modules import a function from where it is defined, without the door.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from runtime.graph.location import is_ours
from runtime.lower.tracebacks import pruned
from runtime.tensor import Readable, Symbol, Tensor, TensorLike

Exported = TypeVar("Exported")

_DOOR = pruned(pruned).__code__
_INTERNAL: set[type] = {object, TensorLike, Tensor, Symbol, Readable}
"""Classes whose methods stay as they are, since the library calls them itself all the time."""


def export(face: str, *but: str) -> None:
    """Put doors before what a module exports.

    Args:
        face: the module's name.
        but: names that stay as they are, such as those of functions that look at their caller.
    """
    names = vars(sys.modules[face])
    for name in names["__all__"]:
        if name in names and name not in but:
            names[name] = exported(face, name, names[name])


def exported(face: str, name: str, value: Exported) -> Exported:
    """Return what a face exports: a function behind a door, or a class whose methods are."""
    if isinstance(value, FunctionType):
        return _door(value, face, name)  # type: ignore[return-value]
    if isinstance(value, type) and not issubclass(value, BaseException):
        for owner in (*type(value).__mro__, *value.__mro__):
            if owner not in _INTERNAL and _is_of_ours(owner):
                _INTERNAL.add(owner)
                _put_doors(owner)
    return value


def _is_of_ours(owner: type) -> bool:
    return is_ours(getattr(sys.modules.get(owner.__module__), "__file__", None) or "")


def _put_doors(owner: type) -> None:
    """Put doors before the constructor of a class, and before its public methods."""
    makes = "__call__" if issubclass(owner, type) else "__init__"
    for name, value in list(vars(owner).items()):
        if name.startswith("_") and name != makes:
            continue
        if isinstance(value, staticmethod | classmethod):
            setattr(owner, name, type(value)(_door(value.__func__)))
        elif isinstance(value, FunctionType):
            setattr(owner, name, _door(value))


def _door(function: Callable[..., Any], face: str = "", name: str = "") -> Callable[..., Any]:
    """Return a function behind a door, which belongs to a face where one is given."""
    if not isinstance(function, FunctionType) or function.__code__ is _DOOR:
        return function
    door = pruned(function)
    if face:
        door.__module__, door.__qualname__ = face, name
    return door
