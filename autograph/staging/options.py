"""Lists, dicts and objects that an option of a choice is made of when it is used.

A choice keeps what its options are made of, so each use makes their containers anew. Nobody can
tell, unless one of them is written: then the function is traced again, and the join that made the
choice keeps the containers themselves; see `references`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.staging.context import region_now, trace_now
from autograph.staging.copies import (
    HELD,
    LISTS,
    STORED,
    Copies,
    TryAgain,
    followed,
    in_a_store,
    join_of,
    snapshot,
)
from autograph.staging.region import is_absent
from runtime import default_graph, trees
from runtime.errors import absence_error
from runtime.graph.location import Location
from runtime.tree_nodes import containers
from runtime.union import Choice, Missing, choices_in, is_numeric, objects_of, values_of

Use = Callable[[Any], Any]


def tell_joins(location: Location | None, name: str, value: Any) -> None:
    """Tell the choices in what a variable holds after a join where they were made."""
    trace = trace_now()
    if trace is None or not trace.choices:
        return
    for choice in choices_in(value):
        how = LISTS if all(map(_are_lists_of_numbers, values_of(choice))) else HELD
        join = join_of(location, name, how)
        object.__setattr__(choice, "_join", join)
        if any(_made_for(choice, value) for value in values_of(choice)):
            trace.joins.append(join)


def _made_for(choice: Choice, option: Any) -> list[Any]:
    """Return the containers of an option but those of objects that it stands for."""
    known = {id(part) for x in objects_of(choice) for part in containers(x)}
    return [x for x in containers(option) if id(x) not in known]


def _are_lists_of_numbers(value: Any) -> bool:
    is_one = type(value) in (list, tuple)  # a tuple may grow from round to round, too
    are_lists = is_one and all(type(x) is list for x in containers(value))
    return are_lists and all(map(is_numeric, trees.flatten(value)[0]))


def join_sets(location: Location | None, name: str, values: Sequence[Any]) -> None:
    """Raise TryAgain for what is one of too many sets, to join them by their numbers in a store."""
    trace, join = trace_now(), join_of(location, name, STORED)
    options = [
        x for value in values for x in (values_of(value) if type(value) is Choice else [value])
    ]
    are_sets = all(type(x) is set or is_absent(x) for x in options)
    if trace is not None and are_sets and join not in trace.tries:
        raise TryAgain(join)


def uses(choice: Choice, use: Use) -> list[Callable[[], Any]]:
    """Return functions that use the options of a choice, one each."""
    name = choice._join.name if choice._join is not None else "x"
    found = _Uses(choice)

    def arm(option: Named) -> Callable[[], Any]:
        return lambda: use(found.checked(option.value))

    return [arm(Named(name, value)) for value in values_of(choice)]


class Named:
    """A value that is no variable's, and what messages call it.

    Args:
        name: of the variable that may hold it.
        value: what it is.
    """

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value


class _Uses:
    """The uses of the options of a choice."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice

    def checked(self, option: Any) -> Any:
        """Return an option; UnboundLocalError or AttributeError when it is that there is none.

        What was made for it is remembered, and whether it was written is asked later.
        """
        if isinstance(option, Missing):
            raise absence_error(option.name)
        region, join = region_now(), self._choice._join
        made = _made_for(self._choice, option)
        if region is not None and made and join is not None:
            region.copies.append(Copies(join, snapshot(*made), True))
        return option


def follow(choice: Choice) -> None:
    """Raise TryAgain when a choice is written, and its containers can be kept."""
    builder = default_graph.current()
    if builder is not None and choice._join is not None:
        raise followed(builder, choice._join)


def follow_lists(choice: Choice, grows: bool = False) -> None:
    """Raise TryAgain when a choice is one of several lists of numbers, not yet joined as one.

    Args:
        choice: what it may be.
        grows: whether it becomes longer, as tuples may, too, which are taken one by one else.
    """
    trace, join = trace_now(), choice._join
    if trace is None or join is None or join.how != LISTS:
        return
    if not grows and any(type(x) is tuple for x in values_of(choice)):
        return
    if join not in trace.tries:
        raise TryAgain(join)


def store_containers(choice: Choice) -> None:
    """Raise TryAgain when a choice is one of containers that can be joined by their numbers."""
    builder, join = default_graph.current(), choice._join
    if builder is not None and join is not None:
        error = in_a_store(builder, join, list(values_of(choice)))
        if isinstance(error, TryAgain):
            raise error
