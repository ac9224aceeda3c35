# ruff: noqa: PERF401
"""The tuples of `itertools` as loops in Python: they are converted where the graph counts items.

How many items a tuple has must be known. All tuples are made before the first one is given: nobody
can tell, as making them asks nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any

from runtime.errors import StagedLengthError
from runtime.tensor import is_staged


def combinations(iterable: Iterable[Any], r: int) -> Iterator[tuple[Any, ...]]:
    """As `itertools.combinations`."""
    items = list(iterable)
    need_count(r)
    rows: list[Any] = [((), 0)]
    for _ in range(r):
        longer = []
        for chosen, first in rows:
            for i in range(first, len(items)):
                longer.append(((*chosen, items[i]), i + 1))
        rows = longer
    for chosen, _ in rows:
        yield chosen


def combinations_with_replacement(iterable: Iterable[Any], r: int) -> Iterator[tuple[Any, ...]]:
    """As `itertools.combinations_with_replacement`."""
    items = list(iterable)
    need_count(r)
    rows: list[Any] = [((), 0)]
    for _ in range(r):
        longer = []
        for chosen, first in rows:
            for i in range(first, len(items)):
                longer.append(((*chosen, items[i]), i))
        rows = longer
    for chosen, _ in rows:
        yield chosen


def permutations(iterable: Iterable[Any], r: Any = None) -> Iterator[tuple[Any, ...]]:
    """As `itertools.permutations` of so many items."""
    items = list(iterable)
    if r is not None and not isinstance(r, int) and not is_staged(r):
        raise TypeError("Expected int as r")
    need_count(r)
    rows: list[Any] = [((), ())]
    for _ in range(r):
        longer = []
        for chosen, places in rows:
            for i in range(len(items)):
                if i not in places:
                    longer.append(((*chosen, items[i]), (*places, i)))
        rows = longer
    for chosen, _ in rows:
        yield chosen


def need_count(r: Any) -> None:
    """Raise Python's error for what is no number of items; StagedLengthError where it is staged."""
    if r is None or is_staged(r):
        raise StagedLengthError(
            "combinations() or permutations() of items of which only the graph knows how many "
            "there are: how many each tuple has must be known. Give it a known number"
        )
    if index(r) < 0:
        raise ValueError("r must be non-negative")


def product(*iterables: Iterable[Any], repeat: int = 1) -> Iterator[tuple[Any, ...]]:
    """As `itertools.product`."""
    pools = [list(x) for x in iterables]
    rows: list[Any] = [()]
    for _ in range(repeat):
        for items in pools:
            longer = []
            for chosen in rows:
                for item in items:
                    longer.append((*chosen, item))
            rows = longer
    for chosen in rows:
        yield chosen
