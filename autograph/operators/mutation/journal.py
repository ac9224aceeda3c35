"""What an arm or a body writes while it is traced: each write in converted code records itself.

Comes in: an object that is about to be written. Goes out: entries, each with what the object held
before. The object as a whole is recorded at its first write: the items of a list, the attributes
of an object, the variables that a function assigns, how far an iterator has come.

Code that is not converted cannot record. What it is given is recorded before it is called, with
all that can be reached from that; see `calls`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograph.operators.containers.staged_containers import STAGED, StagedList, staged_list
from autograph.operators.iteration.iterator_state import (
    is_iterator,
    position,
    put_back,
    sources_of,
)
from autograph.operators.keyed.set_layout import KeptSet
from autograph.operators.mutation.reachable_objects import (
    attributes_of,
    hides_items,
    is_open,
    is_users_class,
)
from autograph.staging.context import (
    innermost_journal_now,
    journal_now,
    region_now,
    region_of,
    trace_now,
)
from autograph.staging.copies import ById, Items, Values, holds_for_tracing
from autograph.staging.region import UNDEFINED
from runtime import default_graph
from runtime.errors import MutationError, StagedValueError
from runtime.graph.builder import Builder
from runtime.graph.location import Location, user_location
from runtime.tensor import Symbol

if TYPE_CHECKING:
    from autograph.operators.mutation.region_changes import Region

CONTAINERS = (list, dict, set, deque, bytearray)
"""Classes whose items are looked at."""

NOTHING: Mapping[int, Any] = {}
_NEVER_WRITTEN = frozenset({Symbol, int, float, bool, complex, str, bytes, tuple, type(None)})


@holds_for_tracing
class Slot(NamedTuple):
    """A variable, what messages call it, and what it held."""

    name: str
    variable: Any
    before: Any


@holds_for_tracing
class Entry(NamedTuple):
    """An object that may have been written.

    Args:
        number: how many were recorded before it.
        name: what messages call it; empty if that is not known.
        owner: the object.
        before: what it held.
        staged: the staged list that it was, if it was one.
        place: where it was written first.
    """

    number: int
    name: str
    owner: Any
    before: Any
    staged: StagedList | None = None
    place: Location | None = None


class Journal:
    """The writes of one arm or body.

    Args:
        around: the journal of the arm or body that it is part of.
        made: containers that were made for it, by id.

    Attributes:
        region: what is changed in the arm or body is found by this; set by who looks at it.
        is_of_region: whether this is an arm or body, of which all that it does has to be known.
    """

    is_of_region = True

    def __init__(self, around: Journal | None, made: Mapping[int, Any] = NOTHING) -> None:
        self.around = around
        self.entries: dict[Any, Entry] = {}
        self.slots: dict[Any, Slot] = {}
        self._born = ById(made)
        self.region: Region | None = None

    def record(self, x: Any, name: str = "") -> None:
        """Record an object that is about to be written."""
        if type(x) in _NEVER_WRITTEN or id(x) in self.entries or id(x) in self._born:
            return
        if isinstance(x, CONTAINERS):
            self._add(x, name, copy_of(x), staged_list(x))
        elif isinstance(x, np.ndarray | np.flatiter):
            self._record_array(x, name)
        elif is_iterator(x):
            self._add(x, name, position(x))
        elif is_open(x) or is_users_class(x) or isinstance(x, ModuleType):
            self._add(x, name, Items(attributes_of(x)))

    def _record_array(self, x: Any, name: str) -> None:
        """Record the array whose memory a view shows."""
        x = memory_of(x)
        if id(x) not in self.entries:
            self._add(x, name, x.copy())

    def _add(self, x: Any, name: str, before: Any, staged: StagedList | None = None) -> None:
        place = user_location()
        self.entries[id(x)] = Entry(len(self.entries), name, x, before, staged, place)

    def record_taking(self, iterator: Any) -> None:
        """Record an iterator that is about to give an item, and those that it draws from.

        Raises:
            MutationError: it was there before the arm or body, which takes none: few iterators
                can be set back.
        """
        self.record(iterator)
        if self.region is not None:
            for x in sources_of(iterator):
                self.region.check_taking(x)

    def record_variables(self, slots: Iterable[Slot]) -> None:
        """Record variables that are about to be assigned."""
        for slot in slots:
            self.slots.setdefault(slot.variable.key, slot)

    def record_place(self, iterator: Any, place: Any) -> None:
        """Record that an iterator is about to go on."""
        if id(iterator) not in self._born:
            name = f"the place of {iterator.name}()"
            self.record_variables([Slot(name, place, place.read())])

    def written(self) -> set[int]:
        """Return the ids of containers and objects that hold something else than before."""
        return {id(x.owner) for x in self.entries.values() if _was_written(x)}

    def settle(self, x: Any, attributes: Mapping[str, Any]) -> None:
        """Let what was written outside of the graph be what an object held from the start."""
        journal: Journal | None = self
        while journal is not None:
            if attributes and id(x) in journal.entries:
                journal.entries[id(x)].before.update(attributes)
            journal = journal.around

    def settle_variable(self, variable: Any, value: Any) -> None:
        """Let a value be what a variable outside held from the start."""
        if variable.key in self.slots:
            self.slots[variable.key] = self.slots[variable.key]._replace(before=value)
        elif hasattr(variable, "owner"):
            self.settle(variable.owner.read(), {variable.name: value})

    def is_born(self, x: Any) -> bool:
        """Tell whether an object was made here."""
        return id(x) in self._born

    def was_born(self, x: Any) -> bool:
        """Tell whether an object was made in an arm or body around this one."""
        journal = self.around
        while journal is not None and not journal.is_born(x):
            journal = journal.around
        return journal is not None

    def close(self) -> None:
        """Hold nothing any more, though builders of regions still hold the journal."""
        for held in (self.entries, self.slots, self._born):
            held.clear()
        self.region = None

    def was_assigned(self, slot: Slot) -> bool:
        """Tell whether a variable was recorded by an arm or body around this one."""
        journal = self.around
        while journal is not None and slot.variable.key not in journal.slots:
            journal = journal.around
        return journal is not None

    def bear(self, x: Any) -> None:
        """Note that an object is made here, so that nobody outside of the arm or body has it."""
        journal: Journal | None = self
        while journal is not None:
            journal._born[id(x)] = x
            journal = journal.around


def memory_of(array: Any) -> Any:
    """Return the array whose memory a view shows; an array of its own as it is."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def copy_of(container: Any) -> Any:
    """Return what a container holds, as the tracer holds it."""
    if isinstance(container, dict):
        return Items(container)
    if type(container) is set:
        return KeptSet(container)
    return Values(container) if isinstance(container, list | deque) else container.copy()


@contextmanager
def journaling(builder: Builder | None) -> Iterator[Journal]:
    """Give what is traced in a `with` block a journal of its own."""
    if builder is None:
        yield Journal(None)
        return
    region = region_of(builder)
    around = region.journal
    region.journal = journal = Journal(around, region.made)
    try:
        yield journal
    finally:
        region.journal, region.born = around, frozenset(journal._born)
        journal.close()


@contextmanager
def trying(message: str) -> Iterator[None]:
    """Run what may be run once, never or often when the graph runs.

    Raises:
        StagedValueError: it writes something.
    """
    with journaling(default_graph.current()) as journal:
        yield
        changed = [x.owner for x in journal.entries.values() if holds_others(x)]
        changed += [x for x in journal.slots.values() if x.variable.read() is not x.before]
        for entry in journal.entries.values() if changed else ():
            if is_iterator(entry.owner):
                put_back(entry.owner, entry.before)
        if changed:
            raise StagedValueError(message)


def written(x: Any, name: str = "") -> Any:
    """Return an object that is about to be written; converted code tells its name."""
    touch(x)
    return recorded(x, name)


def items_written(x: Any) -> Any:
    """Return an object whose items are about to be written.

    Raises:
        MutationError: it is written in an arm or body, and nobody can tell what it held before.
    """
    journal = innermost_journal_now()
    is_of_region = journal is not None and journal.is_of_region and not journal.is_born(x)
    if is_of_region and hides_items(x):
        raise MutationError(
            f"the items of an object of class {type(x).__name__} are written in a staged branch or "
            "loop, and no code of Python's can look at them all to undo that. Use a list or an "
            "array of NumPy's"
        )
    return written(x)


def touch(x: Any) -> None:
    """Note that an object may be written, which may be the caller's, or in a store with those."""
    trace = trace_now()
    if trace is None or not trace.callers:
        return
    number, staged = trace.callers.get(id(x)), staged_list(x)
    if staged is not None and staged.home is not None:
        trace.touched_stores.add(staged.home.store)
    if number is not None or type(x) not in STAGED:
        trace.touched.add(number)


def recorded(x: Any, name: str = "") -> Any:
    """Return an object that is about to hold something else, if only for the trace.

    Args:
        x: the object.
        name: what messages call it.
    """
    journal = innermost_journal_now()
    if journal is not None:
        journal.record(x, name)
    return x


def new(x: Any) -> Any:
    """Return a container that was just made."""
    journal = journal_now()
    if journal is not None:
        journal.bear(x)
    return x


def made(x: Any) -> Any:
    """Return an object that was just made by its class."""
    region = region_now()
    if region is not None and region.journal is None:
        region.trace.keep(x)
    return new(x)


def taken(x: Any) -> Any:
    """Return something whose items are about to be taken."""
    journal = innermost_journal_now()
    if journal is not None and is_iterator(x):
        journal.record_taking(x)
    return x


def looked_up(x: Any) -> Any:
    """Return something that is about to be asked for an item; some dicts make it then."""
    if hasattr(type(x), "__missing__"):
        written(x)
    return x


def _was_written(entry: Entry) -> bool:
    """Tell whether items or attributes are others; a list of other items is staged as a whole."""
    x = entry.owner
    is_whole = isinstance(x, CONTAINERS) and has_other_items(x, entry.before)
    return not is_whole and not is_iterator(x) and holds_others(entry)


def holds_others(entry: Entry) -> bool:
    """Tell whether something holds others than before, or an iterator is at another place."""
    x, before = entry.owner, entry.before
    if isinstance(x, CONTAINERS):
        return staged_list(x) is None and not is_same(x, before)
    if is_iterator(x):
        return bool(position(x) != before)
    if isinstance(x, np.ndarray):
        return bool(x.tobytes() != before.tobytes())
    return type(before) is Items and bool(changed_attributes(entry))


def changed_attributes(entry: Entry) -> list[str]:
    """Return the attributes of an object that hold something else than before."""
    now, before = dict(attributes_of(entry.owner)), entry.before
    return [
        key
        for key in {**before, **now}
        if now.get(key, UNDEFINED) is not before.get(key, UNDEFINED)
    ]


def is_same(container: Any, copy: Any) -> bool:
    """Tell whether a container holds what a copy of it does."""
    if len(container) != len(copy):
        return False
    if isinstance(container, dict):
        pairs = zip(container.items(), copy.items(), strict=True)
        return all(k == key and value is item for (k, value), (key, item) in pairs)
    if isinstance(container, set):
        return bool(container == copy)
    return all(x is y for x, y in zip(container, copy, strict=True))


def has_other_items(container: Any, before: Any) -> bool:
    """Tell whether a container, which was changed, is to be staged as a whole."""
    if isinstance(container, dict):
        return list(container) != list(before)
    return len(container) != len(before) or type(container) in (deque, set)
