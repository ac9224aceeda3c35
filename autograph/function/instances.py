"""What belongs to instances, by their ids: it goes when they go.

Comes in: an instance, and a dictionary. Goes out: what gives the instance as long as it lives.
"""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

MOST_KEPT = 64
"""How many instances that cannot be weakly referenced are kept alive."""


def watch(
    instance: Any, belonging: dict[int, Any], kept: deque[int]
) -> tuple[int, Callable[[], Any]]:
    """Return the key of what belongs to an instance, and what returns the instance.

    Args:
        instance: is held weakly; one that cannot be is kept alive for a while, and then forgotten.
        belonging: what belongs to instances; an entry goes with its instance.
        kept: the keys of those that are kept alive.
    """
    key = id(instance)
    try:
        return key, weakref.ref(instance, lambda _: belonging.pop(key, None))
    except TypeError:
        if len(kept) == MOST_KEPT:
            belonging.pop(kept.popleft(), None)
        kept.append(key)
        return key, partial(_same, instance)


def _same(value: Any) -> Any:
    return value


def name_of(value: Any) -> str | None:
    """Return the name by which its module has an object; None if it has another, or none.

    >>> name_of(name_of)
    'name_of'
    """
    name: str = getattr(value, "__qualname__", "")
    found: Any = sys.modules.get(value.__module__)
    for part in name.split("."):
        found = getattr(found, part, None)
    return name if found is value else None
