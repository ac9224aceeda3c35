"""Warnings show the user's line, where NumPy or this library warns in a line that is none of it.

Comes in: a warning that is about to be shown, or recorded. Goes out: the same with the file and the
line of the program for which the graph computes there. What a program warns of while it is traced
is shown when the graph runs, in the branches that it takes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any

from runtime.graph.location import Location, is_internal, is_ours, location_in
from runtime.lower.tracebacks import location_of
from runtime.staged_warnings import is_staged

_HOOK = "_showwarnmsg"
"""What `warnings` calls for each warning that no filter drops; there to be replaced, it says."""


@cache
def place_warnings() -> None:
    """Have warnings of lines that are not the user's show the user's line from now on."""
    shown: Callable[[warnings.WarningMessage], None] = getattr(warnings, _HOOK)

    def show(message: Any) -> None:
        if is_ours(message.filename):
            place = _place(sys._getframe(1))
            if place is not None:
                message.filename, message.lineno = place.file, place.line
        if not is_staged(message):
            shown(message)

    setattr(warnings, _HOOK, show)


def _place(frame: FrameType | None) -> Location | None:
    """Return the innermost line of the user's that is run, or that a graph stands for."""
    while frame is not None:
        found = location_of(frame, frame.f_lineno, frame.f_lasti)
        if found is not None:
            return found
        if not is_internal(frame.f_code.co_filename):
            return location_in(frame.f_code, frame.f_lineno, frame.f_lasti)
        frame = frame.f_back
    return None
