"""Staging a container by itself, as its items are known only when the graph runs; tuples, too."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from autograph.operators.containers.handles import is_inner
from autograph.operators.containers.item_kinds import ItemKind
from autograph.operators.containers.makers import EMPTY_TUPLE
from autograph.operators.containers.staged_containers import (
    STAGED,
    StagedList,
    lists_now,
    staged_list,
)
from autograph.operators.containers.storage import fresh, promote, rows_of
from autograph.operators.containers.variable_names import variable_of
from autograph.staging.context import trace_now
from runtime.errors import MutationError


def staged_of(container: Any, kinds: Sequence[ItemKind] = ()) -> StagedList:
    """Make a container staged because what becomes of it is known only when the graph runs.

    Args:
        container: a list, or another one.
        kinds: of items that it will hold.
    """
    return promote(lists_now(), container, variable_of(container), kinds)


def staged_if_nested(container: Any) -> StagedList | None:
    """Return a list or dict of containers as a staged one: staged code may write what it takes out.

    None for others, and for what was there before the trace.
    """
    trace = trace_now()
    if trace is None or type(container) not in STAGED or not container:
        return None
    items = container.values() if isinstance(container, dict) else container
    if not all(map(is_inner, items)):
        return None
    if not trace.outside.isdisjoint(map(id, (container, *items))):
        return None
    with suppress(MutationError):
        return promote(lists_now(), container, variable_of(container), ())
    return None


def tuple_of(items: Any) -> Any:
    """Return a tuple of the items of a staged list."""
    staged = staged_list(items)
    assert staged is not None
    return fresh(f"tuple({staged.name})", staged.kind, rows_of(staged), None, EMPTY_TUPLE)
