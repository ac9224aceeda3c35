"""What a staged branch, loop or `try` changes while it is traced, and its state does not have.

Tracing runs every branch once and a loop body once, whatever happens when the graph runs. So what
one of them does to a container is undone, and the statement is staged again with what it changed as
part of its state: an item of a list or a dict like a variable, a list of another length as a staged
list (see `lists`). What cannot be is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from autograph.operators.containers.staged_containers import staged_list, what_is
from autograph.operators.control_flow.handlers import is_ours
from autograph.operators.control_flow.state import State
from autograph.operators.control_flow.undefined import evaluate
from autograph.operators.control_flow.variables import CellVariable
from autograph.operators.iteration.iterator_state import is_iterator, position
from autograph.operators.mutation.callee_writes import AssignedElsewhere, adopt, assigns
from autograph.operators.mutation.journal import CONTAINERS, Journal, Slot, journaling
from autograph.operators.mutation.reachable_objects import cells_of
from autograph.operators.mutation.region_changes import Changes, Region, closures, contents, held_by
from autograph.staging.context import journal_now, trace_now
from autograph.staging.copies import TryAgain, Values, check_copies
from runtime import default_graph
from runtime.errors import MutationError
from runtime.graph.builder import Builder


def guard(
    function: Callable[..., Any],
    places: Sequence[Any],
    state: State,
    returned: Callable[[Values], Any] | None = None,
) -> Callable[..., Any]:
    """Return a function that does the same, and raises when it changed what tracing cannot follow.

    Args:
        function: an arm, a body or a test.
        places: the closures whose variables are looked at.
        state: the variables that it may assign.
        returned: makes what it returns, alone, a value that can be joined.

    The returned function raises `AssignedElsewhere` when it assigned variables or changed
    containers that are not in the state, and MutationError when it is not possible; all changes are
    undone.
    """

    @wraps(function)
    def guarded(*args: Any) -> Any:
        builder = default_graph.current()
        with journaling(builder) as journal:
            for error in filter(_is_error, args):  # what a handler is given is its own
                journal.bear(error)
            region = Region(function, journal, places, state)
            closed = partial(_closed, region, journal if state.repeats else None)
            try:
                result = Values([evaluate(function, *args)])
                state.admit()
                found = result[0] if returned is None else returned(result)
                adopt(state, region)
            except BaseException as error:
                if isinstance(error, Exception):
                    _tell_watcher(builder)
                changes = closed()
                if _ends_region(builder, error):
                    changes.check()
                raise
            changes = closed()
        changes.check()
        return found

    return guarded


def _ends_region(builder: Builder | None, error: BaseException) -> bool:
    """Tell whether an exception is of the program, which was traced up to there."""
    if not isinstance(error, Exception) or isinstance(error, RecursionError | MemoryError):
        return False
    return builder is None or not is_ours(builder, error)


def _closed(region: Region, of_a_round: Journal | None) -> Changes:
    """Undo what a region changed, and return it; what a round has written the next one writes."""
    builder = default_graph.current()
    try:
        if builder is not None:  # while they hold what was written into them
            check_copies(builder, of_a_round.written() if of_a_round else frozenset())
    finally:
        changes = region.undo()
    return changes


def _tell_watcher(builder: Builder | None) -> None:
    """What an arm or body raises in any case is raised where it ends when the graph runs."""
    if builder is not None and builder.watcher is not None:
        builder.watcher.at_end(builder)
        builder.watcher = None


def _is_error(x: Any) -> bool:
    return isinstance(x, BaseException)


class Writes(NamedTuple):
    """A condition that writes, in something that it calls: it is asked once for each round."""

    test: CodeType


def writes(test: Callable[[], Any]) -> bool:
    """Tell whether a condition assigns variables, or was found to write in what it calls."""
    trace = trace_now()
    return assigns(test) or (trace is not None and _key_of(test) in trace.tries)


def noting_writes(test: Callable[[], Any]) -> Any:
    """Return what a condition gives, and remember if it takes items out of what it sees.

    Asked again it may not, as where `len(items) > 1 and items.pop()` finds one item only.
    """
    trace = trace_now()
    if trace is None or not isinstance(test, FunctionType) or _key_of(test) in trace.tries:
        return test()
    seen = [x for _, x in held_by(closures([test])) if isinstance(x, CONTAINERS) or is_iterator(x)]
    before = [*map(_extent, seen)]
    found = test()
    if any(a != b for a, b in zip(before, map(_extent, seen), strict=True)):
        trace.tries.add(_key_of(test))
    return found


def _extent(x: Any) -> Any:
    """Return how many items a container has, or how far an iterator has come."""
    return position(x) if is_iterator(x) else len(x)


def _key_of(test: Any) -> Writes:
    return Writes(test.__code__)


def guard_test(
    asked: Callable[[], Any], places: Sequence[Any], of_loop: State, test: Callable[[], Any]
) -> Callable[[], Any]:
    """Return a condition that has the function traced again, as one that writes, if it does.

    What it makes anew each time it is asked is learnt with the state of its loop.

    Args:
        asked: the condition.
        places: the closures whose variables it sees.
        of_loop: the state of the loop.
        test: the user's condition, which it asks.
    """
    own = State("", "", ())
    own.doubts, own.asked, own.inner = of_loop.doubts, of_loop.asked, of_loop.inner
    guarded = guard(asked, places, own)

    def checked() -> Any:
        try:
            return guarded()
        except AssignedElsewhere as found:
            if found.grown or found.doubts:
                raise
            raise TryAgain(_key_of(test)) from None

    return checked


class ChangesMidway:
    """What a body has changed where others see it before it ends, and its state has not.

    Such points are the ways out of the body of a `try` (an arm that always raises is undone where
    it ends, so that the body shows nothing of it), and the calls of a function by itself.

    Args:
        state: the variables that the body assigns.
        places: the closures whose variables it sees.
    """

    def __init__(self, state: State, places: Sequence[Any]) -> None:
        self._state = state
        found = closures(places)
        self._cells = {id(cell): cell for x in found for _, cell in cells_of(x)}
        self._around = journal_now()
        self._contents = list(contents(self._around))
        self._changes = Changes()

    def look(self) -> None:
        """Look at what was changed up to here."""
        for journal in self._journals():
            if journal.region is not None:
                journal.region.find(self._state, self._changes)
        self._changes.slots = list(filter(self._is_around, self._changes.slots))
        for slot in self._contents:
            if (
                slot.variable.key not in self._state.keys
                and slot.variable.read() is not slot.before
            ):
                self._changes.assign(slot)

    def is_from_outside(self, x: Any) -> bool:
        """Tell whether something is a container that was not made in the body."""
        if not isinstance(x, CONTAINERS):
            return False
        is_inside = any(journal.is_born(x) for journal in self._journals())
        if is_inside and staged_list(x) is not None:
            raise MutationError(
                f"the {what_is(x, 'list')} is made in the body of a `try` and changed in a staged "
                "branch or loop of it, which an exception may leave with the list in a variable. "
                "Make it before the `try`"
            )
        return not is_inside

    def check(self) -> None:
        """Raise what has the statement staged with more state, if there was any."""
        self._changes.check()

    def _is_around(self, slot: Slot) -> bool:
        """Tell whether a variable is there outside of the body."""
        return not isinstance(slot.variable, CellVariable) or id(slot.variable.cell) in self._cells

    def _journals(self) -> Iterator[Journal]:
        journal = journal_now()
        while journal is not None and journal is not self._around:
            yield journal
            journal = journal.around
