"""Choosing some of a row of things, and putting them back into their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def picked(items: Iterable[T], chosen: Iterable[bool]) -> list[T]:
    """Return those of some items that are chosen.

    >>> picked("abc", [True, False, True])
    ['a', 'c']
    """
    return [x for x, is_chosen in zip(items, chosen, strict=True) if is_chosen]


def spread_out(items: Sequence[T], chosen: Iterable[bool]) -> list[T | None]:
    """Return the items at the chosen places, and None at the others.

    >>> spread_out(["a", "c"], [True, False, True])
    ['a', None, 'c']
    """
    rest = iter(items)
    return [next(rest) if is_chosen else None for is_chosen in chosen]


def is_there(items: Iterable[object]) -> list[bool]:
    """Return which items are not None.

    >>> is_there([1, None])
    [True, False]
    """
    return [x is not None for x in items]
