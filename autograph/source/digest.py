"""What stored code is found by: a digest of all that the conversion of a function depends on.

In: a function's code object, and what else decides how it is rewritten. Out: 32 bytes. The code
object says more than the text does: what was compiled, under which flags, at which lines. So no
file is read to look a function up, and what is found belongs to the very code that is running.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType

import gast

_PACKAGE = Path(__file__).parent.parent
_GAST = Path(gast.__file__).parent
_FIELDS = (
    "co_filename",
    "co_firstlineno",
    "co_name",
    "co_qualname",
    "co_flags",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_linetable",
    "co_exceptiontable",
)


def digest(code: CodeType, qualname: str, modules: Mapping[str, str]) -> bytes:
    """Return the same bytes in each process for the same code in the same surroundings.

    Args:
        code: the original code object.
        qualname: the qualified name of the function, which older code objects do not have.
        modules: the names that are bound to modules.

    Raises:
        OSError: it is not known what the rewriter is made of.

    Example:
        >>> def f(x): return x
        >>> digest(f.__code__, "f", {}) == digest(f.__code__, "f", {"np": "numpy"})
        False
    """
    parts = _described(code), qualname, sorted(modules.items()), rewriter()
    return hashlib.sha256(ascii(parts).encode()).digest()


@cache
def rewriter() -> tuple[object, ...]:
    """Return what tells this rewriter from others: Python, and the text of what rewrites.

    Raises:
        OSError: that text is not in files, but in an archive, say.
    """
    rooms = [_PACKAGE / "analysis", _PACKAGE / "converters", _PACKAGE / "source", _GAST]
    files = [path for room in rooms for path in sorted(room.rglob("*.py"))]
    text = hashlib.sha256()
    for path in (_PACKAGE / "conversion.py", *files):
        text.update(path.read_bytes())
    return sys.version, MAGIC_NUMBER, text.digest()


def _described(value: object) -> object:
    """Return tuples and texts that print the same in each process."""
    if isinstance(value, CodeType):
        fields = [getattr(value, name, None) for name in _FIELDS]
        return *fields, _described(value.co_consts)
    if isinstance(value, tuple):
        return tuple(map(_described, value))
    if isinstance(value, frozenset):
        return "frozenset", sorted(ascii(_described(item)) for item in value)
    return type(value).__name__, ascii(value)
