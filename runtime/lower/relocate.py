"""Errors that a driver raises, shown at the user's own lines.

Comes in: an exception, and which lines of a driver stand for which lines of the user. Goes out: the
same exception; in its traceback a frame of the user's file takes the place of the driver's. The way
is that of Jinja2's debug module: a `raise` that was compiled under the other file name and line.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Sequence
from types import CodeType, TracebackType

from runtime.graph.location import Location

_RUNTIME = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


def relocate(error: BaseException, file: str, lines: Sequence[Location | None]) -> None:
    """Replace the frames of a driver in the traceback of an error, leave out the runtime's own.

    Raise it again by name: before Python 3.11 a bare `raise` would bring the old traceback back.

    Args:
        error: is changed.
        file: the pseudo file name of the driver.
        lines: the user's line for each line of the driver.
    """
    entries = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            location = lines[trace.tb_lineno - 1]
            entries.append(_frame_at(location) if location is not None else trace)
        elif not trace.tb_frame.f_code.co_filename.startswith(_RUNTIME):
            entries.append(trace)
        trace = trace.tb_next
    error.__traceback__ = _chain(entries)


def _chain(entries: Sequence[TracebackType]) -> TracebackType | None:
    following: TracebackType | None = None
    for entry in reversed(entries):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following


def _frame_at(location: Location) -> TracebackType:
    """Return a traceback entry that stands at a line of the user's program."""
    try:
        exec(_raiser(location), {"_MarkerError": _MarkerError})
    except _MarkerError as error:
        trace = error.__traceback__
        assert trace is not None
        assert trace.tb_next is not None
        return trace.tb_next
    raise AssertionError("unreachable")


class _MarkerError(Exception):
    """Is raised to get a traceback."""


def _raiser(location: Location) -> CodeType:
    """Compile a `raise` that stands at a location and covers its whole line."""
    tree = ast.parse("raise _MarkerError")
    text = linecache.getline(location.file, location.line).rstrip()
    start = len(text) - len(text.lstrip())
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno = node.end_lineno = location.line
            node.col_offset, node.end_col_offset = start, len(text.encode())
    code = compile(tree, location.file, "exec")
    code = code.replace(co_name=location.function)
    if sys.version_info >= (3, 11):
        code = code.replace(co_qualname=location.function)
    return code
