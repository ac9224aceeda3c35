"""Which variables of a staged loop may hold one array, or one from outside, in some round.

Comes in: what a round leaves in the variables. Goes out: the places of the symbols that stand for
them in the next round and after the loop; see `runtime.aliasing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from autograph.staging.context import region_of
from autograph.staging.join import forbid_writing_widened
from autograph.staging.region import Region
from runtime.aliasing import places_of, share
from runtime.array_context import arrays_of
from runtime.graph.builder import Builder
from runtime.tensor import NO_PLACES, Place, Places, Symbol

Key = tuple[int, int]
"""The position of a variable among the names of a state, and of a leaf in it."""


class LoopSharing:
    """What is known so far of the places of a loop's variables.

    Args:
        builder: where the loop is.

    Attributes:
        changing: by id, the arrays from outside that rounds write, if a `try` is around the loop.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._own: dict[Key, Place] = {}
        self._others: dict[Key, Places] = {}
        self.changing: dict[int, Symbol] = {}

    def bind(self, key: Key, symbol: Any, sources: Sequence[Any]) -> None:
        """Tell a symbol of a variable where it may be; `sources` is what was there before."""
        others = self._others.get(key, NO_PLACES)
        own = frozenset([self._place(key)])
        share(symbol, [others, *map(places_of, sources)], own)
        forbid_writing_widened(symbol, sources)

    def _place(self, key: Key) -> Place:
        return self._own.setdefault(key, Place(self._builder))

    def learn(self, region: Region, leaves: Iterable[tuple[Key, Any]]) -> bool:
        """Learn from what a round leaves behind; tell whether that may change what it means."""
        inner: dict[Any, list[Key]] = {}
        new: set[Any] = set()
        for key, leaf in leaves:
            for place in places_of(leaf):
                if place.builder is not None and region.builder.encloses(place.builder):
                    inner.setdefault(place, []).append(key)
                else:
                    new |= self._add(key, place)
        for keys in inner.values():
            for key in keys:
                for other in keys:
                    new |= self._add(key, self._place(other))
        may_differ = not new.isdisjoint(arrays_of(region.builder).written)
        return self._note_writes(region) or may_differ

    def _add(self, key: Key, place: Any) -> Places:
        """Add a place where a variable may be; return it if that is new."""
        known = self._others.get(key, NO_PLACES)
        if place in known or place is self._place(key):
            return NO_PLACES
        self._others[key] = known | {place}
        return frozenset([place])

    def _note_writes(self, region: Region) -> bool:
        """Note what rounds write, which later ones may hand to a handler; tell if that is new."""
        if region_of(self._builder).catcher is None:
            return False
        known = len(self.changing)
        self.changing.update((id(symbol), symbol) for symbol, _ in region.writes)
        return len(self.changing) > known

    def matters_later(self, region: Region) -> bool:
        """Tell whether a round writes what may be read, under another name, in the next one."""
        arrays = arrays_of(region.builder)
        written = arrays.written
        if not arrays.shared_reads.isdisjoint(written):
            return True
        own = set(self._own.values())
        return any(
            writer.joined_places is not None and place not in own
            for place, writers in written.items()
            for writer, *_ in writers.values()
        )
