"""How an overload of a builtin is made of the builtin and of what stands for it on staged values.

With plain values an overload is the builtin: one look at the type, then the call, with the results,
errors and texts of Python. What is given too much or too little goes to the builtin, too, which
knows what to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runtime.tensor import Symbol, is_staged
from runtime.texts import StagedText

Function = Callable[..., Any]


class StandIn:
    """What stands for an object of one of Python's classes while a function is traced.

    It says that it is of that class, so `isinstance` and `match` take it for one.
    """

    __slots__ = ()

    def kind(self) -> type:
        """Return the class that the object has in plain Python."""
        raise NotImplementedError

    __class__: Any = property(lambda self: self.kind())


MISSING: Any = Symbol(None, None, known=())  # type: ignore[arg-type]
"""Stands for an argument that was not given; a symbol, so that one look at the type finds both."""


def given(*values: Any) -> tuple[Any, ...]:
    """Return the arguments that were given."""
    return tuple(x for x in values if x is not MISSING)


def dispatched(
    builtin: Function, staged: Function, values: tuple[Any, ...], options: Mapping[str, Any]
) -> Any:
    """Call one of two functions: the second when any argument is staged."""
    values = given(*values)
    options = {name: x for name, x in options.items() if x is not MISSING}
    is_for_us = any(map(is_staged, (*values, *options.values())))
    return (staged if is_for_us else builtin)(*values, **options)


def of_value(builtin: Function, staged: Function) -> Function:
    """Return the overload of a builtin whose first argument may be staged, without keywords.

    >>> of_value(len, lambda x: "staged")([1, 2])
    2
    """

    def overload(value: Any = MISSING, /, *rest: Any) -> Any:
        if type(value) is Symbol or rest:
            return dispatched(builtin, staged, (value, *rest), {})
        return builtin(value)

    overload.__qualname__ = builtin.__name__
    return overload


def of_values(builtin: Function, staged: Function) -> Function:
    """Return the overload of a builtin any of whose arguments may be staged.

    >>> of_values(pow, lambda x, y: "staged")(2, 3)
    8
    """

    def overload(first: Any = MISSING, second: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
        if type(first) is Symbol or rest or options:
            return dispatched(builtin, staged, (first, second, *rest), options)
        if type(second) is not Symbol:
            return builtin(first, second)
        if second is MISSING:
            return builtin(first)
        return dispatched(builtin, staged, (first, second), {})

    return overload


def of_symbol(builtin: Function, staged: Function) -> Function:
    """Return the overload of a builtin that asks what a value is, known symbols included."""

    def overload(value: Any = MISSING, asked: Any = MISSING, /, *rest: Any) -> Any:
        kind = type(value)
        if kind is Symbol or kind is StagedText or rest:
            is_symbol = kind is StagedText or (kind is Symbol and value is not MISSING)
            return (staged if is_symbol else builtin)(*given(value, asked, *rest))
        return builtin(value) if asked is MISSING else builtin(value, asked)

    overload.__qualname__ = builtin.__name__
    return overload


def refusal(message: str) -> Function:
    """Return what stands for a builtin that has no staged meaning: it says what to write."""

    def refuse(*values: Any) -> Any:
        raise TypeError(message)

    return refuse
