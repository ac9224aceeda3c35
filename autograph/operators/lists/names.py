"""Staging a container by itself, as its items are known only when the graph runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from autograph.operators.lists.content import promote
from autograph.operators.lists.table import ItemKind, StagedList, lists_of, need_lists
from runtime import mode

OURS = ("autograph.", "runtime.")


def variable_of(container: Any, otherwise: str = "items") -> str:
    """Return a variable of the user's that holds a container, for messages."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(OURS):
            for name, value in frame.f_locals.items():
                if value is container:
                    return name
        frame = frame.f_back
    return otherwise


def staged_of(container: Any, kinds: Sequence[ItemKind] = ()) -> StagedList:
    """Make a container staged because what becomes of it is known only when the graph runs.

    Args:
        container: a list, or another one.
        kinds: of items that it will hold.
    """
    need_lists()
    lists = lists_of(mode.current())
    assert lists is not None
    return promote(lists, container, variable_of(container), kinds)
