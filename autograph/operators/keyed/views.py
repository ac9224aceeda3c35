"""The keys, the values and the items of staged dicts, and the items of sets in their order."""

from __future__ import annotations

from typing import Any

from autograph.operators.containers.columns import read_rows
from autograph.operators.containers.item_kinds import NOTHING
from autograph.operators.containers.staged_containers import (
    NO_CONTENT,
    Content,
    StagedList,
    lists_now,
    staged_list,
)
from autograph.operators.containers.storage import refused
from autograph.operators.keyed.key_codes import KEYS, has_order, part_of
from autograph.operators.keyed.set_tables import slots_of
from autograph.staging.copies import holds_for_tracing

NAMES = ("keys", "values")


@holds_for_tracing
class View(StagedList):
    """A part of each item of a staged dict or set, as a staged list that is never written.

    Those of a set are in the order of its table, as they are in Python.

    Args:
        source: the dict or set.
        part: `KEYS` or `VALUES`; None for both.
    """

    __slots__ = ("_content", "_seen", "part", "source")

    def __init__(self, source: StagedList, part: int | None) -> None:
        is_dict = isinstance(source.python, dict)
        suffix = f".{'items' if part is None else NAMES[part]}()" if is_dict else ""
        name = source.name + suffix
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
            keyed = self._seen.keyed
            self._content = in_slots(self._seen) if keyed is set else part_of(self._seen, self.part)
        return self._content

    @held.setter
    def held(self, content: Content) -> None:
        assert content is NO_CONTENT  # it holds what the dict holds


def view(source: StagedList, part: int | None) -> StagedList:
    """Return a part of each item of a dict as a staged list."""
    found = View(source, part)
    lists_now().add_view(found)
    return found


def in_slots(content: Content) -> Content:
    """Return the items of a set in the order of its table, as those of a list."""
    slots = slots_of(content.table)
    positions = slots[slots >= 0]
    rows = tuple(read_rows(x, positions) for x in content.buffers)
    return Content(content.kind, content.length, rows)


def members(staged: StagedList) -> StagedList:
    """Return what Python's iteration gives: the keys of a dict; a set that has no order as it is.

    Items of a set of which Python's hash is not known when the graph runs, as that of texts, which
    differs from process to process, have no order.
    """
    is_keyed = isinstance(staged.python, dict) or has_order(staged.content)
    return view(staged, KEYS) if is_keyed else staged


def in_order(value: Any) -> StagedList | None:
    """Return what a loop goes over, if a value is staged; MutationError for a set without order."""
    staged = staged_list(value)
    if staged is None:
        return None
    found = members(staged)
    if type(value) is set and found is staged and staged.kind != NOTHING:
        raise refused(staged, "the order", "write sorted(...) of it")
    return found
