"""The methods of deques, on staged ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.lists import methods
from autograph.operators.lists.content import need
from autograph.operators.lists.dicts import copy
from autograph.operators.lists.table import StagedList

EMPTY = "pop from an empty deque"


def _pop(staged: StagedList) -> Any:
    need(staged.content.length > 0, IndexError, EMPTY)
    return methods.METHODS["pop"](staged)


def _pop_left(staged: StagedList) -> Any:
    need(staged.content.length > 0, IndexError, EMPTY)
    return methods.METHODS["pop"](staged, 0)


def _append_left(staged: StagedList, item: Any) -> None:
    methods.METHODS["insert"](staged, 0, item)


SHARED = ("append", "clear", "count", "extend", "index", "insert", "remove", "reverse")
METHODS: dict[str, Callable[..., Any]] = {
    **{name: methods.METHODS[name] for name in SHARED},
    "appendleft": _append_left,
    "copy": copy,
    "pop": _pop,
    "popleft": _pop_left,
}
