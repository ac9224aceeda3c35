"""Which items of a staged list are equal to a value, whatever the classes of its numbers are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.containers import item_loops
from autograph.operators.containers.code_equality import has_code, is_by_code
from autograph.operators.containers.columns import need
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    Slot,
    by_class,
    classes_of,
    holds_handles,
    may_be_none,
    parts_of_kind,
    slots_of,
    specs_of,
    variant_of,
)
from autograph.operators.containers.item_values import plain_leaves
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.storage import refused, rows_of
from autograph.operators.containers.variants import VariantKind
from autograph.staging.classed_number import NumberKind
from runtime import trees
from runtime.dispatch import apply
from runtime.dtypes import is_string
from runtime.errors import MutationError, StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.number_union import NONE_SPEC, is_optional
from runtime.spec import TensorSpec
from runtime.tensor import is_staged
from runtime.union import Choice, is_numeric, leaf_spec


def equal_to(staged: StagedList, item: Any) -> Any:
    """Return which items are equal to a value, as an array; MutationError for items with arrays."""
    if staged.kind == NOTHING:
        return rnp.zeros(0, bool)
    return matching(staged, staged.kind, rows_of(staged), item)


def find_item(staged: StagedList, item: Any) -> tuple[Any, Any]:
    """Return whether there is an item that is equal to a value, and where the first one is."""
    if is_by_code(staged.kind) or has_code(item):
        position = table.operators.call(item_loops.position, staged.python, item)
        return position >= 0, position
    is_equal = equal_to(staged, item)
    return rnp.any(is_equal), apply(REGISTRY["to_int"], [rnp.argmax(is_equal)])


def findable(staged: StagedList, kind: ItemKind, item: Any) -> Sequence[Any] | None:
    """Return the leaves of a value that is looked for among items of a staged list, or their keys.

    None where it is of another structure than all of them, or they are not of one.
    MutationError for items with arrays; StagedValueError, when the graph runs, for NaN.
    """
    if any(spec.shape != () for spec in kind.specs):
        raise refused(staged, "looking for an item", "compare the arrays in a loop")
    leaves, structure = plain_leaves(item)
    slots, whole = slots_of(kind)
    if structure != whole or any(isinstance(slot, VariantKind) for slot in slots):
        return None
    for leaf, slot in zip(leaves, slots, strict=True):
        _check_leaf(leaf)
        if specs_of(slot)[0].dtype.kind in "fc" and type(leaf) is not Choice and leaf is not None:
            message = f"nan in the {staged.what} is found in Python if it is the same object"
            need(rnp.logical_not(rnp.isnan(leaf)), StagedValueError, message)
    return leaves


def _check_leaf(leaf: Any) -> None:
    if is_numeric(leaf) and leaf_spec(leaf).shape != ():
        raise MutationError(
            f"an array ({leaf_spec(leaf)}) is looked for among the items of a list that staged "
            "branches or loops change. Compare the items in a loop"
        )


def matching(staged: StagedList, kind: ItemKind, rows: Sequence[Any], item: Any) -> Any:
    """Return which rows of a staged list, or of a part of each item, are equal to a value."""
    if type(item) is Choice and not is_optional(item):
        return Choice.each(item, lambda option: matching(staged, kind, rows, option))
    leaves = findable(staged, kind, item)
    if leaves is not None and kind.specs:
        places = zip(_places(kind, rows), leaves, strict=True)
        return reduce(lambda a, b: a & b, [_equal_rows(*place, leaf) for place, leaf in places])
    size = rows[0].shape[0] if rows else staged.content.length
    variant, found = variant_of(kind), rnp.zeros(size, bool)
    if variant is not None:
        for k, (one, row) in enumerate(zip(variant.kinds, variant.by_kind(rows), strict=True)):
            if isinstance(one, ItemKind):
                found = found | ((rows[0] == k) & matching(staged, one, row, item))
            elif is_known_equal(one.value, item):
                found = found | (rows[0] == k)
        return found
    node = trees.node_of(item)
    if staged.content.keyed is None:
        _refuse_broadcast(staged, kind, item)
    if not is_row(kind) or node is None or not issubclass(node.cls, tuple):
        return rnp.ones(size, bool) if leaves is not None else found
    parts, rest = parts_of_kind(kind), iter(rows)
    if len(parts) != len(node.children):
        return found
    columns = [list(islice(rest, len(part.specs))) for part in parts]
    triples = zip(parts, columns, node.children, strict=True)
    same = [matching(staged, part, row, child) for part, row, child in triples]
    return reduce(lambda a, b: a & b, same, rnp.ones(size, bool))


def _refuse_broadcast(staged: StagedList, kind: ItemKind, item: Any) -> None:
    """Raise MutationError where a number of NumPy's meets a tuple or a list: that is an array."""
    are_sequences = is_row(kind) or holds_handles(kind)
    specs = kind.specs if isinstance(item, tuple) and not are_sequences else ()
    if is_numeric(item) and are_sequences:
        specs = (leaf_spec(item),)
    if any(not spec.weak and not is_string(spec.dtype) for spec in specs):
        raise refused(staged, "comparing a tuple with np.float64 and the like", "use float(x)")


def is_row(kind: ItemKind) -> bool:
    """Tell whether items are tuples, which are compared part by part."""
    first = kind.structure.entries[0]
    return first is not None and issubclass(first[0], tuple)


def is_known_equal(known: Any, item: Any) -> bool:
    """Tell whether a value that no column holds is equal to another one."""
    if isinstance(known, range) and is_staged(item) and not leaf_spec(item).weak:
        raise StagedValueError("a range and a number of NumPy's are compared item by item")
    if trees.node_of(item) is not None or is_staged(item):
        return False
    return known is item or bool(known == item)


def _places(kind: ItemKind, columns: Sequence[Any]) -> Iterator[tuple[Slot, Sequence[Any]]]:
    """Yield what stands at each place of an item, and its columns."""
    rest = iter(columns)
    for slot in slots_of(kind)[0]:
        yield slot, list(islice(rest, len(specs_of(slot))))


def _equal_rows(slot: Slot, parts: Sequence[Any], leaf: Any) -> Any:
    """Return at which rows a place of the items is equal to a number or None."""
    assert not isinstance(slot, VariantKind)
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
    if any(may_be_none(x) or isinstance(x, VariantKind) for x in slots_of(kind)[0]):
        raise MutationError(
            f"items of lists or sets are compared which may be of several kinds ({kind}), and "
            "which are is known only when the graph runs. Compare them in a loop"
        )
    return [_numbers(*place) for place in _places(kind, columns)]


def _numbers(slot: Slot, parts: Sequence[Any]) -> Any:
    assert not isinstance(slot, VariantKind)
    _refuse_roundings(slot)
    for spec, column in by_class(slot, parts).items():
        if spec.dtype.itemsize == 8 and spec.dtype.kind in "iu" and column is not parts[0]:
            message = "an integer among floats of a list is too large to compare it with them"
            need(rnp.all(rnp.abs(column) <= 2**53), OverflowError, message)
    return parts[0]


def _refuse_roundings(slot: TensorSpec | NumberKind) -> None:
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
    if is_by_code(staged.kind) or has_code(item):
        return find_item(staged, item)[0]
    return apply(REGISTRY["truth"], [rnp.any(equal_to(staged, item))])
