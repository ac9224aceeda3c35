"""Python lists, dicts and sets that a staged branch or loop changes while it is traced.

Tracing runs every branch once and a loop body once, whatever happens when the graph runs. So what
one of them does to a container is undone, and the statement is staged again with what it changed as
part of its state: an item of a list or a dict like a variable, a list of another length as a staged
list (see `lists`). What cannot be is refused by name.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from types import FunctionType
from typing import Any, NamedTuple

from autograph.operators.assigned import (
    AssignedElsewhere,
    Grown,
    Reached,
    Slot,
    changed_slots,
    reachable,
    slots_of,
)
from autograph.operators.lists.content import items_of
from autograph.operators.lists.table import (
    STAGED,
    ContentVariable,
    StagedList,
    fill,
    kind_of,
    lists_of,
    need_lists,
    staged_list,
    what_is,
)
from autograph.operators.positions import is_iterator, position
from autograph.operators.state import Item, State
from autograph.operators.undefined import evaluate
from runtime import mode
from runtime.control.copies import Items, Values, check_copies, holds_for_tracing
from runtime.errors import MutationError


def guard(function: Callable[..., Any], places: Sequence[Any], state: State) -> Callable[..., Any]:
    """Return a function that does the same, and raises when it changed what tracing cannot follow.

    Args:
        function: an arm, a body or a test.
        places: the closures whose variables are looked at.
        state: the variables that it may assign.

    The returned function raises `AssignedElsewhere` when it assigned variables or changed
    containers that are not in the state, `ListsNeeded` when that needs staged lists, and
    MutationError when it is not possible; all changes are undone.
    """

    @wraps(function)
    def guarded(*args: Any) -> Any:
        watch = _Watch(places, state)
        try:
            found = evaluate(function, *args)
        finally:
            try:
                _check_copies()  # while they hold what was written into them
            finally:
                assigned, grown, refused = watch.undo()
        if refused:
            raise MutationError(refused[0])
        if grown:
            need_lists()
        if assigned or grown:
            raise AssignedElsewhere(assigned, [_grown(*one) for one in grown])
        return found

    return guarded


def guard_test(test: Callable[[], Any], places: Sequence[Any]) -> Callable[[], Any]:
    """Return a condition that raises MutationError when it assigned a variable."""
    guarded = guard(test, places, State("", "", ()))

    def asked() -> Any:
        try:
            return guarded()
        except AssignedElsewhere as found:
            if found.grown:
                raise
            raise MutationError(
                f"the condition of a staged loop assigns {found.slots[0].name!r}, in something "
                "that it calls; do that in the body"
            ) from None

    return asked


def _check_copies() -> None:
    builder = mode.current()
    if builder is not None:
        check_copies(builder)


CONTAINERS = (list, dict, set, deque, bytearray)
"""Classes whose items are looked at."""


@holds_for_tracing
class Change(NamedTuple):
    """A list that changes its length: its name, the list, what it has become, and held then."""

    name: str
    python: Any
    staged: StagedList | None
    items: Values


@holds_for_tracing
class _Watched(NamedTuple):
    """A container, its name, what it held in the beginning, and the staged list that it was."""

    name: str
    container: Any
    before: Any
    staged: StagedList | None


def _copy(container: Any) -> Any:
    if isinstance(container, dict):
        return Items(container)
    return Values(container) if isinstance(container, list | deque) else container.copy()


class _Watch:
    """What can be reached when a branch or loop begins, and what it holds then.

    Args:
        places: the closures whose variables are looked at.
        state: the variables that may be assigned.
    """

    def __init__(self, places: Sequence[Any], state: State) -> None:
        self._state = state
        made = _made()
        self._objects = [one for one in reachable(places) if id(one.value) not in made]
        # A function that is made inside assigns variables of the closures themselves.
        closures = [Reached("", place) for place in places if isinstance(place, FunctionType)]
        self._slots = [*slots_of([*closures, *self._objects]), *_contents(made)]
        self._containers = [
            _Watched(path, x, _copy(x), staged_list(x))
            for path, x in self._objects
            if isinstance(x, CONTAINERS)
        ]
        self._iterators = [(path, x, position(x)) for path, x in self._objects if is_iterator(x)]

    def undo(self) -> tuple[list[Slot], list[Change], list[str]]:
        """Undo what was changed and is no part of the state.

        Returns the variables and items, the lists of another length, and what is refused and why.
        """
        grown: list[Change] = []
        refused: list[str] = []
        slots: list[Slot] = []
        for path, x, before, was in self._containers:
            now = staged_list(x)
            if now is not None and was is None:
                grown.append(Change(path, x, now, Values()))
                _drop(now, before)
            elif now is None and not _is_same(x, before):
                slots += self._changed(path, x, before, grown, refused)
        taken = [pair for *pair, before in self._iterators if position(pair[1]) != before]
        refused += [_taken(path, x) for path, x in taken]
        assigned = changed_slots(self._slots, self._objects, self._state)
        for slot in assigned:
            slot.variable.write(slot.before)
        return [*assigned, *slots], grown, refused

    def _changed(
        self, path: str, x: Any, before: Any, grown: list[Change], refused: list[str]
    ) -> list[Slot]:
        """Return the items of a container that hold something else now, and undo that."""
        if _has_other_items(x, before) and (type(x) is list or _is_of_numbers(path, x, before)):
            grown.append(Change(path, x, None, Values(items_of(x))))
            fill(x, before)
            return []
        has_keys = isinstance(x, dict) and list(x) == list(before)
        if not has_keys and not (isinstance(x, list) and len(x) == len(before)):
            refused.append(_message(path, x))
            fill(x, before)
            return []
        keys = before if isinstance(x, dict) else range(len(before))
        changed = [
            Slot(f"{path}[{key!r}]", Item(x, key), before[key])
            for key in keys
            if x[key] is not before[key]
        ]
        new = [slot for slot in changed if slot.variable.key not in self._state.keys]
        for slot in new:
            slot.variable.write(slot.before)
        return new


def _made() -> Mapping[int, Any]:
    """Return what holds variables of the loop's round that is being traced: it is read after it."""
    builder = mode.current()
    return {} if builder is None else builder.made


def _contents(made: Mapping[int, Any]) -> Iterator[Slot]:
    for staged in lists_of(mode.current()) or ():
        if id(staged.python) not in made:
            yield Slot(staged.name, ContentVariable(staged), staged.content)


def _drop(staged: StagedList, items: Any) -> None:
    lists = lists_of(mode.current())
    assert lists is not None
    lists.drop(staged, items)


def _grown(path: str, python: Any, now: StagedList | None, items: Values) -> Grown:
    kinds = [kind_of(what_is(python, path), item) for item in items] if now is None else [now.kind]
    return Grown(path, python, kinds)


def _is_same(container: Any, copy: Any) -> bool:
    if len(container) != len(copy):
        return False
    if isinstance(container, dict):
        pairs = zip(container.items(), copy.items(), strict=True)
        return all(k == key and value is item for (k, value), (key, item) in pairs)
    if isinstance(container, set):
        return bool(container == copy)
    return all(x is y for x, y in zip(container, copy, strict=True))


def _has_other_items(container: Any, before: Any) -> bool:
    """Tell whether a container, which was changed, is to be staged as a whole."""
    if isinstance(container, dict):
        return list(container) != list(before)
    return len(container) != len(before) or type(container) in (deque, set)


def _is_of_numbers(path: str, container: Any, before: Any) -> bool:
    """Tell whether a container may be staged."""
    if type(container) not in STAGED:
        return False
    with suppress(MutationError):
        for item in (*items_of(container), *items_of(before)):
            kind_of(path, item)
        return True
    return False


def _message(name: str, container: Any) -> str:
    return (
        f"the {type(container).__name__} {name!r} is changed in a staged branch or loop, which is "
        f"traced once, however often it runs. {_instead(name, container)}"
    )


def _taken(name: str, iterator: Any) -> str:
    return (
        f"the iterator {name!r}, of type {type(iterator).__name__}, gives an item in a staged "
        "branch or loop, which is traced once, however often it runs. Write items[i] of a list or "
        "an array, with a number that you count, or make the iterator where it is used"
    )


def _instead(name: str, container: Any) -> str:
    """Say what to write instead."""
    if isinstance(container, dict):
        return (
            f"Give it all of its keys before, such as {name} = {{'first': 0.0, 'second': 0.0}}: "
            "their values may change. New keys are numbers, texts or tuples of them, in a dict"
        )
    if isinstance(container, set):
        return "It may have numbers, texts and tuples of them for items"
    return f"Use a list: {name} = []"
