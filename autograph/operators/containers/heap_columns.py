"""The columns of a heap: what each attribute of the objects of a class may hold.

    rows  = count, field...
    field = kind | which, kind...       columns; `which` says which kind an object holds
    kind  = what an item of a list is | a known value, which needs no column

Comes in: what attributes hold, on one way or on several. Goes out: rows that hold all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.columns import ROOM
from autograph.operators.containers.item_kinds import (
    ItemKind,
    classes_of,
    recast_columns,
    slots_of,
)
from autograph.operators.containers.staged_containers import joined_kind, joint_kind
from autograph.staging.deferred_errors import never_failing
from autograph.staging.unify import ALIKE
from runtime import default_graph, trees
from runtime.default_graph import building
from runtime.dispatch import as_known
from runtime.graph.builder import Builder
from runtime.spec import WEAK_SPECS, TensorSpec
from runtime.union import Known

Kind = ItemKind | Known
"""What an attribute may hold: values of the graph, or one that is known."""

Kinds = tuple[Kind, ...]
"""All that an attribute may hold."""


class Rows(NamedTuple):
    """What the objects of a class hold.

    Args:
        fields: what each attribute may hold, by its name; None if there never was an object.
        count: how many objects there are.
        columns: of the attributes, one after another.
    """

    fields: tuple[tuple[str, Kinds], ...] | None
    count: Any
    columns: tuple[Any, ...]


UNUSED = Rows(None, 0, ())

OF_CLASS: Any = object()
"""Stands for an attribute that an object does not have itself, but its class."""


def _take(rows: Rows) -> tuple[Sequence[Any], Any]:
    return ((), None) if rows.fields is None else ((rows.count, *rows.columns), rows.fields)


def _make(fields: Any, children: Sequence[Any]) -> Rows:
    return UNUSED if fields is None else Rows(fields, children[0], tuple(children[1:]))


trees.register_tree(Rows, _take, _make)


def specs_of(field: Kinds) -> list[TensorSpec]:
    """Return the specs of the columns of an attribute."""
    which = [WEAK_SPECS[int]] if len(field) > 1 else []
    return which + [spec for kind in field for spec in leaf_specs(kind)]


def leaf_specs(kind: Kind) -> tuple[TensorSpec, ...]:
    """Return the specs of the columns of one kind of values."""
    return () if isinstance(kind, Known) else kind.specs


def columns_of(rows: Rows) -> Iterator[tuple[str, Kinds, tuple[Any, ...]]]:
    """Yield the attributes, what they may hold, and their columns."""
    rest = iter(rows.columns)
    for name, field in rows.fields or ():
        yield name, field, tuple(islice(rest, len(specs_of(field))))


def by_kind(field: Kinds, leaves: Sequence[Any]) -> list[list[Any]]:
    """Return the leaves or columns of an attribute for each kind of value."""
    rest = iter(leaves[len(field) > 1 :])
    return [list(islice(rest, len(leaf_specs(kind)))) for kind in field]


def widened(field: Kinds, kinds: Sequence[Kind]) -> Kinds:
    """Return what an attribute may hold, with some more."""
    found = list(field)
    for kind in kinds:
        for k, one in enumerate(found):
            both = _both(one, kind)
            if both is not None:
                found[k] = both
                break
        else:
            for one in found:
                _check_apart(one, kind)
            found.append(kind)
    return tuple(found)


def _check_apart(a: Kind, b: Kind) -> None:
    """Raise MutationError for two kinds of values that a choice does not tell from each other."""
    if isinstance(a, ItemKind) and isinstance(b, ItemKind) and _form(a) == _form(b):
        joined_kind("attribute of an object", a, b)


def _form(kind: ItemKind) -> Any:
    slots, structure = slots_of(kind)
    return structure, [classes_of(slot)[0].rank for slot in slots]


def _both(a: Kind, b: Kind) -> Kind | None:
    """Return what holds values of two kinds, if one does."""
    if isinstance(a, Known) or isinstance(b, Known):
        return a if a == b else None
    return joint_kind(a, b)


def kind_index(field: Sequence[Kind], kind: Kind) -> int:
    """Return which of the kinds of an attribute holds values of a kind."""
    return next(k for k, one in enumerate(field) if _both(one, kind) is not None)


def room_of(rows: Rows) -> Any:
    """Return for how many objects there is room."""
    return rows.columns[0].shape[0] if rows.columns else rows.count + ROOM


def recast(rows: Rows, fields: Mapping[str, Kinds]) -> Rows:
    """Return what objects hold as rows whose attributes may hold more."""
    if dict(rows.fields or ()) == fields:
        return rows
    size = room_of(rows)
    known = {name: (field, columns) for name, field, columns in columns_of(rows)}
    found: list[Any] = []
    for name, field in fields.items():
        found += _recast_field(*known.get(name, ((), ())), field, size)
    return Rows(tuple(fields.items()), rows.count, tuple(found))


def _recast_field(old: Kinds, columns: Sequence[Any], new: Kinds, size: Any) -> Sequence[Any]:
    """Return the columns of an attribute as those of one that may hold more."""
    if old == new:
        return columns
    places = [kind_index(new, kind) for kind in old]
    held = dict(zip(places, zip(old, by_kind(old, columns), strict=True), strict=True))
    found = []
    if len(new) > 1:
        found.append(_which(places, columns[0] if len(old) > 1 else None, size))
    for k, kind in enumerate(new):
        if isinstance(kind, Known):
            continue
        if k in held:
            source, parts = held[k]
            assert isinstance(source, ItemKind)
            with never_failing():
                found += recast_columns(parts, size, source, kind)
        else:
            found += [_empty(spec, size) for spec in kind.specs]
    return found


def _which(places: Sequence[int], before: Any, size: Any) -> Any:
    """Return the column that says which kind of value an attribute holds."""
    if before is not None:
        builder = default_graph.current()
        assert builder is not None
        with never_failing():
            return as_known(builder, np.array(places))[before]
    return rnp.full(size, places[0] if places else 0)


def _empty(spec: TensorSpec, size: Any) -> Any:
    known = [n if isinstance(n, int) else 0 for n in spec.shape or ()]
    return rnp.zeros((size, *known), spec.dtype)


def _all_rows(values: Sequence[Any], builders: Sequence[Builder]) -> Sequence[Any]:
    """Return what the objects of a class hold, on several ways, as rows of the same columns."""
    fields: dict[str, Kinds] = {}
    for rows in values:
        for name, field in rows.fields or ():
            fields[name] = widened(fields.get(name, ()), field)
    found = []
    for rows, builder in zip(values, builders, strict=True):
        with building(builder):
            found.append(recast(rows, fields) if fields else rows)
    return found


ALIKE[Rows] = _all_rows
