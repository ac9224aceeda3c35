"""Where in the user's program a node was made."""

from __future__ import annotations

import linecache
import os
import sys
from itertools import islice
from types import CodeType, FrameType
from typing import NamedTuple

import numpy as np


class Span(NamedTuple):
    """A part of a source, as code objects tell it: lines from 1, columns from 0 in UTF-8 bytes."""

    line: int
    end_line: int
    column: int
    end_column: int


class Location(NamedTuple):
    """A line of the user's program: the code that ran, the line (from 1), and the instruction.

    Args:
        code: of the function.
        line: in its file.
        offset: of the instruction in the code; -1 when it is not known.
    """

    code: CodeType
    line: int
    offset: int = -1

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.code.co_filename

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.code.co_name

    @property
    def span(self) -> Span | None:
        """What the instruction stands for; None when it is not known, as before Python 3.11."""
        if self.offset < 0 or sys.version_info < (3, 11):
            return None
        found = next(islice(self.code.co_positions(), self.offset // 2, None))
        line, end_line, column, end_column = found
        if line != self.line or end_line is None or column is None or end_column is None:
            return None
        return Span(line, end_line, column, end_column)

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'

    @property
    def text(self) -> str:
        """The source line, without indentation; empty when it cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def describe(self) -> str:
        """Return the location as a traceback shows it: a line, and the source line below."""
        return f"  {self}\n    {self.text}" if self.text else f"  {self}"

    def is_beside(self, other: Location) -> bool:
        """Tell whether another location is on the same line."""
        return self.line == other.line and self.file == other.file


_OUR_FOLDERS: list[str] = []
_PSEUDO_FILES = ("<driver ", "<entry of ")
"""How the names of the files begin that we make at run time."""
_NUMPY = os.path.join(os.path.dirname(os.path.abspath(np.__file__)), "")
_IS_INTERNAL: dict[str, bool] = {}


def hide_folder(folder: str) -> None:
    """Declare the files below a folder to be no user code."""
    _OUR_FOLDERS.append(os.path.join(folder, ""))
    _IS_INTERNAL.clear()


def is_ours(file: str) -> bool:
    """Tell whether a file is part of this library, or was made by it."""
    return file.startswith((*_PSEUDO_FILES, *_OUR_FOLDERS))


def _is_internal(file: str) -> bool:
    known = _IS_INTERNAL.get(file)
    if known is None:
        known = is_ours(file) or file.startswith(("<__array", "<frozen", _NUMPY))
        _IS_INTERNAL[file] = known
    return known


def user_location() -> Location | None:
    """Return the line of user code that is being executed, or None when there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not _is_internal(code.co_filename):
            return Location(code, frame.f_lineno, frame.f_lasti)
        frame = frame.f_back
    return None


def error_location(error: BaseException) -> Location | None:
    """Return the innermost line of user code that an error went through.

    An exception that stands for one of the graph was raised nowhere: its `staged_at` tells.
    """
    found, trace = getattr(error, "staged_at", None), error.__traceback__
    if found is not None:
        return found  # type: ignore[no-any-return]
    while trace is not None:
        if not _is_internal(trace.tb_frame.f_code.co_filename):
            found = Location(trace.tb_frame.f_code, trace.tb_lineno, trace.tb_lasti)
        trace = trace.tb_next
    return found


hide_folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
