"""Variables that hold staged lists, in the state of a branch or loop.

A variable that holds one list on one way, and another one on another, holds a list of its own
afterwards: the graph chooses between their contents. Nobody can tell, where nothing else holds one
of the lists; anything else would see what is done to them.
"""

from __future__ import annotations

from typing import Any

from autograph.operators.containers.handles import StoredIn, is_inner
from autograph.operators.containers.makers import empty_like
from autograph.operators.containers.staged_containers import (
    STAGED,
    holds_staged,
    lists_now,
    staged_list,
)
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import promote
from autograph.operators.containers.stored_joins import (
    admit_if_stored,
    join_now,
    store_of,
)
from autograph.operators.heap.stored_objects import home_of, with_handles
from autograph.operators.lists.list_values import value_of_staged, value_of_tuple
from autograph.operators.lists.returned_lists import (
    ReturnedLists,
    copied_list,
    note_copied,
)
from autograph.staging.context import trace_of
from autograph.staging.copies import HELD, LISTS, STORED, Join, Taken, TryAgain, Values
from autograph.staging.references import is_shared
from autograph.staging.region import is_absent
from runtime import default_graph
from runtime.union import Choice


class JoinedLists:
    """The lists in the state of a branch or loop.

    Args:
        repeats: whether it is a loop.
        is_left: whether it may be left midway.
    """

    def __init__(self, repeats: bool, is_left: bool) -> None:
        self._repeats = repeats
        self._is_left = is_left
        self._copied: dict[str, list[Taken]] = {}
        self._returned: dict[str, ReturnedLists] = {}

    def hold(self, name: str, before: Values, values: Values, position: int) -> None:
        """Put a list as a value in the place of one, if the variable may be assigned another one.

        Args:
            name: of the variable.
            before: what the variables held before the statement.
            values: what they hold now.
            position: of this one among them.

        Raises TryAgain when it is assigned another list, and that is not known yet, or when what is
        done to one of the lists is seen elsewhere.
        """
        builder = default_graph.current()
        if builder is None:
            return
        home = home_of(values[position])
        store = store_of(builder, name, empty_like(values[position]))
        if store is not None or (home is not None and before[position] is not values[position]):
            if store is None and home is not None:
                raise TryAgain(StoredIn(join_now(name, STORED), home.store.name))
            values[position] = home
            return
        by_value, by_reference = join_now(name, LISTS), join_now(name, HELD)
        if by_value not in trace_of(builder).tries:
            if _are_other_lists(before[position], values[position]):
                raise TryAgain(by_value)
            return
        if by_reference in trace_of(builder).tries:
            if not self._is_left and _are_other_lists(before[position], values[position]):
                raise TryAgain(join_now(name, STORED))
            return
        is_mutable = type(values[position]) is not StagedTuple
        is_copied = is_mutable and is_shared(Values([values[position]]))
        if is_copied and self._repeats:
            raise TryAgain(by_reference)
        lists = lists_now()
        staged = lists.find(values[position]) or promote(lists, values[position], name, ())
        values[position] = value_of_staged(staged)
        if is_copied:
            self._copied.setdefault(name, []).append(copied_list(staged))

    def hold_tuple(self, name: str, value: Any) -> Any:
        """Return a tuple as a value, as a staged one where the variable may hold longer ones."""
        builder, value = default_graph.current(), with_handles(value)
        if builder is None or not any(type(x) is Join for x in trace_of(builder).tries):
            return value
        is_staged = join_now(name, LISTS) in trace_of(builder).tries
        return value_of_tuple(value) if is_staged else value

    def returned(self, name: str, value: Values) -> Any:
        """Return what is returned through a variable, the one of some values, as a value."""
        return self._lists_of(name).value(value)

    def admit_returned(self, name: str, value: Any) -> None:
        """Make the containers of what is returned through a variable some of a store, if needed."""
        self._lists_of(name).admit(value)

    def _lists_of(self, name: str) -> ReturnedLists:
        return self._returned.setdefault(name, ReturnedLists(name))

    def admit(self, name: str, value: Any) -> None:
        """Make a list one of a store, if the variable may hold several of that."""
        builder = default_graph.current()
        if builder is None or type(value) not in STAGED:
            return
        admit_if_stored(builder, name, value)
        tries = trace_of(builder).tries
        is_by_value = join_now(name, LISTS) in tries and join_now(name, HELD) not in tries
        if is_by_value and staged_list(value) is None and any(map(is_inner, value)):
            promote(lists_now(), value, name, ())  # its items become those of a store

    def note(self, name: str, variable: Any) -> None:
        """Remember what a variable's list was joined of, where something else holds that, too."""
        if name in self._copied:
            note_copied(join_now(name, HELD), self._copied[name], variable.read())
        if name in self._returned:
            self._returned[name].note(variable.read())


def _are_other_lists(before: Any, value: Any) -> bool:
    """Tell whether a variable holds another list than before, and one of the two is staged."""
    if is_absent(before) or type(before) is Choice:
        return holds_staged(value)
    return before is not value and (holds_staged(before) or holds_staged(value))
