"""States in which containers that something else holds, too, are leaves.

A join of a branch or a loop takes lists, dicts and dataclass instances apart; `copies` finds out
where that could be told. There, a container that is *shared* is read as a `Reference`, so that the
variable becomes a `Choice` between the containers themselves. That it is shared is found by
counting its references: those of the variables and of the tracer are known, any other makes it so.
What is counted decides on a form only: a container that counts as shared without being so is
followed where it could have been copied.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from autograph.staging.context import region_now, trace_of
from autograph.staging.copies import (
    HELD,
    OURS,
    RETURNED,
    SHARED,
    ById,
    Join,
    Values,
    holds_for_tracing,
    in_a_store,
    join_of,
)
from autograph.staging.region import State
from runtime import default_graph, trees
from runtime.graph.builder import Builder
from runtime.graph.location import Location, user_location
from runtime.tensor import Symbol
from runtime.tree_nodes import containers, taken_apart
from runtime.union import Reference, choices_in, objects_of


def referring(state: State) -> State:
    """Return a state in which shared containers are leaves, where copies of them were written."""
    builder = default_graph.current()
    if builder is None or not trace_of(builder).tries:
        return state
    location = user_location()
    needed = [_needed(builder, location, name) for name in (*state.names, RETURNED)]
    return _Referring(state, builder, needed) if any(needed) else state


def _needed(builder: Builder, location: Location | None, name: str) -> Join | None:
    """Return which join of a variable is made with references; None when it copies."""
    joins = (join_of(location, name, how) for how in (HELD, SHARED))
    return next((join for join in joins if join in trace_of(builder).tries), None)


class _Referring:
    """A state that is read with a `Reference` for each container that is shared.

    Args:
        state: where the variables are.
        builder: of the graph around the statement.
        joins: for each variable and for what is returned, its join if that has references.
    """

    def __init__(self, state: State, builder: Builder, joins: Sequence[Join | None]) -> None:
        self.state = state
        self.builder = builder
        self.joins = joins

    @property
    def names(self) -> Sequence[str]:
        return self.state.names

    @property
    def optional(self) -> Sequence[bool]:
        return self.state.optional

    def explain(self, name: str, reason: str) -> None:
        self.state.explain(name, reason)

    def grow(self, before: Values | None) -> None:
        self.state.grow(before)

    def read(self) -> Values:
        values = self.state.read()
        added = [None] * (len(values) + 1 - len(self.joins))
        return self._with_references(values, [*self.joins[:-1], *added], 1)

    def write(self, values: Sequence[Any]) -> None:
        self.state.write(Values(map(resolved, values)))
        for join, value in zip(self.joins, values, strict=False):
            self._check(join, value)

    def received(self, value: Any) -> Any:
        """Return what arms returned, joined."""
        self._check(self.joins[-1], value)
        return value

    def returned(self, value: Any) -> Any:
        """Return what an arm returned."""
        return self._with_references(Values([value]), self.joins[-1:], 0)[0]

    def _check(self, join: Join | None, value: Any) -> None:
        """Raise TryAgain where a container was made in an arm or a round that has ended."""
        held = [x for choice in choices_in(value) for x in objects_of(choice)]
        if join is not None and any(map(_has_ended, containers(held))):
            raise in_a_store(self.builder, join, containers(held))

    def _with_references(
        self, values: Values, joins: Sequence[Join | None], holders: int
    ) -> Values:
        """Replace containers that are held by more than so many variables."""
        meant = Values(x for x, join in zip(values, joins, strict=True) if join is not None)
        shared = _shared(meant, holders)
        for value, join in zip(values, joins, strict=True):
            if join is not None and join.how == HELD:
                shared.update(map(id, containers(value)))
        for position, join in enumerate(joins):
            if join is not None:
                self._remember(join, values[position], shared)
                values[position] = refer(values[position], shared)
        return values

    def _remember(self, join: Join, value: Any, shared: set[int]) -> None:
        region = region_now()
        made = set(region.made) | region.born if region is not None else ()
        unshared = trace_of(self.builder).unshared.setdefault(join, ById())
        for x in containers(value):
            if id(x) not in shared:
                unshared[id(x)] = x
            elif id(x) in unshared or id(x) in made:  # it was copied before, or is of a round
                raise in_a_store(self.builder, join, containers(value))


def _has_ended(container: Any) -> bool:
    """Tell whether a container holds what was made in an arm or a round that has ended."""
    builder = default_graph.current()
    assert builder is not None
    leaves = trees.flatten(container)[0]
    return any(type(x) is Symbol and not x.builder.encloses(builder) for x in leaves)


def refer(value: Any, shared: set[int]) -> Any:
    """Return a value with references in the places of some of its containers."""
    if not any(id(x) in shared for x in containers(value)):
        return value
    leaves, structure = trees.flatten_to(value, lambda x: id(x) in shared)
    return trees.unflatten(structure, [Reference(x) if id(x) in shared else x for x in leaves])


def referred(state: State, returned: Any) -> Any:
    """Return what an arm returned, with references where the state has them."""
    return state.returned(returned) if isinstance(state, _Referring) else returned


def received(state: State, returned: Any) -> Any:
    """Return what arms returned, joined; what stands for containers of their own is refused."""
    return state.received(returned) if isinstance(state, _Referring) else returned


def resolved(value: Any) -> Any:
    """Return a value with containers in the places of the references to them."""
    leaves, structure = trees.flatten(value)
    if not any(type(leaf) is Reference for leaf in leaves):
        return value
    return trees.unflatten(structure, [x.target if type(x) is Reference else x for x in leaves])


def is_shared(values: Values) -> bool:
    """Tell whether something else than one variable holds one of some containers."""
    return bool(shared_in(values))


def shared_in(values: Values) -> set[int]:
    """Return the ids of containers in values that something else holds than one variable."""
    return _shared(values, 1)


@holds_for_tracing
class _Place(NamedTuple):
    """A part of a value, how many holders it may have, and whether what holds it is shared."""

    value: Any
    holders: int
    is_shared: bool = False


def _shared(values: Values, holders: int) -> set[int]:
    """Return the ids of containers that something else holds than the variables and the tracer."""
    shared: set[int] = set()
    level = Values(_Place(value, holders) for value in values)
    while level:
        level = _look_at(level, shared)
    return shared


def _look_at(level: Values, shared: set[int]) -> Values:
    """Add the containers of a level to the shared ones if they are; return what they hold."""
    level = Values(place for place in level if _can_be_shared(place.value))
    counts = _count_holders(level)
    if any(count > place.holders for place, count in zip(level, counts, strict=True)):
        gc.collect()
        counts = _count_holders(level)
    found = Values()
    for place, count in zip(level, counts, strict=True):
        is_shared = place.is_shared or count > place.holders
        if is_shared:
            shared.add(id(place.value))
        children, _ = taken_apart(place.value) or ([], None)
        found.extend(_Place(child, 1, is_shared) for child in children)
    return found


def _can_be_shared(value: Any) -> bool:
    return type(value) is set or taken_apart(value) is not None


def _count_holders(places: Values) -> list[int]:
    """Count the references to the values of places that are none of the tracer's.

    Each search for what holds objects goes through the whole heap: all are looked for at once.
    """
    ours = _references_of_the_tracer([place.value for place in places])
    return [sys.getrefcount(place.value) - ours[id(place.value)] - _UNAVOIDABLE for place in places]


def _references_of_the_tracer(objects: list[Any]) -> Counter[int]:
    """Count the tracer's references to objects.

    A function of its own: what it passes to `gc` refers to them, too, until it returns.
    """
    wanted = set(map(id, objects))
    ours: Counter[int] = Counter()
    for referrer in gc.get_referrers(*objects) if objects else ():
        if type(referrer) in OURS:
            ours.update(id(x) for x in gc.get_referents(referrer) if id(x) in wanted)
    return ours


_UNAVOIDABLE = 0
(_UNAVOIDABLE,) = _count_holders(Values([_Place([], 0)]))
"""References that are there while they are counted."""
