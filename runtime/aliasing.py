"""Which arrays may be one array, and whether one was written through another.

An array has a *place*, its memory. A symbol that was joined, from the arms of a branch or the
rounds of a loop, holds a value of its own in the graph, while in NumPy it is one of several arrays:
it may be in any of their places. As long as none of those is written nobody can tell the
difference. Once one is, what the others hold cannot be told while tracing, and reading them is an
error.

What one join gives may come from the same places and yet be apart, as in `u, v = v, u`: each result
has a `JoinedPlace`, which stands for one of its sources; see `meet`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import combinations, count
from typing import Any, TypeVar

import numpy as np

from runtime.array_context import OutsideArrays, arrays_of
from runtime.errors import MutationError, StagedValueError
from runtime.graph.builder import Builder
from runtime.tensor import NO_PLACES, Places, Symbol, Tensor, root_of

K = TypeVar("K", bound=Hashable)

_CLOCK = count(1)

EXPOSED = (
    "this array is an argument of the function, or a new array, depending on a staged condition; "
    "whether writing it changes the caller's array is known only when the graph runs. "
    "Write x = x.copy() first"
)
STALE = (
    "an array was written that may be this array, or share its memory, depending on a staged "
    "condition or loop; what this one holds now is known only when the graph runs. Write .copy() "
    "where the one is assigned to the other"
)


UNKNOWN_MEMORY = (
    "whether two arrays are one array, or share memory, is known only when the graph runs: one of "
    "them depends on a staged condition, is a view, or is from outside of the function. Compare "
    "what they hold (np.array_equal), or pass the answer to the function"
)


class AliasError(MutationError):
    """Which of several arrays one is matters, and the trace joined what they hold."""


class StaleError(AliasError):
    """An array was read that may have been written through another symbol, `writer`."""

    def __init__(self, writer: Symbol) -> None:
        super().__init__(STALE)
        self.writer = writer


class _Foreign:
    """Where arrays are that were not made by this trace."""

    builder = None
    is_exposed = True


FOREIGN: Places = frozenset([_Foreign()])


class JoinedPlace:
    """The memory of one of the results of a join, which is that of one of its sources.

    Args:
        builder: where the result is.
        join: what all results of one join have in common.
        sources: the places where it may be, all older than the join.

    Attributes:
        alike: the places of the same join that may be the same memory; others are not.
    """

    __slots__ = ("alike", "builder", "join", "owner", "serial", "sources")

    def __init__(self, builder: Builder, join: object, sources: Iterable[Any] = ()) -> None:
        self.builder = builder
        self.join = join
        self.sources = set(sources)
        self.alike: set[JoinedPlace] = {self}
        self.owner = None
        self.serial = tick()

    @property
    def is_exposed(self) -> bool:
        """Whether it may be the memory of an argument."""
        return any(place.is_exposed for place in self.sources)


def tick() -> int:
    """Return the next time on the clock of writes."""
    return next(_CLOCK)


def places_of(leaf: Any) -> Places:
    """Return where an array may be: nowhere for numbers."""
    if isinstance(leaf, np.ndarray) or (type(leaf) is Tensor and leaf.array.ndim):
        return FOREIGN
    is_array = type(leaf) is Symbol and (leaf.spec.shape != () or leaf.is_cell)
    return root_of(leaf).places if is_array else NO_PLACES


def meet(some: Iterable[Any], others: Iterable[Any]) -> bool:
    """Tell whether two arrays may be in the same memory, given the places of both."""
    open_pairs = [(one, other) for one in some for other in others]
    seen = set(open_pairs)
    while open_pairs:
        one, other = open_pairs.pop()
        if one is other:
            return True
        if type(one) is not JoinedPlace or _is_older(one, other):
            one, other = other, one
        if type(one) is not JoinedPlace:
            continue
        if type(other) is JoinedPlace and other.join is one.join:
            if other in one.alike:
                return True
            continue
        found = {(source, other) for source in one.sources} - seen
        seen |= found
        open_pairs += found
    return False


def _is_older(one: JoinedPlace, other: Any) -> bool:
    """Tell whether a place may be a source of another one."""
    return type(other) is JoinedPlace and one.serial < other.serial


def sources_of(places: Iterable[Any], within: Builder | None = None) -> Places:
    """Return places, with all that those may be which were joined: within a region, if any."""
    found: set[Any] = set()
    remaining = list(places)
    while remaining:
        place = remaining.pop()
        is_new = place not in found
        found.add(place)
        is_joined = is_new and type(place) is JoinedPlace
        if is_joined and (within is None or within.encloses(place.builder)):
            remaining += place.sources
    return frozenset(found)


def meeting(held: Mapping[K, Places]) -> Iterator[tuple[K, K]]:
    """Yield the pairs of names of arrays that may be in the same memory, given their places.

    What came from outside of the trace is never written, so it is left out.
    """
    names: dict[Any, list[K]] = {}
    for name, places in held.items():
        for place in sources_of(places) - FOREIGN:
            names.setdefault(place, []).append(name)
    pairs = (pair for row in names.values() if len(row) > 1 for pair in combinations(row, 2))
    yield from (pair for pair in dict.fromkeys(pairs) if meet(held[pair[0]], held[pair[1]]))


def are_apart(builder: Builder, one: Any, other: Any) -> bool:
    """Tell whether two arrays share no memory, whatever the graph does; it notes what it relies on.

    Arguments share none in the graph that is built; calls with arguments that do have another.

    Raises:
        StagedValueError: one is an argument, the other an array from outside of the function.
    """
    places = places_of(one), places_of(other)
    if meet(*places):
        return False
    if all(any(place.is_exposed for place in some) for some in places):
        if FOREIGN in places:
            raise StagedValueError(UNKNOWN_MEMORY)
        builder.context(OutsideArrays).are_apart = True
    return True


def is_joined(leaf: Any) -> bool:
    """Tell whether a leaf is, or is a view of, an array that may be one of several."""
    return type(leaf) is Symbol and root_of(leaf).joined_places is not None


def share(symbol: Symbol, sources: Iterable[Places], own: Places = NO_PLACES) -> None:
    """Let a joined symbol be in any of some places, as they are now, or in one of its own."""
    places = NO_PLACES.union(*sources)
    is_array = bool(places) and not symbol.spec.weak
    symbol.is_cell = is_array and symbol.spec.shape == ()
    if symbol.spec.shape != () or places:
        symbol.joined_places = places | own
        symbol.born = tick()


def check_exposed(root: Symbol) -> None:
    """Raise MutationError when a written array may or may not be the caller's."""
    if root.joined_places is not None and any(place.is_exposed for place in root.joined_places):
        raise AliasError(EXPOSED)


def note_write(builder: Builder, root: Symbol, places: Places | None = None) -> None:
    """Record that an array is written; in some of the places where it may be, if these are given.

    Whether the caller may see it is checked at once, but for what a round of a loop begins with,
    which may turn out to be one array in all rounds.
    """
    if not root.begins_round and places is None:
        check_exposed(root)
    time, written = tick(), arrays_of(builder).written
    for place in root.places if places is None else places:
        written.setdefault(place, {})[id(root)] = (root, time, builder)


def check_current(builder: Builder, root: Symbol) -> None:
    """Raise MutationError when an array may have been written through another symbol."""
    if root.joined_places is None and root.own_place is None:
        return
    around: Builder | None = builder
    while around is not None:
        arrays = arrays_of(around)
        if root.joined_places is not None and around is not root.builder:
            arrays.shared_reads.update(root.joined_places)
        for place, writers in arrays.written.items():
            for write in writers.values():
                if _concerns(root, *write) and meet(root.places, (place,)):
                    raise StaleError(write[0])
        around = around.parent


def _concerns(root: Symbol, writer: Symbol, time: int, builder: Builder) -> bool:
    """Tell whether a write may have changed an array that a symbol stands for.

    What is to be returned is never written later but under the condition that it is not returned.
    """
    if writer is root or time <= root.born:
        return False
    if writer.family is not None and writer.family is root.family:
        return False
    return not root.is_guarded or (builder is root.builder and not root.begins_round)


def commit_writes(builder: Builder, region: Builder) -> None:
    """Count what was written in a region as written in the graph around it."""
    written = arrays_of(builder).written
    for place, writers in arrays_of(region).written.items():
        written.setdefault(place, {}).update(writers)
