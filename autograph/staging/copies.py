"""Lists, dicts and dataclass instances that a join copies, and whether anybody can tell.

When the arms of a branch leave two lists in a variable, they are joined item by item, and what the
variable holds afterwards is a list of its own. Nobody can tell, unless it, or one of the two, is
written later. So what took part in a join is looked at again when the region ends. If it was
written, the function is traced once more, and there a container that something else holds, too, is
not copied: the variable becomes a `Choice` between the containers themselves.

Comes in: what a variable holds, and what that was joined of. Goes out: `TryAgain`. What is done in
the second trace is in `references`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence, Set
from typing import Any, NamedTuple, Protocol, TypeVar

from autograph.staging.context import Lasting, region_of, trace_of
from runtime import default_graph, trees
from runtime.errors import MutationError, Noted, StagedValueError
from runtime.graph.builder import Builder
from runtime.graph.location import Location
from runtime.tree_classes import register_tree
from runtime.tree_nodes import containers, taken_apart

T = TypeVar("T", bound=type)


class Join(NamedTuple):
    """What identifies the joins of a variable at a line, from one trace to the next.

    Args:
        how: they are made: `SHARED`, `HELD`, `LISTS` or `STORED`.
        name: of the variable.
        place: the file and the line; empty when they are not known.
    """

    how: str
    name: str
    place: tuple[Any, ...]


SHARED = "shared containers are not copied"
HELD = "no containers are copied"
LISTS = "lists are joined as staged lists"
STORED = "containers are joined by their numbers in a store"


class Restart(Noted):
    """Something has to be known from the beginning: the trace is given up, and begins again."""


class TryAgain(Restart):
    """Something has to be staged in another way from the beginning.

    Args:
        key: what identifies it, for `TraceContext.tries`.

    Attributes:
        keys: that one, and those of what would be found out next.
    """

    def __init__(self, key: Any) -> None:
        super().__init__(key)
        self.keys = {key}


class Values(list[Any]):
    """The values of the variables of a state at one time, as the tracer holds them."""

    __slots__ = ()


register_tree(Values, lambda values: (values, None), lambda _, children: Values(children))

OURS: set[type] = {Values, Lasting}
"""Classes of the tracer's own: what their instances hold is held by nobody else."""

RETURNED = "the value returned"
"""What messages call the value of a branch that is an expression, or returns."""


def holds_for_tracing(cls: T) -> T:
    """Mark a class of the tracer's own: what its instances hold is held by nobody else."""
    OURS.add(cls)
    return cls


@holds_for_tracing
class Items(dict[Any, Any]):
    """What a dict held at one time, as the tracer holds it."""


@holds_for_tracing
class Copied(NamedTuple):
    """A container that takes part in a join, and what it holds then."""

    container: Any
    children: Values
    data: Any

    @property
    def was_written(self) -> bool:
        """Whether it holds something else now."""
        now = taken_apart(self.container)
        try:
            if now is None or now[1] != self.data or len(now[0]) != len(self.children):
                return True
        except StagedValueError:  # a dict that has become one of the graph
            return True
        return any(x is not y for x, y in zip(now[0], self.children, strict=True))

    def again(self) -> Copied:
        """Return the container, and what it holds now."""
        return snapshot_of(self.container)


class Taken(Protocol):
    """A container that takes part in a join, as it was then."""

    @property
    def container(self) -> Any: ...

    @property
    def was_written(self) -> bool: ...

    def again(self) -> Taken:
        """Return it as it is now."""


def snapshot(*values: Any) -> list[Copied]:
    """Return the containers of some values, and what they hold now."""
    return [snapshot_of(x) for x in containers(values)]


def snapshot_of(container: Any) -> Copied:
    """Return a container, and what it holds now."""
    parts = taken_apart(container)
    assert parts is not None
    return Copied(container, Values(parts[0]), parts[1])


def copied(value: Any) -> Any:
    """Return a value whose containers are its own."""
    return trees.map_tree(lambda leaf: leaf, value) if containers(value) else value


@holds_for_tracing
class ById(dict[int, Any]):
    """Containers by their ids, which are theirs as long as they are held."""


class Copies(NamedTuple):
    """The containers that took part in one join of one variable.

    Args:
        join: what identifies it.
        containers: what was joined, and what it became.
        matters: whether anything else holds one of them.
        is_written: whether it is known already that one of them was written.
    """

    join: Join
    containers: Sequence[Taken]
    matters: bool
    is_written: bool = False


def note_copies(
    location: Location | None, name: str, joined: Sequence[Copied], sources: Sequence[Copied]
) -> None:
    """Remember what a variable was joined of, if that copied a container.

    Args:
        location: of the statement.
        name: of the variable.
        joined: the containers that it holds now.
        sources: those that it holds after each arm, or before a loop and after a round.
    """
    builder = default_graph.current()
    if builder is None:
        return
    before = {id(x.container): x for x in sources}
    after = {id(x.container): x for x in joined}
    region = region_of(builder)
    if region.journal is not None:
        for number in after.keys() - before.keys():
            region.journal.bear(after[number].container)
    if not sources:
        return
    join = join_of(location, name)
    unshared = region.trace.unshared.get(join, ())
    copied = before.keys() - after.keys()
    if copied:
        matters = any(number not in unshared for number in copied)
        found = Values({**before, **after}.values())
        region.copies.append(Copies(join, found, matters))


def check_copies(builder: Builder, again: Set[int] = frozenset()) -> None:
    """Raise TryAgain when a container that took part in a join was written later.

    What is written through a copy of a copy is written, too.

    Args:
        builder: of the region.
        again: the containers, by id, that it writes and that it will write again: it is a round.

    Raises:
        MutationError: tracing again does not help.
    """
    region = region_of(builder)
    written = _written(region.copies, again)
    for copies in written:
        if copies.matters:
            raise followed(builder, copies.join, [x.container for x in copies.containers])
    known = set(map(id, written))
    region.copies = [x._replace(is_written=id(x) in known) for x in region.copies]


def followed(builder: Builder, join: Join, joined: Sequence[Any] = ()) -> BaseException:
    """Return what has a join of containers traced again without copying; the error if it is."""
    trace = trace_of(builder)
    if join.how == LISTS and join in trace.tries:  # that did not help
        join = join._replace(how=HELD)
    if join.how != SHARED:  # what it joins may be of earlier joins that copied
        others = (one for one in trace.joins if one not in trace.tries)
        join = join if join not in trace.tries else next(others, join)
    return TryAgain(join) if join not in trace.tries else in_a_store(builder, join, joined)


def in_a_store(builder: Builder, join: Join, joined: Sequence[Any]) -> BaseException:
    """Return what has containers joined by their numbers in a store; the error if they are."""
    by_number = join._replace(how=STORED)
    can_be = bool(joined) and all(type(x) in (list, dict, set, deque) for x in joined)
    is_new = can_be and by_number not in trace_of(builder).tries
    return TryAgain(by_number) if is_new else error_of(join.name)


def adopt_copies(builder: Builder, region: Builder) -> None:
    """Take over the joins of a region that has become a part of what is built."""
    for copies in region_of(region).copies:
        now = (one.again() for one in copies.containers)
        region_of(builder).copies.append(copies._replace(containers=Values(now)))


def refuse_identity(value: Any) -> None:
    """Raise TryAgain when a container is a copy, and it is asked which one it is."""
    builder = default_graph.current()
    while builder is not None:
        for copies in region_of(builder).copies:
            if copies.matters and any(one.container is value for one in copies.containers):
                raise followed(builder, copies.join, [x.container for x in copies.containers])
        builder = builder.parent


def refuse_copy(value: Any, is_callers: Callable[[Any], bool]) -> None:
    """Raise MutationError for a container that the caller gets, and that one of its own may be."""
    builder = default_graph.current()
    assert builder is not None
    for copies in region_of(builder).copies:
        joined = [one.container for one in copies.containers]
        if any(x is value for x in joined) and any(map(is_callers, joined)):
            raise error_of(copies.join.name)


def _written(joins: Sequence[Copies], again: Set[int]) -> list[Copies]:
    """Return the joins of which a container was written, perhaps as part of another join."""
    found: list[Copies] = []
    todo = list(joins)
    known = set(again)
    while True:
        reached = [join for join in todo if _is_written(join, known)]
        if not reached:
            return found
        found += reached
        known.update(id(one.container) for join in reached for one in join.containers)
        todo = [join for join in todo if all(join is not other for other in reached)]


def _is_written(join: Copies, known: set[int]) -> bool:
    if join.is_written:
        return True
    return any(id(one.container) in known or one.was_written for one in join.containers)


def error_of(name: str) -> MutationError:
    """Return the error for a variable whose containers cannot be followed."""
    return MutationError(
        f"{name} is one of several lists, dicts or objects, depending on a staged condition, and "
        "one of them is written afterwards; which one is known only when the graph runs. "
        "Write it in the branches of the condition, or copy it before"
    )


def join_of(location: Location | None, name: str, how: str = SHARED) -> Join:
    """Return what identifies the joins of a variable at a line."""
    return Join(how, name, (location.file, location.line) if location is not None else ())
