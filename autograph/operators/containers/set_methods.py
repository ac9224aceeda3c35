"""The methods of sets, on staged ones.

The order of a set's items is Python's own affair: nothing here shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.containers import set_algebra
from autograph.operators.containers.columns import need
from autograph.operators.containers.dict_methods import clear, copy, find, put, remove_at
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.staged_containers import StagedList, kind_of
from autograph.operators.containers.storage import widen


def _add(staged: StagedList, item: Any) -> None:
    widen(staged, kind_of(staged.what, item))
    is_there, _ = find(staged, item)
    put(staged, staged.content.length, item, is_there)  # what is there already stays as it is


def _discard(staged: StagedList, item: Any) -> None:
    if staged.kind != NOTHING:
        is_there, position = find(staged, item)
        remove_at(staged, position, is_there)


def _remove(staged: StagedList, item: Any) -> None:
    if staged.kind == NOTHING:
        raise KeyError(item)
    need(find(staged, item)[0], KeyError, item)
    _discard(staged, item)


def _contains(staged: StagedList, item: Any) -> Any:
    return find(staged, item)[0]


METHODS: dict[str, Callable[..., Any]] = {
    **set_algebra.METHODS,
    "__contains__": _contains,
    "add": _add,
    "clear": clear,
    "copy": copy,
    "discard": _discard,
    "remove": _remove,
}
