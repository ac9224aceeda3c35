"""Which variables of a staged loop may hold one array, or one from outside, in some round.

Comes in: what a round leaves in the variables. Goes out: the places of the symbols that stand for
them in the next round and after the loop; see `runtime.aliasing`.

Each variable has a place of its own, which is named anew from round to round: what a round hands
from `v` to `u` is where `u` is in the next one. So two variables are in one place only if they
began so, or if some round hands one array to both.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from autograph.staging.context import region_of
from autograph.staging.join import forbid_writing
from autograph.staging.region import Region
from runtime.aliasing import JoinedPlace, meet, meeting, places_of, share, sources_of
from runtime.array_context import arrays_of
from runtime.graph.builder import Builder
from runtime.tensor import NO_PLACES, Places, Symbol

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
        self._own: dict[Key, JoinedPlace] = {}
        self._before: dict[Key, Places] = {}
        self._after: Mapping[Key, Places] = {}
        self.changing: dict[int, Symbol] = {}

    def begin(self, held: Mapping[Key, Sequence[Any]]) -> None:
        """Tell what the variables hold before the loop, if anything."""
        for key, sources in held.items():
            places = NO_PLACES.union(*map(places_of, sources))
            if self._before.get(key, places) != places:  # the variable has another structure now
                del self._own[key]
            self._before[key] = places
            self._place(key).sources |= places
        self._mark_alike(self._before)

    def bind(self, key: Key, symbol: Any, sources: Sequence[Any]) -> None:
        """Tell a symbol of a variable where it may be; `sources` is what was there before."""
        own = self._place(key)
        share(symbol, [frozenset(own.sources)])
        if symbol.joined_places is not None:
            symbol.joined_places = frozenset([own])
        forbid_writing(symbol, sources)

    def _place(self, key: Key) -> JoinedPlace:
        if key not in self._own:
            self._own[key] = JoinedPlace(self._builder, self)
        return self._own[key]

    def learn(self, region: Region, leaves: Iterable[tuple[Key, Any]]) -> bool:
        """Learn from what a round leaves behind; tell whether that may change what it means."""
        self._after = after = {key: places_of(leaf) for key, leaf in leaves}
        is_new = False
        while self._hand_on(region.builder, after) | self._mark_alike(after):
            is_new = True  # what one variable may be, others may be a round later
        may_differ = is_new and bool(arrays_of(region.builder).written)
        return self._note_writes(region) or may_differ

    def _hand_on(self, inner: Builder, after: Mapping[Key, Places]) -> bool:
        """Note which places from outside a round leaves in the variables; tell if one is new."""
        is_new = False
        for key, places in after.items():
            sources = self._place(key).sources
            known = len(sources)
            for place in sources_of(places, inner):
                if type(place) is JoinedPlace and place.join is self:
                    sources |= place.sources
                elif place.builder is None or not inner.encloses(place.builder):
                    sources.add(place)
            is_new |= len(sources) > known
        return is_new

    def _mark_alike(self, held: Mapping[Key, Places]) -> bool:
        """Note which variables hold one array, if they hold what is given; tell if that is new."""
        is_new = False
        for a, b in meeting(held):
            one, other = self._place(a), self._place(b)
            is_new |= other not in one.alike
            one.alike.add(other)
            other.alike.add(one)
        return is_new

    def forget(self, position: int) -> None:
        """Forget what was learned of the leaves of a variable."""
        for known in (self._own, self._before):
            for key in [key for key in known if key[0] == position]:
                del known[key]

    def is_exposed(self, key: Key) -> bool:
        """Tell whether a variable may hold an argument."""
        return self._place(key).is_exposed

    def circle(self, first: Key, passing: Container[Key]) -> Sequence[Key] | None:
        """Return the variables that a round hands on what they hold, in turn, if it does so.

        Args:
            first: the variable to begin with.
            passing: variables that hold nothing where a round begins.
        """
        keys = [first]
        while True:
            given = frozenset([self._place(keys[-1])])
            (taker, *others) = [
                key for key, places in self._after.items() if given <= places and key not in passing
            ] or (None,)
            if taker is None or others or self._after[taker] != given:
                return None
            if taker == first:
                break
            keys.append(taker)
        own = {self._place(key) for key in keys}
        return keys if all(place.alike & own == {place} for place in own) else None

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
        if meet(arrays.shared_reads, arrays.written):
            return True
        return any(
            writer.joined_places is not None
            for writers in arrays.written.values()
            for writer, *_ in writers.values()
        )
