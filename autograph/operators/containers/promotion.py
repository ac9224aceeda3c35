"""Staging a container by itself, as its items are known only when the graph runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.operators.containers.item_kinds import ItemKind
from autograph.operators.containers.staged_containers import (
    StagedList,
    lists_of,
    need_lists,
)
from autograph.operators.containers.storage import promote
from autograph.operators.containers.variable_names import variable_of
from runtime import default_graph


def staged_of(container: Any, kinds: Sequence[ItemKind] = ()) -> StagedList:
    """Make a container staged because what becomes of it is known only when the graph runs.

    Args:
        container: a list, or another one.
        kinds: of items that it will hold.
    """
    need_lists()
    lists = lists_of(default_graph.current())
    assert lists is not None
    return promote(lists, container, variable_of(container), kinds)
