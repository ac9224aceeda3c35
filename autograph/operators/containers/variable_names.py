"""What messages call a container: the user's variable that holds it."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

OURS = ("autograph.", "runtime.")


def variable_of(container: Any, otherwise: str = "items") -> str:
    """Return a variable of the user's that holds a container, for messages."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(OURS):
            for name, value in frame.f_locals.items():
                if value is container:
                    return name
        frame = frame.f_back
    return otherwise
