"""Reading and writing of files, with errors that say what to do.

In: paths, `-` for the standard streams. Out: bytes. A file is written whole or not at all.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
import sys
import tempfile
from pathlib import Path

from autograph.errors import ConversionError

STANDARD = "-"


class FileError(ConversionError, OSError):
    """A file cannot be read or written."""


def name_of(path: str) -> str:
    """Return what a path is called in messages and tracebacks."""
    return "<stdin>" if path == STANDARD else path


def read(path: str) -> bytes:
    """Return the bytes of a file, or of the standard input for `-`.

    Raises:
        FileError: there is no such file, it is a directory, or it may not be read.
    """
    if path == STANDARD:
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except IsADirectoryError:
        message = f"{path} is a directory, not a Python file."
        raise FileError(message, hint=f"one of its files: autograph ... {path}/FILE.py") from None
    except FileNotFoundError:
        raise FileError(f"There is no file {path}.", hint=_near(path)) from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from None


def _near(path: str) -> str:
    folder, name = os.path.split(path)
    try:
        others = os.listdir(folder or ".")
    except OSError:
        return f"a folder that exists; there is no {folder}."
    near = difflib.get_close_matches(name, others, 3)
    return " or ".join(os.path.join(folder, other) for other in near)


def write(path: str, content: bytes, like: str = STANDARD) -> None:
    """Write a file whole or not at all; it keeps its mode, or gets that of another one.

    Args:
        path: where; `-` is the standard output.
        content: what.
        like: the file whose mode a new file gets.

    Raises:
        FileError: the folder does not exist or may not be written to, or the disk is full.
    """
    if path == STANDARD:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            _write_through(target, content)
        else:
            _replace(target, content, _mode(target, like))
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.", hint=_why(target)) from None


def _write_through(target: str, content: bytes) -> None:
    """Devices and pipes cannot be replaced."""
    with open(target, "wb") as file:
        file.write(content)


def _replace(target: str, content: bytes, mode: int) -> None:
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".autograph-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(target: str, like: str) -> int:
    for path in (target, like):
        with contextlib.suppress(OSError):
            return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _why(target: str) -> str:
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        return "the name of a file; this is a directory."
    if not os.path.isdir(folder):
        return f"making its folder first: mkdir -p {folder}"
    return "another place: -o FILE"
