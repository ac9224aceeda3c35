"""Stores: all inner containers of one kind, in columns that they share.

    store  = count, used, starts, lengths, rooms, column...     one column for each leaf of an item
    handle = number

The items of container number h stand in the rows from `starts[h]` on; there are `lengths[h]` of
them, and room for `rooms[h]`. One that is full moves behind all others, where it has twice that.
So whoever has the number of a container sees what is done to it, whatever name that was done by.
What a container leaves when it moves is used no more. The tables of sets are in a store of their
own, under the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from reprlib import recursive_repr
from typing import Any, NamedTuple

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.columns import (
    ROOM,
    choose,
    empty_columns,
    hold,
    recast_rows,
    unread,
    with_room,
    with_rows,
)
from autograph.operators.containers.item_kinds import NOTHING, ItemKind, is_open
from autograph.operators.containers.kind_joins import joined_kind
from autograph.operators.containers.makers import EMPTY_LIST, Empty
from autograph.operators.containers.staged_containers import Content
from autograph.operators.control_flow.extra_carry import Extended
from autograph.operators.keyed.key_codes import hashed, orders
from autograph.operators.keyed.set_tables import SLOTS, empty
from autograph.staging.carried import RESIZED
from autograph.staging.copies import holds_for_tracing
from autograph.staging.deferred_errors import never_failing
from autograph.staging.for_loop import Iteration, stage_for
from autograph.staging.region import NoState
from autograph.staging.traced_once import traced_once
from autograph.staging.unify import ALIKE
from runtime import default_graph, trees
from runtime.default_graph import building
from runtime.dispatch import apply, as_known
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.spec import TensorSpec
from runtime.tensor import is_staged
from runtime.tree_classes import register_tree


class Stored(NamedTuple):
    """What a store holds.

    Args:
        kind: of the items of its containers; None if there never was a container.
        count: how many containers there are.
        used: how many rows of the columns are theirs.
        heads: where each starts, how many items it has, and for how many there is room.
        buffers: a column for each leaf of an item.
    """

    kind: ItemKind | None
    count: Any
    used: Any
    heads: tuple[Any, ...]
    buffers: tuple[Any, ...]


UNUSED = Stored(None, 0, 0, (), ())
HEADS = 3


def _take(stored: Stored) -> tuple[Sequence[Any], Any]:
    parts = (stored.count, stored.used, *stored.heads, *stored.buffers)
    return () if stored.kind is None else parts, stored.kind


def _make(kind: ItemKind | None, children: Sequence[Any]) -> Stored:
    if kind is None:
        return UNUSED
    count, used, *rest = children
    return Stored(kind, count, used, (*rest[:HEADS],), (*rest[HEADS:],))


def _labels(kind: ItemKind | None) -> list[str]:
    if kind is None:
        return []
    names = ".count", ".used", ".starts", ".lengths", ".rooms"
    return [*names, *(f".buffers[{k}]" for k in range(len(kind.specs)))]


register_tree(Stored, _take, _make, _labels)
RESIZED.add(Stored)


@holds_for_tracing
class Store:
    """The containers of one kind that are items of others.

    Args:
        name: what it is known by from one trace to the next.
        make: makes an empty container.

    Attributes:
        cls: of its containers.
        stored: what it holds now.
        tables: a store of the tables of its containers, if they are sets.
        given: what it held in the beginning, of lists of the caller's that are only read.
    """

    unused = UNUSED

    def __init__(self, name: Any, make: Empty) -> None:
        self.name = name
        self.cls = make.cls
        self.make = make
        self.stored = UNUSED
        self.tables = Store(("tables", name), EMPTY_LIST) if make.cls is set else None
        self.given: Stored | None = None
        self._seen: tuple[Sequence[Any], Content] | None = None

    @recursive_repr(fillvalue="a container of the same store")
    def __repr__(self) -> str:
        return f"a {self.cls.__name__} of {self.kind}"

    @property
    def kind(self) -> ItemKind:
        """What the items of its containers are."""
        return self.stored.kind or NOTHING

    @property
    def item_name(self) -> str:
        """What messages call its containers; the stores of those among their items have it, too."""
        return f"{self.name[1]}[...]"

    @property
    def has_order(self) -> bool:
        """Whether its containers are sets whose order follows from their tables."""
        return self.tables is not None and orders(self.kind)

    @property
    def parts(self) -> Sequence[Any]:
        """What is needed to tell what its containers hold: where each is, and the columns."""
        stored = widened(self.stored, self.kind)
        return [*stored.heads[:2], *stored.buffers]

    def start(self, number: Any) -> Any:
        """Return in which row the items of a container begin."""
        return _number_at(self.stored.heads, 0, number)

    def length(self, number: Any) -> Any:
        """Return how many items a container has."""
        return _number_at(self.stored.heads, 1, number)

    def content_of(self, number: Any) -> Content:
        """Return what a container holds."""
        seen = self._found(number)
        if seen is not None:
            return seen
        start, length = self.start(number), self.length(number)
        with never_failing():
            rows = tuple(buffer[start : start + length] for buffer in self.stored.buffers)
        found = Content(self.kind, length, rows)
        if self.tables is not None:
            (table,) = self.tables.content_of(number).buffers
            found = hashed(found._replace(keyed=set, table=table))
        self._seen = self._now(number), found
        return found

    def _now(self, number: Any) -> tuple[Any, ...]:
        """Return what decides about what a container holds."""
        tables = None if self.tables is None else self.tables.stored
        return default_graph.current(), self.stored, tables, number

    def _found(self, number: Any) -> Content | None:
        """Return what `content_of` has found, as long as it is that."""
        if self._seen is None:
            return None
        before, found = self._seen
        is_same = all(x is y for x, y in zip(self._now(number), before, strict=True))
        return found if is_same else None

    def set_content(self, number: Any, content: Content) -> None:
        """Have a container hold other items."""
        self.widen(content.kind)
        seen = self._found(number)
        if seen is None or content.buffers is not seen.buffers:
            self._write(number, content)
        self.set_length(number, content.length)
        if self.tables is not None and (seen is None or content.table is not seen.table):
            given = self.tables.stored, number, _table_of(content)
            is_known = not any(map(is_staged, trees.flatten(given)[0]))
            change = _with_content if is_known else partial(traced_once, _with_content)
            self.tables.stored = change(*given)

    def set_length(self, number: Any, length: Any) -> None:
        """Have a container hold so many items."""
        starts, lengths, rooms = self.stored.heads
        self._change(heads=(starts, _with(lengths, length, number), rooms))

    def widen(self, kind: ItemKind) -> None:
        """Have its containers hold items of another kind, too."""
        self.stored = widened(self.stored, joined_kind(repr(self), self.kind, kind))

    def add(self, content: Content) -> Any:
        """Take a new container; return its number."""
        if self.tables is not None:
            self.tables.add(_table_of(content))
        self.stored = widened(self.stored, self.kind)
        self.widen(content.kind)
        count, used = self.stored.count, self.stored.used
        heads = with_room(self.stored.heads, count)
        values = (used, content.length, content.length)
        heads = tuple(_with(x, value, count) for x, value in zip(heads, values, strict=True))
        self._change(count=count + 1, heads=heads)
        if type(content.length) is not int or content.length:
            self._make_room(content.length)
            self._put_rows(used, content)
            self._change(used=used + content.length)
        return count

    @property
    def takes_known(self) -> bool:
        """Tell whether how many containers and rows there are is known."""
        return type(self.stored.count) is int and type(self.stored.used) is int

    def add_known(self, contents: Sequence[Content]) -> int:
        """Take new containers with known numbers of items; return the number of the first one."""
        count: int
        if self.tables is not None:
            self.tables.add_known([*map(_table_of, contents)])
        self.stored = widened(self.stored, self.kind)
        for kind in dict.fromkeys(x.kind for x in contents):
            self.widen(kind)
        count, used = self.stored.count, self.stored.used
        lengths = np.array([x.length for x in contents], np.int64)
        values = used + np.cumsum(lengths) - lengths, lengths, lengths
        pairs = zip(self.stored.heads, values, strict=True)
        heads = tuple(rnp.concatenate([x[:count], value]) for x, value in pairs)
        rows = [recast_rows(x, self.kind) for x in contents if x.length]
        sizes = [x.length for x in contents if x.length]
        buffers = []
        for k, buffer in enumerate(self.stored.buffers):
            parts = [buffer[:used], *(x[k][:n] for x, n in zip(rows, sizes, strict=True))]
            buffers.append(rnp.concatenate(parts) if rows else buffer)
            hold(buffers[-1], parts)
        total = used + int(lengths.sum())
        self._change(count=count + len(contents), used=total, heads=heads, buffers=tuple(buffers))
        return count

    def reserve(self, number: Any, more: Any) -> None:
        """Make room for so many more items in a container."""
        starts, lengths, rooms = self.stored.heads
        start, length, room = (_number_at(self.stored.heads, k, number) for k in range(3))
        is_full = length + more > room

        def if_full(yes: Any, no: Any) -> Any:
            return choose(is_full, lambda: yes, lambda: no)

        # Nothing but what has to be is done under the condition, so that rows are written in place.
        used, added = self.stored.used, if_full(2 * length + more, 0)
        self._make_room(added)
        self._move(if_full(length, 0), start, used)
        starts = _with(starts, if_full(used, start), number)
        rooms = _with(rooms, if_full(2 * length + more, room), number)
        self._change(used=used + added, heads=(starts, lengths, rooms))

    def _move(self, count: Any, start: Any, to: Any) -> None:
        """Copy so many rows to another place, one by one: a part of a column would be a view."""
        if type(count) is int and not count:
            return
        state = Extended(NoState(), "the items of lists", self.stored.buffers)

        def one(k: Any) -> None:
            with never_failing():
                state.extra = tuple(
                    apply(REGISTRY["update"], [x, x[start + k], to + k], key="?")
                    for x in state.extra
                )

        with never_failing():
            stage_for(Iteration(count, (), lambda k, _: k), one, state)
        self._change(buffers=state.extra)

    def _write(self, number: Any, content: Content) -> None:
        """Put items into the rows of a container."""
        old = self.length(number)
        self.reserve(number, choose(content.length > old, lambda: content.length - old, lambda: 0))
        self._put_rows(self.start(number), content)

    def _put_rows(self, start: Any, content: Content) -> None:
        stop = start + content.length
        rows = recast_rows(content, self.kind)
        pairs = zip(self.stored.buffers, rows, strict=True)
        self._change(
            buffers=tuple(with_rows(x, row[: content.length], start, stop) for x, row in pairs)
        )

    def _make_room(self, more: Any) -> None:
        """Make the columns longer if there are not so many rows more."""
        stored = self.stored
        if not stored.buffers:
            return
        need = stored.used + more
        is_full = need > stored.buffers[0].shape[0]
        longer = lambda: tuple(_longer(x, more) for x in stored.buffers)  # noqa: E731
        self._change(buffers=choose(is_full, longer, lambda: stored.buffers))

    def put(self, number: Any, position: Any, leaves: Sequence[Any], write: Any) -> None:
        """Put the leaves of an item into a row of a container."""
        row = self.start(number) + position
        pairs = zip(self.stored.buffers, leaves, strict=True)
        self._change(buffers=tuple(write(x, leaf, row) for x, leaf in pairs))

    def _change(self, **parts: Any) -> None:
        self.stored = self.stored._replace(**parts)


_TABLE = ItemKind(trees.LEAF, (TensorSpec((), np.dtype(np.int64)),))


def _with_content(stored: Stored, number: Any, content: Content) -> Stored:
    """Return what a store of numbers holds when one of its lists holds something else."""
    store = Store(("list", "numbers"), EMPTY_LIST)
    store.stored = stored
    store.set_content(number, content)
    return store.stored


def _table_of(content: Content) -> Content:
    """Return the table of a set as the items of a list; the one of no items where it has none."""
    table = hashed(content._replace(keyed=set)).table
    if table is None:
        builder = default_graph.current()
        assert builder is not None
        table = as_known(builder, empty(SLOTS))
    return Content(_TABLE, table.shape[0], (table,))


def widened(stored: Stored, kind: ItemKind) -> Stored:
    """Return what a store holds as items of a kind that holds them."""
    if any(is_open(spec.shape) for spec in kind.specs):
        raise MutationError(
            "the items of lists that are items of a list are arrays whose sizes are known only "
            "when the graph runs: use a list of arrays for each, or arrays of one known size"
        )
    if stored.kind is None:
        heads = tuple(rnp.zeros(ROOM, "int64") for _ in range(HEADS))
        stored = Stored(NOTHING, 0, 0, heads, ())
    if stored.kind in (kind, None):
        return stored
    if stored.kind == NOTHING:
        return stored._replace(kind=kind, buffers=empty_columns(kind))
    assert stored.kind is not None
    rows = recast_rows(Content(stored.kind, 0, stored.buffers), kind)
    return stored._replace(kind=kind, buffers=rows)


def _of_one_kind(values: Sequence[Any], builders: Sequence[Builder]) -> Sequence[Any]:
    """Return what a store holds, on several ways, as items of one kind."""
    if any(type(x) is not Stored for x in values):
        return values
    kinds = [x.kind for x in values if x.kind is not None]
    kind = reduce(lambda a, b: joined_kind("store", a, b), kinds, NOTHING)
    found = []
    for x, builder in zip(values, builders, strict=True):
        with building(builder):
            found.append(widened(x, kind) if kinds else x)
    return found


ALIKE[Stored] = _of_one_kind


def _number_at(heads: Sequence[Any], which: int, number: Any) -> Any:
    if not heads:  # there are no containers yet: what would be an item of a list has none
        raise IndexError("list index out of range")
    with never_failing():
        return apply(REGISTRY["item"], [heads[which][number]])


def _with(heads: Any, value: Any, number: Any) -> Any:
    with never_failing():
        return apply(REGISTRY["update"], [heads, value, number], key="?")


@never_failing()
def _longer(buffer: Any, more: Any) -> Any:
    """Return a column with room for so many more rows, at least."""
    rest = rnp.zeros((more + ROOM, *buffer.shape[1:]), buffer.dtype)
    found = rnp.concatenate([buffer, unread(buffer), rest])
    hold(found, [buffer])
    return found
