"""Items of lists that Python knows one by one, at positions that are staged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

from autograph.operators.containers.item_kinds import NOTHING, ItemKind
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.kind_joins import joined_kind
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.storage import content_of, item_at
from autograph.operators.heap.stored_objects import with_objects
from autograph.operators.iteration.known_columns import PLAIN, iteration_over
from autograph.operators.lists.list_values import refer_to_lists
from autograph.staging.cond import stage_branches
from autograph.staging.region import NoState
from runtime.errors import MutationError
from runtime.ops import control
from runtime.text_methods import is_text
from runtime.union import is_numeric

MOST_ARMS = 8
"""So many plain items are chosen from by an arm each."""


def items_at(items: Sequence[Any], positions: Sequence[Any]) -> list[Any]:
    """Return the items at some positions, which exist.

    Numbers, texts, arrays, and tuples of them are rows of arrays where all are of one kind. What
    stands for itself (a list, an object), or is of a kind of its own, is one of several things.
    """
    kind = _common_kind(items)
    if kind is None:
        return [item_chosen(items, position) for position in positions]
    rows = StagedList([], "sorted items")
    rows.content = content_of(kind, items)
    return [item_at(rows, position) for position in positions]


def item_chosen(items: Sequence[Any], position: Any) -> Any:
    """Return the item at a position, which exists, as one of several things."""
    columns = iteration_over(items)
    if columns is not None:
        return columns.item(position)
    kinds = [*dict.fromkeys(map(type, items))]
    if len(items) > MOST_ARMS and PLAIN.issuperset(kinds):
        if kinds == [str]:
            return items_at(items, [position])[0]
        if len(kinds) > 1:
            return _of_classes(items, kinds, position)
    arms = [partial(refer_to_lists, item) for item in items]
    return with_objects(stage_branches(control.switch, position, arms, NoState()))


def _of_classes(items: Sequence[Any], kinds: list[type], position: Any) -> Any:
    """Return the item at a position of numbers, texts and None: an arm for each of the classes."""
    columns = [[x if type(x) is kind else kind() for x in items] for kind in kinds]
    which = item_chosen([kinds.index(type(x)) for x in items], position)
    arms = [partial(item_chosen, column, position) for column in columns]
    return with_objects(stage_branches(control.switch, which, arms, NoState()))


def _common_kind(items: Sequence[Any]) -> ItemKind | None:
    """Return what all items are as rows of arrays; None if they are not."""
    if not all(map(_is_row, items)):
        return None
    what = "list of sorted items"
    try:
        return reduce(partial(joined_kind, what), (kind_of(what, x) for x in items), NOTHING)
    except MutationError:
        return None


def _is_row(item: Any) -> bool:
    if type(item) is tuple:
        return all(map(_is_row, item))
    return type(item) is str or is_text(item) or is_numeric(item)
