"""`convert` and `do_not_convert`: the user's word on single functions and calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any

from autograph import conversion
from autograph.operators import table
from autograph.operators.calls.call import knowing_lists, target
from autograph.operators.calls.conversion_rules import PLAIN, not_converting
from runtime import default_graph


class DoNotConvert:
    """A block of code, or a function, whose calls are made as they are; see `do_not_convert`."""

    def __init__(self) -> None:
        self._open: list[AbstractContextManager[None]] = []

    def __enter__(self) -> None:
        context = not_converting()
        context.__enter__()
        self._open.append(context)

    def __exit__(self, *error: Any) -> None:
        self._open.pop().__exit__(*error)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Mark a function, as a decorator."""
        return _marked(function)


def do_not_convert(function: Callable[..., Any] | None = None) -> Any:
    """Leave a function, or the calls in a `with` block, as they are: their `if` is Python's.

    Args:
        function: the function to be marked; without one, what it returns is for `with`, and a
            decorator, too. What is called in the block is not converted, nor what that calls.

    >>> @do_not_convert
    ... def plain(x):
    ...     return x
    >>> plain(3)
    3
    >>> with do_not_convert():
    ...     plain(4)
    4
    """
    return DoNotConvert() if function is None else _marked(function)


def _marked(function: Callable[..., Any]) -> Callable[..., Any]:
    if not callable(function):
        raise TypeError(
            f"do_not_convert: {function!r} is no function; write `with do_not_convert():`"
        )
    setattr(function, PLAIN, True)
    return function


def convert(function: Callable[..., Any] | None = None, *, recursive: bool = True) -> Any:
    """Return a function whose branches and loops are staged wherever it is called from.

    Staged functions convert what they call by themselves. This is for what they do not: functions
    that a library calls, and functions of modules that are left as they are. Outside of tracing it
    is the function itself.

    Args:
        function: the function; without it, a decorator is returned.
        recursive: whether functions that it calls are converted, too.

    Raises:
        ConversionError: when it is called while tracing, and cannot be converted.

    >>> import numpy as np
    >>> import autograph as ag
    >>> @ag.convert
    ... def sign(x):
    ...     return 1 if x > 0 else -1
    >>> ag.function(lambda x: ag.map(sign, x))(np.array([2.0, -3.0]))
    array([ 1, -1])
    """
    if function is None:
        return functools.partial(convert, recursive=recursive)
    if not callable(function):
        raise TypeError(f"autograph.convert takes a function, not {function!r}")
    inner = function

    @functools.wraps(inner)
    def converted(*args: Any, **kwargs: Any) -> Any:
        if default_graph.current() is None:
            return inner(*args, **kwargs)
        callee = _converted(inner)
        if recursive:
            return callee(*args, **kwargs)
        with not_converting():
            return callee(*args, **kwargs)

    made: Any = converted
    return _marked(knowing_lists(made))


def _converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is asked for by name is converted whatever the rules for its module say."""
    if not isinstance(function, FunctionType):
        return target(function)  # type: ignore[no-any-return]
    return conversion.convert(function, table.operators)
