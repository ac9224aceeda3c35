"""Staged lists in what a function returns: which results of the graph become which list.

before, the list object holds markers           after, the list is one leaf
[*]                                             *
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograph.operators.containers.staged_containers import (
    NOTHING,
    ItemKind,
    StagedList,
    empty_like,
    fill,
)
from runtime import trees
from runtime.results import as_result
from runtime.tensor import Tensor


@dataclass(frozen=True, slots=True)
class ListOf:
    """How a list is made of results of a graph: its length, and an array for each leaf of an item.

    Args:
        kind: what the items are.
        empty: makes an empty one, if it is no list.
        known: keys or items that were known while tracing, which are given back themselves.
    """

    kind: ItemKind
    empty: Callable[[], Any] = list
    known: tuple[Any, ...] = ()

    @property
    def count(self) -> int:
        """How many results it is made of."""
        return 1 + len(self.kind.specs)

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
        if self.kind == NOTHING:
            return []
        length = int(results[0])
        columns = [
            _items(buffer[:length], spec, as_tensors)
            for buffer, spec in zip(results[1:], self.kind.specs, strict=True)
        ]
        if self.kind.structure == trees.LEAF:
            return columns[0]
        rows = zip(*columns, strict=True) if columns else [()] * length
        return [trees.unflatten(self.kind.structure, row) for row in rows]


def list_of(staged: StagedList) -> ListOf:
    """Return how a staged list is made of its length and its buffers."""
    kind = staged.kind
    if kind != NOTHING:
        kind = kind._replace(structure=as_result(kind.structure))
    return ListOf(kind, empty_like(staged.python), staged.known)


def _items(rows: Any, spec: Any, as_tensors: bool) -> list[Any]:
    if spec.weak:
        return list(rows.tolist())
    found = list(rows) if spec.shape == () else [row.copy() for row in rows]
    return [Tensor(item) for item in found] if as_tensors else found
