"""Sets as columns of their items: every item of one is compared with every item of the other.

Comes in: what two sets hold. Goes out: which items they share, as one operation over arrays, and
what follows from that. Sets of items without a hash have no other way.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.containers.columns import joined_rows, need
from autograph.operators.containers.equality import exact, numbers_of
from autograph.operators.containers.item_kinds import NOTHING, slots_of
from autograph.operators.containers.staged_containers import NO_CONTENT, Content
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY


def is_in(a: Content, b: Content) -> Any:
    """Return which items of the first are in the second, as an array."""
    if NOTHING in (a.kind, b.kind) or slots_of(a.kind)[1] != slots_of(b.kind)[1]:
        return rnp.zeros(a.length, bool)
    found = []
    columns = (numbers_of(x.kind, _rows(x)) for x in (a, b))
    for x, y in zip(*columns, strict=True):
        if x.dtype.kind in "fc" or y.dtype.kind in "fc":
            message = "nan in a set is found in Python if it is the same object"
            need(rnp.logical_not(rnp.any(rnp.isnan(x))), StagedValueError, message)
        found.append(exact(x)[:, None] == exact(y)[None, :])
    return rnp.any(reduce(lambda left, right: left & right, found), axis=1)


def chosen(a: Content, which: Any) -> Content:
    """Return a set of those items that an array of truth values says."""
    if a.kind == NOTHING:
        return NO_CONTENT._replace(keyed=set)
    return _of_rows(a.kind, [x[which] for x in _rows(a)])


def joined(a: Content, b: Content) -> Content:
    """Return what either of two sets holds, which have nothing in common."""
    if a.kind == NOTHING:
        return a
    pairs = zip(_rows(a), _rows(b), strict=True)
    return _of_rows(a.kind, [joined_rows(*pair) for pair in pairs])


def is_subset(a: Content, b: Content) -> Any:
    """Return whether all of the first is in the second."""
    return apply(REGISTRY["truth"], [rnp.all(is_in(a, b))])


def is_disjoint(a: Content, b: Content) -> Any:
    """Return whether they have nothing in common."""
    return table.operators.not_(apply(REGISTRY["truth"], [rnp.any(is_in(a, b))]))


def is_equal(a: Content, b: Content) -> Any:
    """Return whether they have the same items."""
    return table.operators.and_(a.length == b.length, lambda: is_subset(a, b))


def is_proper_subset(a: Content, b: Content) -> Any:
    """Return whether the second has all of the first, and more."""
    return table.operators.and_(a.length < b.length, lambda: is_subset(a, b))


def _rows(content: Content) -> list[Any]:
    return [x[: content.length] for x in content.buffers]


def _of_rows(kind: Any, rows: list[Any]) -> Content:
    return Content(kind, rows[0].shape[0], tuple(rows), set)
