"""The methods of sets, on staged ones.

The order of a set's items is Python's own affair: nothing here shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.conditionals import if_exp
from autograph.operators.containers import set_algebra
from autograph.operators.containers.columns import need
from autograph.operators.containers.dict_methods import clear, copy, put, remove_at
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.key_lookup import find
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.storage import item_at, widen


def _add(staged: StagedList, item: Any) -> None:
    widen(staged, kind_of(staged.what, item))
    found = find(staged, item)
    kept = if_exp(found.is_there, lambda: item_at(staged, found.position), lambda: item)
    put(staged, found, kept)


def _discard(staged: StagedList, item: Any) -> None:
    if staged.kind != NOTHING:
        remove_at(staged, find(staged, item))


def _remove(staged: StagedList, item: Any) -> None:
    if staged.kind == NOTHING:
        raise KeyError(item)
    found = find(staged, item)
    need(found.is_there, KeyError, item)
    remove_at(staged, found._replace(is_there=True))


def _contains(staged: StagedList, item: Any) -> Any:
    return find(staged, item).is_there


METHODS: dict[str, Callable[..., Any]] = {
    **set_algebra.METHODS,
    "__contains__": _contains,
    "add": _add,
    "clear": clear,
    "copy": copy,
    "discard": _discard,
    "remove": _remove,
}
