"""From text or bytes to trees, and between the two kinds of tree: ast and gast.

In: a text or the bytes of a file, and a name for it. Out: an ast module, and gast nodes made
from parts of it. Nothing of the source is run, and whatever is wrong with it ends in one
`InvalidSourceError`.
"""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import TypeVar, cast

import gast

from autograph.errors import InvalidSourceError, Place, Positioned, UnsupportedSyntaxError, nowhere
from autograph.source.deep_recursion import call_deep
from autograph.source.translate import ast_to_gast, gast_to_ast

Result = TypeVar("Result")

# All that a line may end with in Python's grammar; str.splitlines knows more.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# Bytes that every sane source encoding reads as ASCII.
_PROBE = bytes(range(32, 92)) + rb"\\]^" + bytes(range(95, 127)) + rb" \u0041 +AEE- "


def split_lines(text: str) -> list[str]:
    """Return the lines as Python's tokenizer counts them, with their ends.

    Example:
        >>> split_lines("a\\r\\nb\\x0cc\\n")
        ['a\\r\\n', 'b\\x0cc\\n']
    """
    return _LINE.findall(text)


def decode(source: bytes, file: str) -> tuple[str, str]:
    """Return text and encoding of a file's bytes, by its byte order mark or cookie.

    Raises:
        InvalidSourceError: unknown encoding, an encoding that is no superset of ASCII, or bytes
            that do not fit it.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        _check_encoding(encoding)
        return source.decode(encoding), encoding
    except UnicodeDecodeError as error:
        message = f"This is not text in {error.encoding}: {error.reason} (byte {error.start})."
        place = _place_of_byte(source, error, file)
        raise InvalidSourceError(message, place=place, hint=_ENCODING) from None
    except (SyntaxError, LookupError) as error:
        message = f"This is not a text that Python can read: {error}."
        raise InvalidSourceError(
            message, place=_place_of_cookie(source, file), hint=_ENCODING
        ) from None


def _place_of_byte(source: bytes, error: UnicodeDecodeError, file: str) -> Place:
    start = source.rfind(b"\n", 0, error.start) + 1
    before = source[start : error.start].decode(error.encoding, "replace")
    text = source[start:].split(b"\n", 1)[0].decode(error.encoding, "replace").rstrip("\r")
    return Place(file, source.count(b"\n", 0, start) + 1, len(before), len(before) + 1, text)


def _place_of_cookie(source: bytes, file: str) -> Place:
    """Return the line that names an encoding: the first or the second."""
    first, *others = source.decode("latin-1").split("\n")[:2]
    line = 2 if others and "coding" not in first and "coding" in others[0] else 1
    text = [first, *others][line - 1].rstrip()
    visible = text.encode("ascii", "replace").decode()
    return Place(file, line, 0, len(visible), visible)


_ENCODING = "Save the file as UTF-8, or name its encoding in the first line: # coding: latin-1."


def _check_encoding(name: str) -> None:
    """Refuse codecs that would make other code of plain ASCII, such as utf-7."""
    try:
        is_ascii = _PROBE.decode(name) == _PROBE.decode("ascii")
    except ValueError:
        is_ascii = False
    if not is_ascii:
        raise LookupError(f"the encoding {codecs.lookup(name).name} is not a superset of ASCII")


def parse(text: str, file: str) -> ast.Module:
    """Return the tree of a module, which is shared: never change it.

    Raises:
        InvalidSourceError: the text is not valid Python, for whatever reason.

    Example:
        >>> parse("x = 1", "example.py").body[0].lineno
        1
    """
    try:
        return _parsed(text, file)
    except SyntaxError as error:
        raise InvalidSourceError.from_syntax_error(error, file) from None
    except (ValueError, MemoryError, RecursionError) as error:
        raise _invalid(error, text, file) from None


@lru_cache(maxsize=64)
def _parsed(text: str, file: str) -> ast.Module:
    return call_deep(lambda: quietly(lambda: ast.parse(text, file)))


def _invalid(error: Exception, text: str, file: str) -> InvalidSourceError:
    if isinstance(error, UnicodeEncodeError):
        place = _place_of(text, error.start, file)
        return InvalidSourceError("This text has a lone surrogate in it.", place=place)
    if isinstance(error, ValueError):
        place = _place_of(text, max(text.find("\0"), 0), file)
        return InvalidSourceError(f"This is not valid Python: {error}.", place=place)
    message = "This is nested too deeply for Python's own parser."
    hint = "Write the long expression as several statements."
    return InvalidSourceError(message, place=nowhere(file), hint=hint)


def _place_of(text: str, index: int, file: str) -> Place:
    before = split_lines(text[: index + 1])
    column = len(before[-1]) - 1
    shown = split_lines(text)[len(before) - 1].rstrip("\r\n")
    visible = re.sub(r"[\0\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", shown)
    return Place(file, len(before), column, column + 1, visible)


def quietly(function: Callable[[], Result]) -> Result:
    """Call a function without the warnings that Python gave when the source was first compiled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function()


def to_gast(node: ast.AST) -> gast.AST:
    """Return a new gast tree for an ast tree, with all positions.

    Raises:
        UnsupportedSyntaxError: gast has no class for one of the nodes.
    """
    _refuse(_UNKNOWN_TO_GAST, node)
    return call_deep(lambda: ast_to_gast(node))


def to_ast(node: gast.AST) -> ast.AST:
    """Return a new ast tree for a gast tree, with all positions.

    Raises:
        NotImplementedError: this version of Python has no class for one of the nodes.
    """
    return call_deep(lambda: gast_to_ast(node))


def compile_tree(tree: ast.Module, file: str, flags: int = 0) -> CodeType:
    """Compile a module without its warnings and without our own `__future__` imports."""

    def attempt() -> CodeType:
        return cast(CodeType, compile(tree, file, "exec", flags=flags, dont_inherit=True))

    return call_deep(lambda: quietly(attempt))


def _missing(classes: dict[str, object]) -> frozenset[str]:
    """Name the node classes of ast that gast would silently drop; the old ones are never parsed."""
    found = {
        value.__name__
        for value in classes.values()
        if isinstance(value, type) and issubclass(value, ast.AST)
    }
    old = {"arg", "Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice", "slice"}
    return frozenset(name for name in found - old if not hasattr(gast, name))


_UNKNOWN_TO_GAST = quietly(lambda: _missing(vars(ast)))


def _refuse(unknown: frozenset[str], node: ast.AST) -> None:
    """Look for unknown nodes; there is nothing to look for where gast knows all classes."""
    for part in ast.walk(node) if unknown else ():
        if type(part).__name__ in unknown:
            raise UnsupportedSyntaxError(
                f"gast has no class for {type(part).__name__}.",
                at=cast(Positioned, part) if hasattr(part, "lineno") else None,
                hint="Update gast.",
            )
