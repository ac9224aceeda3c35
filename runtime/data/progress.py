"""A stage that shows how far a loop over it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

from runtime.data.stage import INFINITE, Length, Stage

_SECONDS = 0.1
"""How long a line stands before it is written anew."""
_WIDTH = 20
"""Of the bar."""


class Shown(Stage):
    """Elements, and on the standard error stream a line with their number so far.

    Args:
        source: gives the elements.
        label: stands in front of the number.
    """

    __slots__ = ("_label", "_source")

    def __init__(self, source: Stage, label: str) -> None:
        self._source = source
        self._label = label

    def __iter__(self) -> Iterator[Any]:
        total, given, shown = self._source.length(), 0, -_SECONDS
        try:
            for item in self._source:
                if time.monotonic() - shown > _SECONDS:
                    shown = time.monotonic()
                    sys.stderr.write(f"\r{self._label}: {_progress(given, total)}")
                    sys.stderr.flush()
                given += 1
                yield item
        finally:
            sys.stderr.write(f"\r{self._label}: {_progress(given, total)}\n")

    def length(self) -> Length:
        return self._source.length()


def _progress(given: int, total: Length) -> str:
    """Return a number of elements, and a bar where it is known how many there are."""
    if not total or total == INFINITE:
        return str(given)
    full = _WIDTH * given // int(total)
    return f"[{'=' * full}{' ' * (_WIDTH - full)}] {given} of {total}"
