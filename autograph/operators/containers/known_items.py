"""What items that are known one by one have in common, found out once where they are alike.

Comes in: the items of a list, a dict or a set. Goes out: their kinds, their columns, and the
containers among their parts. Lists of hundreds of numbers, or of lists, are met in each trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograph.operators.containers.handles import Handle, is_inner
from autograph.operators.containers.item_kinds import (
    ItemKind,
    holds_handles,
    kind_index,
    parts_of_kind,
    recast_leaves,
    store_in,
    variant_of,
)
from autograph.operators.containers.item_values import flat_item, kind_of
from autograph.operators.containers.makers import empty_like
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.stores import Store
from runtime import trees
from runtime.texts import StagedText
from runtime.union import Choice, values_of

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


def parts_of(value: Any) -> Iterator[Any]:
    """Yield the parts of a value, of what it may be, too."""
    for x in trees.flatten_to(value, is_part)[0]:
        if type(x) is Choice:
            yield from (part for option in values_of(x) for part in parts_of(option))
        else:
            yield x


def inner_by_store(items: Sequence[Any], kind: ItemKind) -> dict[Store, list[Any]]:
    """Return the containers among the parts of items, each once, by the stores they belong in."""
    found: dict[Store, dict[int, Any]] = {}
    for item in items if holds_handles(kind) else ():
        for x, store in inner_places(item, kind):
            found.setdefault(store, {})[id(x)] = x
    return {store: [*values.values()] for store, values in found.items()}


def inner_places(x: Any, kind: ItemKind) -> Iterator[tuple[Any, Store]]:
    """Yield the containers among the parts of an item, and the stores that they belong in.

    What a choice may be is made anew when it is asked, and is not among them.

    Args:
        x: the item.
        kind: of items that it is one of.
    """
    if is_inner(x):
        yield x, store_in(kind, empty_like(x))
    elif any(map(is_inner, trees.flatten_to(x, is_part)[0])):
        node, parts = node_and_parts(x, kind)
        for part in zip(node.children, parts, strict=True):
            yield from inner_places(*part)


def node_and_parts(x: Any, kind: ItemKind) -> tuple[trees.Node, list[ItemKind]]:
    """Return an item that is a node, taken apart, and the kinds of its parts among others."""
    node, variant = trees.node_of(x), variant_of(kind)
    one = kind if variant is None else variant.kinds[kind_index(variant, kind_of("list", x))]
    assert node is not None
    assert isinstance(one, ItemKind)
    return node, parts_of_kind(one)
