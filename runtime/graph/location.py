"""Where in the user's program a node was made."""

from __future__ import annotations

import linecache
import os
import sys
import traceback
from types import FrameType
from typing import NamedTuple

import numpy as np


class Location(NamedTuple):
    """A line of the user's program: file name, line number (from 1), function name."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'

    @property
    def text(self) -> str:
        """The source line, without indentation; empty when it cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def describe(self) -> str:
        """Return the location as a traceback shows it: a line, and the source line below."""
        return f"  {self}\n    {self.text}" if self.text else f"  {self}"


_INTERNAL_FOLDERS: list[str] = []
_IS_INTERNAL: dict[str, bool] = {}


def hide_folder(folder: str) -> None:
    """Declare the files below a folder to be no user code."""
    _INTERNAL_FOLDERS.append(os.path.join(folder, ""))
    _IS_INTERNAL.clear()


def _is_internal(file: str) -> bool:
    known = _IS_INTERNAL.get(file)
    if known is None:
        known = file.startswith(("<__array", "<frozen", *_INTERNAL_FOLDERS))
        _IS_INTERNAL[file] = known
    return known


def user_location() -> Location | None:
    """Return the line of user code that is being executed, or None when there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not _is_internal(code.co_filename):
            return Location(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back
    return None


def error_location(error: BaseException) -> Location | None:
    """Return the innermost line of user code that an error went through."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if not _is_internal(frame.f_code.co_filename):
            found = Location(frame.f_code.co_filename, line, frame.f_code.co_name)
    return found


hide_folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
hide_folder(os.path.dirname(os.path.abspath(np.__file__)))
