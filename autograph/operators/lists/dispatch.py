"""The methods of staged containers, by their classes."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from autograph.operators.lists import counters, deques, dicts, methods, sets
from autograph.operators.lists.content import refused
from autograph.operators.lists.table import StagedList

TABLES: dict[type, dict[str, Callable[..., Any]]] = {
    list: methods.METHODS,
    deque: deques.METHODS,
    set: sets.METHODS,
    dict: dicts.METHODS,
    Counter: counters.METHODS,
    defaultdict: dicts.METHODS,
}


def call_method(staged: StagedList, name: str, args: Any, kwargs: Any) -> Any:
    """Call a method of a staged list, or of another staged container."""
    method = TABLES[type(staged.python)].get(name)
    if method is None:
        raise refused(staged, f"{name}()", "write a loop over its items")
    return method(staged, *args, **kwargs)
