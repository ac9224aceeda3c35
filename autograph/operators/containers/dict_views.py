"""The keys, the values and the items of staged dicts, as they are at any time."""

from __future__ import annotations

from typing import Any

from autograph.operators.containers.key_codes import KEYS, part_of
from autograph.operators.containers.staged_containers import (
    NO_CONTENT,
    Content,
    StagedList,
    lists_now,
    staged_list,
)
from autograph.operators.containers.storage import refused
from autograph.staging.copies import holds_for_tracing

NAMES = ("keys", "values")


@holds_for_tracing
class View(StagedList):
    """A part of each item of a staged dict, as a staged list that is never written.

    Args:
        source: the dict.
        part: `KEYS` or `VALUES`; None for both.
    """

    __slots__ = ("_content", "_seen", "part", "source")

    def __init__(self, source: StagedList, part: int | None) -> None:
        name = f"{source.name}.{'items' if part is None else NAMES[part]}()"
        super().__init__([], name)
        self.source = source
        self.part = part
        self._seen: Content | None = None
        self._content = NO_CONTENT

    @property
    def held(self) -> Content:
        """What it holds now."""
        if self._seen is not self.source.content:
            self._seen = self.source.content
            self._content = part_of(self._seen, self.part)
        return self._content

    @held.setter
    def held(self, content: Content) -> None:
        assert content is NO_CONTENT  # it holds what the dict holds


def view(source: StagedList, part: int | None) -> StagedList:
    """Return a part of each item of a dict as a staged list."""
    found = View(source, part)
    lists_now().add_view(found)
    return found


def members(staged: StagedList) -> StagedList:
    """Return what Python's iteration gives: the keys of a dict."""
    return view(staged, KEYS) if isinstance(staged.python, dict) else staged


def in_order(value: Any) -> StagedList | None:
    """Return what a loop goes over, if a value is staged; MutationError for a set."""
    staged = staged_list(value)
    if staged is None:
        return None
    if type(value) is set:
        raise refused(staged, "the order", "write sorted(...) of it")
    return members(staged)
