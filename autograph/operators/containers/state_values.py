"""Variables that hold staged lists, in the state of a branch or loop.

A variable that holds one list on one way, and another one on another, holds a list of its own
afterwards: the graph chooses between their contents. Nobody can tell, where nothing else holds one
of the lists; anything else would see what is done to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

from autograph.operators.containers.columns import widened
from autograph.operators.containers.handles import Handle, StoredIn, is_inner
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.staged_containers import (
    STAGED,
    Content,
    StagedList,
    empty_like,
    joined_kind,
    kind_of,
    lists_now,
    one_store,
    staged_list,
)
from autograph.operators.containers.storage import admit, content_of, fresh, promote
from autograph.operators.containers.stored_objects import (
    home_of,
    store_named,
    with_handles,
    with_objects,
)
from autograph.staging.context import region_now, trace_of
from autograph.staging.copies import (
    HELD,
    LISTS,
    RETURNED,
    ById,
    Copies,
    Join,
    Taken,
    TryAgain,
    Values,
    error_of,
    holds_for_tracing,
    join_of,
    snapshot_of,
)
from autograph.staging.options import follow_lists
from autograph.staging.references import is_shared
from autograph.staging.unify import ALIKE
from runtime import default_graph
from runtime.default_graph import building
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.graph.location import user_location
from runtime.trees import flatten_to, register_tree, unflatten
from runtime.union import Choice, Reference


@holds_for_tracing
class ListValue:
    """A staged list as a value.

    Args:
        content: what it holds.
        staged: the list that holds this, if there is one.
        make: the class of the object, if it is no list.
    """

    __slots__ = ("content", "make", "staged")

    def __init__(
        self, content: Content, staged: StagedList | None = None, make: type = list
    ) -> None:
        self.content = content
        self.staged = staged
        self.make = make

    def __repr__(self) -> str:
        return f"a {self.make.__name__} of {self.content.kind}"

    def object(self, name: str) -> Any:
        """Return an object that holds it."""
        if self.staged is not None and self.staged.content is self.content:
            return self.staged.python
        kind, length, buffers, _, table = self.content
        found = fresh(name, kind, buffers, length, self.make, table)
        region = region_now()
        assert region is not None
        region.made = ById({**region.made, id(found): found})
        return found


register_tree(
    ListValue,
    lambda value: ((value.content,), value.make),
    lambda make, parts: ListValue(parts[0], None, make),
    lambda make: [""],
)


def _all_lists(values: Sequence[Any], builders: Sequence[Builder]) -> Sequence[Any]:
    """Return lists as values; MutationError when they are joined with anything else."""
    found = []
    for x, builder in zip(values, builders, strict=True):
        if type(x) is Choice:
            follow_lists(x)
        with building(builder):
            value = value_of_option(x)
        if type(value) is not ListValue:
            raise MutationError(
                f"one of the values that are joined here is a list whose items are known only when "
                f"the graph runs, another one is {x!r}. Write an empty list, or keep beside it "
                "whether there is one"
            )
        found.append(value)
    return found


def _of_one_kind(values: Sequence[Any], builders: Sequence[Builder]) -> Sequence[Any]:
    """Return what lists hold as items of one kind."""
    kind = reduce(partial(joined_kind, "list joined here"), [x.kind for x in values])
    found = []
    for x, builder in zip(values, builders, strict=True):
        with building(builder):
            found.append(widened(x, kind))
    return found


ALIKE[ListValue] = _all_lists
ALIKE[Content] = _of_one_kind


def _value_of(staged: StagedList) -> Any:
    if staged.home is not None:
        return staged.home
    return ListValue(staged.content, staged, type(staged.python))


def value_of_list(value: Any) -> Any:
    """Return a staged list as a value; anything else as it is."""
    value = stored(value)
    staged = staged_list(value)
    return value if staged is None else _value_of(staged)


def value_of_option(value: Any) -> Any:
    """Return one of several values, of which one is a staged list, as a value."""
    if type(value) is not list or staged_list(value) is not None:
        return value_of_list(value)
    kinds = [kind_of("list 'result'", item) for item in value]
    return ListValue(
        content_of(reduce(partial(joined_kind, "list 'result'"), kinds, NOTHING), value)
    )


def list_of_value(value: Any) -> Any:
    """Return what a branch returned: a list for a list as a value."""
    return value.object("result") if type(value) is ListValue else with_objects(value)


STORED = "lists are items of a store"


def stored(value: Any) -> Any:
    """Return what an arm returns, with handles for the lists that are in stores."""
    builder = default_graph.current()
    if builder is None:
        return value
    if type(value) in STAGED:
        admit_if_stored(builder, RETURNED, value)
    return with_handles(value)


def _as_handles(values: Sequence[Any], builders: Sequence[Builder]) -> Sequence[Any]:
    """Return containers of a store; TryAgain when not all are known to be in one."""
    handles = [x for x in values if type(x) is Handle]
    reduce(one_store, [x.store for x in handles])
    if len(handles) == len(values):
        return values
    key = StoredIn(_join(RETURNED, STORED), handles[0].store.name)
    if key in trace_of(builders[0]).tries or not all(map(_is_list, values)):
        other = next(x for x in values if type(x) is not Handle)
        raise MutationError(
            f"one of the values that are joined here is {handles[0]!r} that is an item of another "
            f"list, which staged branches or loops change; another one is {other!r}. Keep beside "
            "it whether there is one, or have a list of that class in its place"
        )
    raise TryAgain(key)


def _is_list(value: Any) -> bool:
    return type(value) in (Handle, ListValue, Reference) or type(value) in STAGED


ALIKE[Handle] = _as_handles


def refer_to_lists(value: Any) -> Any:
    """Return what an operand or an option gives, with references to the staged lists in it."""
    if default_graph.current() is None:
        return value
    value = stored(value)
    leaves, structure = flatten_to(value, lambda x: staged_list(x) is not None)
    if all(staged_list(x) is None for x in leaves):
        return value
    return unflatten(structure, [Reference(x) if staged_list(x) else x for x in leaves])


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
        return self.staged.content is not self.content

    def again(self) -> _CopiedList:
        return _CopiedList(self.staged, self.staged.content)


class JoinedLists:
    """The lists in the state of a branch or loop.

    Args:
        repeats: whether it is a loop.
    """

    def __init__(self, repeats: bool) -> None:
        self._repeats = repeats
        self._copied: dict[str, list[_CopiedList]] = {}

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
        store = _store_of(builder, name)
        if store is not None or (home is not None and before[position] is not values[position]):
            if store is None and home is not None:
                raise TryAgain(StoredIn(_join(name, STORED), home.store.name))
            values[position] = home
            return
        by_value, by_reference = _join(name, LISTS), _join(name, HELD)
        if by_value not in trace_of(builder).tries:
            if _are_other_lists(before[position], values[position]):
                raise TryAgain(by_value)
            return
        if by_reference in trace_of(builder).tries:
            return
        is_copied = is_shared(Values([values[position]]))
        if is_copied and self._repeats:
            raise TryAgain(by_reference)
        lists = lists_now()
        staged = lists.find(values[position]) or promote(lists, values[position], name, ())
        values[position] = _value_of(staged)
        if is_copied:
            self._copied.setdefault(name, []).append(_copied(staged))

    def admit(self, name: str, value: Any) -> None:
        """Make a list one of a store, if the variable may hold several of that."""
        builder = default_graph.current()
        if builder is None or type(value) not in STAGED:
            return
        admit_if_stored(builder, name, value)
        tries = trace_of(builder).tries
        is_by_value = _join(name, LISTS) in tries and _join(name, HELD) not in tries
        if is_by_value and any(map(is_inner, value)):
            promote(lists_now(), value, name, ())  # its items become those of a store

    def note(self, name: str, joined: Any) -> None:
        """Remember what a variable's list was joined of, where something else holds that, too."""
        _note(_join(name, HELD), self._copied.get(name, ()), joined)


class ReturnedLists:
    """The lists that the arms of a branch return, at the line that is run now."""

    def __init__(self) -> None:
        self._join = _join(RETURNED, HELD)
        self._copied: list[Taken] = []

    def value(self, returned: Values) -> Any:
        """Return what an arm returned, the one of some values, as a value that can be joined.

        Raises MutationError when it is a staged list that cannot be followed.
        """
        builder = default_graph.current()
        if builder is None or type(returned[0]) not in STAGED:
            return returned[0]
        is_followed = self._join in trace_of(builder).tries
        is_copied = not is_followed and is_shared(returned)  # nothing else here may hold it
        value = returned[0]
        staged = staged_list(value)
        if is_followed:
            if staged is not None and staged.home is None:
                raise error_of(RETURNED)
            return stored(value)
        found = value_of_list(value)
        if is_copied and type(found) is not Handle:
            self._copied.append(snapshot_of(value) if staged is None else _copied(staged))
        return found

    def joined(self, value: Any) -> Any:
        """Return what the branch returns; what shared lists became one is remembered."""
        found = list_of_value(value)
        _note(self._join, self._copied, found)
        return found


def _copied(staged: StagedList) -> _CopiedList:
    return _CopiedList(staged, staged.content)


def _note(join: Join, sources: Sequence[Taken], joined: Any) -> None:
    """Remember what a list was joined of that something else holds, too."""
    staged, region = staged_list(joined), region_now()
    if region is not None and staged is not None and sources:
        taken = [one.again() for one in (*sources, _copied(staged))]
        region.copies.append(Copies(join, taken, True))


def admit_if_stored(builder: Builder, name: str, value: Any) -> None:
    """Make a list one of a store, if what is joined under a name may be several of that."""
    store = _store_of(builder, name)
    if store is not None:
        admit(value, store_named(lists_now(), store, type(value), empty_like(value)))


def _store_of(builder: Builder, name: str) -> Any:
    """Return the name of the store whose containers a variable may hold here, if it is known."""
    tries = trace_of(builder).tries
    found = [x for x in tries if type(x) is StoredIn]
    join = _join(name, STORED) if found else None
    return next((x.store for x in found if x.join == join), None)


def _join(name: str, how: str) -> Join:
    return join_of(user_location(), name, how)


def _are_other_lists(before: Any, value: Any) -> bool:
    """Tell whether a variable holds another list than before, and one of the two is staged."""
    if before is value or type(before) is not type(value):
        return False
    return bool(staged_list(before) or staged_list(value))
