"""Hash tables beside the keys of staged dicts and sets, and the integers that keys are hashed by.

Keys that are numbers, or tuples of them, are hashed. Texts are not, nor integers among floats,
complex numbers, and what else one column for each place of a key does not compare as Python does.

The code of a dict's key comes from integers: of a float from its whole part and 53 bits of the
rest. That of a set's item is Python's `hash`: its table is the one of Python's set, and says its
order. Keys that are equal have one code, of whatever classes they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from itertools import accumulate
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.containers.code_equality import is_by_code
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    Slot,
    may_be_none,
    slots_of,
    specs_of,
)
from autograph.operators.containers.staged_containers import Content, own
from autograph.operators.containers.variants import VariantKind
from autograph.operators.keyed import hash_tables, python_hashes, set_tables
from autograph.staging.traced_once import traced_once
from runtime import trees
from runtime.tensor import is_staged
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
    """Return the same with a hash table, if it has keys that are hashed, and with none if not."""
    if content.keyed is None or not _is_hashed(keys_of(content).kind):
        return content._replace(table=None)
    if content.table is not None:
        return content
    return content._replace(table=run("made", content, content.length))


def _is_hashed(kind: ItemKind) -> bool:
    """Tell whether keys are numbers that one column each compares as Python does."""
    if kind == NOTHING or not kind.specs:
        return False
    return all(map(_is_compared, slots_of(kind)[0])) and not is_by_code(kind)


def _is_compared(slot: Slot) -> bool:
    specs = specs_of(slot)
    is_number = specs[0].shape == () and specs[0].dtype.kind in HASHED and len(specs) <= 2
    is_number = is_number and specs[0].dtype.itemsize <= 8
    return is_number and not (may_be_none(slot) or isinstance(slot, VariantKind))


def columns_of(keys: Content) -> Any:
    """Return a key that has at each place the column that is compared there."""
    slots, structure = slots_of(keys.kind)
    counts = [len(specs_of(slot)) for slot in slots]
    firsts = [keys.buffers[k] for k in accumulate(counts[:-1], initial=0)]
    return trees.unflatten(structure, firsts)


class Keyed(NamedTuple):
    """How the keys of a class of containers are found.

    Args:
        tables: what is done with their tables.
        code_of: returns the code of a key, by its numbers, among others in columns.
    """

    tables: ModuleType
    code_of: Callable[[Sequence[Any], Any], Any]

    def run(self, name: str, *args: Any) -> Any:
        """Do something with a table; the last argument is a key of columns."""
        *given, columns = args
        leaves, _ = trees.flatten(columns)
        code_at = lambda position: self.code_of([x[position] for x in leaves], columns)  # noqa: E731
        given = [own(x) if is_staged(x) and x.ndim else x for x in given]
        return table.operators.call(getattr(self.tables, name), *given, code_at)


def _code_of(numbers: Sequence[Any], columns: Any) -> Any:
    pairs = zip(numbers, trees.flatten(columns)[0], strict=True)
    return reduce(lambda a, b: _mixed(a ^ b), [_integer(*pair) for pair in pairs], 0)


def _hash_of(numbers: Sequence[Any], columns: Any) -> Any:
    """Return Python's hash of a number, or of a tuple of what are numbers or tuples of them."""
    join = lambda cls, data, parts: table.operators.call(python_hashes.of_tuple, parts)  # noqa: E731
    return trees.fold(trees.flatten(columns)[1], list(map(_hash, numbers)), join)


def _hash(number: Any) -> Any:
    dtype = leaf_spec(number).dtype
    if dtype.kind == "f":
        exact = table.operators.call(np.float64, number)
        return table.operators.call(python_hashes.of_float, exact)
    if dtype == np.uint64:
        number = number % np.uint64(python_hashes.PRIME)
    return table.operators.call(python_hashes.of_integer, table.operators.call(np.int64, number))


KEYED: dict[type | None, Keyed] = {
    dict: Keyed(hash_tables, _code_of),
    set: Keyed(set_tables, _hash_of),
}


def run(name: str, content: Content, *args: Any) -> Any:
    """Return what a function of tables gives for the keys of a dict or set; it is traced once."""
    return traced_once(_run(name, content.keyed), *args, columns_of(keys_of(content)))


def run_alone(name: str, *args: Any) -> Any:
    """Return what a function of tables of sets gives that asks for no item; it is traced once."""
    return traced_once(_run_alone(name), *args)


@cache
def _run_alone(name: str) -> Callable[..., Any]:
    function = getattr(set_tables, name)
    return lambda *args: table.operators.call(
        function, *(own(x) if is_staged(x) else x for x in args)
    )


@cache
def _run(name: str, keyed: type | None) -> Callable[..., Any]:
    return partial(KEYED[keyed].run, name)


def has_order(content: Content) -> bool:
    """Tell whether the order of a set follows from its table."""
    return content.keyed is set and content.table is not None and orders(content.kind)


def orders(kind: ItemKind) -> bool:
    """Tell whether sets of items of a kind have tables that their order follows from."""
    as_tuple: Any = tuple.__hash__
    if not _is_hashed(kind):
        return False
    return all(x is None or x[0].__hash__ is as_tuple for x in slots_of(kind)[1].entries)


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
