"""A stage that shows how far a loop over it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

from runtime.data.stage import INFINITE, Length, Stage

_SECONDS = 0.1
"""How long a line stands before it is written anew."""


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
        end = "" if total is None or total == INFINITE else f" of {total}"
        try:
            for item in self._source:
                if time.monotonic() - shown > _SECONDS:
                    shown = time.monotonic()
                    sys.stderr.write(f"\r{self._label}: {given}{end}")
                    sys.stderr.flush()
                given += 1
                yield item
        finally:
            sys.stderr.write(f"\r{self._label}: {given}{end}\n")

    def length(self) -> Length:
        return self._source.length()
