"""Hash tables beside the keys of staged dicts and sets, and the integers that keys are hashed by.

Keys that are numbers, or tuples of them, are hashed. Texts are not, nor integers among floats,
complex numbers, and what else one column for each place of a key does not compare as Python does.

The code of a key comes from integers: of a float from its whole part and 53 bits of the rest. Keys
that are equal have one code, of whatever classes they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.containers import hash_tables
from autograph.operators.containers.code_equality import is_by_code
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    Slot,
    may_be_none,
    slots_of,
    specs_of,
)
from autograph.operators.containers.staged_containers import Content
from autograph.operators.containers.variants import VariantKind
from autograph.staging.traced_once import traced_once
from runtime import trees
from runtime.union import leaf_spec

KEYS, VALUES = 0, 1
HASHED = "biuf"
LARGE = 2.0**62
"""Floats from here on have one code."""


def part_of(content: Content, part: int | None) -> Content:
    """Return the keys or the values of what a dict holds."""
    if part is None or content.kind == NOTHING:
        return content
    pair = trees.unflatten(content.kind.structure, content.kind.specs)
    specs, structure = trees.flatten(pair[part])
    first = len(trees.flatten(pair[KEYS])[0]) if part else 0
    buffers = content.buffers[first : first + len(specs)]
    return Content(ItemKind(structure, tuple(specs)), content.length, buffers)


def keys_of(content: Content) -> Content:
    """Return the keys of what a dict or set holds."""
    return part_of(content, KEYS) if content.keyed is dict else content


def hashed(content: Content) -> Content:
    """Return the same with a hash table, if it has keys that are hashed, and none yet."""
    has_none = content.keyed is not None and content.table is None
    if not has_none or not _is_hashed(keys_of(content).kind):
        return content
    made = traced_once(_made, content.length, columns_of(keys_of(content)))
    return content._replace(table=made)


def _made(count: Any, columns: Sequence[Any]) -> Any:
    return table.operators.call(hash_tables.made, count, code_at(columns))


def _is_hashed(kind: ItemKind) -> bool:
    """Tell whether keys are numbers that one column each compares as Python does."""
    if kind == NOTHING or not kind.specs:
        return False
    return all(map(_is_compared, slots_of(kind)[0])) and not is_by_code(kind)


def _is_compared(slot: Slot) -> bool:
    specs = specs_of(slot)
    is_number = specs[0].shape == () and specs[0].dtype.kind in HASHED and len(specs) <= 2
    return is_number and not (may_be_none(slot) or isinstance(slot, VariantKind))


def columns_of(keys: Content) -> list[Any]:
    """Return the column that is compared for each place of a key."""
    counts = [len(specs_of(slot)) for slot in slots_of(keys.kind)[0]]
    return [keys.buffers[k] for k in accumulate(counts[:-1], initial=0)]


def code_at(columns: Sequence[Any]) -> Callable[[Any], Any]:
    """Return what gives the code of the key at a position."""
    return lambda position: code_of([x[position] for x in columns], columns)


def code_of(numbers: Sequence[Any], columns: Sequence[Any]) -> Any:
    """Return the code of a key among others in columns."""
    pairs = zip(numbers, columns, strict=True)
    return reduce(lambda a, b: _mixed(a ^ b), [_integer(*pair) for pair in pairs], 0)


def _mixed(code: Any) -> Any:
    """Return a number all of whose bits depend on those of another one; none overflows."""
    code = code ^ code >> 32
    return ((code ^ code >> 16) & 0x7FFFFFFF) * 0x9E3779B1 >> 20


def _integer(number: Any, column: Any) -> Any:
    """Return the integer that numbers have which are equal to it in a column."""
    if column.dtype.kind != "f" and leaf_spec(number).dtype.kind != "f":
        return rnp.asarray(number, np.int64)
    number = rnp.asarray(number, np.float64)
    number = rnp.where(rnp.abs(number) < LARGE, number, 0.0)
    whole = rnp.trunc(number)
    found = whole.astype(np.int64)
    return (
        found if column.dtype.kind != "f" else found ^ ((number - whole) * 2.0**53).astype(np.int64)
    )
