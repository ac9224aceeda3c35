"""Items made of what stands in a row of the columns of their kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.operators.containers.handles import Handle
from autograph.operators.containers.item_kinds import NOTHING, ItemKind, holds_handles, is_mixed
from autograph.operators.containers.variants import Variant, one_of
from autograph.operators.heap.stored_objects import object_of
from autograph.staging.classed_number import ClassedNumber
from runtime import trees
from runtime.errors import exact


def made_of(kind: ItemKind, leaves: Sequence[Any]) -> Any:
    """Return the item that has these leaves, as the program sees it."""
    if kind == NOTHING:  # as where what fills the container is not traced yet
        raise exact(IndexError("list index out of range"))
    item = trees.unflatten(kind.structure, leaves)
    is_whole = not (is_mixed(kind) or holds_handles(kind))
    return item if is_whole else trees.map_tree(_shown, item, lambda x: type(x) in _PARTS)


_PARTS = (ClassedNumber, Variant, Handle)


def _shown(part: Any) -> Any:
    """Return a part of an item as the program sees it."""
    if type(part) is ClassedNumber:
        return part.symbol()
    if type(part) is Handle:
        return object_of(part)
    return one_of(part.leaves[0], values_in(part)) if type(part) is Variant else part


def values_in(variant: Variant) -> list[Any]:
    """Return what a part of an item may be."""
    pairs = zip(variant.kind.kinds, variant.by_kind(), strict=True)
    return [made_of(kind, x) if isinstance(kind, ItemKind) else kind.value for kind, x in pairs]
