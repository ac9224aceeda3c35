"""What a function writes while it is traced, outside of all arms and bodies.

That is done as Python does it, and a trace that has done it serves one call. One that is given up,
because the function has to be traced in another way, must not have done it: the next one does it.
Comes in: what is about to be written. Goes out: all of it as it was, or its names.

What is printed meanwhile is not printed again. Few iterators can be set back: another one that was
there before and has given items is refused. What other code does, such as reading files, is done
again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence, Set
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph.operators.containers.staged_containers import fill
from autograph.operators.control_flow.variables import Attribute, CellVariable, GlobalVariable, Held
from autograph.operators.iteration.iterator_state import is_iterator, set_back, sources_of
from autograph.operators.mutation.journal import (
    CONTAINERS,
    Entry,
    Journal,
    holds_others,
    memory_of,
)
from autograph.operators.mutation.reachable_objects import (
    Reached,
    attributes_of,
    cells_of,
    parts_of,
    reachable,
)
from autograph.operators.mutation.recorded_calls import variables_assigned_by
from autograph.operators.mutation.snapshot import Snapshot
from autograph.staging.copies import Items
from autograph.staging.region import UNDEFINED
from runtime.errors import StagedValueError


class TraceJournal(Journal):
    """The writes of a trace.

    Args:
        function: that is traced.
        functions: that and those of the user's that it may call.
        owners: objects that it can reach, with their names.
        printed: what traces of it have printed.
        before_taking: may raise where an iterator that was there before is to give an item.

    Attributes:
        snapshot: what all of these hold before it.
        hidden: calls of code of which nobody can tell what it does.
    """

    is_of_region = False

    def __init__(
        self,
        function: Any,
        functions: Sequence[FunctionType],
        owners: Sequence[tuple[str, Any]],
        printed: Printed,
        before_taking: Callable[[TraceJournal, str], None],
    ) -> None:
        super().__init__(None)
        self.functions = functions
        self.owners = owners
        self.printed = printed
        self._before_taking = before_taking
        self.snapshot = Snapshot(functions, owners)
        self.hidden: list[str] = []
        for inner in functions:  # one that is called in an arm may be what assigns a variable
            self.record_variables(variables_assigned_by(inner))

    def record_taking(self, iterator: Any) -> None:
        """Record an iterator; a trace takes its items for good, as if the call had been made."""
        super().record_taking(iterator)
        for path, x in self._from_outside(list(sources_of(iterator))):
            self._before_taking(
                self,
                f"the iterator {path!r}, of type {type(x).__name__}, gives items while it is "
                "traced, and nobody can set it back. Make a list of it where the function is "
                "called: list(...)",
            )

    def begin_again(self) -> None:
        """Undo everything, as the function is traced once more.

        Raises:
            StagedValueError: an iterator that was there before has given items.
        """
        used = self._give_back()
        self.snapshot.put_back()
        self.printed.begin_again()
        for path, x in self._from_outside(used):
            raise StagedValueError(
                f"the iterator {path!r}, of type {type(x).__name__}, gave items while "
                "the function was traced, which has to be traced once more, in another way, "
                "and nobody can set it back. Make a list of it where the function is called: "
                "list(...)"
            )

    def may_be_undone(self) -> bool:
        """Tell whether `undo` would give everything back, as far as one sees."""
        entries = [x for x in self.entries.values() if is_iterator(x.owner)]
        iterators = [x.owner for x in entries if holds_others(x)]
        is_known = not self.hidden and not self.snapshot.is_left
        return is_known and not any(self._from_outside(iterators))

    def undo(self) -> bool:
        """Give everything back what it held; tell whether nothing else can have happened."""
        is_known = not self.hidden and not self.snapshot.is_left
        used = self._give_back()
        is_back = self.snapshot.put_back()
        return is_known and is_back and not any(self._from_outside(used))

    def _give_back(self) -> list[Any]:
        """Give everything that was recorded back what it held; return iterators that went on."""
        iterators = [x for x in self.entries.values() if is_iterator(x.owner)]
        used = [x.owner for x in iterators if not set_back(x.owner, x.before)]
        for entry in reversed(list(self.entries.values())):
            _give_back(entry)
        for slot in self.slots.values():
            if slot.variable.read() is not slot.before:
                slot.variable.write(slot.before)
        self.close()
        return used

    def changed_outside(self, given: Container[int] = ()) -> list[str]:
        """Return what was there before and holds something else, which no run of a graph does.

        Runs do it to the containers, by id, that the function is given.
        """
        others = (entry for entry in self.entries.values() if id(entry.owner) not in given)
        entries = [entry for entry in others if holds_others(entry)]
        slots = [slot for slot in self.slots.values() if slot.variable.read() is not slot.before]
        if not entries and not slots:
            return [*self.snapshot.changed(given), *self.hidden]
        around = [*self._around(), *self._arrays(entries)]
        functions = [x for _, x in around if isinstance(x, FunctionType)]
        cells = {id(cell) for f in (*self.functions, *functions) for _, cell in cells_of(f)}
        paths = {id(x): path for path, x in around}
        return [
            *(paths[id(x.owner)] for x in entries if id(x.owner) in paths),
            *(x.owner.__name__ for x in entries if _is_of_a_module(x.owner)),
            *(x.name for x in slots if _is_outside(x.variable, cells)),
            *self.snapshot.changed(given),
            *self.hidden,
        ]

    def _arrays(self, entries: Iterable[Entry]) -> Iterator[Reached]:
        """Yield the arrays that can be reached, or what they are views of, if any were written."""
        if not any(isinstance(x.owner, np.ndarray) for x in entries):
            return
        for holder in (*(Reached("", x) for x in self.functions), *self._around()):
            for path, part in parts_of(*holder):
                if isinstance(part, np.ndarray):
                    yield Reached(path, memory_of(part))

    def assigned(self) -> Iterator[str]:
        """Yield names of what was assigned, perhaps what it held: calls rely on that."""
        variables = GlobalVariable | CellVariable
        yield from (x.name for x in self.slots.values() if isinstance(x.variable, variables))
        for entry in self.entries.values():
            yield from () if isinstance(entry.owner, dict) else _attributes(entry)

    def _around(self) -> list[Reached]:
        """Return what the function can reach."""
        return reachable(self.functions, list(self.owners))

    def _from_outside(self, iterators: Sequence[Any]) -> Iterator[tuple[str, Any]]:
        """Yield the iterators that were there before, with their names."""
        around = {id(x): path for path, x in self._around()} if iterators else {}
        return ((around[id(x)], x) for x in iterators if id(x) in around)


class Printed:
    """What the traces of a function print: what one printed that was given up is there already."""

    def __init__(self) -> None:
        self._texts: list[tuple[Any, str]] = []
        self._next = 0

    def begin_again(self) -> None:
        """The function is traced once more."""
        self._next = 0

    def is_new(self, file: Any, text: str) -> bool:
        """Tell whether a text is to be printed."""
        is_known = self._texts[self._next : self._next + 1] == [(file, text)]
        if not is_known:
            self._texts[self._next :] = [(file, text)]
        self._next += 1
        return not is_known


def _is_of_a_module(x: Any) -> bool:
    is_class = isinstance(x, type) and "<locals>" not in x.__qualname__
    return is_class or isinstance(x, ModuleType)


def _is_outside(variable: Any, cells: Set[int]) -> bool:
    if isinstance(variable, CellVariable):
        return id(variable.cell) in cells
    return isinstance(variable, GlobalVariable)


def _attributes(entry: Entry) -> Iterable[str]:
    return entry.before if type(entry.before) is Items else ()


def _give_back(entry: Entry) -> None:
    x, before = entry.owner, entry.before
    if isinstance(x, CONTAINERS):
        fill(x, before)
    elif isinstance(x, np.ndarray):
        if x.tobytes() != before.tobytes():  # it may be read-only
            np.copyto(x, before)
    elif not is_iterator(x):
        now = dict(attributes_of(x))
        for key in {**before, **now}:
            held = before.get(key, UNDEFINED)
            if now.get(key, UNDEFINED) is not held:
                Attribute(Held(x), key).write(held)
