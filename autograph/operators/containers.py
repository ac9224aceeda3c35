"""Python lists, dicts and sets that a staged branch or loop would change while it is traced.

Tracing runs every branch once and a loop body once, whatever happens when the graph runs, so a
change of a Python container in one of them would be wrong. It is undone, and refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from types import FunctionType
from typing import Any

from autograph.operators.assigned import (
    AssignedElsewhere,
    changed_slots,
    reachable,
    slots_of,
)
from autograph.operators.state import State
from autograph.operators.undefined import evaluate
from runtime.errors import MutationError

Snapshot = tuple[str, Any, Any]


def guard(function: Callable[..., Any], places: Sequence[Any], state: State) -> Callable[..., Any]:
    """Return a function that does the same, and raises when it changed what tracing cannot follow.

    Args:
        function: an arm, a body or a test.
        places: the closures whose variables are looked at.
        state: the variables that it may assign.

    The returned function raises MutationError when it changed a container, and
    `AssignedElsewhere` when it assigned variables that are not in the state; both are undone.
    """

    # A function that is made inside assigns variables of the closures themselves.
    closures = [("", place) for place in places if isinstance(place, FunctionType)]

    @wraps(function)
    def guarded(*args: Any) -> Any:
        objects = reachable(places)
        before = [(path, x, x.copy()) for path, x in objects if isinstance(x, list | dict | set)]
        slots = slots_of([*closures, *objects])
        try:
            found = evaluate(function, *args)
        finally:
            changed = [snapshot for snapshot in before if _restore(*snapshot)]
            assigned = changed_slots(slots, objects, state)
            for slot in assigned:
                slot.variable.write(slot.before)
        if changed:
            raise MutationError(_message(changed[0]))
        if assigned:
            raise AssignedElsewhere(assigned)
        return found

    return guarded


def guard_test(test: Callable[[], Any], places: Sequence[Any]) -> Callable[[], Any]:
    """Return a condition that raises MutationError when it assigned a variable."""
    guarded = guard(test, places, State("", "", ()))

    def asked() -> Any:
        try:
            return guarded()
        except AssignedElsewhere as found:
            raise MutationError(
                f"the condition of a staged loop assigns {found.slots[0].name!r}, in something "
                "that it calls; do that in the body"
            ) from None

    return asked


def _is_same(container: Any, copy: Any) -> bool:
    if len(container) != len(copy):
        return False
    if isinstance(container, dict):
        return all(k in copy and copy[k] is value for k, value in container.items())
    if isinstance(container, set):
        return bool(container == copy)
    return all(x is y for x, y in zip(container, copy, strict=True))


def _restore(name: str, container: Any, copy: Any) -> bool:
    """Give a container back what it held; tell whether it was changed."""
    if _is_same(container, copy):
        return False
    container.clear()
    container.extend(copy) if isinstance(container, list) else container.update(copy)
    return True


def _message(snapshot: Snapshot) -> str:
    name, container, _ = snapshot
    kind = type(container).__name__
    return (
        f"the {kind} {name!r} is changed in a staged branch or loop, which is traced once, however "
        f"often it runs. Use an array instead: make it before ({name} = np.zeros(n)) and write its "
        f"items ({name}[i] = ...)"
    )
