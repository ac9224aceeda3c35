"""What messages call a container: the user's variable that holds it, or holds what it is part of.

The stores of containers in containers are named by these, so that each level has one of its own.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from types import FrameType
from typing import Any

from runtime import default_graph
from runtime.graph.location import user_location

OURS = ("autograph.", "runtime.")
TRACER = "autograph.function.trace"
"""The module whose frame is around all those of the function that is traced."""

UNNAMED = "items"
"""What a container is called that no variable of the user's holds: a comprehension's list, say."""

LEVELS = 3
MOST_PARTS = 10_000
"""So deep, and among so many parts, a container is looked for in others."""


def variable_of(container: Any, otherwise: str = UNNAMED) -> str:
    """Return a variable of the user's that holds a container, as in `f` or `f[...]`."""
    variables = list(_variables())
    for name, value in variables:
        if value is container:
            return name
    for name, value in variables:
        level = _level_in(value, container)
        if level:
            return name + "[...]" * level
    return otherwise


def place_of(name: str) -> str:
    """Return what is known by a name in each trace: an unnamed list by where it is made."""
    builder, location = default_graph.current(), user_location()
    if name != UNNAMED or builder is None or location is None:
        return name
    return f"{name} ({builder.depth}) of line {location.line}"


def _variables() -> Iterator[tuple[str, Any]]:
    """Yield the variables of the function that is traced, and of what it calls.

    Those of its callers may hold any number of things, and what it is given it has a name for, too.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and (module := frame.f_globals.get("__name__", "")) != TRACER:
        if not module.startswith(OURS):
            yield from frame.f_locals.items()
        frame = frame.f_back


def _level_in(value: Any, container: Any) -> int:
    """Return how deep in a value a container is; 0 where it is not found."""
    around = [value]
    for level in range(1, LEVELS + 1):
        parts = [x for one in around for x in _parts_of(one)]
        if any(x is container for x in parts):
            return level
        around = [x for x in parts if type(x) in (list, tuple, dict, deque)]
        if not around or len(parts) > MOST_PARTS:
            break
    return 0


def _parts_of(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if type(value) in (list, tuple, deque) else ()
