"""What `x in c`, `c[i]` and `for x in c` are, for all staged containers."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

from autograph.operators.lists import content, dicts
from autograph.operators.lists.content import live_items, need, refused
from autograph.operators.lists.table import StagedList
from autograph.operators.lists.views import KEYS, View, in_order
from runtime.control.iteration import Iteration, Live


def contains_item(staged: StagedList, item: Any) -> Any:
    """Return `item in c`."""
    if isinstance(staged, View) and staged.part == KEYS:
        staged = staged.source
    if isinstance(staged.python, dict | set):
        return dicts.find(staged, item)[0]
    return content.contains_item(staged, item)


def item_of(staged: StagedList, index: Any) -> Any:
    """Return `c[index]`."""
    if isinstance(staged, View) or type(staged.python) is set:
        raise TypeError(f"the {staged.what} is not subscriptable")
    if isinstance(staged.python, dict):
        return dicts.METHODS["__getitem__"](staged, index)
    return content.item_of(staged, index)


def iteration_over(staged: StagedList) -> Iteration:
    """Return how a loop goes over a container."""
    shown = in_order(staged.python)
    assert shown is not None
    iteration = content.iteration_over(shown)
    if isinstance(shown, View):
        return replace(iteration, live=_live_view(shown))
    if type(staged.python) is deque:
        return replace(iteration, live=_refused_live(staged))
    return iteration


def _live_view(view: View) -> Live:
    """Return how a loop goes over a part of a dict that its body changes."""
    first = view.content.length

    def goes_on(index: Any) -> Any:
        same = view.content.length == first
        need(same, RuntimeError, "dictionary changed size during iteration")
        return index < first

    return Live((view.source,), goes_on, live_items(view).item)


def _refused_live(staged: StagedList) -> Live:
    def refuse(index: Any) -> Any:
        raise refused(staged, "a change, in a loop over it,", "go over a list of it: list(...)")

    return Live((staged,), refuse, refuse)
