"""The traces of a staged function, by the types of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograph.function.concrete import ConcreteFunction
from autograph.function.tracetype import ObjectType, TensorType, TraceType, admits

Key = tuple[Any, tuple[TraceType, ...]]
FEWEST = 32
MOST_ALIKE = 8
"""How many traces are kept that differ only in what they found outside of the function."""
MOST = 256
"""How many kinds of arguments have traces: those that were asked for last."""


class Cache:
    """Concrete functions by structure and trace types.

    A call is served by the trace for exactly its types, else by the most specific one that admits
    them, if nothing outside that it relies on has changed. Traces for objects that are gone are
    dropped now and then: never more than about half of all are such. Of the others the last are
    kept, so that texts, numbers and sizes that are always new take no memory without end.

    Attributes:
        added: how many traces were ever added.
    """

    def __init__(self) -> None:
        self.added = 0
        self._exact: dict[Key, list[ConcreteFunction]] = {}
        self._last: dict[Key, int] = {}
        self._times = 0
        self._has_dropped = False
        self._full = FEWEST

    def __len__(self) -> int:
        return sum(map(len, self._exact.values()))

    def __iter__(self) -> Iterator[ConcreteFunction]:
        return (concrete for _, concrete in self.items())

    def find(self, structure: Any, types: tuple[TraceType, ...]) -> ConcreteFunction | None:
        """Return the trace that serves arguments of these types, or None."""
        for found in reversed(self._exact.get((structure, types), ())):
            if found.is_current:
                self._asked_for(structure, types)
                return found
        general = [
            concrete
            for (other, key), kept in list(self._exact.items())
            if other == structure and admits(key, types)
            for concrete in kept
            if concrete.is_current
        ]
        best = min(general, key=lambda concrete: _generality(concrete.types), default=None)
        if best is not None:
            self._asked_for(structure, best.types)
        return best

    def _asked_for(self, structure: Any, types: tuple[TraceType, ...]) -> None:
        self._times += 1
        self._last[structure, types] = self._times

    def clear(self) -> None:
        """Drop all traces."""
        self._exact.clear()
        self._has_dropped = True

    def items(self) -> Iterator[tuple[Any, ConcreteFunction]]:
        """Yield the structure of the arguments and the trace, in the order of adding."""
        pairs = [(key[0], concrete) for key, kept in self._exact.items() for concrete in kept]
        return iter(pairs)

    def add(self, structure: Any, concrete: ConcreteFunction) -> bool:
        """Keep a new trace; tell whether others were dropped, which serve no call any more."""
        self.added += 1
        self._asked_for(structure, concrete.types)
        same = self._exact.setdefault((structure, concrete.types), [])
        same.append(concrete)
        del same[:-MOST_ALIKE]
        before = len(self._exact)
        if before >= self._full:
            alive = [key for key in self._exact if _is_alive(key[1])]
            most = MOST if before < MOST else MOST // 2
            last = set(sorted(alive, key=self._last.__getitem__)[-most:])
            self._exact = {key: found for key, found in self._exact.items() if key in last}
            self._last = {key: self._last[key] for key in self._exact}
            self._full = min(MOST, max(FEWEST, 2 * len(self._exact)))
        has_dropped, self._has_dropped = self._has_dropped, False
        return len(self._exact) < before or has_dropped


def _is_alive(types: Sequence[TraceType]) -> bool:
    return all(t.is_alive for t in types if isinstance(t, ObjectType))


def _generality(types: Sequence[TraceType]) -> tuple[int, int]:
    """Count unknown ranks and unknown sizes: fewer is more specific."""
    shapes = [t.spec.shape for t in types if isinstance(t, TensorType)]
    unknown = sum(not isinstance(n, int) for shape in shapes if shape is not None for n in shape)
    return shapes.count(None), unknown
