"""Rules of batching for what reads and writes parts of arrays; see `batch_rules`.

Where places differ from element to element, the number of the element is one index more, in front
of the others: `x[i]` is `x[numbers, i]`. NumPy puts the axes of indices where the first of them
stands if no slice stands between them, and in front if one does; `Layout` says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.graph.node import Value
from runtime.graph.opdef import OpDef
from runtime.ops.batch_rules import Batch, Operand, Result, flat, known_ranks, shifted
from runtime.ops.keys import SLOT, led_by, read_key, selected


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the axes of indices are in what a key selects.

    Args:
        has_arrays: whether an index is an array, so that integers are indices, too.
        is_together: whether no slice stands between indices.
        before: how many axes stand before the first index.
        rank: how many axes the indices have together.
    """

    has_arrays: bool
    is_together: bool
    before: int
    rank: int


def _layout(key: str, parts: Sequence[Operand], rank: int) -> Layout | None:
    """Return the layout of a key; None when a part of it differs that may not."""
    given = iter(parts)
    marks: list[int | None] = []  # the rank of an index, None for an axis that stays
    for item in read_key(key):
        if isinstance(item, slice):
            bounds = [next(given) for x in (item.start, item.stop, item.step) if x is SLOT]
            if any(x.is_batched for x in bounds):
                return None
            marks.append(None)
        elif item is SLOT:
            part = next(given)
            is_mask = part.spec.dtype.kind == "b"
            if is_mask and part.is_batched:
                return None
            marks.append(1 if is_mask else part.rank)
        elif item is ...:
            taken = _taken(key, parts)
            marks += [None] * (rank - taken)
        else:
            marks.append(1 if isinstance(item, bool) else None if item is None else 0)
    places = [k for k, mark in enumerate(marks) if mark is not None]
    ranks = [mark for mark in marks if mark is not None]
    is_together = not places or places[-1] - places[0] == len(places) - 1
    before = places[0] if places else 0
    return Layout(any(ranks), is_together, before, max(ranks, default=0))


def _taken(key: str, parts: Sequence[Operand]) -> int:
    """Return how many axes the items of a key take, the ellipsis apart."""
    count, given = 0, iter(parts)
    for item in read_key(key):
        if isinstance(item, slice):
            for bound in (item.start, item.stop, item.step):
                if bound is SLOT:
                    next(given)
            count += 1
        elif item is SLOT:
            part = next(given)
            count += part.rank if part.spec.dtype.kind == "b" else 1
        elif item is not ... and item is not None and not isinstance(item, bool):
            count += 1
    return count


def _places(b: Batch, parts: Sequence[Operand], rank: int) -> list[Value]:
    return [b.raised(x, rank) if x.spec.dtype.kind != "b" else x.value for x in parts]


def read(b: Batch, of_arrays: OpDef, x: Operand, *parts: Operand, key: str) -> Result:
    """What `x[key]` reads.

    Args:
        b: the batch.
        of_arrays: the op whose key may have arrays.
        x, parts, key: as those of the op.
    """
    layout = _layout(key, parts, x.rank) if known_ranks((x, *parts)) else None
    if layout is None:
        return None
    values = [one.value for one in parts]
    if not any(one.is_batched for one in parts):
        found = b.emit(b.node.op, x.value, *values, key=led_by(":", key))
        is_behind = layout.has_arrays and not layout.is_together
        return b.moved(found, layout.rank, 0) if is_behind else found
    places = _places(b, parts, layout.rank)
    if not x.is_batched:
        found = b.emit(of_arrays, x.value, *places, key=key)
        return b.moved(found, layout.before, 0) if layout.is_together else found
    found = b.emit(of_arrays, x.value, b.numbers(layout.rank), *places, key=led_by("?", key))
    if not (layout.has_arrays and layout.is_together and layout.before):
        return found
    axes = range(1, 1 + layout.rank)
    return b.moved(found, tuple(axes), tuple(k + layout.before for k in axes))


def write(
    b: Batch, of_arrays: OpDef, x: Operand, value: Operand, *parts: Operand, key: str
) -> Result:
    """What `x[key] = value` makes of `x`.

    Args:
        b: the batch.
        of_arrays: the op whose key may have arrays.
        x, value, parts, key: as those of the op.
    """
    layout = _layout(key, parts, x.rank) if known_ranks((x, value, *parts)) else None
    target = None if layout is None else selected(x.spec.shape, key, [p.spec for p in parts])
    if layout is None or target is None or value.rank > len(target):
        return None
    base, new = b.spread(x), b.raised(value, len(target))
    is_moved = layout.has_arrays and value.rank > 0
    if not any(one.is_batched for one in parts):
        values = [one.value for one in parts]
        if layout.has_arrays and not layout.is_together:
            return None
        return b.emit(b.node.op, base, new, *values, key=led_by(":", key))
    if is_moved and layout.is_together and layout.before:
        return None
    places = _places(b, parts, layout.rank)
    return b.emit(of_arrays, base, new, b.numbers(layout.rank), *places, key=led_by("?", key))


def write_masked(
    b: Batch, scatter: OpDef, where: OpDef, x: Operand, value: Operand, *parts: Operand, key: str
) -> Result:
    """What `x[key] = value` makes of `x`, where the key may be a mask that differs."""
    mask = parts[0] if parts else value
    is_mask = key == "?" and mask.is_batched and mask.spec.dtype.kind == "b"
    if not is_mask:
        return write(b, scatter, x, value, *parts, key=key)
    is_same = x.sizes is not None and x.sizes == mask.sizes
    if not is_same or value.spec.rank != 0 or not _fits(value, x):
        return None
    base = b.spread(x)
    new = value.value if value.spec.dtype == x.spec.dtype else b.cast(value.value, x.spec.dtype)
    number = Operand(new, value.spec, value.is_batched)
    return b.emit(where, mask.value, b.raised(number, x.rank), base)


def _fits(value: Operand, x: Operand) -> bool:
    return np.can_cast(value.spec.dtype, x.spec.dtype, "same_kind")


def take_rule(b: Batch, gather: OpDef, x: Operand, places: Operand, **attrs: Any) -> Result:
    """What `take` gives."""
    if not known_ranks((x, places)):
        return None
    axis = attrs["axis"]
    op = b.node.op
    if not x.is_batched:
        found = b.emit(op, x.value, places.value, **attrs)
        return found if axis is None else b.moved(found, axis % x.rank, 0)
    rows = flat(b, x) if axis is None else x
    if rows is None:
        return None
    if not places.is_batched:
        moved = shifted(0 if axis is None else axis, rows.rank)
        return b.emit(op, rows.value, places.value, **(attrs | {"axis": moved}))
    if attrs["mode"] != "raise" or axis not in (None, 0, -x.rank):
        return None
    return b.emit(gather, rows.value, b.numbers(places.rank), places.value, key="?, ?")


def take_along(b: Batch, x: Operand, places: Operand, **attrs: Any) -> Result:
    """What `take_along_axis` gives."""
    if not known_ranks((x, places)):
        return None
    if attrs["axis"] is None:
        return None
    moved = shifted(attrs["axis"], x.rank)
    return b.emit(b.node.op, b.spread(x), b.spread(places), **(attrs | {"axis": moved}))


def at_places(b: Batch, x: Operand, value: Operand, *parts: Operand, key: str) -> Result:
    """What the method `at` of a ufunc makes of `x`."""
    return write(b, b.node.op, x, value, *parts, key=key)
