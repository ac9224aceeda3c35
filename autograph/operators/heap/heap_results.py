"""Objects of the heap in what a function returns: which results of the graph become which object.

An object is made once in a call, so that all that refer to it hold the same; what it holds may
refer to it in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from autograph.operators.containers.makers import EMPTY_LIST
from autograph.operators.containers.results import Found, InStore, ListOf, like
from autograph.operators.heap.heap import Heap
from autograph.operators.heap.heap_columns import ABSENT, columns_of


class ObjectsOf(InStore):
    """How the objects of a class are made of results of a graph.

    Args:
        heap: where they are.

    Attributes:
        first: the number of the first of its results.
    """

    def __init__(self, heap: Heap) -> None:
        self.first = 0
        self._cls = heap.cls
        self._fields: list[tuple[str, ListOf]] = []

    def describe(self, heap: Heap, store_of: Callable[[Any], InStore]) -> Sequence[Any]:
        """Find out how attributes are made; return the columns, which are results."""
        for name, kind, _ in columns_of(heap.stored):
            self._fields.append((name, like(kind, EMPTY_LIST, store_of)))
        return heap.stored.columns

    def make(self, number: int, found: Found) -> Any:
        """Return the object of a number."""
        made = found.made.setdefault(self, {})
        if number not in made:
            instance: Any = object.__new__(self._cls)
            made[number] = instance
            columns = iter(found.results[self.first :])
            for name, made_of in self._fields:
                row = [x[number : number + 1] for x in islice(columns, made_of.count - 1)]
                value = made_of.items([1, *row], found)[0]
                if value is not ABSENT:
                    object.__setattr__(instance, name, value)
        return made[number]

    def make_all(self, numbers: Sequence[int], found: Found) -> list[Any]:
        """Return the objects of some numbers."""
        return [self.make(number, found) for number in numbers]
