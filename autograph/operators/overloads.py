"""How an overload of a builtin is made of the builtin and of what stands for it on staged values.

With plain values an overload is the builtin: one cheap look at the type, then the call, with the
results, errors and texts of Python. What is given too much, too little or by keyword goes to the
builtin, too, which knows what to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.tensor import Symbol, is_staged

Function = Callable[..., Any]


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()
"""Stands for an argument that was not given."""


def given(*values: Any) -> tuple[Any, ...]:
    """Return the arguments that were given."""
    return tuple(x for x in values if x is not MISSING)


def of_value(builtin: Function, staged: Function) -> Function:
    """Return the overload of a builtin that asks whether its first argument is staged.

    >>> of_value(len, lambda x: "staged")([1, 2])
    2
    """

    def overload(value: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
        if type(value) is Symbol and is_staged(value):
            return staged(value, *rest, **options)
        if rest or options or value is MISSING:
            return builtin(*given(value), *rest, **options)
        return builtin(value)

    return overload


def of_values(builtin: Function, staged: Function) -> Function:
    """Return the overload of a builtin that asks whether any argument is staged.

    >>> of_values(pow, lambda x, y: "staged")(2, 3)
    8
    """

    def overload(first: Any = MISSING, second: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
        if type(first) is Symbol or type(second) is Symbol or rest or options:
            values = (first, second, *rest, *options.values())
            if any(map(is_staged, values)):
                return staged(*given(first, second), *rest, **options)
            return builtin(*given(first, second), *rest, **options)
        return builtin(first, second) if second is not MISSING else builtin(*given(first))

    return overload


def of_symbol(builtin: Function, staged: Function) -> Function:
    """Return the overload of a builtin that asks what a value is, known symbols included."""

    def overload(value: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
        if type(value) is Symbol:
            return staged(value, *rest, **options)
        return builtin(*given(value), *rest, **options)

    return overload


def refusal(message: str) -> Function:
    """Return what stands for a builtin that has no staged meaning: it says what to write."""

    def refuse(*values: Any, **options: Any) -> Any:
        raise TypeError(message)

    return refuse
