"""`x[start:stop:step] = items` and `del x[start:stop:step]`, of lists whose items are rows."""

from __future__ import annotations

from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins.texts import field, text
from autograph.operators.containers.columns import joined_rows, need
from autograph.operators.containers.promotion import staged_of
from autograph.operators.containers.staged_containers import StagedList, own
from autograph.operators.containers.storage import refused, rows_like, rows_of, widen
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.keyed.views import in_order
from autograph.operators.lists.list_methods import clamped
from runtime.tensor import is_staged


def assign_slice(staged: StagedList, index: slice, items: Any) -> None:
    """`staged[index] = items`: the list changes its length, unless the slice has a step."""
    other = in_order(items)
    if other is None:
        items = table.operators.call(list, items)
        other = in_order(items) or staged_of(items)
    if _has_step(index):
        _put_at(staged, index, other)
        return
    length, added = staged.content.length, other.content
    start = 0 if index.start is None else clamped(index.start, length)
    stop = length if index.stop is None else clamped(index.stop, length)
    stop = if_exp(stop < start, lambda: start, lambda: stop)
    widen(staged, other.kind)
    pairs = zip(rows_of(staged), rows_like(staged, added), strict=True)
    rows = [joined_rows(x[:start], y, x[stop:]) for x, y in pairs]
    staged.set_rows(start + added.length + (length - stop), rows)


def delete_slice(staged: StagedList, index: slice) -> None:
    """`del staged[index]`."""
    if not _has_step(index):
        assign_slice(staged, index, ())
        return
    kept = own(rnp.ones(staged.content.length, bool))
    kept[index] = False
    staged.set_rows(rnp.count_nonzero(kept).item(), [x[kept] for x in rows_of(staged)])


def _has_step(index: slice) -> bool:
    return is_staged(index.step) or index.step not in (None, 1)


def _put_at(staged: StagedList, index: slice, other: StagedList) -> None:
    """Put items in the places of others: as many as there are."""
    length, new = staged.content.length, other.content.length
    count = rnp.arange(length)[index].shape[0]
    if is_staged(index.step):
        what = "assigning another number of items to a slice with a step of 1"
        error = refused(staged, what, "leave the step out")
        need((count == new) | (index.step != 1), type(error), *error.args)
    sizes = text("sequence of size ", field(new), " to extended slice of size ", field(count))
    need(count == new, ValueError, text("attempt to assign ", sizes))
    widen(staged, other.kind)
    rows = [own(x) for x in rows_of(staged)]
    for row, added in zip(rows, rows_like(staged, other.content), strict=True):
        row[index] = added
    staged.set_rows(length, rows)
