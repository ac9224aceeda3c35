"""What a function assigns outside of itself while it is traced.

Globals, nonlocal variables of an enclosing function, attributes of objects that were made outside,
and what containers hold outlive the trace; a staged value in one of them would be of no use to
anybody, and the next call would not assign it again. Such an assignment is undone, and each run of
the graph does it. What code that is not converted has assigned is refused by name.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any

import numpy as np

from autograph.function.argument_mutation import Contents, WeaklyHeld
from autograph.operators.containers.markers import Marker
from autograph.operators.containers.staged_containers import (
    STAGED,
    StagedList,
    fill,
    staged_list,
    what_is,
)
from autograph.operators.control_flow.variables import Attribute, CellVariable, GlobalVariable
from autograph.operators.heap.heap_objects import is_on_heap
from autograph.operators.mutation.callees import read_cell
from autograph.operators.mutation.journal import (
    Entry,
    Slot,
    changed_attributes,
    holds_others,
)
from autograph.operators.mutation.reachable_objects import (
    Reached,
    holds,
    is_open,
    parts_of,
    reachable,
)
from autograph.operators.mutation.snapshot import Snapshot, put_back_cell
from autograph.operators.mutation.trace_journal import TraceJournal
from autograph.staging.context import trace_now
from autograph.staging.copies import Items
from autograph.staging.region import UNDEFINED
from autograph.staging.strictness import is_strict
from runtime.errors import MutationError
from runtime.forks import Lock
from runtime.opaque import Opaque
from runtime.state.variable import Variable
from runtime.tensor import Symbol, root_of
from runtime.texts import StagedText
from runtime.tree_nodes import is_mutable
from runtime.union import Choice

HOLDING = Lock()
"""Is held while variables outside hold symbols: other threads that meet one wait for it."""
MOST_TOLD = 32
"""Of so many objects and containers outside safepoints tell: else each would tell of all others."""


class Outside:
    """The variables that a function can assign outside of itself.

    Args:
        journal: of the trace, which has seen what there is.
    """

    def __init__(self, journal: TraceJournal) -> None:
        self._functions, self._around = journal.functions, journal.owners
        self._journal = journal
        self._entries: list[Entry] = []
        self._looked_at = 0
        self._held: list[tuple[Any, Any, Any]] = []
        self._is_holding = False
        self.snapshot = self._before = journal.snapshot

    def hold(self, variables: Sequence[Any], values: Sequence[Any]) -> None:
        """Have variables hold what a trace is given in their place, until it ends."""
        HOLDING.__enter__()
        self._is_holding = True
        self._held = [(x, x.read(), value) for x, value in zip(variables, values, strict=True)]
        for variable, value in zip(variables, values, strict=True):
            variable.write(value)
            self._journal.settle_variable(variable, value)
        self.snapshot = self._journal.snapshot = Snapshot(self._functions, self._around)
        self.snapshot.forget({id(value) for value in values})
        if any(id(before) in self.snapshot.owners for _, before, _ in self._held):
            raise MutationError("a list that is lifted is there twice")

    def let_go(self) -> None:
        """Have these variables hold what they held before the trace."""
        for variable, before, _ in self._held:
            variable.write(before)
            self._journal.settle_variable(variable, before)
        self._journal.snapshot = self._before
        if self._is_holding:
            HOLDING.__exit__()

    @property
    def lifted(self) -> frozenset[Any]:
        """The keys of the variables that hold what the trace is given."""
        return frozenset(variable.key for variable, _, _ in self._held)

    def check_alone(self) -> None:
        """Raise MutationError if an array that is written in the place of a variable's is shared.

        Who has it in a container, or has another view of its memory, would not see that.
        """
        staged = [held for held in self._held if type(held[2]) is Symbol]
        arrays = [before for _, before, x in staged if root_of(x).was_written]
        holders = [*map(Reached, repeat(""), self._functions), *self.snapshot.owners.values()]
        for holder in holders if arrays else ():
            for path, part in parts_of(*holder):
                is_attribute = is_open(holder.value) and not path.endswith("]")
                if not is_attribute and isinstance(part, np.ndarray):
                    check_apart(part, path, arrays)

    def assigned(self) -> list[Slot]:
        """Return the variables that hold staged values now, attributes and contents among them.

        With strict dtypes there are none: TensorFlow leaves its tensors there, which are of no use.
        """
        return [] if is_strict() else list(filter(self._is_assigned, self._changed()))

    def _is_assigned(self, slot: Slot) -> bool:
        """Tell whether a run assigns a variable: what is lifted also where it is known, or gone."""
        is_lifted = slot.variable.key in self.lifted
        return slot.variable.read() is not slot.before if is_lifted else _is_assigned(slot)

    @property
    def written(self) -> frozenset[Any]:
        """The keys of the variables, and of what lists hold, that hold something else now."""
        lists = (x for x in self._written() if type(x.owner) is list)
        held = {Contents(x.owner).key for x in lists if staged_list(x.owner) or holds_others(x)}
        return frozenset(x.variable.key for x in self._changed() if _differs(x)) | held

    def may_be_assigned(self) -> bool:
        """Tell whether anything outside holds staged values now, or there is much to look at."""
        return self.is_much or bool(self.assigned())

    @property
    def is_much(self) -> bool:
        """Whether so much was written that no safepoint tells what it holds."""
        return len(self._written()) > MOST_TOLD

    def _written(self) -> list[Entry]:
        """Return the entries of what is outside."""
        entries = self._journal.entries
        new = islice(entries.values(), self._looked_at, None)
        self._entries += [x for x in new if id(x.owner) in self.snapshot.owners]
        self._looked_at = len(entries)
        return self._entries

    def _changed(self) -> list[Slot]:
        """Return what may have been changed."""
        cells = {id(cell) for _, cell, _ in self.snapshot.cells}
        slots = [x for x in self._journal.slots.values() if _is_outside(x.variable, cells)]
        return slots + [slot for entry in self._written() for slot in self._slots(entry)]

    def _slots(self, entry: Entry) -> list[Slot]:
        """Return what was written of an object or a container."""
        name, x = self.snapshot.owners[id(entry.owner)]
        if type(x) in STAGED:
            return [Slot(name, Contents(x), entry.before)]
        if type(entry.before) is not Items:
            return []
        held = [(key, entry.before.get(key, UNDEFINED)) for key in changed_attributes(entry)]
        return [Slot(f"{name}.{key}", Attribute(WeaklyHeld(x), key), value) for key, value in held]

    def there(self) -> Callable[[Any], bool]:
        """Return what tells of a part of a result whether it is out there itself.

        So are containers that were there before, and what they and others hold now that is known.
        """
        if is_strict():
            return lambda x: False
        changed = self._changed()
        assigned = list(filter(self._is_assigned, changed))
        keys = {slot.variable.key for slot in assigned}
        pairs = [(x, x.variable.read()) for x in changed if x.variable.key not in keys]
        known = [("", x) for slot, x in pairs if x is not slot.before and not _holds_symbol(x)]
        held = [x for _, x in reachable([], known)]
        found = {id(x): x for x in (*map(_owner_of, assigned), *held)}
        owners = self.snapshot.owners
        return lambda x: id(x) in found or (id(x) in owners and is_mutable(x))

    @property
    def containers(self) -> frozenset[int]:
        """The containers that the function can reach, by id."""
        return frozenset(id(x) for _, x, _ in self.snapshot.containers)

    def restore(self, is_done: bool = False) -> MutationError | None:
        """Give back to every variable that holds a staged value what it held before the trace.

        Unless the trace is done, that includes what holds an `ag.Variable` without a value, which
        only the graph would have given it.

        Returns the error that tells of the first one, or None when there was none.
        """
        is_lost = _holds_symbol if is_done else _holds_lost
        names = [*self._restore_namespaces(is_lost), *self._restore_cells(is_lost)]
        names += self._restore_items(is_lost)
        if names:
            return MutationError(_message(names[0]))
        changed = list(self._restore_containers(is_done))
        return MutationError(_message_of_change(changed[0])) if changed else None

    def _restore_items(self, is_lost: Callable[[Any], bool]) -> Iterator[str]:
        """Look at lists that are as long as before; to use what was appended is an error."""
        for name, x, before in self.snapshot.containers:
            is_list = isinstance(x, list | deque) and staged_list(x) is None
            if not is_list or len(x) != len(before) or not any(map(operator.is_not, x, before)):
                continue
            for k, (item, old) in enumerate(zip(list(x), before, strict=True)):
                if item is not old and is_lost(item):
                    x[k] = old
                    yield f"'{name}[{k}]'"

    def _restore_containers(self, is_done: bool) -> Iterator[str]:
        for name, x, before in self.snapshot.containers:
            if any(isinstance(item, Marker) or (not is_done and _is_unset(item)) for item in x):
                fill(x, before)
                yield what_is(x, name)

    def _restore_namespaces(self, is_lost: Callable[[Any], bool]) -> Iterator[str]:
        for space in (*self.snapshot.namespaces, *self.snapshot.dicts):
            for name in [name for name, value in space.changed() if is_lost(value)]:
                space.put_back(name)
                text = space.form.format(name)
                yield f"the global {text!r}" if space.form == "{}" else f"{text!r}"

    def _restore_cells(self, is_lost: Callable[[Any], bool]) -> Iterator[str]:
        for name, cell, before in self.snapshot.cells:
            value = read_cell(cell)
            if value is not before and is_lost(value):
                put_back_cell(cell, before)
                yield f"the variable {name!r} of an enclosing function"


def check_apart(
    array: Any, name: str, written: Iterable[Any], undo: Callable[[], object] = list
) -> None:
    """Undo and raise MutationError if an array shares memory with one that is written in place."""
    if any(np.may_share_memory(array, x) for x in written):
        undo()
        raise MutationError(
            f"an array from outside of the staged function is written, and {name} shares its "
            "memory. Pass the array as an argument"
        )


def _is_outside(variable: Any, cells: set[int]) -> bool:
    """Tell whether a variable is a global, or of a function around the one that is traced."""
    is_cell = isinstance(variable, CellVariable) and id(variable.cell) in cells
    return is_cell or isinstance(variable, GlobalVariable)


def _owner_of(slot: Slot) -> Any:
    """Return the object or container that a variable is a part of; the variable if it is none."""
    owner = getattr(slot.variable, "owner", slot.variable)
    return owner.read() if type(owner) is WeaklyHeld else owner


def _differs(slot: Slot) -> bool:
    return type(slot.variable) is not Contents and slot.variable.read() is not slot.before


def _is_assigned(slot: Slot) -> bool:
    """Tell whether a variable holds what a run makes: a staged value, or an argument's object."""
    value, trace = slot.variable.read(), trace_now()
    if type(value) is StagedList:
        return True
    if value is slot.before or value is UNDEFINED:
        return False
    callers = () if trace is None else trace.callers
    is_made = holds(value, lambda part: _is_staged(part) or id(part) in callers)
    return is_made and not holds(value, _is_over)


def _is_over(part: Any) -> bool:
    """Tell whether a part of a value is of a region that has ended, as of a derivative."""
    return type(part) is Symbol and not part.builder.is_open


def _holds_symbol(value: Any) -> bool:
    """Tell whether a value is made of what only the graph knows."""
    return holds(value, _is_staged)


def _holds_lost(value: Any) -> bool:
    return holds(value, lambda part: _is_staged(part) or _is_unset(part))


def _is_staged(value: Any) -> bool:
    is_one = isinstance(value, Symbol | Choice | StagedText | Opaque | Marker)
    return is_one or is_on_heap(value) or staged_list(value) is not None


def _is_unset(value: Any) -> bool:
    return isinstance(value, Variable) and not value.has_value


def _message_of_change(what: str) -> str:
    return (
        f"the {what} was made outside of the staged function, which changes it in a "
        "staged branch or loop. Pass it as an argument, or return what is new "
        "and change it where the function is called"
    )


def _message(name: str) -> str:
    return (
        f"{name} was assigned a staged value, while the function was traced. That happens once, "
        "not at every call, and the value exists only in the graph. Return the value, and assign "
        "it where the function is called"
    )
