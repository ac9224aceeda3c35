"""Code objects and machine code on disk, so that the next process need not make them again.

In: a key, and a code object or bytes. Out: the same, perhaps years later, or None. Whatever is
wrong with the folder or with a file in it, the code is made again: nothing here raises.

A file is `MAGIC key checksum payload`, where the payload is machine code, or a name and a code
object as `marshal` writes them. Both are trusted when they are read; so nothing is read but files
that belong to the user, in a folder that only the user can write, and whose checksum is right.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import CodeType

VARIABLE = "AUTOGRAPH_CACHE_DIR"
"""Names the folder; an empty text means that nothing is stored."""

LIMIT = 64 * 2**20
"""So many bytes are kept; when they are exceeded, the oldest half goes."""

_MAGIC = b"autograph code 1\n"
_HEAD = len(_MAGIC) + 64
_SUFFIX = ".code"
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK")
)
"""What is no file (a pipe, say) is opened without waiting for anybody, and then not read."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def is_on() -> bool:
    """Whether there is a folder to store code in, as far as one knows without a look at it."""
    return _folder() is not None


def read(key: bytes) -> tuple[str, CodeType] | None:
    """Return what was stored under a key, or None."""
    payload = read_bytes(key)
    if payload is None:
        return None
    try:
        name, code = marshal.loads(payload)
    except (EOFError, TypeError, ValueError):
        return None
    return (name, code) if isinstance(name, str) and isinstance(code, CodeType) else None


def read_bytes(key: bytes) -> bytes | None:
    """Return the bytes that were stored under a key of 32 bytes, or None."""
    folder = _folder()
    if folder is None:
        return None
    try:
        content = _content(folder, _name(key))
    except OSError:
        return None
    checksum, payload = content[_HEAD - 32 : _HEAD], content[_HEAD:]
    if content[: _HEAD - 32] != _MAGIC + key or hashlib.sha256(payload).digest() != checksum:
        return None
    return payload


def write(key: bytes, name: str, code: CodeType) -> None:
    """Store a code object and a name that belongs to it."""
    if is_on():
        write_bytes(key, marshal.dumps((name, code)))


def write_bytes(key: bytes, payload: bytes) -> None:
    """Store bytes under a key of 32 bytes."""
    folder = _folder()
    if folder is None:
        return
    content = _MAGIC + key + hashlib.sha256(payload).digest() + payload
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if _is_ours(os.stat(folder)):
            _replace(folder, _name(key), content)
            if key[0] == 0:  # one time in 256
                prune(folder)


def prune(folder: Path) -> None:
    """Remove the oldest files, until half the limit is left, if a folder is beyond the limit."""
    with os.scandir(folder) as entries:
        files = [entry for entry in entries if entry.name.endswith(_SUFFIX)]
        found = sorted((x.stat().st_mtime, x.stat().st_size, x.path) for x in files)
    total = sum(size for _, size, _ in found)
    if total <= LIMIT:
        return
    for _, size, path in found:
        if total <= LIMIT // 2:
            break
        with suppress(OSError):
            os.unlink(path)
        total -= size


def _folder() -> Path | None:
    """Return where code is stored: it may not exist yet, and is made for this user alone."""
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return Path(chosen).absolute() / "code" if chosen else None
    base = _base()
    return base / "autograph-runtime" / "code" if base.is_absolute() else None


def _base() -> Path:
    """Return where the platform keeps caches; it is relative if the user has no home."""
    home = Path(os.path.expanduser("~"))
    if sys.platform == "darwin":
        return home / "Library" / "Caches"
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else home / ".cache"


def _name(key: bytes) -> str:
    return key.hex() + _SUFFIX


def _content(folder: Path, name: str) -> bytes:
    """Return the bytes of a file, or none if it, or the folder, is not the user's own."""
    if not _is_ours(os.stat(folder)):
        return b""
    descriptor = os.open(folder / name, _FLAGS)
    try:
        status = os.fstat(descriptor)
        is_file = stat.S_ISREG(status.st_mode) and status.st_size <= LIMIT
        return _all_of(descriptor, status.st_size) if is_file and _is_ours(status) else b""
    finally:
        os.close(descriptor)


def _all_of(descriptor: int, size: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(size)


def _is_ours(status: os.stat_result) -> bool:
    """Whether a file belongs to the user, and nobody else can write it."""
    if not hasattr(os, "geteuid"):  # Windows keeps the folders of users apart
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE


def _replace(folder: Path, name: str, content: bytes) -> None:
    """Write a file in one step, as others see it."""
    descriptor, path = tempfile.mkstemp(dir=folder, suffix=_SUFFIX)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(path, folder / name)
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        raise
