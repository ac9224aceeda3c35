"""The columns of a heap: what each attribute of the objects of a class holds.

    rows      = count, attribute...
    attribute = what the items of a list are        objects that do not have it are of a kind, too

Comes in: what attributes hold, on one way or on several. Goes out: rows that hold all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import partial, reduce
from itertools import islice
from typing import Any, NamedTuple

import runtime.numpy as rnp
from autograph.operators.containers.columns import ROOM
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    kind_of_slots,
    recast_columns,
    variant_of,
)
from autograph.operators.containers.kind_joins import joined_kind
from autograph.operators.containers.variants import VariantKind
from autograph.staging.deferred_errors import never_failing
from autograph.staging.unify import ALIKE
from runtime import trees
from runtime.default_graph import building
from runtime.graph.builder import Builder
from runtime.tree_classes import register_tree
from runtime.union import Known


class Rows(NamedTuple):
    """What the objects of a class hold.

    Args:
        fields: what each attribute holds, by its name; None if there never was an object.
        count: how many objects there are.
        columns: of the attributes, one after another.
    """

    fields: tuple[tuple[str, ItemKind], ...] | None
    count: Any
    columns: tuple[Any, ...]


UNUSED = Rows(None, 0, ())


class Absent(Enum):
    """Stands for an attribute that an object does not have itself, but perhaps its class."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
NOT_THERE = kind_of_slots([VariantKind((Known(ABSENT),))], trees.LEAF)
"""What an attribute holds that no object has."""


def _take(rows: Rows) -> tuple[Sequence[Any], Any]:
    return ((), None) if rows.fields is None else ((rows.count, *rows.columns), rows.fields)


def _make(fields: Any, children: Sequence[Any]) -> Rows:
    return UNUSED if fields is None else Rows(fields, children[0], tuple(children[1:]))


register_tree(Rows, _take, _make)


def columns_of(rows: Rows) -> Iterator[tuple[str, ItemKind, tuple[Any, ...]]]:
    """Yield the attributes, what they hold, and their columns."""
    rest = iter(rows.columns)
    for name, kind in rows.fields or ():
        yield name, kind, tuple(islice(rest, len(kind.specs)))


def recast(rows: Rows, fields: Mapping[str, ItemKind]) -> Rows:
    """Return what objects hold as rows whose attributes hold more; all of them have values."""
    if dict(rows.fields or ()) == fields:
        return rows
    size = rows.columns[0].shape[0] if rows.columns else rows.count + ROOM
    known = {name: (kind, columns) for name, kind, columns in columns_of(rows)}
    found: list[Any] = []
    with never_failing():
        for name, kind in fields.items():
            before, columns = known.get(name, (NOTHING, ()))
            if before == NOTHING and can_be_absent(kind):
                before, columns = NOT_THERE, (rnp.zeros(size, "int64"),)
            found += recast_columns(columns, size, before, kind)
    return Rows(tuple(fields.items()), rows.count, tuple(found))


def can_be_absent(kind: ItemKind) -> bool:
    """Tell whether some objects may lack an attribute."""
    variant = variant_of(kind)
    return variant is not None and Known(ABSENT) in variant.kinds


def _all_rows(values: Sequence[Any], builders: Sequence[Builder]) -> Sequence[Any]:
    """Return what the objects of a class hold, on several ways, as rows of the same columns."""
    present = [dict(rows.fields) for rows in values if rows.fields is not None]
    fields: dict[str, ItemKind] = {}
    for name in dict.fromkeys(name for one in present for name in one):
        kinds = [one.get(name, NOT_THERE) for one in present]
        fields[name] = reduce(partial(joined_kind, f"attribute {name!r}"), kinds)
    found = []
    for rows, builder in zip(values, builders, strict=True):
        with building(builder):
            found.append(recast(rows, fields) if fields else rows)
    return found


ALIKE[Rows] = _all_rows
