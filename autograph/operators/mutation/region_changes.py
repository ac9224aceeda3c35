"""What an arm or a body that was traced has changed, by its journal.

Comes in: the journal, and the closures and the state of the statement. Goes out: variables,
attributes and items that were assigned and are no part of the state, lists of another length, and
messages about what cannot be followed; all of it undone, if that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.containers.generator_restarts import GeneratorsNeeded
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.staged_containers import (
    STAGED,
    StagedList,
    fill,
    lists_now,
    staged_list,
    what_is,
)
from autograph.operators.containers.storage import items_of
from autograph.operators.containers.stores import Store
from autograph.operators.control_flow.state import State
from autograph.operators.control_flow.variables import Attribute, CellVariable, Held, Item
from autograph.operators.heap.stored_objects import content_of
from autograph.operators.iteration.iterator_state import (
    is_iterator,
    needed_of,
    put_back,
    was_taken_from,
)
from autograph.operators.mutation.callee_writes import AssignedElsewhere, Doubt, Grown
from autograph.operators.mutation.change_messages import message, taken, written_array
from autograph.operators.mutation.journal import (
    CONTAINERS,
    Entry,
    Journal,
    Slot,
    changed_attributes,
    has_other_items,
    is_same,
)
from autograph.operators.mutation.reachable_objects import (
    CACHED,
    Reached,
    parts_of,
    reachable,
    uncached,
)
from autograph.operators.mutation.recorded_calls import variables_assigned_by
from autograph.staging.context import trace_of
from autograph.staging.copies import Values, holds_for_tracing
from autograph.staging.region import UNDEFINED, Field
from runtime import default_graph
from runtime.errors import MutationError
from runtime.graph.location import Location

NEAR = 64
"""Among so many objects near the variables of a closure one is looked for, to give it a name."""


@holds_for_tracing
class Change(NamedTuple):
    """A list that changes its length: its name, the list, what it has become, and held then.

    If it has become an item of another one, there is its store, too.
    """

    name: str
    python: Any
    staged: StagedList | None
    items: Values
    store: Store | None = None


class Changes:
    """What an arm or a body has changed.

    Attributes:
        slots: variables, attributes and items that are no part of the state, and were assigned.
        grown: lists of another length.
        refused: messages about what cannot be followed.
        doubts: objects of which it is not known whether they were made in there.
        generators: what identifies the user's that gave items in there, and are not staged yet.
        place: where an object was written first.

    Args:
        is_undone: whether everything gets back what it held before.
    """

    def __init__(self, is_undone: bool = False) -> None:
        self._is_undone = is_undone
        self.slots: list[Slot] = []
        self.grown: list[Change] = []
        self.refused: list[str] = []
        self.doubts: list[Doubt] = []
        self.generators: list[Any] = []
        self.place: Location | None = None

    @property
    def size(self) -> int:
        return len(self.slots) + len(self.grown) + len(self.refused)

    def assign(self, slot: Slot) -> None:
        """Add a variable."""
        self.slots.append(slot)
        if self._is_undone:
            slot.variable.write(slot.before)

    def undo(self, step: Callable[[], object]) -> None:
        """Give a container or an array back what it held."""
        if self._is_undone:
            step()

    def check(self) -> None:
        """Raise what has the statement staged with more state, or a refusal."""
        if self.generators:
            raise GeneratorsNeeded(self.generators)
        if self.doubts:
            raise AssignedElsewhere((), doubts=self.doubts)
        if self.refused:
            raise MutationError(self.refused[0])
        if self.slots or self.grown:
            raise AssignedElsewhere(
                self.slots, [_grown(*one) for one in self.grown], place=self.place
            )


class Region:
    """An arm or a body that is traced: what its journal says that it has changed.

    Args:
        function: the arm or body.
        journal: of its writes.
        places: the closures whose variables it sees.
        state: the variables that it may assign.
    """

    def __init__(
        self, function: Callable[..., Any], journal: Journal, places: Sequence[Any], state: State
    ) -> None:
        self._code = getattr(function, "__code__", function)
        self.journal = journal
        self.state = state
        self._around = {id(x): Reached(name, x) for name, x in held_by(places)}
        self._near: dict[int, Reached] | None = None
        self._contents = list(contents(journal))
        for closure in closures(places):
            journal.record_variables(variables_assigned_by(closure))
        self._known = len(journal.slots)
        journal.region = self

    def begins_with(self, staged: Any) -> bool:
        """Tell whether a staged container was one when the region began, and is no item."""
        is_alone = isinstance(staged, StagedList) and staged.home is None
        return is_alone and any(staged is slot.variable.owner for slot in self._contents)

    def was_there(self, container: Any) -> bool:
        """Tell whether it is known that a container was there when the region began."""
        if self.journal.is_born(container):
            return False
        return id(container) in self._around or self._found(container) is not None

    def undo(self) -> Changes:
        """Undo what was changed and is no part of the state, the last first; return it."""
        found = Changes(is_undone=True)
        self.find(self.state, found)
        return found

    def find(self, state: State, found: Changes) -> None:
        """Find what was changed and is no part of a state, the last first."""
        for entry in reversed(list(self.journal.entries.values())):
            if (self._code, entry.number) not in self.state.inner:
                self._find_entry(entry, state, found)
        for number, slot in enumerate(self.journal.slots.values()):
            key = self._code, "variable", number
            if self._find_variable(slot, key, state, found) and number >= self._known:
                self._check_cell(slot, key, found)
        for slot in self._contents_now():
            if not self._find_stored(slot.variable, slot.before, found):
                self._find_variable(slot, None, state, found)

    def changed_contents(self) -> list[Slot]:
        """Return what containers hold that is no part of the state, and was changed."""
        found = Changes()
        for slot in self._contents_now():
            if not _is_stored(slot.variable.owner):
                self._find_variable(slot, None, self.state, found)
        return found.slots

    def _contents_now(self) -> list[Slot]:
        """Return what containers held when the region began, and stores that are new."""
        known = {slot.variable.key for slot in self._contents}
        new = (Slot(repr(x), Field(x, "stored"), x.unused) for x in stores_now())
        return [*self._contents, *(slot for slot in new if slot.variable.key not in known)]

    def _find_stored(self, variable: Any, before: Any, found: Changes) -> bool:
        """Find a list that was put into another one: it is in a store from the beginning."""
        staged = variable.owner
        if not _is_stored(staged):
            return False
        found.grown.append(Change(staged.name, staged.python, staged, Values(), staged.home.store))
        found.undo(partial(variable.write, before))
        return True

    def _find_variable(self, slot: Slot, number: Any, state: State, found: Changes) -> bool:
        is_own = slot.variable.key in state.keys or number in self.state.inner
        is_changed = not is_own and slot.variable.read() is not slot.before
        if is_changed:
            found.assign(slot)
        return is_changed

    def _check_cell(self, slot: Slot, number: Any, found: Changes) -> None:
        """Have the region traced again to tell a variable of a function that it calls."""
        builder = default_graph.current()
        if builder is None or not isinstance(slot.variable, CellVariable):
            return
        cell = slot.variable.cell
        is_known = trace_of(builder).was_there(cell, builder) or self.journal.was_assigned(slot)
        if not is_known:
            found.doubts.append(Doubt(number, cell))

    def _find_entry(self, entry: Entry, state: State, found: Changes) -> None:
        before = found.size
        if isinstance(entry.owner, CONTAINERS):
            self._find_container(entry, state, found)
        elif isinstance(entry.owner, np.ndarray):
            self._find_array(entry, found)
        elif is_iterator(entry.owner):
            if was_taken_from(entry.owner, entry.before):
                self._refuse_taking(entry, found)
                found.undo(partial(put_back, entry.owner, entry.before))
        else:
            self._find_attributes(entry, state, found)
        if found.size > before:
            found.place = entry.place
            self._check_origin(entry, found)

    def check_taking(self, iterator: Any) -> None:
        """Refuse the item that an iterator is about to give, if it was there before.

        Few can be set back, so it is better not to take one.
        """
        if self.was_there(iterator):
            found = Changes()
            self.journal.record(iterator)
            self._refuse_taking(self.journal.entries[id(iterator)], found)
            found.check()

    def _refuse_taking(self, entry: Entry, found: Changes) -> None:
        found.generators += needed_of(entry.owner)
        found.refused.append(taken(self._name(entry), entry.owner))

    def _check_origin(self, entry: Entry, found: Changes) -> None:
        """Have the region traced again to tell an object of its own from one that was there."""
        builder = default_graph.current()
        if builder is None or id(entry.owner) in self._around:
            return
        if trace_of(builder).was_there(entry.owner, builder) or self.journal.was_born(entry.owner):
            return
        if self._found(entry.owner) is not None:
            trace_of(builder).keep(entry.owner, builder.depth)
            return
        found.doubts.append(Doubt((self._code, entry.number), entry.owner))

    def _find_array(self, entry: Entry, found: Changes) -> None:
        """Find what was written into an array of NumPy, which is known while tracing."""
        x, before = entry.owner, entry.before
        if x.tobytes() != before.tobytes():
            found.undo(partial(np.copyto, x, before))
            found.refused.append(written_array(self._name(entry), x))

    def _find_attributes(self, entry: Entry, state: State, found: Changes) -> None:
        x, before = entry.owner, entry.before
        for key in changed_attributes(entry):
            slot = Slot("", Attribute(Held(x), key), before.get(key, UNDEFINED))
            if slot.variable.key not in state.keys:
                found.assign(slot._replace(name=f"{self._name(entry)}.{key}"))

    def _find_container(self, entry: Entry, state: State, found: Changes) -> None:
        now = staged_list(entry.owner)
        if now is not None and entry.staged is None:
            store = None if now.home is None else now.home.store
            found.grown.append(Change(self._name(entry), entry.owner, now, Values(), store))
            found.undo(partial(_drop, now, entry.before))
        elif now is None and not is_same(entry.owner, entry.before):
            self._find_items(entry, state, found)

    def _find_items(self, entry: Entry, state: State, found: Changes) -> None:
        """Find the items of a container that hold something else now."""
        x, before = entry.owner, entry.before
        if has_other_items(x, before) and (type(x) is list or _is_of_numbers("x", x, before)):
            found.grown.append(Change(self._name(entry), x, None, Values(items_of(x))))
            found.undo(partial(fill, x, before))
            return
        has_keys = isinstance(x, dict) and list(x) == list(before)
        if not has_keys and not (isinstance(x, list) and len(x) == len(before)):
            found.refused.append(message(self._name(entry), x))
            found.undo(partial(fill, x, before))
            return
        for key in before if isinstance(x, dict) else range(len(before)):
            slot = Slot("", Item(x, key), before[key])
            if x[key] is not before[key] and slot.variable.key not in state.keys:
                found.assign(slot._replace(name=f"{self._name(entry)}[{key!r}]"))

    def _name(self, entry: Entry) -> str:
        """Return what messages call an object."""
        if id(entry.owner) in self._around:
            return self._around[id(entry.owner)].path
        return entry.name or self._found(entry.owner) or type(entry.owner).__name__

    def _found(self, owner: Any) -> str | None:
        """Return the way to an object near the variables of the closures."""
        if self._near is None:
            near = reachable((), list(self._around.values()), NEAR)
            self._near = {id(one.value): one for one in near}
        one = self._near.get(id(owner))
        return None if one is None or one.value is not owner else one.path


def _is_stored(owner: Any) -> bool:
    return isinstance(owner, StagedList) and owner.home is not None


def held_by(places: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield what the variables of closures hold, with their names."""
    functions = (place for place in places if isinstance(place, FunctionType))
    for function in functions:
        yield from parts_of("", function)


def closures(places: Sequence[Any]) -> list[FunctionType]:
    """Return closures, with those that they may call, in tuples and lists, too."""
    found = [place for place in places if isinstance(place, FunctionType)]
    for function in found:  # it grows
        for _, x in parts_of("", function):
            held = x if type(x) in (tuple, list) else (x,)
            functions = [uncached(f) for f in held if type(f) in _FUNCTIONS]
            found += [f for f in functions if f not in found]
    return found


_FUNCTIONS = (FunctionType, CACHED)


def contents(journal: Journal | None) -> Iterator[Slot]:
    """Yield what the staged lists hold that were there before."""
    for staged in lists_now():
        if journal is None or not journal.is_born(staged.python):
            yield Slot(staged.name, content_of(staged), staged.kept)
    for store in stores_now():
        yield Slot(repr(store), Field(store, "stored"), store.stored)


def stores_now() -> list[Store]:
    """Return the stores of the trace."""
    return [] if default_graph.current() is None else list(lists_now().stores.values())


def _drop(staged: StagedList, items: Any) -> None:
    lists_now().drop(staged, items)


def _grown(
    path: str, python: Any, now: StagedList | None, items: Values, store: Store | None
) -> Grown:
    kinds = [kind_of(what_is(python, path), item) for item in items] if now is None else [now.kind]
    return Grown(path, python, kinds, store)


def _is_of_numbers(path: str, container: Any, before: Any) -> bool:
    """Tell whether a container may be staged."""
    if type(container) not in STAGED:
        return False
    with suppress(MutationError):
        for item in (*items_of(container), *items_of(before)):
            kind_of(path, item)
        return True
    return False
