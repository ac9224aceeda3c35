"""Tensors that are made of several ones: what `tf`'s functions do when they are given one.

A class of such tensors is known here with its table, from functions to what they do for it. A
function looks at its arguments, and in the lists among them, before it makes tensors of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from autograph.tf.errors import translating

F = TypeVar("F", bound=Callable[..., Any])
Table = dict[Callable[..., Any], Callable[..., Any]]
_TABLES: dict[type, Table] = {}


def composite(cls: type) -> Table:
    """Make a class known as one of such tensors; return its table, which is filled later."""
    return _TABLES.setdefault(cls, {})


def is_composite(value: Any) -> bool:
    """Tell whether a value is such a tensor."""
    return type(value) in _TABLES


def composite_in(values: Iterable[Any]) -> Any:
    """Return the first of such tensors among values and the lists among them, else None."""
    for value in values:
        if type(value) in _TABLES:
            return value
        if type(value) in (list, tuple) and (found := composite_in(value)) is not None:
            return found
    return None


def implemented(found: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Return what a function does when one of its arguments is such a tensor.

    Raises:
        TypeError: its class has nothing for the function.
    """
    how = _TABLES[type(found)].get(function)
    if how is None:
        raise refusal(function.__name__, found)
    kwargs.pop("name", None)
    with translating():
        return how(*args, **kwargs)


def refusal(taker: str, found: Any) -> TypeError:
    """Return the error of what takes no such tensor, with what to do."""
    return TypeError(f"{taker} takes no {type(found).__name__} here; {found.instead}")


def as_list(values: Any, taker: str) -> list[Any]:
    """Return several tensors as a list; TypeError when they are none, or no list."""
    if not isinstance(values, list | tuple) or not values:
        raise TypeError(f"{taker} takes a list of tensors, not {values!r}")
    return list(values)


def takes_composites(function: F) -> F:
    """Let a function that takes tensors, or lists of them, take such ones, too."""

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        found = composite_in((*args, *kwargs.values()))
        if found is None:
            return function(*args, **kwargs)
        return implemented(found, public, args, kwargs)

    made: Any = public
    return made  # type: ignore[no-any-return]
