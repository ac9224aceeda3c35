"""Functions that look at who calls them: `eval`, `namedtuple`, `warnings.warn`, `type(...)`.

`ag.call` stands between them and the user's code. They are called from a frame that has the
variables of the user's module; what looks at the user's local variables is refused, as it would see
those of converted code.
"""

from __future__ import annotations

import sys
import warnings
from functools import lru_cache, partial
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType
from typing import Any

from autograph.conversion import original_of
from autograph.errors import UnsupportedSyntaxError
from runtime.errors import Noted
from runtime.graph.location import is_ours

_GLOBAL = frozenset({globals, eval, exec, warnings.warn, sys._getframe})
_TELLING = frozenset({"inspect", "logging", "traceback"})
"""Modules whose functions tell the name and the line of what calls them."""
_ASKING = frozenset({"_getframe", "currentframe"})
"""What functions of the user's that do so ask for."""
_LOCAL: dict[object, int] = {locals: 0, vars: 0, dir: 0, eval: 1, exec: 1}
"""What looks at local variables, by the number of arguments with which it does."""


def as_written(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType
) -> Any:
    """Return what is called for a function that the code of a frame calls with some arguments.

    Raises:
        UnsupportedSyntaxError: it would see the local variables of converted code.
    """
    if function is sys._getframe:
        return partial(_frame_of_the_user, frame)
    if isinstance(function, BuiltinFunctionType):
        if len(args) <= _LOCAL.get(function, -1) and not kwargs:
            raise _refused(function.__name__, frame)
        looks = function in _GLOBAL
    else:
        looks = _is_of_library(function)
    if tells_its_caller(function):
        return named_as_caller(function, frame)
    if not looks:
        return function
    return partial(FunctionType(_called.__code__, frame.f_globals), function)


def tells_its_caller(function: Any) -> bool:
    """Tell whether a function in Python tells the name or the line of what calls it."""
    inner = getattr(function, "__func__", function)
    if not isinstance(inner, FunctionType):
        return False
    root = str(inner.__module__).partition(".")[0]
    return root in _TELLING or not _ASKING.isdisjoint(inner.__code__.co_names)


def named_as_caller(function: Any, frame: FrameType) -> Any:
    """Return a function that is called from a frame with the name and the line of another one."""
    code = _standing_at(frame.f_code, frame.f_lineno)
    return partial(FunctionType(code, frame.f_globals), function)


# It is one line, so that this is the line of whatever stands for it.
_called = lambda function, /, *args, **kwargs: function(*args, **kwargs)  # noqa: E731


@lru_cache(maxsize=256)
def _standing_at(code: CodeType, line: int) -> CodeType:
    """Return the code of a frame that has the name and the line of the user's function."""
    names: dict[str, Any] = {
        "co_filename": code.co_filename,
        "co_name": code.co_name,
        "co_firstlineno": line,
    }
    if sys.version_info >= (3, 11):
        names["co_qualname"] = code.co_qualname
    return _called.__code__.replace(**names)


def _frame_of_the_user(frame: FrameType, depth: int = 0, /) -> FrameType:
    """Return what `sys._getframe(depth)` gives in plain Python, called in a frame.

    The frames of this library are left out, and so are those of functions that stand for parts of
    a function of the user's.
    """
    if depth < 0:
        depth = 0
    found: FrameType | None = frame
    while found is not None:
        if not (is_ours(found.f_code.co_filename) or _is_part(found)):
            if not depth:
                return found
            depth -= 1
        found = found.f_back
    raise ValueError("call stack is not deep enough")


def _is_part(frame: FrameType) -> bool:
    """Tell whether a frame runs an arm or a body, which the function around it has made."""
    code = frame.f_code
    original = original_of(code)
    return original is not None and code.co_firstlineno != original.co_firstlineno


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
