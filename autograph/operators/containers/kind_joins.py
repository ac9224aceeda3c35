"""What holds items of two kinds: where they differ, numbers of several classes, and variants.

Comes in: kinds. Goes out: a kind that holds both; or an error, for arrays of two dtypes or sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.operators.containers.handles import Handle, StoresMet
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    is_alike,
    is_open,
    joined_slot,
    kind_of_slots,
    parts_of_kind,
    slots_of,
    variant_of,
)
from autograph.operators.containers.makers import Empty, maker
from autograph.operators.containers.variants import Kind, VariantKind, column_specs
from autograph.staging.copies import TryAgain
from autograph.staging.unify import MOST_OPTIONS
from runtime import trees
from runtime.errors import MutationError


def joined_kind(what: str, a: ItemKind, b: ItemKind) -> ItemKind:
    """Return what holds items of both kinds; MutationError when nothing does."""
    found = joint_kind(a, b)
    if found is None:
        raise MutationError(
            f"the {what}, which a staged branch or loop changes, holds {a} and {b}. Arrays among "
            "its items must have one shape and one dtype: convert them with .astype(), pad arrays "
            f"to one shape, or use a list for each; and it holds at most {MOST_OPTIONS} kinds"
        )
    return found


def joint_kind(a: ItemKind, b: ItemKind) -> ItemKind | None:
    """Return what holds items of both kinds, or None."""
    if a == b or b == NOTHING:
        return a
    if a == NOTHING:
        return b
    if variant_of(a) or variant_of(b) or not is_alike(a, b):
        return _variant(_kinds_in(a), _kinds_in(b))
    (mine, structure), (theirs, other) = slots_of(a), slots_of(b)
    if structure == other == trees.LEAF:
        slot = joined_slot(*mine, *theirs)
        return None if slot is None else kind_of_slots([slot], structure)
    cls, data, count = structure.entries[0]  # type: ignore[misc]
    if cls is Handle:
        data = one_store(data, other.entries[0][1])  # type: ignore[index]
    parts = []
    for x, y in zip(parts_of_kind(a), parts_of_kind(b), strict=True):
        joint = joint_kind(x, y)
        if joint is None:
            return None
        parts.append(joint)
    entries = [entry for part in parts for entry in part.structure.entries]
    specs = [spec for part in parts for spec in part.specs]
    return ItemKind(trees.Structure(((cls, data, count), *entries)), tuple(specs))


def _kinds_in(kind: ItemKind) -> Sequence[Kind]:
    variant = variant_of(kind)
    return [kind] if variant is None else variant.kinds


def _variant(kinds: Sequence[Kind], others: Sequence[Kind]) -> ItemKind | None:
    """Return what is of one of some kinds and others, each once."""
    found = list(kinds)
    for kind in others:
        place = next((k for k, one in enumerate(found) if is_alike(one, kind)), None)
        if place is None:
            found.append(kind)
        elif isinstance(one := found[place], ItemKind) and isinstance(kind, ItemKind):
            joint = joint_kind(one, kind)
            if joint is None:
                return None
            found[place] = joint
    sizes = (spec.shape for kind in found for spec in column_specs(kind))
    if len(found) > MOST_OPTIONS or any(map(is_open, sizes)):
        return None
    return kind_of_slots([VariantKind(tuple(found))], trees.LEAF)


def one_store(a: Any, b: Any) -> Any:
    """Return the store of containers that meet in one place; TryAgain where there are two."""
    first, second = maker(a), maker(b)
    if first != second:
        other = repr(second) if first.cls is not second.cls else "of another default or limit"
        raise MutationError(
            f"an item of a list that a staged branch or loop changes is {first!r}, "
            f"and another one {other}: use a list for each"
        )
    if a is b or type(b) is Empty:
        return a
    if type(a) is Empty:
        return b
    raise TryAgain(StoresMet(frozenset({a.name, b.name})))
