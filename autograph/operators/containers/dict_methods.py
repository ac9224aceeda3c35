"""The methods of dicts, on staged ones.

Each does what Python's does; what Python raises is raised when the graph runs. A key is looked for
among all keys, which is one operation over an array of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import runtime.numpy as rnp
from autograph.operators.conditionals import if_exp
from autograph.operators.containers.columns import need
from autograph.operators.containers.dict_views import KEYS, VALUES, part_of, view
from autograph.operators.containers.equality import equal_rows, exact
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.staged_containers import (
    StagedList,
    empty_like,
    kind_of,
    staged_list,
)
from autograph.operators.containers.storage import (
    close_gap,
    fresh,
    item_at,
    length_of,
    refused,
    reserve,
    rows_of,
    set_length,
    widen,
    write_at,
)
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY

MISSING = object()


def find(staged: StagedList, key: Any) -> tuple[Any, Any]:
    """Return whether a key is there, and its position, which is the length if it is not.

    Sets and lists have their items for keys.
    """
    keys = part_of(staged.content, KEYS) if isinstance(staged.python, dict) else staged.content
    if keys.kind == NOTHING:
        return False, 0
    length = keys.length
    rows = [exact(buffer[:length]) for buffer in keys.buffers]
    matches = equal_rows(staged, keys.kind, rows, key)
    found = apply(REGISTRY["truth"], [rnp.any(matches)])
    first = lambda: apply(REGISTRY["to_int"], [rnp.argmax(matches)])  # noqa: E731
    return found, if_exp(found, first, lambda: length)


def put(staged: StagedList, position: Any, item: Any, is_there: Any) -> None:
    """Put an item at a position, which is the one behind the last if it is not there yet."""
    length = length_of(staged)
    reserve(staged)
    write_at(staged, position, item)
    set_length(staged, if_exp(is_there, lambda: length, lambda: length + 1))


def remove_at(staged: StagedList, position: Any, is_there: Any) -> None:
    """Remove the item at a position, if it is there."""
    length = staged.content.length
    close_gap(staged, position)
    new_length = if_exp(is_there, lambda: length - 1, lambda: length)
    staged.set_rows(new_length, staged.content.buffers)


def _set_item(staged: StagedList, key: Any, value: Any) -> None:
    widen(staged, kind_of(staged.what, (key, value)), value)
    is_there, position = find(staged, key)
    kept = if_exp(is_there, lambda: _part_at(staged, KEYS, position), lambda: key)
    put(staged, position, (kept, value), is_there)


def _part_at(staged: StagedList, part: int, position: Any) -> Any:
    """Return the key or the value at a position, which exists."""
    return item_at(view(staged, part), position)


def _get_item(staged: StagedList, key: Any) -> Any:
    if type(staged.python) is Counter:
        return _get(staged, key, 0)
    factory = getattr(staged.python, "default_factory", None)
    if factory is not None:
        return _made_if_missing(staged, key, factory)
    is_there, position = find(staged, key)
    _need_key(staged, is_there, key)
    return _part_at(staged, VALUES, position)


def _made_if_missing(staged: StagedList, key: Any, factory: Callable[[], Any]) -> Any:
    """Return the value of a key; of one that is not there, what a factory makes."""
    made = factory()
    widen(staged, kind_of(staged.what, (key, made)), made)
    is_there, position = find(staged, key)
    if_exp(is_there, lambda: None, lambda: _set_item(staged, key, factory()))
    return _part_at(staged, VALUES, position)


def _need_key(staged: StagedList, is_there: Any, key: Any) -> None:
    if staged.kind == NOTHING:
        raise KeyError(key)
    need(is_there, KeyError, key)


def _del_item(staged: StagedList, key: Any) -> None:
    is_there, position = find(staged, key)
    _need_key(staged, is_there, key)
    remove_at(staged, position, True)


def _contains(staged: StagedList, key: Any) -> Any:
    return find(staged, key)[0]


def _get(staged: StagedList, key: Any, default: Any = None) -> Any:
    is_there, position = find(staged, key)
    return if_exp(is_there, lambda: _part_at(staged, VALUES, position), lambda: default)


def _set_default(staged: StagedList, key: Any, default: Any = None) -> Any:
    value = _get(staged, key, default)
    _set_item(staged, key, value)
    return value


def _pop(staged: StagedList, key: Any, default: Any = MISSING) -> Any:
    if default is MISSING:
        value = _get_item(staged, key)
        _del_item(staged, key)
        return value
    is_there, position = find(staged, key)
    value = if_exp(is_there, lambda: _part_at(staged, VALUES, position), lambda: default)
    if staged.kind != NOTHING:
        remove_at(staged, position, is_there)
    return value


def _pop_item(staged: StagedList) -> Any:
    length = staged.content.length
    need(length > 0, KeyError, "popitem(): dictionary is empty")
    item = item_at(staged, length - 1)
    staged.set_rows(length - 1, staged.content.buffers)
    return item


def _update(staged: StagedList, others: Any = (), /, **named: Any) -> None:
    is_counter = type(staged.python) is Counter  # adds to its counts
    if (
        is_counter
        or staged_list(others) is not None
        or not isinstance(others, Mapping | list | tuple)
    ):
        raise refused(staged, "update() by what the graph knows", "assign the items in a loop")
    pairs: Iterable[Any] = others.items() if isinstance(others, Mapping) else others
    for key, value in (*pairs, *named.items()):
        _set_item(staged, key, value)


def clear(staged: StagedList) -> None:
    """Remove all items."""
    staged.set_rows(0, staged.content.buffers)


def copy(staged: StagedList) -> Any:
    """Return another container of the class with the same items."""
    made = empty_like(staged.python)
    return fresh(f"{staged.name}.copy()", staged.kind, rows_of(staged), make=made)


def _viewed(part: int | None) -> Callable[[StagedList], Any]:
    return lambda staged: view(staged, part).python


METHODS: dict[str, Callable[..., Any]] = {
    "__contains__": _contains,
    "__delitem__": _del_item,
    "__getitem__": _get_item,
    "__setitem__": _set_item,
    "clear": clear,
    "copy": copy,
    "get": _get,
    "items": _viewed(None),
    "keys": _viewed(KEYS),
    "pop": _pop,
    "popitem": _pop_item,
    "setdefault": _set_default,
    "update": _update,
    "values": _viewed(VALUES),
}
