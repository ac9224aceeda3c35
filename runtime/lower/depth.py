"""How deep functions of a graph that call themselves may go.

They are functions of Python, so its recursion limit bounds them, as it bounds the user's own; what
is raised there says how deep that was.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any

from runtime.graph.location import entries


def bounded(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function whose RecursionError says how often it called itself.

    Args:
        function: calls itself.
        name: as the user wrote it.
    """

    @functools.wraps(function)
    def outermost(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except RecursionError as error:
            raise too_deep(name, depth_of(error.__traceback__)) from None

    return outermost


def depth_of(trace: TracebackType | None) -> int:
    """Return how often the code that a traceback has most often was called."""
    found = Counter(entry.tb_frame.f_code for entry in entries(trace))
    return max(found.values(), default=0)


def too_deep(name: str, depth: int) -> RecursionError:
    """Return the error of a function that called itself too often."""
    return RecursionError(
        f"{name} called itself {depth} times and did not come back: Python's recursion limit is "
        f"{sys.getrecursionlimit()}. See that each call comes nearer to a case without a call; for "
        "deeper recursion raise the limit by sys.setrecursionlimit, or write a loop"
    )
