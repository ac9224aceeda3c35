"""The lists that arms and rounds return, by themselves or in tuples.

What is returned is joined by what it holds: the list that comes out is one of its own. Where that
could be told, since one of them is written later and something else holds one, the function is
traced again, and there the lists are containers of a store, so that what comes out is the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograph.operators.containers.handles import StoredIn
from autograph.operators.containers.makers import empty_like
from autograph.operators.containers.staged_containers import (
    STAGED,
    Content,
    StagedList,
    staged_list,
)
from autograph.operators.containers.stored_joins import (
    admit_if_stored,
    join_now,
    store_of,
    stored,
)
from autograph.operators.lists.list_values import (
    is_container,
    list_of_value,
    value_of_list,
    value_of_nested,
    value_of_option,
)
from autograph.staging.context import region_now, trace_of
from autograph.staging.copies import (
    HELD,
    RETURNED,
    SHARED,
    STORED,
    Copies,
    Join,
    Taken,
    TryAgain,
    Values,
    holds_for_tracing,
    snapshot_of,
)
from autograph.staging.references import shared_in
from runtime import default_graph
from runtime.graph.builder import Builder
from runtime.tree_nodes import taken_apart
from runtime.trees import flatten_to, unflatten
from runtime.union import Choice, values_of


@holds_for_tracing
class _CopiedList(NamedTuple):
    """A staged list that is joined with others by what it holds, and what that is."""

    staged: StagedList
    content: Content

    @property
    def container(self) -> Any:
        return self.staged.python

    @property
    def was_written(self) -> bool:
        return self.staged.held is not self.content

    def again(self) -> _CopiedList:
        return _CopiedList(self.staged, self.staged.held)


class ReturnedLists:
    """The lists that the arms of a branch, or the rounds of a loop, return at the line that is run.

    Args:
        name: of the variable that is returned, if it is one.
    """

    def __init__(self, name: str = RETURNED) -> None:
        self._name = name
        self._joins = [join_now(name, how) for how in (HELD, SHARED)]
        self._copied: list[Taken] = []

    def value(self, returned: Values) -> Any:
        """Return what an arm returned, the one of some values, as a value that can be joined.

        Raises TryAgain where the lists have to be containers of a store.
        """
        builder, value = default_graph.current(), returned[0]
        if builder is None:
            return value
        if type(value) is Choice:
            found = value_of_option(value)
            if found is not value:
                self._note_options(value)
            return found
        if type(value) not in STAGED and not isinstance(value, tuple):
            return value
        leaves, structure = flatten_to(value, _is_joined)
        lists = Values(filter(is_container, leaves))
        if not lists:
            return value
        parts = [self._part(builder, k, x) for k, x in enumerate(leaves)]
        if not self._is_followed(builder):
            self._note(returned, lists)
        return unflatten(structure, parts)

    def _is_followed(self, builder: Builder) -> bool:
        return any(join in trace_of(builder).tries for join in self._joins)

    def _part(self, builder: Builder, position: int, x: Any) -> Any:
        """Return a part of what is returned, a container as one of a store if it has to be."""
        if not is_container(x):
            return x
        store = self._store(builder, position, x)
        if store is None:
            staged = staged_list(x)
            if staged is None and (nested := value_of_nested(x)) is not None:
                return nested
            is_stored = staged is not None and staged.home is not None
            if is_stored or not self._is_followed(builder):
                return value_of_list(x)
            where = f"returned {self._joins[0].place[-1:]}"
            join = join_now(self._part_name(position), STORED)
            raise TryAgain(StoredIn(join, (empty_like(x).label, where)))
        return stored(x, store)

    def _part_name(self, position: int) -> str:
        return f"{self._name} ({position})"

    def _store(self, builder: Builder, position: int, x: Any) -> str | None:
        """Return the name under which a part is in a store; None if it is in none."""
        make = empty_like(x)
        for name in (self._part_name(position), RETURNED):
            if (store_of(builder, name, make) or " ")[0] == make.label:
                return name
        return None

    def admit(self, value: Any) -> None:
        """Make the containers of what is returned some of a store, where they have to be."""
        builder = default_graph.current()
        if builder is None or not (type(value) in STAGED or isinstance(value, tuple)):
            return
        for position, x in enumerate(flatten_to(value, _is_joined)[0]):
            if is_container(x) and (store := self._store(builder, position, x)) is not None:
                admit_if_stored(builder, store, x)

    def _note(self, returned: Values, lists: Values) -> None:
        """Remember which lists something else holds, too; of known ones in tuples it is assumed."""
        staged = list(map(staged_list, lists))
        is_known = not any(staged) and isinstance(returned[0], tuple)
        shared = frozenset(map(id, lists)) if is_known else shared_in(returned)
        for x, one in zip(lists, staged, strict=True):
            if id(x) in shared and one is not None and one.home is None:
                self._copied.append(copied_list(one))
            elif id(x) in shared and one is None and taken_apart(x) is not None:
                self._copied.append(snapshot_of(x))

    def _note_options(self, choice: Choice) -> None:
        """Remember the lists in options that something else may hold: no join has made them."""
        region = region_now()
        made = region.made if region is not None else ()
        for value in values_of(choice):
            for x in flatten_to(value, is_container)[0]:
                staged = staged_list(x)
                if staged is not None and staged.home is None and id(x) not in made:
                    self._copied.append(copied_list(staged))

    def joined(self, value: Any) -> Any:
        """Return what the branch returns; what shared lists became one is remembered."""
        found = list_of_value(value)
        self.note(found)
        return found

    def note(self, joined: Any) -> None:
        """Remember what shared lists became what is returned."""
        note_copied(self._joins[0], self._copied, joined)


def _is_joined(value: Any) -> bool:
    """Tell whether a value is joined as one: a container, but no known dict of containers."""
    if type(value) is not dict or staged_list(value) is not None:
        return is_container(value)
    return not any(map(is_container, value.values()))


def copied_list(staged: StagedList) -> _CopiedList:
    """Return a staged list that takes part in a join, and what it holds then."""
    return _CopiedList(staged, staged.held)


def note_copied(join: Join, sources: Sequence[Taken], joined: Any) -> None:
    """Remember what lists were joined of that something else holds, too."""
    region = region_now()
    if region is None or not sources:
        return
    leaves = flatten_to(joined, is_container)[0]
    made = [copied_list(x) for leaf in leaves if (x := staged_list(leaf)) is not None]
    if made:
        taken = [one.again() for one in (*sources, *made)]
        region.copies.append(Copies(join, taken, True))
