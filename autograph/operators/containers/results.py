"""Staged lists in what a function returns: which results of the graph become which list.

before, the list object holds markers           after, the list is one leaf
[*]                                             *

A list that is an item of others is made once in a call, so that all of them hold the same object.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from autograph.operators.containers.handles import Handle
from autograph.operators.containers.item_kinds import NOTHING, ItemKind, by_class, specs_of
from autograph.operators.containers.makers import EMPTY_LIST, EMPTY_TUPLE, empty_like
from autograph.operators.containers.staged_containers import StagedList, fill
from autograph.operators.containers.stores import Store
from autograph.operators.containers.variants import Variant
from autograph.operators.heap.heap_objects import is_on_heap, place_of
from autograph.operators.keyed.key_codes import has_order
from autograph.operators.keyed.set_layout import restore
from autograph.staging.classed_number import ClassedNumber, NumberKind
from runtime import trees
from runtime.deferred_results import as_result
from runtime.number_union import NONE_SPEC
from runtime.signature import Output
from runtime.spec import TensorSpec
from runtime.tensor import Tensor
from runtime.union import Known

Place: TypeAlias = "TensorSpec | NumberOf | VariantOf | InStore"
"""What stands at one place of each item."""

SPARSE = 4
"""Items of containers are made together where at most so many times as many lie between them."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """How a list is made of results of a graph: its length, and an array for each leaf of an item.

    Args:
        slots: what stands at each place of an item.
        structure: what an item is around them; None where there never was one.
        empty: makes an empty one.
        has_table: whether there is the table of a set behind the arrays.
    """

    slots: Sequence[Place]
    structure: Any
    empty: Callable[[], Any] = EMPTY_LIST
    has_table: bool = False

    @property
    def count(self) -> int:
        """How many results it is made of."""
        return 1 + sum(map(_width, self.slots)) + self.has_table

    def make(self, results: Sequence[Any], first: int, found: Found) -> Any:
        """Return the list, or what it is, of what the graph returned for it.

        Args:
            results: what the graph returned.
            first: the number of its first result.
            found: what was made of them before.
        """
        own = results[first : first + self.count]
        return self.filled(self.items(own, found), own[-1] if self.has_table else None)

    def filled(self, items: list[Any], table: Any = None) -> Any:
        """Return a list that holds items, or what it is."""
        if self.empty is EMPTY_LIST:
            return items
        if self.empty == EMPTY_TUPLE:
            return tuple(items)
        made = self.empty()
        self.fill(made, items, table)
        return made

    def fill(self, made: Any, items: Any, table: Any = None) -> None:
        """Have a list hold items; a set also has a table."""
        if isinstance(made, dict):
            items = dict(items)
        if table is None:
            fill(made, items)
        else:
            restore(made, items, table)

    def items(self, results: Sequence[Any], found: Found) -> list[Any]:
        """Return the items, of the length and the columns."""
        if self.structure is None:
            return []
        length = int(results[0])
        if self.structure == trees.LEAF and isinstance(self.slots[0], TensorSpec):
            return _items(results[1][:length], self.slots[0], found.as_tensors)
        buffers = (buffer[:length] for buffer in results[1:])
        columns = [
            _of_slot(slot, list(islice(buffers, _width(slot))), found) for slot in self.slots
        ]
        return trees.unflatten_rows(self.structure, columns, length)

    @property
    def has_containers(self) -> bool:
        """Whether an item has containers of a store inside."""
        return any(
            isinstance(slot, InStore)
            or (type(slot) is VariantOf and any(map(_has_containers, slot.made)))
            for slot in self.slots
        )


def _has_containers(made: ListOf | Known) -> bool:
    return isinstance(made, ListOf) and made.has_containers


@dataclass(frozen=True, slots=True)
class VariantOf:
    """How parts of items that are of several kinds are made of the columns of these.

    Args:
        made: for each kind the value, if it is known, or how a list of such parts is made.
    """

    made: Sequence[Known | ListOf]

    @property
    def counts(self) -> list[int]:
        """How many columns each kind has."""
        return [x.count - 1 if isinstance(x, ListOf) else 0 for x in self.made]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return 1 + sum(self.counts)

    def parts(self, columns: Sequence[Any], found: Found) -> list[Any]:
        """Return the part of each item."""
        which, rest = columns[0], iter(columns[1:])
        parts = np.empty(len(which), object)
        for k, (made, count) in enumerate(zip(self.made, self.counts, strict=True)):
            rows, places = list(islice(rest, count)), np.flatnonzero(which == k)
            if isinstance(made, Known):
                values = [made.value] * len(places)
            else:
                values = made.items([len(places), *(x[places] for x in rows)], found)
            for place, value in zip(places.tolist(), values, strict=True):
                parts[place] = value
        return list(parts)


@dataclass(frozen=True, slots=True)
class NumberOf:
    """How numbers of several classes are made of columns.

    Args:
        classes: what they are, each with the number of the column where its numbers stand.
        width: how many columns there are; the second one tells which class each is of.
    """

    classes: Sequence[tuple[TensorSpec, int]]
    width: int

    def parts(self, columns: Sequence[Any], found: Found) -> list[Any]:
        """Return the number of each item, of the class that it is."""
        made = [
            _items(columns[k].astype(spec.dtype), spec, found.as_tensors)
            if spec != NONE_SPEC
            else [None] * len(columns[k])
            for spec, k in self.classes
        ]
        return [made[which][k] for k, which in enumerate(columns[1].tolist())]


def number_of(kind: NumberKind) -> NumberOf:
    """Return how numbers of several classes are made."""
    width = len(specs_of(kind))
    return NumberOf(tuple(by_class(kind, range(width)).items()), width)


class InStore(ABC):
    """How what is in a store is made of results of a graph."""

    @abstractmethod
    def make(self, number: int, found: Found) -> Any:
        """Return what has a number."""

    @abstractmethod
    def make_all(self, numbers: Sequence[int], found: Found) -> list[Any]:
        """Return what has these numbers."""


class StoreOf(InStore):
    """How the containers of a store are made of results of a graph.

    Attributes:
        first: the number of the first of its results.
        like: how each of them is made.
        tables: how their tables are made, if they are sets that have an order.
        callers: which results are the numbers of containers of the caller, and which these are.
    """

    def __init__(self) -> None:
        self.first = 0
        self.like = ListOf([], None)
        self.tables: StoreOf | None = None
        self.callers: list[tuple[int, Output]] = []

    def describe(self, store: Store, store_of: Callable[[Any], InStore]) -> None:
        """Say how the containers of a store are made, and those of the stores of their items."""
        self.like = like(store.kind, store.make, store_of)
        if store.has_order:
            self.tables = store_of(store.tables)  # type: ignore[assignment]

    def make(self, number: int, found: Found) -> Any:
        """Return the container of a number."""
        made = self._made(found)
        if number not in made and self.like.empty == EMPTY_TUPLE:
            made[number] = self.like.filled(self.items(number, found))
        if number not in made:
            made[number] = self.like.empty()
            self.like.fill(made[number], self.items(number, found), self.table(number, found))
        return made[number]

    def make_all(self, numbers: Sequence[int], found: Found) -> list[Any]:
        """Return the containers of some numbers; what all of them hold is made together."""
        if self.tables is not None:
            return [self.make(number, found) for number in numbers]
        made, (starts, lengths, *columns) = self._made(found), self._parts(found)
        firsts, sizes = starts[numbers], lengths[numbers]
        begin, end = (int(firsts.min()), int((firsts + sizes).max())) if numbers else (0, 0)
        if self.like.has_containers or end - begin > SPARSE * int(sizes.sum()):
            return [self.make(number, found) for number in numbers]
        rows = self.like.items([end - begin, *(column[begin:end] for column in columns)], found)
        for number, first, size in zip(
            numbers, (firsts - begin).tolist(), sizes.tolist(), strict=True
        ):
            if number not in made:
                made[number] = self.like.filled(rows[first : first + size])
        return [made[number] for number in numbers]

    def _made(self, found: Found) -> dict[int, Any]:
        """Return the containers that there are in a call, by their numbers."""
        if self not in found.made:
            given = found.results, found.arrays, found.objects, found.as_tensors
            found.made[self] = {int(found.results[k]): x.leaf(*given) for k, x in self.callers}
        return found.made[self]  # type: ignore[no-any-return]

    def _parts(self, found: Found) -> Sequence[Any]:
        return found.results[self.first : self.first + 1 + self.like.count]

    def items(self, number: int, found: Found) -> list[Any]:
        """Return what the container of a number holds."""
        return self.like.items(self._rows(number, found), found)

    def table(self, number: int, found: Found) -> Any:
        """Return the table of the set of a number; None of what has none."""
        return None if self.tables is None else self.tables._rows(number, found)[1]

    def _rows(self, number: int, found: Found) -> list[Any]:
        """Return how many items a container has, and their rows in each column."""
        starts, lengths, *columns = self._parts(found)
        start, length = starts[number], lengths[number]
        return [length, *(column[start : start + length] for column in columns)]


@dataclass(frozen=True, slots=True)
class StoredOf:
    """How a container of a store is made of results of a graph: of its number.

    Args:
        store: how those of the store are made.
        is_changed: whether what is asked for is what it holds, to be put into the caller's object.
    """

    store: InStore
    is_changed: bool = False
    count: int = 1

    def make(self, results: Sequence[Any], first: int, found: Found) -> Any:
        """Return the container, or a new one with what it holds."""
        number = int(results[first])
        if not (self.is_changed and isinstance(self.store, StoreOf)):
            return self.store.make(number, found)
        items, table = self.store.items(number, found), self.store.table(number, found)
        return self.store.like.filled(items, table)


class Found:
    """What is made of the results of one run of a graph.

    Args:
        results: what the graph returned.
        objects: the caller's.
        as_tensors: whether arrays are given as `Tensor`s.
        arrays: the tensor arguments.
    """

    __slots__ = ("arrays", "as_tensors", "made", "objects", "results")

    def __init__(
        self,
        results: Sequence[Any],
        objects: Sequence[Any],
        as_tensors: bool,
        arrays: Sequence[Any] = (),
    ) -> None:
        self.results = results
        self.objects = objects
        self.as_tensors = as_tensors
        self.arrays = arrays
        self.made: dict[Any, Any] = {}


def list_of(staged: StagedList, store_of: Callable[[Any], InStore]) -> ListOf:
    """Return how a staged list is made of its length and its buffers.

    Args:
        staged: the list.
        store_of: returns how the containers of a store are made.
    """
    found = like(staged.kind, empty_like(staged.python), store_of)
    return replace(found, has_table=has_order(staged.content))


def parts_of(staged: StagedList) -> list[Any]:
    """Return the results that a staged list is made of."""
    content = staged.content
    table = [content.table] if has_order(content) else []
    return [content.length, *content.buffers, *table]


def like(kind: ItemKind, empty: Callable[[], Any], store_of: Callable[[Any], InStore]) -> ListOf:
    """Return how a list of items of a kind is made."""
    if kind == NOTHING:
        return ListOf([], None, empty)
    item = trees.unflatten(kind.structure, kind.specs)
    parts, structure = trees.flatten_to(item, lambda x: type(x) in _PARTS or is_on_heap(x))
    return ListOf([_place(x, store_of) for x in parts], as_result(structure), empty)


_PARTS = (ClassedNumber, Variant, Handle)


def _place(part: Any, store_of: Callable[[Any], InStore]) -> Place:
    """Return how what stands at one place of each item is made."""
    if type(part) is Handle:
        return store_of(part.store)
    if is_on_heap(part):
        return store_of(place_of(part)[0])
    if type(part) is Variant:
        kinds = part.kind.kinds
        return VariantOf(
            [x if isinstance(x, Known) else like(x, EMPTY_LIST, store_of) for x in kinds]
        )
    return number_of(part.kind) if type(part) is ClassedNumber else part


def _width(slot: Place) -> int:
    """Return how many columns there are for one place of an item."""
    return 1 if isinstance(slot, TensorSpec | InStore) else slot.width


def _of_slot(slot: Place, rows: Sequence[Any], found: Found) -> list[Any]:
    """Return what stands at one place of each item, of the class that it is."""
    if isinstance(slot, TensorSpec):
        return _items(rows[0], slot, found.as_tensors)
    if isinstance(slot, InStore):
        return slot.make_all(rows[0].tolist(), found)
    return slot.parts(rows, found)


def _items(rows: Any, spec: Any, as_tensors: bool) -> list[Any]:
    if spec.weak:
        return rows.tolist()  # type: ignore[no-any-return]
    found = list(rows) if spec.shape == () else [row.copy() for row in rows]
    return [Tensor(item) for item in found] if as_tensors else found
