"""A line of the user's program as an entry of a traceback.

Comes in: a location. Goes out: a traceback of one entry that stands there, although nothing of the
user's runs. The way is that of Jinja2's debug module: a `raise` that was compiled under the other
file name and line.
"""

from __future__ import annotations

import ast
import linecache
import sys
from types import CodeType, TracebackType

from runtime.graph.location import Location, Span


def entry_at(location: Location) -> TracebackType:
    """Return a traceback entry that stands at a line of the user's program."""
    try:
        exec(_raiser(location), {"_MarkerError": _MarkerError})
    except _MarkerError as error:
        trace = error.__traceback__
        assert trace is not None
        assert trace.tb_next is not None
        return trace.tb_next
    raise AssertionError("a compiled `raise` raised nothing")


def is_made(entry: TracebackType) -> bool:
    """Tell whether a traceback entry was made by `entry_at`."""
    return "_MarkerError" in entry.tb_frame.f_globals


class _MarkerError(Exception):
    """Is raised to get a traceback."""


def _raiser(location: Location) -> CodeType:
    """Compile a `raise` that stands at a location."""
    tree = ast.parse("raise _MarkerError")
    span = location.span or _whole_line(location)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno, node.end_lineno, node.col_offset, node.end_col_offset = span
    code = compile(tree, location.file, "exec")
    code = code.replace(co_name=location.function)
    if sys.version_info >= (3, 11) and location.qualname:
        code = code.replace(co_qualname=location.qualname)
    return code


def _whole_line(location: Location) -> Span:
    text = linecache.getline(location.file, location.line).rstrip()
    start = len(text) - len(text.lstrip())
    return Span(location.line, location.line, start, len(text.encode()))
