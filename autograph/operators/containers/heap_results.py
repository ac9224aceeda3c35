"""Objects of the heap in what a function returns: which results of the graph become which object.

An object is made once in a call, so that all that refer to it hold the same; what it holds may
refer to it in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeAlias

from autograph.operators.containers.heap import Heap
from autograph.operators.containers.heap_columns import OF_CLASS, columns_of
from autograph.operators.containers.results import Found, InStore, ListOf, like
from runtime.union import Known

_Made: TypeAlias = "Known | ListOf"
"""How what an attribute may hold is made: it is known, or the one item of a list."""


class ObjectsOf:
    """How the objects of a class are made of results of a graph.

    Args:
        heap: where they are.

    Attributes:
        first: the number of the first of its results.
    """

    def __init__(self, heap: Heap) -> None:
        self.first = 0
        self._cls = heap.cls
        self._fields: list[tuple[str, Sequence[_Made]]] = []

    def describe(self, heap: Heap, store_of: Callable[[Any], InStore]) -> Sequence[Any]:
        """Find out how attributes are made; return the columns, which are results."""
        for name, field, _ in columns_of(heap.stored):
            made = [x if isinstance(x, Known) else like(x, list, store_of) for x in field]
            self._fields.append((name, made))
        return heap.stored.columns

    def make(self, number: int, found: Found) -> Any:
        """Return the object of a number."""
        made = found.made.setdefault(self, {})
        if number not in made:
            instance: Any = object.__new__(self._cls)
            made[number] = instance
            columns = iter(found.results[self.first :])
            for name, kinds in self._fields:
                value = _value(kinds, number, columns, found)
                if value is not OF_CLASS:
                    instance.__dict__[name] = value
        return made[number]

    def make_all(self, numbers: Sequence[int], found: Found) -> list[Any]:
        """Return the objects of some numbers."""
        return [self.make(number, found) for number in numbers]


def _value(kinds: Sequence[_Made], number: int, columns: Any, found: Found) -> Any:
    """Return what an attribute holds, of the next columns."""
    which = int(next(columns)[number]) if len(kinds) > 1 else 0
    counts = [0 if isinstance(x, Known) else x.count - 1 for x in kinds]
    rows = [[x[number : number + 1] for x in islice(columns, count)] for count in counts]
    kind = kinds[which]
    return kind.value if isinstance(kind, Known) else kind.items([1, *rows[which]], found)[0]
