"""The methods of staged containers, by their classes."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import refused
from autograph.operators.keyed import counter_methods, dict_methods, set_methods
from autograph.operators.lists import deque_methods, list_methods

TABLES: dict[type, dict[str, Callable[..., Any]]] = {
    list: list_methods.METHODS,
    StagedTuple: {name: list_methods.METHODS[name] for name in ("count", "index")},
    deque: deque_methods.METHODS,
    set: set_methods.METHODS,
    dict: dict_methods.METHODS,
    Counter: counter_methods.METHODS,
    OrderedDict: dict_methods.ORDERED,
    defaultdict: dict_methods.METHODS,
}


def call_method(staged: StagedList, name: str, args: Any, kwargs: Any) -> Any:
    """Call a method of a staged list, or of another staged container."""
    method = TABLES[type(staged.python)].get(name)
    if method is None:
        raise refused(staged, f"{name}()", "write a loop over its items")
    return method(staged, *args, **kwargs)
