"""Which items of a staged list are equal to a value, whatever the classes of its numbers are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.columns import need
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    Slot,
    by_class,
    classes_of,
    may_be_none,
    plain_leaves,
    slots_of,
    specs_of,
)
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.storage import refuse_inner, refused, rows_of
from runtime.dispatch import apply
from runtime.errors import MutationError
from runtime.graph.opdef import REGISTRY
from runtime.number_union import NONE_SPEC
from runtime.spec import TensorSpec
from runtime.union import Choice


def equal_to(staged: StagedList, item: Any) -> Any:
    """Return which items are equal to a value, as an array; MutationError for items with arrays."""
    if staged.kind == NOTHING:
        return rnp.zeros(0, bool)
    leaves = findable(staged, staged.kind, item)
    return matching(staged.kind, rows_of(staged), leaves)


def findable(staged: StagedList, kind: ItemKind, item: Any) -> Sequence[Any]:
    """Return the leaves of a value that is looked for among items of a staged list, or their keys.

    MutationError for items with arrays, and for another structure; ValueError, when the graph runs,
    for NaN.
    """
    refuse_inner(staged, kind, "looking for an item", "compare the items in a loop")
    if any(spec.shape != () for spec in kind.specs):
        raise refused(staged, "looking for an item", "compare the arrays in a loop")
    leaves, structure = plain_leaves(item)
    if structure != slots_of(kind)[1] or not kind.specs:
        raise refused(staged, f"looking for {item!r}", f"look for {kind}")
    for leaf, slot in zip(leaves, slots_of(kind)[0], strict=True):
        if specs_of(slot)[0].dtype.kind in "fc" and type(leaf) is not Choice and leaf is not None:
            message = f"nan in the {staged.what} is found in Python if it is the same object"
            need(rnp.logical_not(rnp.isnan(leaf)), ValueError, message)
    return leaves


def matching(kind: ItemKind, rows: Sequence[Any], leaves: Sequence[Any]) -> Any:
    """Return which rows of a staged list, or of a part of each item, are equal to a value."""
    places = zip(_places(kind, rows), leaves, strict=True)
    return reduce(lambda a, b: a & b, [_equal_rows(*place, leaf) for place, leaf in places])


def _places(kind: ItemKind, columns: Sequence[Any]) -> Iterator[tuple[Slot, Sequence[Any]]]:
    """Yield what stands at each place of an item, and its columns."""
    rest = iter(columns)
    for slot in slots_of(kind)[0]:
        yield slot, list(islice(rest, len(specs_of(slot))))


def _equal_rows(slot: Slot, parts: Sequence[Any], leaf: Any) -> Any:
    """Return at which rows a place of the items is equal to a number or None."""
    if type(leaf) is Choice:
        return Choice.each(leaf, lambda option: _equal_rows(slot, parts, option))
    is_none = rnp.zeros(parts[0].shape[0], bool)
    if may_be_none(slot):
        is_none = parts[1] == classes_of(slot).index(NONE_SPEC)
    elif leaf is not None:
        return _numbers(slot, parts) == leaf
    return is_none if leaf is None else (_numbers(slot, parts) == leaf) & rnp.logical_not(is_none)


def numbers_of(kind: ItemKind, columns: Sequence[Any]) -> list[Any]:
    """Return for each place of an item one column, whatever the classes of its numbers are.

    MutationError where the column does not compare as they do; OverflowError, when the graph runs,
    where it has integers that it does not hold exactly.
    """
    if any(map(may_be_none, slots_of(kind)[0])):
        raise MutationError(
            f"items of lists or sets are compared which may be None ({kind}), and which are is "
            "known only when the graph runs. Compare them in a loop"
        )
    return [_numbers(*place) for place in _places(kind, columns)]


def _numbers(slot: Slot, parts: Sequence[Any]) -> Any:
    _refuse_roundings(slot)
    for spec, column in by_class(slot, parts).items():
        if spec.dtype.itemsize == 8 and spec.dtype.kind in "iu" and column is not parts[0]:
            message = "an integer among floats of a list is too large to compare it with them"
            need(rnp.all(rnp.abs(column) <= 2**53), OverflowError, message)
    return parts[0]


def _refuse_roundings(slot: Slot) -> None:
    """Raise MutationError for numbers of which some are rounded when they are compared."""
    classes = classes_of(slot)
    if any(x.weak for x in classes) and any(is_narrow(x) for x in classes):
        raise MutationError(
            f"the items of a list are {' or '.join(map(str, classes))}, and Python rounds its own "
            "numbers when it compares them with the others. Convert them with float() or .astype()"
        )


def is_narrow(spec: TensorSpec) -> bool:
    """Tell whether a number rounds Python's floats that it is compared with."""
    return not spec.weak and spec.dtype in (np.float16, np.float32, np.complex64)


def exact(rows: Any) -> Any:
    """Return numbers as wide ones: 0.1 is no key that is np.float32(0.1), though they are `==`."""
    return rows.astype("float64") if rows.dtype.kind == "f" and rows.dtype.itemsize < 8 else rows


def contains_item(staged: StagedList, item: Any) -> Any:
    """Return `item in items`."""
    return apply(REGISTRY["truth"], [rnp.any(equal_to(staged, item))])
