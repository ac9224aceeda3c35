"""The methods of deques, on staged ones.

Of a deque with a greatest length, what is too much goes at the other end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.numpy as rnp
from autograph.operators.containers.columns import in_front, need
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.storage import item_at, rows_of
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.keyed.dict_methods import copy
from autograph.operators.lists import list_methods
from autograph.staging.cond import stage_cond
from runtime.tensor import is_staged

EMPTY = "pop from an empty deque"


def _pop(staged: StagedList) -> Any:
    need(staged.content.length > 0, IndexError, EMPTY)
    return list_methods.METHODS["pop"](staged)


def _pop_left(staged: StagedList) -> Any:
    length = staged.content.length
    need(length > 0, IndexError, EMPTY)
    if staged.home is not None:
        return list_methods.METHODS["pop"](staged, 0)
    item, held = item_at(staged, 0), staged.held
    staged.held = held._replace(length=length - 1, head=held.head + 1)
    return item


def _append(staged: StagedList, item: Any) -> None:
    list_methods.METHODS["append"](staged, item)
    _keep_last(staged)


def _append_left(staged: StagedList, item: Any) -> None:
    list_methods.METHODS["insert"](staged, 0, item)
    most, length = staged.python.maxlen, staged.content.length
    if most is not None:
        kept = if_exp(length > most, lambda: most, lambda: length)
        staged.set_rows(kept, staged.content.buffers)


def _extend(staged: StagedList, items: Any) -> None:
    list_methods.METHODS["extend"](staged, items)
    _keep_last(staged)


def _extend_left(staged: StagedList, items: Any) -> None:
    for item in list(items):
        _append_left(staged, item)


def _insert(staged: StagedList, index: Any, item: Any) -> None:
    most = staged.python.maxlen
    if most is not None:
        need(staged.content.length < most, IndexError, "deque already at its maximum size")
    list_methods.METHODS["insert"](staged, index, item)


def _rotate(staged: StagedList, n: Any = 1) -> None:
    rows = [rnp.roll(x, n, 0) for x in rows_of(staged)]
    staged.set_rows(staged.content.length, rows)


def _keep_last(staged: StagedList) -> None:
    """Take items away at the left end until there are no more than there may be."""
    most = staged.python.maxlen
    if most is None:
        return
    held, length = staged.held, staged.content.length
    is_over = length > most
    if staged.home is None and held.head is not None:
        beyond = if_exp(is_over, lambda: length - most, lambda: 0)
        staged.held = held._replace(length=length - beyond, head=held.head + beyond)
        return
    buffers = staged.content.buffers

    def last() -> tuple[Any, ...]:
        return tuple(in_front(x, length - most, most) for x in buffers)

    if is_staged(is_over):
        kept = if_exp(is_over, lambda: most, lambda: length)
        staged.set_rows(kept, stage_cond(is_over, last, lambda: buffers))
    elif is_over:
        staged.set_rows(most, last())


SHARED = ("clear", "count", "index", "remove", "reverse")
METHODS: dict[str, Callable[..., Any]] = {
    **{name: list_methods.METHODS[name] for name in SHARED},
    "append": _append,
    "appendleft": _append_left,
    "copy": copy,
    "extend": _extend,
    "extendleft": _extend_left,
    "insert": _insert,
    "pop": _pop,
    "popleft": _pop_left,
    "rotate": _rotate,
}
