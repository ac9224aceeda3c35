"""Where the text of a live function may be: all that Python itself or other tools keep.

In: a function. Out: texts in which it may stand, the likeliest first. They may be out of date, or
have nothing to do with the function; who asks compares them with its code.
"""

from __future__ import annotations

import linecache
import os
import stat
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

from autograph.errors import InvalidSourceError
from autograph.source.parse import decode, split_lines


def refiled(code: CodeType, file: str, lines: list[str]) -> CodeType:
    """Return code of a function that another process made, under the name of a file with its text.

    What pickles functions by their code may leave out which file they are of.

    Args:
        code: of the function.
        file: where it was written.
        lines: of that file, with their ends.
    """
    if linecache.getlines(file) != lines:
        file = f"<{file}, in another process>"
        linecache.cache[file] = (sum(map(len, lines)), None, lines, file)
    return _in_file(code, file)


def _in_file(code: CodeType, file: str) -> CodeType:
    inner = (_in_file(x, file) if isinstance(x, CodeType) else x for x in code.co_consts)
    return code.replace(co_filename=file, co_consts=tuple(inner))


def texts_of(function: FunctionType) -> Iterator[list[str]]:
    """Yield the lines of what may be the function's file, with their ends; never no lines.

    First come the lines as they were first read, then those of the file as it is now.
    """
    return filter(None, _texts(function))


def _texts(function: FunctionType) -> Iterator[list[str]]:
    code = function.__code__
    yield linecache.getlines(code.co_filename, function.__globals__)
    yield _typed(code)
    if os.path.isfile(code.co_filename):
        linecache.cache.pop(code.co_filename, None)
        yield linecache.getlines(code.co_filename, function.__globals__)
    if code.co_filename == "<string>":
        yield from map(split_lines, sys.orig_argv[1:])  # one of them may be that of -c
    if code.co_filename == "<stdin>":
        yield _standard_input()


def _typed(code: CodeType) -> list[str]:
    """Return what was typed at a prompt; Python keeps it from 3.13 on."""
    from_code: Callable[[CodeType], list[str]] | None
    from_code = getattr(linecache, "_getlines_from_code", None)
    return from_code(code) if from_code is not None else []


def _standard_input() -> list[str]:
    """Return the program that Python read from a file, as in `python - < net.py`."""
    if sys.__stdin__ is None or not hasattr(os, "pread"):
        return []
    try:
        descriptor = sys.__stdin__.fileno()
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return []
        text, _ = decode(os.pread(descriptor, status.st_size, 0), "<stdin>")
    except (OSError, ValueError, InvalidSourceError):  # closed, say
        return []
    return split_lines(text)
