"""The functions that a function may call, and the variables around them.

They are found in variables around functions, in globals, and in what wraps others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from types import CellType, FunctionType, MethodType
from typing import Any

from autograph.operators.calls.conversion_rules import module_of, rules
from autograph.operators.mutation.reachable_objects import CACHED, global_names

MISSING = object()
"""What a variable holds that has no value."""


def is_users(x: Any) -> bool:
    """Tell whether something is a class of the user's."""
    return isinstance(x, type) and bool(module_of(x)) and not rules.are_left(module_of(x))


def functions_of(*roots: Any) -> tuple[list[FunctionType], list[Any]]:
    """Return functions, and those of the user's that they may call, or are derivatives of.

    They are found in variables around them and in globals, and in what wraps others. Returned
    beside them are the objects that they are methods of, and what partials give them. The first one
    may be one of ours.
    """
    found: dict[int, FunctionType] = {}
    receivers: list[Any] = []
    todo: list[Any] = [*roots]
    while todo:
        x: Any = todo.pop()
        if hasattr(type(x), "get_concrete_function"):
            receivers.append(x._receiver())
            x = x.python_function
        if isinstance(x, MethodType):
            receivers.append(x.__self__)
            x = x.__func__
        if isinstance(x, partial):
            receivers += x.args, x.keywords
            todo += x.args + tuple(x.keywords.values())
        if isinstance(x, _WRAPPERS):
            todo += [getattr(x, name, None) for name in _WRAPPED]
        if isinstance(x, FunctionType) and id(x) not in found and (x is roots[0] or _may_assign(x)):
            found[id(x)] = x
            todo += [getattr(x, "__wrapped__", None), *(read_cell(cell) for _, cell in cells_in(x))]
            todo += [x.__globals__[name] for name in global_names(x)]
    return list(found.values()), receivers


_WRAPPERS = (CACHED, partial, property, cached_property, classmethod, staticmethod)
_WRAPPED = ("__wrapped__", "__func__", "func", "fget", "fset", "fdel")
"""The attributes in which these have functions."""


def _may_assign(function: FunctionType) -> bool:
    return not rules.are_left(function.__module__ or "")


def cells_in(function: Any) -> Iterator[tuple[str, CellType]]:
    """Yield the variables around a function, with their names."""
    if isinstance(function, FunctionType):
        yield from zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)


def read_cell(cell: CellType) -> Any:
    """Return what a variable around a function holds."""
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return MISSING
