"""Where in the user's program a node was made."""

from __future__ import annotations

import dis
import linecache
import os
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType, TracebackType
from typing import NamedTuple

import numpy as np


class Span(NamedTuple):
    """A part of a source, as code objects tell it: lines from 1, columns from 0 in UTF-8 bytes."""

    line: int
    end_line: int
    column: int
    end_column: int


class Location(NamedTuple):
    """A place in the user's program, as data: it means the same in every process.

    Args:
        file: its name.
        function: the name of the function.
        line: in the file, from 1.
        span: of the expression; None when it is not known, as before Python 3.11.
        qualname: the function's qualified name; empty when it is not known.
    """

    file: str
    function: str
    line: int
    span: Span | None = None
    qualname: str = ""

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


PLACE = "staged_at"
"""The attribute of an exception that a graph raised nowhere: the user's line that it is of."""
_OUR_FOLDERS: list[str] = []
_PSEUDO_FILES = ("<driver ", "<entry of ", "<numpy call>")
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


def is_internal(file: str) -> bool:
    """Tell whether a file is part of this library or of NumPy, or was made at run time."""
    known = _IS_INTERNAL.get(file)
    if known is None:
        known = is_ours(file) or file.startswith(("<__array", "<frozen", _NUMPY))
        _IS_INTERNAL[file] = known
    return known


_LOCATIONS: dict[tuple[int, int, int], tuple[CodeType, Location]] = {}
"""Known places by code, line and instruction; the code is held, so that its id stays its own."""
MOST_LOCATIONS = 1 << 14


def location_in(code: CodeType, line: int, offset: int = -1) -> Location:
    """Return the place of an instruction of some code; -1 if it is not known which one."""
    key = id(code), line, offset
    found = _LOCATIONS.get(key)
    if found is None:
        if len(_LOCATIONS) >= MOST_LOCATIONS:
            _LOCATIONS.clear()
        name, span = getattr(code, "co_qualname", ""), _span(code, line, offset)
        found = code, Location(code.co_filename, code.co_name, line, span, name)
        _LOCATIONS[key] = found
    return found[1]


def _span(code: CodeType, line: int, offset: int) -> Span | None:
    if offset < 0 or sys.version_info < (3, 11):
        return None
    own, end_line, column, end_column = _positions(code)[offset // 2]
    if own != line or end_line is None or column is None or end_column is None:
        return None
    return Span(line, end_line, column, end_column)


def _positions(code: CodeType) -> Sequence[tuple[int | None, ...]]:
    """Return where the instructions of some code stand; Python unpacks them from the first on."""
    found = _POSITIONS.get(id(code))
    if found is None:
        if len(_POSITIONS) >= MOST_POSITIONS:
            _POSITIONS.clear()
        found = _POSITIONS[id(code)] = code, list(code.co_positions())
    return found[1]


_POSITIONS: dict[int, tuple[CodeType, Sequence[tuple[int | None, ...]]]] = {}
MOST_POSITIONS = 64


def user_location() -> Location | None:
    """Return the line of user code that is being executed, or None when there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        # Most of some fifty frames are known to be ours: not even a call for each.
        if not (_IS_INTERNAL.get(code.co_filename) or is_internal(code.co_filename)):
            return location_in(code, frame.f_lineno, frame.f_lasti)
        frame = frame.f_back
    return None


def return_of(code: CodeType, name: str) -> Location | None:
    """Return the last line of a function that returns a variable; None when it is not known."""
    starts, line, asked, found = dict(dis.findlinestarts(code)), 0, 0, None
    for instruction in dis.get_instructions(code):
        line = starts.get(instruction.offset) or line
        given = instruction.argval  # from Python 3.13 on it may be two names
        asked = line if name in (given if isinstance(given, tuple) else (given,)) else asked
        if instruction.opname == "RETURN_VALUE" and asked == line:
            found = location_in(code, line)
    return found


def entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    """Yield the entries of a traceback, the innermost last."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def error_location(error: BaseException) -> Location | None:
    """Return the innermost line of user code that an error went through.

    An exception that stands for one of the graph was raised nowhere: its `PLACE` tells.
    """
    found = getattr(error, PLACE, None)
    if found is not None:
        return found  # type: ignore[no-any-return]
    for entry in entries(error.__traceback__):
        if not is_internal(entry.tb_frame.f_code.co_filename):
            found = location_in(entry.tb_frame.f_code, entry.tb_lineno, entry.tb_lasti)
    return found


hide_folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
