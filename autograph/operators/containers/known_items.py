"""What items that are known one by one have in common, found out once where they are alike.

Comes in: the items of a list, a dict or a set. Goes out: their kinds, their columns, and the
containers among their parts. Lists of hundreds of numbers, or of lists, are met in each trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.operators.containers.handles import Handle, holds_handles, is_handle, is_inner
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    flat_item,
    recast_leaves,
    slots_of,
)
from autograph.operators.containers.staged_containers import kind_of, staged_list
from autograph.operators.containers.stores import Store
from runtime import trees
from runtime.texts import StagedText
from runtime.union import Choice

NUMBERS = frozenset({int, float, bool})


def kinds_of(what: str, items: Sequence[Any]) -> list[ItemKind]:
    """Return the kinds of items, of those that are alike once; `what` is for messages."""
    if _are_numbers(items):
        return [kind_of(what, max(items, key=abs))]  # none may be too large
    if items and all(type(x) is list and staged_list(x) is None for x in items):
        return [kind_of(what, items[0])]
    return [kind_of(what, x) for x in items]


def columns_of(items: Sequence[Any], kind: ItemKind) -> Sequence[Sequence[Any]]:
    """Return the leaves of items, with handles for containers, for each place of an item."""
    if not items:
        return [()] * len(kind.specs)
    are_handles = all(
        type(x) is Handle and x.store is items[0].store and type(x.number) is int for x in items
    )
    if (are_handles or _are_numbers(items)) and kind_of("list", items[0]) == kind:
        return [[x.number for x in items] if are_handles else items]
    rows = (recast_leaves(flat_item(x), kind_of("list", x), kind) for x in items)
    return list(zip(*rows, strict=True))


def _are_numbers(items: Sequence[Any]) -> bool:
    """Tell whether items are numbers of one class of Python's."""
    return len({*map(type, items)}) == 1 and type(items[0]) in NUMBERS


def is_part(x: Any) -> bool:
    """Tell whether something is one part of an item."""
    return is_inner(x) or type(x) in (StagedText, Choice)


def inner_by_store(items: Sequence[Any], kind: ItemKind) -> dict[Store, list[Any]]:
    """Return the containers among the parts of items, each once, by the stores they belong in."""
    if kind == NOTHING or not holds_handles(kind.structure):
        return {}
    _, whole = slots_of(kind)
    places, _ = trees.flatten_to(trees.unflatten(whole, range(whole.count)), is_handle)
    found: dict[Store, dict[int, Any]] = {}
    for item in items:
        parts, _ = trees.flatten_to(item, is_part)
        for x, place in zip(parts, places, strict=True):
            if is_inner(x):
                found.setdefault(place.store, {})[id(x)] = x
    return {store: [*values.values()] for store, values in found.items()}
