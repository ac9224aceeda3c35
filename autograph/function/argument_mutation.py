"""What a function changes of the lists, dicts and dataclass instances that it is given.

A trace gets copies of them, with symbols inside. What it does to a copy is done to the caller's own
object after each run of the graph, as it is with arrays. A global that holds a staged value in the
end, or a variable of a function around, is assigned what that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, NamedTuple

from autograph.operators.containers.staged_containers import fill, staged_list
from autograph.operators.mutation.journal import Slot
from runtime.errors import MutationError
from runtime.tree_nodes import mutable_nodes, taken_apart


class Made(NamedTuple):
    """How a value is made of what a graph returns: its structure, and what its leaves are."""

    structure: Any
    outputs: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Change:
    """What one of the caller's objects holds after a run.

    Args:
        number: which of them it is, in preorder.
        data: the keys of a dict, the fields of a dataclass; None of what the graph tells all of.
        items: its items, or itself as a container whose length the graph tells.
    """

    number: int
    data: Any
    items: Made


@dataclass(frozen=True, slots=True)
class Assigned:
    """What a variable outside of a function holds after a run.

    Args:
        variable: a global, or one of a function around it.
        items: its value.
    """

    variable: Any
    items: Made


class Callers:
    """The mutable objects among the arguments of a trace, and what they held before it.

    Args:
        arguments: what the function is called with.
        assigned: returns the variables outside of it that hold staged values now.

    Attributes:
        numbers: which of them an object is, by its id.
    """

    def __init__(self, arguments: Any, assigned: Callable[[], Sequence[Slot]]) -> None:
        self.assigned = assigned
        self.objects: Sequence[Any] = mutable_nodes(arguments)
        self._before = list(map(_held, self.objects))
        self.numbers = {id(x): k for k, x in enumerate(self.objects)}

    def number(self, item: Any) -> int | None:
        """Return which of the objects a value is; None if it is none of them."""
        number = self.numbers.get(id(item))
        return number if number is not None and self.objects[number] is item else None

    def changes(
        self, add: Callable[[Any], Made], numbers: Iterable[int] | None = None
    ) -> tuple[Change | Assigned, ...]:
        """Return what was changed.

        Args:
            add: makes the leaves of a value results of the graph.
            numbers: which objects are looked at; all of them, if it is not told.
        """
        asked = range(len(self.objects)) if numbers is None else numbers
        pairs = ((k, self.objects[k]) for k in asked)
        changes = [_change(k, x, add) for k, x in pairs if _differs(x, self._before[k])]
        variables = [slot.variable for slot in self.assigned()]
        return (*changes, *(Assigned(x, add(x.read())) for x in variables))


def _change(number: int, x: Any, add: Callable[[Any], Made]) -> Change:
    staged = staged_list(x)
    if staged is not None:
        return Change(number, None, add(staged))
    parts = taken_apart(x)
    assert parts is not None
    return Change(number, parts[1], add(parts[0]))


def _held(x: Any) -> Any:
    """Return what an object holds: the items, or the content of a staged list."""
    staged = staged_list(x)
    return taken_apart(x) if staged is None else staged.kept


def _differs(x: Any, before: Any) -> bool:
    staged = staged_list(x)
    if staged is not None:
        return staged.kept is not before
    items, data = taken_apart(x) or ((), None)
    same = len(items) == len(before[0]) and data == before[1]
    return not (same and all(a is b for a, b in zip(items, before[0], strict=True)))


def objects_in(arguments: Any) -> list[Any]:
    """Return the caller's objects.

    Raises:
        MutationError: one of them is there twice, so that the trace took it for two.
    """
    objects = mutable_nodes(arguments)
    if len({id(x) for x in objects}) < len(objects):
        raise MutationError(
            "a list, dict or object is given to a staged function twice, and the function changes "
            "or returns one that it is given; pass a copy of the other"
        )
    return objects


def carry_out(
    changes: Sequence[Change | Assigned], objects: Sequence[Any], made: Callable[[Made], Any]
) -> None:
    """Change the caller's objects.

    Args:
        changes: what is changed.
        objects: the caller's.
        made: makes a value.
    """
    found = [made(change.items) for change in changes]
    for change, items in zip(changes, found, strict=True):
        if isinstance(change, Assigned):
            change.variable.write(items)
        else:
            _set_items(objects[change.number], change, items)


def _set_items(x: Any, change: Change, items: Sequence[Any]) -> None:
    if isinstance(x, list):
        x[:] = items
    elif is_dataclass(x):
        for name, item in zip(change.data, items, strict=True):
            object.__setattr__(x, name, item)
    elif isinstance(x, dict) and change.data is not None:
        fill(x, dict(zip(change.data[0], items, strict=True)))
    else:
        fill(x, items)
