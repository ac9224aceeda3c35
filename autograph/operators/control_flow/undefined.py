"""Reading a variable that has no value, inside the closures of converted code.

What is a local variable to the user is a free variable to a closure, and Python's error says so.
Here it becomes again the error that the user's own code would have raised.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from runtime.errors import unbound_local_text

_FREE = re.compile(r"free variable '(\w+)'")


def evaluate(function: Callable[..., Any], *args: Any) -> Any:
    """Return `function(*args)`, for a closure that converted code made of an operand or a body."""
    try:
        return function(*args)
    except NameError as error:
        raise_if_local(error, function)
        raise


def raise_if_local(error: NameError, *closures: Any) -> None:
    """Raise UnboundLocalError when the variable is local to the function that was converted.

    Args:
        error: what a closure of converted code raised.
        closures: those that an operator was given. In files that were written they have names of
            their own; elsewhere they have that of the function.
    """
    found = _FREE.search(str(error))
    if found is None or not _is_local(found.group(1), _reader(error), closures):
        return
    local = UnboundLocalError(unbound_local_text(found.group(1)))
    try:
        raise local.with_traceback(error.__traceback__)
    finally:  # the error that was handled when the user's code raised, not the one handled here
        local.__context__ = error.__context__


def _reader(error: NameError) -> CodeType | None:
    """Return the code that read the variable."""
    code, place = None, error.__traceback__
    while place is not None:
        code, place = place.tb_frame.f_code, place.tb_next
    return code


def _is_local(name: str, reader: CodeType | None, closures: Sequence[Any]) -> bool:
    """Tell whether a function that is running has the variable, and the reader is part of it.

    The user's own lambdas and inner functions are no part: to them it is a free variable.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if name in code.co_cellvars:
            is_given = any(reader is getattr(x, "__code__", None) for x in closures)
            return is_given or (reader is not None and _name(reader) == _name(code))
        if not _is_operator(frame) and (name not in code.co_freevars or _is_called(frame)):
            return False
        frame = frame.f_back
    return False


def _is_called(frame: FrameType) -> bool:
    """Tell whether the user's code called a function: an operator calls the parts of one."""
    caller = frame.f_back
    if caller is None or not _is_operator(caller):
        return True
    return caller.f_globals.get("__name__") == "autograph.operators.calls.call"


def _name(code: CodeType) -> str:
    """Return the name that a function shares with the closures that were made of its parts."""
    found: str = getattr(code, "co_qualname", code.co_name)
    return found


def _is_operator(frame: FrameType) -> bool:
    module: str = frame.f_globals.get("__name__", "")
    return module.startswith(
        ("autograph.operators", "autograph.staging", "autograph.explaining", "runtime.")
    )
