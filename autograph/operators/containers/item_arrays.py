"""The arrays that NumPy makes of staged lists: of a dtype that holds the items that are there.

`np.array([1, 2.5])` is of floats, and `np.array([1, 1])` of integers. So where a list has numbers
of several classes, what NumPy makes is one of several arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress, islice, product
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.columns import need
from autograph.operators.containers.handles import Handle
from autograph.operators.containers.item_kinds import (
    NOTHING,
    by_class,
    classes_of,
    is_mixed,
    is_of_numbers,
    may_be_none,
    slots_of,
    specs_of,
)
from autograph.operators.containers.staged_containers import StagedList, staged_list
from autograph.operators.containers.storage import refuse_inner, refused, rows_of
from autograph.operators.containers.stores import Store
from autograph.operators.containers.variants import VariantKind
from autograph.staging.classed_number import NumberKind
from autograph.staging.cond import stage_branches
from autograph.staging.region import NoState
from autograph.staging.text_join import renumbered
from runtime import default_graph, trees
from runtime.errors import StagedValueError
from runtime.ops import control
from runtime.spec import TensorSpec

Number = TensorSpec | NumberKind
"""What stands at a place of items that an array is made of."""


def array_of(staged: StagedList) -> Any:
    """Return the array that NumPy makes of a list."""
    if isinstance(staged.python, dict | set):
        raise refused(staged, "an array", "make a list of it: sorted(...), or list(...) of a dict")
    if staged.kind == NOTHING:
        return rnp.zeros(0)
    whole, structure = slots_of(staged.kind)
    slots = [slot for slot in whole if not isinstance(slot, VariantKind)]
    if len(slots) < len(whole):
        raise refused(staged, "an array", f"its items are {staged.kind}; make a list of those")
    if any(map(may_be_none, slots)):
        raise refused(staged, "an array", "some items may be None; put numbers in their place")
    store = store_of_rows(structure)
    if store is not None:
        return _of_rows(staged, store)
    refuse_inner(staged, staged.kind, "an array", "make an array of each part of its items")
    shapes = {spec.shape for spec in staged.kind.specs}
    are_tuples = all(entry is None or issubclass(entry[0], tuple) for entry in structure.entries)
    if structure != trees.LEAF and not (shapes == {()} and are_tuples):
        raise refused(staged, "an array", "make a list of each part of its items")
    is_like_no_items = all(
        x.shape == () and x.dtype == np.float64 for slot in slots for x in classes_of(slot)
    )
    if structure != trees.LEAF or not (is_mixed(staged.kind) or is_like_no_items):
        message = (
            f"the {staged.what} has no items, and NumPy would make an array of another shape "
            "or dtype of it than of the items that it may hold; ask `if` it has items before"
        )
        need(staged.content.length > 0, StagedValueError, message)
    if not is_mixed(staged.kind):
        return _stacked(rows_of(staged), structure)
    return _of_classes(slots, structure, rows_of(staged))


def index_array(index: Any) -> Any:
    """Return a staged list of places as the array that they are; one without any has none."""
    staged = staged_list(index)
    if staged is None:
        return index
    if staged.kind == NOTHING:
        return rnp.zeros(0, "int64")
    are_places = is_of_numbers(staged.kind) and staged.kind.specs[0].dtype.kind in "iu"
    return rows_of(staged)[0] if are_places else array_of(staged)


def store_of_rows(structure: trees.Structure) -> Store | None:
    """Return the store of the items, if each of them is a list."""
    first = structure.entries[0]
    is_row = first is not None and first[0] is Handle and first[1].cls is list
    return first[1] if first is not None and is_row else None


def _of_rows(staged: StagedList, store: Store) -> Any:
    """Return an array whose rows are the items, which are lists of numbers of one length."""
    kind, (numbers,) = store.kind, rows_of(staged)
    if kind == NOTHING or kind.structure != trees.LEAF or kind.specs[0].shape != ():
        raise refused(staged, "an array", "make an array of each of its items, and stack those")
    need(staged.content.length > 0, StagedValueError, "the list has no rows to make an array of")
    starts, lengths = (heads[numbers] for heads in store.stored.heads[:2])
    uneven = (
        "setting an array element with a sequence. The requested array has an inhomogeneous shape"
    )
    need(rnp.all(lengths == lengths[0]), ValueError, uneven)
    places = starts[:, None] + rnp.arange(lengths[0])
    return store.stored.buffers[0][places]


def _stacked(columns: Sequence[Any], structure: trees.Structure) -> Any:
    """Return columns as the array whose rows are nested as the items are."""
    if structure == trees.LEAF:
        return columns[0].copy()
    sizes = np.array(trees.unflatten(structure, [0] * structure.count)).shape
    return rnp.stack(columns, axis=1).reshape((-1, *sizes))


def _of_classes(slots: Sequence[Number], structure: trees.Structure, rows: Sequence[Any]) -> Any:
    """Return an array of the dtype of those classes that some item is of."""
    rest = iter(rows)
    columns = [list(islice(rest, len(specs_of(slot)))) for slot in slots]
    there: dict[Any, Any] = {}
    for slot, column in zip(slots, columns, strict=True):
        for k, spec in enumerate(classes_of(slot)):
            is_there = rnp.any(column[1] == k) if len(column) > 1 else True
            there[spec.dtype] = there.get(spec.dtype, False) | is_there
    sets = [list(compress(there, row)) for row in product((False, True), repeat=len(there))]
    dtypes = [np.result_type(*found) if found else np.dtype(float) for found in sets]
    kinds = list(dict.fromkeys(dtypes))
    arms = [partial(_of_dtype, dtype, slots, structure, columns) for dtype in kinds]
    if len(kinds) == 1:
        return arms[0]()
    number = sum(rnp.asarray(x, "int64") << k for k, x in enumerate(reversed(there.values())))
    builder = default_graph.current()
    assert builder is not None
    which = renumbered(number, [kinds.index(dtype) for dtype in dtypes], builder)
    return stage_branches(control.switch, which, arms, NoState())


def _of_dtype(
    dtype: Any, slots: Sequence[Number], structure: trees.Structure, columns: Sequence[Any]
) -> Any:
    pairs = zip(slots, columns, strict=True)
    return _stacked([_column(dtype, slot, column) for slot, column in pairs], structure)


def _column(dtype: Any, slot: Number, column: Sequence[Any]) -> Any:
    """Return what stands at one place of each item as numbers of a dtype."""
    held = by_class(slot, column)
    found = column[0].astype(dtype) if specs_of(slot)[0].dtype == dtype or len(held) == 1 else None
    if found is not None:
        return found
    found = rnp.zeros(column[0].shape, dtype)
    for k, (spec, numbers) in enumerate(held.items()):
        if np.result_type(spec.dtype, dtype) == dtype:
            found = rnp.where(column[1] == k, numbers.astype(dtype), found)
    return found
