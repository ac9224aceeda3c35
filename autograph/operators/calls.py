"""Calls: what is called is converted too, so that its control flow is staged as well.

What happens to a callee is decided in this order; the first that applies, applies:

1. outside of tracing everything is called as it is;
2. builtins and array constructors that have an overload: the overload;
3. `functools.partial`: its function, likewise;
4. methods: their function, with the object they are bound to;
5. functions that are converted, or may not be (`do_not_convert`, module rules): as they are;
6. functions written in Python: converted;
7. classes with an `__init__` written in Python: instances are made with that converted;
8. other objects with a `__call__` written in Python: that method, converted;
9. everything else (functions written in C, say): as it is.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import autograph.operators as operators
from autograph import conversion
from autograph.errors import ConversionError
from autograph.operators.builtins import OVERLOADS
from autograph.source.build import is_converted
from runtime import mode

LEAVE_MODULES = frozenset(
    {"autograph", "runtime", "numpy", "scipy", "cupy", "pytest", "_pytest", "sklearn"}
    | set(sys.stdlib_module_names)
) - {"__main__"}
"""Modules, by their first name, whose functions are called as they are."""

UNCONVERTED: dict[types.CodeType, str] = {}
"""Functions that could not be converted, with the reason, for the messages of later errors."""

_PLAIN = "__autograph_do_not_convert__"


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, converted when a graph is being built."""
    if mode.current() is None:
        return function(*args, **kwargs)
    return target(function)(*args, **kwargs)


def target(function: Any) -> Any:
    """Return what is called in place of a callable while a graph is being built."""
    try:
        overload = OVERLOADS.get(function)
    except TypeError:  # an unhashable callable object
        overload = None
    if overload is not None:
        return overload
    if isinstance(function, functools.partial):
        return functools.partial(target(function.func), *function.args, **function.keywords)
    if isinstance(function, types.MethodType):
        return types.MethodType(target(function.__func__), function.__self__)
    if isinstance(function, types.FunctionType):
        return _function_target(function)
    if isinstance(function, type):
        return _class_target(function)
    return function if isinstance(function, types.BuiltinFunctionType) else _object_target(function)


def _function_target(function: types.FunctionType) -> Any:
    """The code is converted once; the function around it is made anew, and kept by nobody."""
    if not may_convert(function) or function.__code__ in UNCONVERTED:
        return function
    try:
        return conversion.convert(function, operators)
    except ConversionError as error:
        UNCONVERTED[function.__code__] = str(error)
        return function


def may_convert(function: types.FunctionType) -> bool:
    """Tell whether the rules allow a function to be converted."""
    if getattr(function, _PLAIN, False) or is_converted(function):
        return False
    module = (function.__module__ or "").partition(".")[0]
    if module in LEAVE_MODULES:
        return False
    code = function.__code__
    return not code.co_flags & (
        inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    )


def _class_target(cls: type) -> Any:
    """Return what makes an instance with `__init__` converted, for classes that do not hide how."""
    init = cls.__init__  # type: ignore[misc]
    plain = type(cls) is type and isinstance(init, types.FunctionType) and may_convert(init)
    if not plain:
        return cls

    def make(*args: Any, **kwargs: Any) -> Any:
        instance = cls.__new__(cls, *args, **kwargs)
        if isinstance(instance, cls):
            _function_target(init)(instance, *args, **kwargs)
        return instance

    return make


def _object_target(function: Any) -> Any:
    method = vars(type(function)).get("__call__")
    if isinstance(method, types.FunctionType) and may_convert(method):
        return types.MethodType(_function_target(method), function)
    return function


def do_not_convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function to be called as it is, without staging its control flow.

    >>> @do_not_convert
    ... def plain(x):
    ...     return x
    >>> plain(3)
    3
    """
    setattr(function, _PLAIN, True)
    return function
