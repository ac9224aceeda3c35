"""Calls of and with staged lists: methods, builtins, NumPy's functions, and the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import BuiltinFunctionType
from typing import Any

from autograph.operators.lists.content import refused
from autograph.operators.lists.methods import call_method
from autograph.operators.lists.table import StagedList, staged_list

NOT_OURS = object()


def call_with_lists(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a method of a staged list, or a builtin with one; `NOT_OURS` for any other call."""
    if type(function) is BuiltinFunctionType:
        staged = staged_list(function.__self__)
        if staged is not None:
            return call_method(staged, function.__name__, args, kwargs)
    found = first_staged(args, kwargs)
    if found is None:
        return NOT_OURS
    builtin = BUILTINS.get(function) if isinstance(function, HASHED) else None
    return NOT_OURS if builtin is None else builtin(*args, **kwargs)


HASHED = (type, BuiltinFunctionType)


def first_staged(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> StagedList | None:
    """Return the first staged list among the arguments of a call."""
    found = map(staged_list, (*args, *kwargs.values()))
    return next((staged for staged in found if staged is not None), None)


def refuse_unconverted(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise MutationError when a function that is not converted is given a staged list."""
    staged = first_staged(args, kwargs)
    if staged is not None:
        name = getattr(function, "__qualname__", type(function).__name__)
        raise refused(staged, f"{name}()", "pass np.array of it, or write a loop over it")


def _len(value: Any) -> Any:
    staged = staged_list(value)
    assert staged is not None
    return staged.content.length


BUILTINS: dict[Any, Callable[..., Any]] = {
    len: _len,
    isinstance: isinstance,
    type: type,
}
"""What builtins are on staged lists."""
