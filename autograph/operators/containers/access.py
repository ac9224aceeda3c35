"""What `x in c`, `c[i]` and `for x in c` are, for all staged containers."""

from __future__ import annotations

from collections import deque
from typing import Any

from autograph.operators.containers import equality, storage
from autograph.operators.containers.columns import need
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.storage import refused
from autograph.operators.keyed import dict_methods
from autograph.operators.keyed.key_codes import KEYS
from autograph.operators.keyed.key_lookup import find
from autograph.operators.keyed.views import View, in_order, view
from autograph.staging.for_loop import Items, Iteration


def contains_item(staged: StagedList, item: Any) -> Any:
    """Return `item in c`."""
    if isinstance(staged, View) and staged.part == KEYS:
        staged = staged.source
    if isinstance(staged.python, dict | set):
        return find(staged, item).is_there
    return equality.contains_item(staged, item)


def item_of(staged: StagedList, index: Any) -> Any:
    """Return `c[index]`."""
    if isinstance(staged, View) or type(staged.python) is set:
        raise TypeError(f"the {staged.what} is not subscriptable")
    if isinstance(staged.python, dict):
        return dict_methods.METHODS["__getitem__"](staged, index)
    return storage.item_of(staged, index)


class Contained(Items):
    """The items of a container, which a loop's body may change.

    Args:
        staged: the container.
        shown: the same in the order of a loop.
        first: how many items it had when the loop began; None for what it has now.
    """

    def __init__(self, staged: StagedList, shown: StagedList, first: int | None) -> None:
        self._staged = staged
        self._shown = shown
        self._first = shown.content.length if first is None else first
        self.sources = (shown.source if isinstance(shown, View) else staged,)

    def has(self, index: Any) -> Any:
        self._check()
        return index < self._shown.content.length

    def item(self, index: Any) -> Any:
        return storage.item_at(self._shown, index)

    def counted(self) -> Iteration:
        return storage.iteration_over(self._shown)

    def _check(self) -> None:
        """Raise RuntimeError, or say so, where the container has changed its size."""
        length = self._shown.content.length
        if length is self._first:
            return
        if isinstance(self._shown, View):
            what = "dictionary" if isinstance(self._staged.python, dict) else "Set"
            need(length == self._first, RuntimeError, f"{what} changed size during iteration")
        elif type(self._staged.python) is deque:
            instead = "go over a list of it: list(...)"
            raise refused(self._staged, "a change, in a loop over it,", instead)


def items_over(staged: StagedList, part: int | None = KEYS, first: int | None = None) -> Items:
    """Return what a loop over a container goes over.

    Args:
        staged: the container.
        part: of each item of a dict: `KEYS`, `VALUES` or None for both.
        first: how many items it had when the loop began; None for what it has now.
    """
    shown = in_order(staged.python) if part == KEYS else view(staged, part)
    assert shown is not None
    return Contained(staged, shown, first)
