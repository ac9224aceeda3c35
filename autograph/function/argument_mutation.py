"""What a function changes of the lists, dicts and dataclass instances that it is given.

A trace gets copies of them, with symbols inside. What it does to a copy is done to the caller's own
object after each run of the graph, as it is with arrays. A global that holds a staged value in the
end, a variable of a function around, an attribute of another object, or a container that can be
reached, is assigned what that is.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograph.function.absence import Maybe
from autograph.operators.containers.staged_containers import fill, lists_now, staged_list
from autograph.staging.region import UNDEFINED
from runtime import trees
from runtime.deferred_results import Chosen
from runtime.errors import OverlapError
from runtime.tree_nodes import is_mutable, mutable_nodes, nodes, taken_apart

if TYPE_CHECKING:
    from autograph.function.capture_sources import Place
    from autograph.function.leak_check import Outside


class Made(NamedTuple):
    """How a value is made of what a graph returns: its structure, and what its leaves are."""

    structure: Any
    outputs: Sequence[Any]


@dataclass(frozen=True, slots=True, eq=False)
class SharedOf:
    """How something is made that is there twice: once for each run.

    Args:
        node: made of its children; None if there are none.
        parts: how these are made, or the thing itself.
    """

    node: trees.Node | None
    parts: Made

    def make(self, results: Sequence[Any], first: int, found: Any) -> Any:
        """Return it, made of what the graph returned; as `ListOf.make`."""
        if self not in found.made:
            given = results, found.arrays, found.objects, found.as_tensors, found
            leaves = [x.leaf(*given) for x in self.parts.outputs]
            value = trees.unflatten(self.parts.structure, leaves)
            found.made[self] = value if self.node is None else self.node.holding(value)
        return found.made[self]


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
        variable: a global, one of a function around it, an attribute, or what a container holds.
        items: its value.
    """

    variable: Any
    items: Made

    @property
    def may_be_old(self) -> bool:
        """Whether what it holds may be what it held: arms or rounds left one of several lists."""
        is_joined = any(
            x.kind == "list" and type(x.value) is not SharedOf for x in self.items.outputs
        )
        return is_joined or any(
            x is not None and x[0] is Chosen for x in self.items.structure.entries
        )


class Changed(NamedTuple):
    """Something that was changed while tracing.

    Args:
        told: called with how a run makes the value, for what is told of the change.
        value: what it holds now.
    """

    told: Callable[[Made], Change | Assigned]
    value: Any


class WeaklyHeld:
    """An object in the place of a variable that holds it, which a trace does not keep alive."""

    __slots__ = ("read",)

    def __init__(self, value: Any) -> None:
        self.read: Callable[[], Any] = weakly(value) or (lambda: value)


def weakly(value: Any) -> weakref.ref[Any] | None:
    """Return a weak reference to an object; None if its class has none."""
    return weakref.ref(value) if getattr(type(value), "__weakrefoffset__", 0) else None


class Contents:
    """What a container from outside of a function holds, as a variable."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    @property
    def key(self) -> tuple[Any, ...]:
        """What variables that are the same have in common."""
        return "contents", id(self.owner)

    def read(self) -> Any:
        """Return the staged list that the container is, or a container with the same items."""
        return staged_list(self.owner) or copy(self.owner)

    def write(self, items: Any) -> None:
        staged = staged_list(self.owner)
        if staged is None:
            fill(self.owner, items)
        else:
            lists_now().drop(staged, items)


class Callers:
    """The mutable objects among the arguments of a trace, and what they held before it.

    Args:
        arguments: what the function is called with.
        outside: what it can reach beside them.

    Attributes:
        numbers: which of them an object is, by its id.
        given: all containers among the arguments, tuples too, by id.
    """

    def __init__(self, arguments: Any, outside: Outside) -> None:
        self.outside = outside
        held = (x for x in nodes(arguments) if x is not None and (type(x) is not tuple or x))
        self.given = {id(x): x for x in held}
        self.objects: Sequence[Any] = list(filter(is_mutable, self.given.values()))
        self._before = list(map(_held, self.objects))
        self.numbers = {id(x): k for k, x in enumerate(self.objects)}

    def number(self, item: Any) -> int | None:
        """Return which of the objects a value is; None if it is none of them."""
        number = self.numbers.get(id(item))
        return number if number is not None and self.objects[number] is item else None

    def changed(self, numbers: Iterable[int] | None = None) -> list[Changed]:
        """Return what was changed.

        Args:
            numbers: which objects are looked at; all of them, if it is not told.
        """
        asked = range(len(self.objects)) if numbers is None else numbers
        pairs = ((k, self.objects[k]) for k in asked)
        found = [_changed(k, x) for k, x in pairs if _differs(x, self._before[k])]
        variables = [slot.variable for slot in self.outside.assigned()]
        return [*found, *(Changed(partial(Assigned, x), Maybe.of(x.read())) for x in variables)]


def _changed(number: int, x: Any) -> Changed:
    staged = staged_list(x)
    if staged is not None:
        return Changed(partial(Change, number, None), staged)
    parts = taken_apart(x)
    assert parts is not None
    items, data = parts
    return Changed(
        partial(Change, number, data), [*map(Maybe.of, items)] if is_dataclass(x) else items
    )


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


def objects_in(
    arguments: Any, serves_shared: bool = False, outside: Iterable[Place] = ()
) -> Sequence[Any]:
    """Return the caller's objects.

    Args:
        arguments: all of a call.
        serves_shared: whether the trace knows which of them are one; else they have to be several.
        outside: where else the function may find such objects.

    Raises:
        OverlapError: one of them is there twice, so that the trace took it for two.
    """
    objects = mutable_nodes(arguments)
    found = {id(x): x for x in objects}
    where = "twice" if len(found) < len(objects) and not serves_shared else None
    others = outside if found else ()
    where = next((f"that is {x.text}, too" for x in others if id(x.read()) in found), where)
    if where is not None:
        raise OverlapError(
            f"a list, dict or object is given to a staged function {where}, and the function "
            "changes it, or asks whether two are one; pass a copy of the other"
        )
    return list(found.values())


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
            if not (change.may_be_old and _holds_alike(change.variable.read(), items)):
                change.variable.write(items)
        else:
            _set_items(objects[change.number], change, items)


def _holds_alike(old: Any, new: Any) -> bool:
    """Tell whether a container holds what another one does: where nothing was assigned, it stays.

    Lists that arms leave are joined by what they hold, so that nobody knows which one it was.
    """
    if type(old) is not type(new) or type(old) not in (list, tuple, dict, deque):
        return False
    if isinstance(old, dict):
        return _holds_alike([*old.items()], [*new.items()])
    pairs = zip(old, new, strict=False)
    return len(old) == len(new) and all(_is_alike(a, b) or _holds_alike(a, b) for a, b in pairs)


def _is_alike(a: Any, b: Any) -> bool:
    is_value = isinstance(a, int | float | complex | str | np.generic)
    return a is b or (is_value and type(a) is type(b) and bool(a == b))


def _set_items(x: Any, change: Change, items: Sequence[Any]) -> None:
    if isinstance(x, list):
        x[:] = items
    elif is_dataclass(x):
        before, after = taken_apart(x), dict(zip(change.data, items, strict=True))
        for name in before[1] if before is not None else ():
            if after.get(name, UNDEFINED) is UNDEFINED:
                object.__delattr__(x, name)
        for name, item in after.items():
            if item is not UNDEFINED:
                object.__setattr__(x, name, item)
    elif isinstance(x, dict) and change.data is not None:
        fill(x, dict(zip(change.data[0], items, strict=True)))
    else:
        fill(x, items)
