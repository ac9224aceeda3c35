"""The methods of sets, on staged ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.containers.columns import need
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.storage import item_at, refused, widen
from autograph.operators.keyed import set_algebra
from autograph.operators.keyed.dict_methods import put, remove_at
from autograph.operators.keyed.key_codes import has_order, run_alone
from autograph.operators.keyed.key_lookup import Found, find
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY


def _add(staged: StagedList, item: Any) -> None:
    widen(staged, kind_of(staged.what, item))
    put(staged, find(staged, item), item)


def _discard(staged: StagedList, item: Any) -> None:
    if staged.kind != NOTHING:
        remove_at(staged, find(staged, item))


def _remove(staged: StagedList, item: Any) -> None:
    if staged.kind == NOTHING:
        raise KeyError(item)
    found = find(staged, item)
    need(found.is_there, KeyError, item)
    remove_at(staged, found._replace(is_there=True))


def _pop(staged: StagedList) -> Any:
    content = staged.content
    if staged.kind == NOTHING:
        raise KeyError("pop from an empty set")
    need(content.length > 0, KeyError, "pop from an empty set")
    if not has_order(content):
        raise refused(staged, "pop()", "write a loop over its items")
    table, slot = run_alone("next_popped", content.table)
    position = apply(REGISTRY["item"], [table[slot]])
    item = item_at(staged, position)
    staged.content = content._replace(table=table)
    remove_at(staged, Found(True, position, slot))
    return item


def _contains(staged: StagedList, item: Any) -> Any:
    return find(staged, item).is_there


METHODS: dict[str, Callable[..., Any]] = {
    **set_algebra.METHODS,
    "__contains__": _contains,
    "add": _add,
    "discard": _discard,
    "pop": _pop,
    "remove": _remove,
}
