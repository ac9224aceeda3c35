"""Staged lists in what a function returns: which results of the graph become which list.

before, the list object holds markers           after, the list is one leaf
[*]                                             *
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from autograph.operators.containers.item_kinds import (
    NOTHING,
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
from runtime.spec import TensorSpec
from runtime.tensor import Tensor


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

    def make(self, results: Sequence[Any], as_tensors: bool) -> Any:
        """Return the list, or what it is, of what the graph returned for it."""
        items: Any = self._items(results, as_tensors)
        known = {key: key for key in self.known}
        made = self.empty()
        if isinstance(made, dict):
            items = {known.get(key, key): value for key, value in items}
        elif isinstance(made, set):
            items = [known.get(item, item) for item in items]
        fill(made, items)
        return made

    def _items(self, results: Sequence[Any], as_tensors: bool) -> list[Any]:
        if self.structure is None:
            return []
        length = int(results[0])
        buffers = (buffer[:length] for buffer in results[1:])
        columns = [
            _of_slot(slot, list(islice(buffers, len(specs_of(slot)))), as_tensors)
            for slot in self.slots
        ]
        if self.structure == trees.LEAF:
            return columns[0]
        rows = zip(*columns, strict=True) if columns else [()] * length
        return [trees.unflatten(self.structure, row) for row in rows]


def list_of(staged: StagedList) -> ListOf:
    """Return how a staged list is made of its length and its buffers."""
    slots, structure = ([], None) if staged.kind == NOTHING else slots_of(staged.kind)
    made = structure and as_result(structure)
    return ListOf(slots, made, empty_like(staged.python), staged.known)


def _of_slot(slot: Slot, rows: Sequence[Any], as_tensors: bool) -> list[Any]:
    """Return what stands at one place of each item, of the class that it is."""
    if isinstance(slot, TensorSpec):
        return _items(rows[0], slot, as_tensors)
    columns = [
        _items(column.astype(spec.dtype), spec, as_tensors)
        for spec, column in by_class(slot, rows).items()
    ]
    return [columns[which][k] for k, which in enumerate(rows[1].tolist())]


def _items(rows: Any, spec: Any, as_tensors: bool) -> list[Any]:
    if spec.weak:
        return list(rows.tolist())
    found = list(rows) if spec.shape == () else [row.copy() for row in rows]
    return [Tensor(item) for item in found] if as_tensors else found
