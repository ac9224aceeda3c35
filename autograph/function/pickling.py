"""How a function is pickled by what it is made of, where Python does not do that by name.

Comes in: a Python function, and its text. Goes out: one in another process that can be converted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from autograph.errors import ConversionError
from autograph.source.load import load
from autograph.source.texts import refiled


class Text(NamedTuple):
    """The file that a function was written in, and its lines."""

    file: str
    lines: list[str]


def text_of(function: Any) -> Text | None:
    """Return the text that a function is pickled with; None where it has none."""
    try:
        source = load(function)
    except ConversionError:
        return None
    return Text(source.file, source.lines)


def with_text(make: Callable[[Any], Any], function: Any, text: Text | None) -> Any:
    """Return what `make` makes of a function that may come from another process, with its text."""
    code: Any = getattr(function, "__code__", None)
    if text is not None and code.co_filename != text.file:
        function.__code__ = refiled(code, *text)
    return make(function)
