"""Cotangents of which each has few elements: those that belong together are put together.

A stencil reads an array at several places, and each read adds to its cotangent. What is read at the
same places is added up before; where what was written left zeros it is written, and not added; and
parts that make the whole of an array stand one after another, without zeros to begin with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.autodiff.tape import Entry
from runtime.graph.traits import Addend
from runtime.spec import Shape


def placed(one: Addend, entry: Entry) -> Addend:
    """Return a cotangent with what tells its places apart, if only the graph knows them."""
    if one.at is not None or (one.of is None and one.filled is None):
        return one
    places = entry.inputs[1 if one.filled is None else 2 :]
    return replace(one, at=(entry.node.attrs["key"], *places))


def with_holes_filled(addends: Sequence[Addend]) -> list[Addend]:
    """Return cotangents with the same sum, of which no two have elements at the same places only.

    One that lacks the elements of some places comes first, with those that others have there.
    """
    found: dict[Any, Addend] = {}
    for number, one in enumerate(addends):
        key = number if one.of is None or one.at is None else one.at
        known = found.get(key)
        if known is None or known.of is None:
            found[key] = one
        else:
            found[key] = replace(known.of(known.part + one.part), at=one.at)
    holes = [x for x in found.values() if x.filled is not None and x.at in found]
    if len(holes) != 1:
        return [*found.values()]
    (hole,), fills = holes, found[holes[0].at]
    assert hole.filled is not None
    whole = hole.filled(fills.part)
    rest = [x for x in found.values() if x is not fills and x is not hole]
    return [Addend(lambda: whole, lambda total: total + whole), *rest]


def joined_parts(shape: Shape | None, addends: Sequence[Addend]) -> tuple[Any, list[Addend]]:
    """Return an array of parts that are its rows, in their order, and all other parts.

    The array is None if there are no such parts.
    """
    size = shape[0] if shape else None
    parts = [(x, x.at[0]) for x in addends if x.of is not None and x.at and len(x.at) == 1]
    rows = [(own, x) for x, own in parts if isinstance(own, range) and own.step == 1 and own]
    ways = {0: list[Addend]()}
    for own, x in sorted(rows, key=lambda row: row[0].start):
        if own.start in ways:
            ways.setdefault(own.stop, [*ways[own.start], x])
    chosen = ways.get(size, []) if isinstance(size, int) else []
    if len(chosen) < 2:
        return None, [*addends]
    whole = np.concatenate([x.part for x in chosen])
    return whole, [x for x in addends if not any(x is y for y in chosen)]
