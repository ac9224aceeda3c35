"""Functions that look at who calls them: `eval`, `namedtuple`, `warnings.warn`, `type(...)`.

`ag.call` stands between them and the user's code. They are called from a frame that has the
variables of the user's module; what looks at the user's local variables is refused, as it would see
those of converted code.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType
from typing import Any

from autograph.errors import UnsupportedSyntaxError
from runtime.errors import Noted

_GLOBAL = frozenset({globals, eval, exec, warnings.warn, sys._getframe})
_LOCAL: dict[object, int] = {locals: 0, vars: 0, dir: 0, eval: 1, exec: 1}
"""What looks at local variables, by the number of arguments with which it does."""


def as_written(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType
) -> Any:
    """Return what is called for a function that the code of a frame calls with some arguments.

    Raises:
        UnsupportedSyntaxError: it would see the local variables of converted code.
    """
    if isinstance(function, BuiltinFunctionType):
        if len(args) <= _LOCAL.get(function, -1) and not kwargs:
            raise _refused(function.__name__, frame)
        looks = function in _GLOBAL
    else:
        looks = _is_of_library(function)
    if not looks:
        return function
    return partial(FunctionType(_called.__code__, frame.f_globals), function)


def _called(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _is_of_library(function: Any) -> bool:
    """Whether a callable is of the standard library, and no builtin class but `type`."""
    if not isinstance(function, (FunctionType, MethodType, partial, type)):
        return False
    root = str(function.__module__).partition(".")[0]
    return function is type or (root in sys.stdlib_module_names and root != "builtins")


class HiddenVariablesError(Noted, UnsupportedSyntaxError):
    """A function that looks at local variables would see those of converted code."""


def _refused(name: str, frame: FrameType) -> HiddenVariablesError:
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    return HiddenVariablesError(
        f"{name}() is called by another name in {place}; it would see the variables of converted "
        f"code.",
        hint=f"{name}() by its own name, in a function that is then left as Python.",
    )
