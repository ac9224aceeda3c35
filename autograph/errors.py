"""The errors of the rewriting rooms: where it went wrong, what was found, and what to try.

In: a message, a place in a source, a hint. Out: exceptions that print all three.
Every class is also of the built-in type that a Python programmer would catch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol


class Positioned(Protocol):
    """A node of a tree that knows where it stands; columns count UTF-8 bytes, as in ast."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


@dataclass(frozen=True)
class Place:
    """A place in a source: file, line from 1, columns from 0 in characters, text of the line.

    Example:
        >>> print(Place("net.py", 3, 4, 9, "y = 1 + + 2"))
          File "net.py", line 3
            y = 1 + + 2
                ^^^^^
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    text: str = ""

    @classmethod
    def of(cls, node: Positioned, file: str, lines: Sequence[str] = ()) -> Place:
        """Return the place of a node in a file with the given lines."""
        text = lines[node.lineno - 1].rstrip("\r\n") if 0 < node.lineno <= len(lines) else ""
        is_one_line = node.end_lineno == node.lineno and node.end_col_offset is not None
        end = _characters(text, node.end_col_offset or 0) if is_one_line else len(text)
        return cls(file, node.lineno, _characters(text, node.col_offset), end, text)

    @classmethod
    def of_definition(cls, node: Positioned, file: str, lines: Sequence[str]) -> Place:
        """Return the place of a function's `def` and name, or of a lambda as a whole."""
        place = cls.of(node, file, lines)
        name = getattr(node, "name", "")
        start = place.text.find(name, place.column + len("def ")) if name else -1
        return place if start < 0 else replace(place, end_column=start + len(name))

    def __str__(self) -> str:
        """Return the lines that a traceback shows: file, source line, carets."""
        head = f'  File "{self.file}", line {self.line}'
        if not self.text.strip():
            return head
        indent = len(self.text) - len(self.text.lstrip())
        column = max(self.column, indent)
        padding = "".join(c if c == "\t" else " " for c in self.text[indent:column])
        carets = "^" * max(1, self.end_column - column)
        return f"{head}\n    {self.text.strip()}\n    {padding}{carets}"


def _characters(line: str, offset: int) -> int:
    """Turn an offset in UTF-8 bytes into one in characters."""
    return len(line.encode("utf-8", "replace")[:offset].decode("utf-8", "replace"))


class FrozenRandomWarning(UserWarning):
    """Random numbers were drawn while a function was traced, and stay what they are."""


class GivenUpError(RuntimeError):
    """A trace was given up, as the calls of a function run as plain Python for now."""


class FallbackWarning(UserWarning):
    """A function that cannot be staged runs as plain Python.

    Where warnings of this class are errors, its calls raise what says why it cannot be staged.
    """


class GradientWarning(UserWarning):
    """A gradient is None where the program seems to expect one."""


class ConversionError(Exception):
    """A function or a module could not be rewritten.

    Args:
        message: what was expected and what was found, a full sentence.
        place: where, if it is known already.
        at: the node at which it was found; `locate` turns it into a place.
        hint: what to try, a full sentence.
    """

    def __init__(
        self,
        message: str,
        *,
        place: Place | None = None,
        at: Positioned | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.at = at
        self.hint = hint

    def locate(self, file: str, lines: Sequence[str]) -> None:
        """Fill in the place, for a raiser that knew the node but not its file."""
        if self.place is None and self.at is not None:
            self.place = Place.of(self.at, file, lines)

    def __str__(self) -> str:
        """Return message, place and hint, one below the other."""
        hint = f"Try: {self.hint}" if self.hint else ""
        return "\n".join(str(part) for part in (self.message, self.place, hint) if part)


class SourceNotFoundError(ConversionError, OSError):
    """The source of a function is not available, or it is not this function's source."""


class InvalidSourceError(ConversionError, SyntaxError):
    """A text is not valid Python, or not a text at all."""

    def __init__(self, message: str, *, place: Place, hint: str = "") -> None:
        super().__init__(message, place=place, hint=hint)
        self.filename, self.lineno, self.text = place.file, place.line, place.text
        self.offset, self.end_offset = place.column + 1, place.end_column + 1
        self.end_lineno = place.line
        self.msg = message

    @classmethod
    def from_syntax_error(cls, error: SyntaxError, file: str) -> InvalidSourceError:
        """Return the same complaint with the place as we show it."""
        text = (error.text or "").rstrip("\r\n")
        start = max((error.offset or 1) - 1, 0)
        same_line = error.end_lineno in (None, error.lineno)
        end = max((error.end_offset or 0) - 1, start) if same_line else len(text)
        place = Place(file, error.lineno or 1, start, end, text)
        return cls(f"This is not valid Python: {error.msg}.", place=place)


class UnsupportedSyntaxError(ConversionError, NotImplementedError):
    """A construct is valid Python, but it has no staged meaning."""


class PrintingError(ConversionError, AssertionError):
    """A rewritten tree has no text that reads back as the same tree."""


def nowhere(file: str) -> Place:
    """Return the place for an error that is about a file as a whole."""
    return replace(Place(file, 1))


class UnknownFunctionError(ConversionError, LookupError):
    """A file has no function of the name that was asked for."""
