"""What set algebra does item by item, in Python: it is converted where staged sets need it."""

from __future__ import annotations

from typing import Any


def add_all(found: set[Any], items: list[Any]) -> None:
    """Put items into a set."""
    for x in items:
        found.add(x)


def add_those(found: set[Any], items: list[Any], other: set[Any], wanted: bool) -> None:
    """Put items into a set that are in another one, or are not."""
    for x in items:
        if (x in other) == wanted:
            found.add(x)
