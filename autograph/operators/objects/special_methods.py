"""The methods that Python's syntax and builtins call on objects of the user's classes.

Where a class has one written in Python, it is converted as any other callee. All others, those of
Python's own classes and of libraries, are left to Python. Comes in: an object and a method's name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from functools import partial
from types import FunctionType, MethodType, NoneType
from typing import Any, NamedTuple, TypeVar

from autograph import conversion
from autograph.operators import table
from autograph.operators.calls.conversion_rules import rules
from autograph.operators.calls.generated_methods import source_of
from runtime.tree_classes import find_kind
from runtime.tree_nodes import children_of

OURS = frozenset({"autograph", "numpy", "runtime"})
"""Packages whose classes know staged values."""
T = TypeVar("T")


def method_of(kind: type, name: str) -> FunctionType | None:
    """Return a method that Python's own syntax calls, if its class has it written in Python."""
    is_left = kind.__module__.partition(".")[0] in OURS or (
        name == "__repr__" and shows_items(kind)
    )
    found = None if is_left else getattr(kind, name, None)
    return _checked(found)


def _is_ours(function: FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] in OURS


def special(value: Any, name: str) -> MethodType | None:
    """Return the method of an object that Python's own syntax calls, if it is one of the user's."""
    method = method_of(type(value), name)
    if method is None:
        return None
    generated = source_of(type(value), name, method)
    if generated is not None:
        method = conversion.convert(generated, table.operators)
    return MethodType(method, value)


def _of_each_class(function: Callable[[Any], T]) -> Callable[[Any], T]:
    """Return a function of classes that remembers what it gave."""
    return functools.lru_cache(maxsize=1000)(function)


@_of_each_class
def has_methods(kind: type) -> bool:
    """Tell whether to compare, add or show objects of a class may run code of the user's."""
    return any(method_of(kind, name) is not None for name in _ASKED)


_ASKED = tuple(
    f"__{name}__" for name in ("eq", "lt", "gt", "le", "ge", "add", "radd", "repr", "str", "format")
)


def runs_code(value: Any) -> bool:
    """Tell whether to show or compare a value runs code of the user's."""
    kind = type(value)
    return any(map(runs_code, children_of(value))) if shows_items(kind) else has_methods(kind)


@_of_each_class
def shows_items(kind: type) -> bool:
    """Tell whether instances of a class are containers that Python's own code makes texts of."""
    module = getattr(kind.__repr__, "__module__", None) or "builtins"
    is_own = module in ("builtins", "collections") and kind is not NoneType
    has_one = any("__repr__" in vars(x) for x in kind.__mro__[:-1])
    return is_own and has_one and find_kind(kind) is not None


class Accessors(NamedTuple):
    """The names of attributes of a class by which code written in Python runs.

    Where all are, by `__getattr__` and the like, the names of these are among them.
    """

    reading: frozenset[str]
    writing: frozenset[str]


@_of_each_class
def accessors_of(kind: type) -> Accessors:
    """Return the names of attributes of a class by which code written in Python runs."""
    held: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.partition(".")[0] not in OURS:
            held.update(vars(base))
    reading = {name for name, x in held.items() if accessor_of(x, "get") is not None}
    writing = {name for name, x in held.items() if _is_written_by_code(x)}
    reading |= {name for name in ("__getattr__",) if method_of(kind, name)}
    writing |= {name for name in ("__setattr__", "__delattr__") if method_of(kind, name)}
    return Accessors(frozenset(reading), frozenset(writing))


def _is_written_by_code(held: Any) -> bool:
    return any(accessor_of(held, name) is not None for name in ("set", "delete"))


def accessor_of(held: Any, name: str) -> Callable[..., Any] | None:
    """Return what gets, sets or deletes an attribute that a class describes, by a call.

    Args:
        held: what the class has under the name of the attribute.
        name: "get", "set" or "delete".

    Returns:
        a function of the object, and of the value where that is set; None unless it is the user's.
    """
    if isinstance(held, functools.cached_property):
        return _calling(held.func if name == "get" else None)
    method = None if rules.are_left(type(held).__module__) else special(held, f"__{name}__")
    if method is not None and name == "get":
        return lambda owner: table.operators.call(method, owner, type(owner))
    if method is None and isinstance(held, property):
        return _calling(getattr(held, _OF_PROPERTIES[name]))
    return method and partial(table.operators.call, method)


def _calling(function: Any) -> Callable[..., Any] | None:
    return None if _checked(function) is None else partial(table.operators.call, function)


_OF_PROPERTIES = {"get": "fget", "set": "fset", "delete": "fdel"}


def _checked(function: Any) -> FunctionType | None:
    return function if type(function) is FunctionType and not _is_ours(function) else None


def described(mro: Iterable[type], name: str) -> Any:
    """Return what the first of some classes has under the name of an attribute, or None."""
    return next((vars(x)[name] for x in mro if name in vars(x)), None)
