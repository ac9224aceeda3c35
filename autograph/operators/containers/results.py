"""Staged lists in what a function returns: which results of the graph become which list.

before, the list object holds markers           after, the list is one leaf
[*]                                             *

A list that is an item of others is made once in a call, so that all of them hold the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

from autograph.operators.containers.handles import Handle
from autograph.operators.containers.heap_objects import is_heap_class
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    Slot,
    by_class,
    slots_of,
    specs_of,
)
from autograph.operators.containers.staged_containers import (
    StagedList,
    empty_like,
    fill,
)
from runtime import trees
from runtime.deferred_results import as_result
from runtime.errors import MutationError
from runtime.number_union import NONE_SPEC
from runtime.spec import TensorSpec
from runtime.tensor import Tensor, is_staged
from runtime.union import Choice, Reference

SPARSE = 4
"""Items of containers are made together where at most so many times as many lie between them."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """How a list is made of results of a graph: its length, and an array for each leaf of an item.

    Args:
        slots: what stands at each place of an item.
        structure: what an item is around them; None where there never was one.
        empty: makes an empty one, if it is no list.
        known: keys or items that were known while tracing, which are given back themselves.
    """

    slots: Sequence[Slot]
    structure: Any
    empty: Callable[[], Any] = list
    known: tuple[Any, ...] = ()

    @property
    def count(self) -> int:
        """How many results it is made of."""
        return 1 + sum(len(specs_of(slot)) for slot in self.slots)

    def make(self, results: Sequence[Any], first: int, found: Found) -> Any:
        """Return the list, or what it is, of what the graph returned for it.

        Args:
            results: what the graph returned.
            first: the number of its first result.
            found: what was made of them before.
        """
        return self.filled(self.items(results[first : first + self.count], found))

    def filled(self, items: list[Any]) -> Any:
        """Return a list that holds items, or what it is."""
        if self.empty is list:
            return items
        made = self.empty()
        self.fill(made, items)
        return made

    def fill(self, made: Any, items: Any) -> None:
        """Have a list hold items."""
        known = {key: key for key in self.known}
        if isinstance(made, dict):
            items = {known.get(key, key): value for key, value in items} if known else dict(items)
        elif isinstance(made, set):
            items = [known.get(item, item) for item in items] if known else items
        fill(made, items)

    def items(self, results: Sequence[Any], found: Found) -> list[Any]:
        """Return the items, of the length and the columns."""
        if self.structure is None:
            return []
        length = int(results[0])
        buffers = (buffer[:length] for buffer in results[1:])
        columns = [
            _of_slot(slot, list(islice(buffers, len(specs_of(slot)))), found.as_tensors)
            for slot in self.slots
        ]
        first = self.structure.entries[0]
        if first is not None and first[0] is Number:
            return first[1].make_all(columns[0], found)  # type: ignore[no-any-return]
        rows = trees.unflatten_rows(self.structure, columns, length)
        return list(map(found.of_store, rows)) if self.has_containers else rows

    @property
    def has_containers(self) -> bool:
        """Whether an item has containers of a store inside."""
        entries = () if self.structure is None else self.structure.entries
        return any(entry is not None and entry[0] is Number for entry in entries)


class InStore(Protocol):
    """How what is in a store is made of results of a graph."""

    def make(self, number: int, found: Found) -> Any:
        """Return what has a number."""

    def make_all(self, numbers: Sequence[int], found: Found) -> list[Any]:
        """Return what has these numbers."""


class StoreOf:
    """How the containers of a store are made of results of a graph.

    Attributes:
        first: the number of the first of its results.
        like: how each of them is made.
        callers: which results are the numbers of objects of the caller, and which these are.
    """

    def __init__(self) -> None:
        self.first = 0
        self.like = ListOf([], None)
        self.callers: list[tuple[int, int]] = []

    def make(self, number: int, found: Found) -> Any:
        """Return the container of a number."""
        made = self._made(found)
        if number not in made:
            made[number] = self.like.empty()
            self.like.fill(made[number], self.items(number, found))
        return made[number]

    def make_all(self, numbers: Sequence[int], found: Found) -> list[Any]:
        """Return the containers of some numbers; what all of them hold is made together."""
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
            callers = {int(found.results[k]): found.objects[which] for k, which in self.callers}
            found.made[self] = callers
        return found.made[self]  # type: ignore[no-any-return]

    def _parts(self, found: Found) -> Sequence[Any]:
        return found.results[self.first : self.first + 1 + self.like.count]

    def items(self, number: int, found: Found) -> list[Any]:
        """Return what the container of a number holds."""
        starts, lengths, *columns = self._parts(found)
        start, length = starts[number], lengths[number]
        rows = [column[start : start + length] for column in columns]
        return self.like.items([length, *rows], found)


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
        return self.store.like.filled(self.store.items(number, found))


@dataclass(frozen=True, slots=True)
class Number:
    """A container of a store, as a part of an item: of what store, and its number there."""

    store: InStore
    number: int


def _take_number(x: Number) -> Any:
    return (x.number,), x.store


trees.register_tree(Number, _take_number, lambda store, parts: Number(store, int(parts[0])))


class Found:
    """What is made of the results of one run of a graph.

    Args:
        results: what the graph returned.
        objects: the caller's.
        as_tensors: whether arrays are given as `Tensor`s.
    """

    __slots__ = ("as_tensors", "made", "objects", "results")

    def __init__(self, results: Sequence[Any], objects: Sequence[Any], as_tensors: bool) -> None:
        self.results = results
        self.objects = objects
        self.as_tensors = as_tensors
        self.made: dict[Any, Any] = {}

    def of_store(self, item: Any) -> Any:
        """Return an item with containers in the places of their numbers."""
        return trees.map_tree(
            lambda x: x.store.make(x.number, self) if type(x) is Number else x,
            item,
            lambda x: type(x) is Number,
        )


def list_of(staged: StagedList, store_of: Callable[[Any], InStore]) -> ListOf:
    """Return how a staged list is made of its length and its buffers.

    Args:
        staged: the list.
        store_of: returns how the containers of a store are made.
    """
    empty = empty_like(staged.python)
    return replace(like(staged.kind, empty, store_of), known=staged.known)


def like(kind: ItemKind, empty: Callable[[], Any], store_of: Callable[[Any], InStore]) -> ListOf:
    """Return how a list of items of a kind is made."""
    if kind == NOTHING:
        return ListOf([], None, empty)
    slots, structure = slots_of(kind)
    _refuse_staged_options(structure)

    def numbered(entry: trees.Entry) -> trees.Entry:
        if entry is None or not (entry[0] is Handle or is_heap_class(entry[0])):
            return entry
        return Number, store_of(entry[1]), entry[2]

    made = trees.Structure(tuple(map(numbered, as_result(structure).entries)))
    return ListOf(slots, made, empty)


def _refuse_staged_options(structure: trees.Structure) -> None:
    """Raise MutationError for an item that is one of several lists with staged values in them.

    Such a list stands for itself, and is of no use to who called the function.
    """
    choices = [entry[1] for entry in structure.entries if entry is not None and entry[0] is Choice]
    known = (leaf for options in choices for option in options for _, leaf in option.known)
    for leaf in known:
        target = leaf.value.target if isinstance(leaf.value, Reference) else leaf.value
        if any(map(is_staged, trees.flatten(target)[0])):
            raise MutationError(
                "a list is returned, or left in an argument, whose items are each one of several "
                "lists with staged values in them, and a staged branch or loop decides which. "
                "Append copies of them: list(x), or x.copy()"
            )


def _of_slot(slot: Slot, rows: Sequence[Any], as_tensors: bool) -> list[Any]:
    """Return what stands at one place of each item, of the class that it is."""
    if isinstance(slot, TensorSpec):
        return _items(rows[0], slot, as_tensors)
    columns = [
        _items(column.astype(spec.dtype), spec, as_tensors)
        if spec != NONE_SPEC
        else [None] * len(column)
        for spec, column in by_class(slot, rows).items()
    ]
    return [columns[which][k] for k, which in enumerate(rows[1].tolist())]


def _items(rows: Any, spec: Any, as_tensors: bool) -> list[Any]:
    if spec.weak:
        return list(rows.tolist())
    found = list(rows) if spec.shape == () else [row.copy() for row in rows]
    return [Tensor(item) for item in found] if as_tensors else found
