"""The methods of lists, on staged lists.

Each does what Python's does; what Python raises is raised when the graph runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import runtime.numpy as rnp
from autograph.operators.lists.content import (
    append,
    item_at,
    need,
    position_of,
    refused,
    rows_of,
)
from autograph.operators.lists.table import Content, StagedList, staged_list
from runtime.tensor import is_staged


def _append(staged: StagedList, item: Any) -> None:
    append(staged, item)


def _extend(staged: StagedList, items: Iterable[Any]) -> None:
    other = staged_list(items)
    if other is None:
        if is_staged(items) or not isinstance(items, list | tuple | range):
            raise refused(staged, "extend()", "append the items in a loop")
        for item in list(items):
            append(staged, item)
        return
    raise refused(staged, "extend() by a list like it", "append its items in a loop")


def _pop(staged: StagedList, index: Any = -1) -> Any:
    length = staged.content.length
    need(length > 0, IndexError, "pop from empty list")
    if type(index) is int and index == -1:
        item = item_at(staged, length - 1)
    else:
        position = position_of(staged, index, "pop index out of range")
        item = item_at(staged, position)
        close_gap(staged, position)
    staged.content = Content(length - 1, staged.content.buffers)
    return item


def close_gap(staged: StagedList, position: Any) -> None:
    """Move the items behind a position to the front by one."""
    length, buffers = staged.content
    staged.content = Content(length, tuple(_moved(x, position, 1) for x in buffers))


def _moved(buffer: Any, position: Any, by: int) -> Any:
    """Return an array whose rows from a position on have moved, to the front if `by` is 1."""
    found = buffer.copy()
    if by > 0:
        found[position:-1] = buffer[position + 1 :]
    else:
        found[position + 1 :] = buffer[position:-1]
    return found


def _insert(staged: StagedList, index: Any, item: Any) -> None:
    raise refused(staged, "insert()", "append the item, or build the list in order")


def _clear(staged: StagedList) -> None:
    staged.content = Content(0, staged.content.buffers)


def _copy(staged: StagedList) -> Any:
    raise refused(staged, "copy()", "append its items to a new list in a loop")


def _reverse(staged: StagedList) -> None:
    length, buffers = staged.content
    rows = rows_of(staged)
    turned = []
    for buffer, part in zip(buffers, rows, strict=True):
        found = buffer.copy()
        found[:length] = rnp.flip(part, 0)
        turned.append(found)
    staged.content = Content(length, tuple(turned))


METHODS: dict[str, Callable[..., Any]] = {
    "append": _append,
    "clear": _clear,
    "copy": _copy,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "reverse": _reverse,
}

INSTEAD = {
    "count": "count in a loop",
    "index": "look for it in a loop",
    "remove": "look for it in a loop, and use `del items[i]`",
    "sort": "use np.sort(np.array(items))",
}
"""The other methods, with what to write instead."""


def call_method(staged: StagedList, name: str, args: Any, kwargs: Any) -> Any:
    """Call a method of a staged list."""
    method = METHODS.get(name)
    if method is None:
        raise refused(staged, f"{name}()", INSTEAD.get(name, "write a loop over it"))
    return method(staged, *args, **kwargs)
