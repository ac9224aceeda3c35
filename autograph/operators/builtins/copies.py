"""`copy.copy` and `copy.deepcopy` of containers of which only the graph knows the items."""

from __future__ import annotations

import copy
from typing import Any

from autograph.operators.containers.method_tables import call_method
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import refuse_inner
from autograph.operators.mutation.reachable_objects import reachable
from runtime import default_graph
from runtime.numpy.searching import is_number


def copy_(*values: Any) -> Any:
    """`copy.copy(x)`."""
    if values and is_number(values[0]):
        return values[0]
    staged = staged_list(values[0]) if len(values) == 1 else None
    return copy.copy(*values) if staged is None else _copied(staged)


def deepcopy(*values: Any, **options: Any) -> Any:
    """`copy.deepcopy(x)`: such containers in it are copied before, and Python does the rest."""
    if default_graph.current() is None or len(values) != 1 or options:
        return copy.deepcopy(*values, **options)
    if is_number(values[0]):
        return values[0]
    copies: dict[int, Any] = {}
    for _, part in reachable((), [("x", values[0])]):
        staged = staged_list(part)
        if staged is not None:
            refuse_inner(staged, staged.kind, "deepcopy()", "copy what it holds in a loop over it")
            copies[id(part)] = _copied(staged)
    return copy.deepcopy(values[0], copies)


def _copied(staged: Any) -> Any:
    if type(staged.python) is StagedTuple:
        return staged.python
    return call_method(staged, "copy", (), {})
