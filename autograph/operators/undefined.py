"""Reading a variable that has no value, inside the closures of converted code.

What is a local variable to the user is a free variable to a closure, and Python's error says so.
Here it becomes again the error that the user's own code would have raised.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from runtime.errors import unbound_local_text

_FREE = re.compile(r"free variable '(\w+)'")


def evaluate(function: Callable[..., Any], *args: Any) -> Any:
    """Return `function(*args)`, for a closure that converted code made of an operand or a body."""
    try:
        return function(*args)
    except NameError as error:
        raise_if_local(error)
        raise


def raise_if_local(error: NameError) -> None:
    """Raise UnboundLocalError when the variable is local to the function that was converted."""
    found = _FREE.search(str(error))
    if found is not None and _is_local(found.group(1)):
        local = UnboundLocalError(unbound_local_text(found.group(1)))
        raise local.with_traceback(error.__traceback__) from error.__cause__


def _is_local(name: str) -> bool:
    """Tell whether a function that is running has a local variable that closures share."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if name in frame.f_code.co_cellvars:
            return True
        if name not in frame.f_code.co_freevars and not _is_operator(frame):
            return False
        frame = frame.f_back
    return False


def _is_operator(frame: FrameType) -> bool:
    module: str = frame.f_globals.get("__name__", "")
    return module.startswith(("autograph.operators", "runtime."))
