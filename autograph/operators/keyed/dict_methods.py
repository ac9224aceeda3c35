"""The methods of dicts, on staged ones.

Each does what Python's does; what Python raises is raised when the graph runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.containers.columns import choose, need
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.makers import empty_like
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.steps import once
from autograph.operators.containers.storage import (
    close_gap,
    fresh,
    item_at,
    leaves_at,
    leaves_of,
    length_of,
    refused,
    reserve,
    rows_of,
    set_length,
    widen,
    write_leaves,
)
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.iteration.iterator_state import is_iterator
from autograph.operators.keyed.key_codes import KEYS, VALUES, hashed, part_of
from autograph.operators.keyed.key_lookup import Found, enter, find, leave
from autograph.operators.keyed.views import view
from autograph.operators.mutation.journal import CONTAINERS, new, trying
from runtime import default_graph
from runtime.dispatch import as_known
from runtime.errors import RuntimeGraphError, StagedValueError
from runtime.tensor import is_staged

MISSING = object()


def put(staged: StagedList, found: Found, item: Any) -> None:
    """Put an item where its key is, which stays as it is, or behind the last one."""
    once(_put, staged, found, leaves_of(staged, item))


def _put(staged: StagedList, found: Found, leaves: Sequence[Any]) -> None:
    keys = len(part_of(staged.content, KEYS if isinstance(staged.python, dict) else None).buffers)
    length = length_of(staged)
    reserve(staged, leaves)
    before = lambda: leaves_at(staged, found.position)[:keys]  # noqa: E731
    builder = default_graph.current()
    assert builder is not None
    key = [as_known(builder, x) for x in leaves[:keys]]  # a known text stands in an array
    kept = choose(found.is_there, before, lambda: key)
    write_leaves(staged, found.position, [*kept, *leaves[keys:]])
    set_length(staged, choose(found.is_there, lambda: length, lambda: length + 1))
    enter(staged, found)


def remove_at(staged: StagedList, found: Found) -> None:
    """Remove the item whose key was looked for, if it is there."""
    once(_removed_at, staged, found)


def _removed_at(staged: StagedList, found: Found) -> None:
    length = staged.content.length
    leave(staged, found)
    close_gap(staged, found.position)
    new_length = choose(found.is_there, lambda: length - 1, lambda: length)
    staged.set_rows(new_length, staged.content.buffers)


def _set_item(staged: StagedList, key: Any, value: Any) -> None:
    widen(staged, kind_of(staged.what, (key, value)))
    put(staged, find(staged, key), (key, value))


def _part_at(staged: StagedList, part: int, position: Any) -> Any:
    """Return the key or the value at a position, which exists."""
    return item_at(view(staged, part), position)


def _get_item(staged: StagedList, key: Any) -> Any:
    if type(staged.python) is Counter:
        return _get(staged, key, 0)
    factory = getattr(staged.python, "default_factory", None)
    if factory is not None:
        return _made_if_missing(staged, key, factory)
    found = find(staged, key)
    _need_key(staged, found.is_there, key)
    return _part_at(staged, VALUES, found.position)


def _made_if_missing(staged: StagedList, key: Any, factory: Callable[[], Any]) -> Any:
    """Return the value of a key; of one that is not there, what a factory makes."""
    made = tried(factory)
    if isinstance(made, Failed):
        found = find(staged, key)
        return if_exp(found.is_there, lambda: _part_at(staged, VALUES, found.position), made)
    widen(staged, kind_of(staged.what, (key, made)))
    found = find(staged, key)
    if_exp(found.is_there, lambda: None, lambda: _set_item(staged, key, _new(factory)))
    return _part_at(staged, VALUES, found.position)


class Failed:
    """What a factory raised, raised when it is called."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __call__(self) -> Any:
        raise self._error


def tried(factory: Callable[[], Any]) -> Any:
    """Return what a factory makes, which may be called when the graph runs, or a `Failed`."""
    writes = "the factory of a defaultdict writes something, and is asked for a staged key"
    if is_iterator(getattr(factory, "__self__", None)):  # nobody could set it back
        raise StagedValueError(writes)
    with trying(writes):
        try:
            return _new(factory)
        except RuntimeGraphError:
            raise
        except Exception as error:
            return Failed(error)


def _new(factory: Callable[[], Any]) -> Any:
    """Return what a factory makes, which nobody else has if it is a class of containers."""
    made = table.operators.call(factory)
    return new(made) if factory in CONTAINERS else made


def _need_key(staged: StagedList, is_there: Any, key: Any) -> None:
    if staged.kind == NOTHING:
        raise KeyError(key)
    need(is_there, KeyError, key)


def _del_item(staged: StagedList, key: Any) -> None:
    found = find(staged, key)
    _need_key(staged, found.is_there, key)
    remove_at(staged, found._replace(is_there=True))


def _contains(staged: StagedList, key: Any) -> Any:
    return find(staged, key).is_there


def _get(staged: StagedList, key: Any, default: Any = None) -> Any:
    return _value_at(staged, find(staged, key), default)


def _value_at(staged: StagedList, found: Found, default: Any) -> Any:
    part = lambda: _part_at(staged, VALUES, found.position)  # noqa: E731
    return if_exp(found.is_there, part, lambda: default)


def _set_default(staged: StagedList, key: Any, default: Any = None) -> Any:
    value = _get(staged, key, default)
    _set_item(staged, key, value)
    return value


def _pop(staged: StagedList, key: Any, default: Any = MISSING) -> Any:
    if default is MISSING:
        value = _get_item(staged, key)
        _del_item(staged, key)
        return value
    found = find(staged, key)
    value = _value_at(staged, found, default)
    if staged.kind != NOTHING:
        remove_at(staged, found)
    return value


def _pop_item(staged: StagedList) -> Any:
    length = staged.content.length
    need(length > 0, KeyError, "popitem(): dictionary is empty")
    item = item_at(staged, length - 1)
    if staged.kind != NOTHING:
        leave(staged, find(staged, _part_at(staged, KEYS, length - 1)))
    staged.set_rows(length - 1, staged.content.buffers)
    return item


def _pop_first_or_last(staged: StagedList, last: Any = True) -> Any:
    length = staged.content.length
    need(length > 0, KeyError, "dictionary is empty")
    if staged.kind == NOTHING:
        return None
    key = if_exp(
        last, lambda: _part_at(staged, KEYS, length - 1), lambda: _part_at(staged, KEYS, 0)
    )
    return key, _pop(staged, key)


def _move_to_end(staged: StagedList, key: Any, last: Any = True) -> None:
    found = find(staged, key)
    _need_key(staged, found.is_there, key)
    if is_staged(last):
        raise refused(staged, "move_to_end() with a staged `last`", "call it in two arms")
    if last:
        key, value = item_at(view(staged, None), found.position)
        remove_at(staged, found._replace(is_there=True))
        _set_item(staged, key, value)
        return
    positions = rnp.arange(staged.content.length)
    others = positions[positions != found.position]
    order = rnp.concatenate([rnp.reshape(found.position, 1), others])
    rows = tuple(row[order] for row in rows_of(staged))
    staged.content = hashed(staged.content._replace(buffers=rows, table=None))


def _update(staged: StagedList, others: Any = (), /, **named: Any) -> None:
    put: Any = decompositions.update_dict
    if type(staged.python) is Counter:
        put = decompositions.add_counts
        if not isinstance(others, Mapping):
            table.operators.call(decompositions.update_counter, staged.python, others)
            others = ()
    for given in (others, named):
        pairs = table.operators.call(given.items) if isinstance(given, Mapping) else given
        table.operators.call(put, staged.python, pairs)


def clear(staged: StagedList) -> None:
    """Remove all items."""
    staged.content = hashed(staged.content._replace(length=0, table=None))


def copy(staged: StagedList) -> Any:
    """Return another container of the class with the same items."""
    made = empty_like(staged.python)
    name, table = f"{staged.name}.copy()", staged.content.table
    return fresh(name, staged.kind, rows_of(staged), make=made, table=table)


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
ORDERED: dict[str, Callable[..., Any]] = {
    **METHODS,
    "move_to_end": _move_to_end,
    "popitem": _pop_first_or_last,
}
"""Those of `OrderedDict`."""
