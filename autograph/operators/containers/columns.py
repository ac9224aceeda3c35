"""The columns of what a staged container holds: an array with room for each leaf of an item.

Comes in: columns, positions and leaves. Goes out: other columns, or what stands in a row. They are
replaced by columns twice as long when they are full, so that appending takes constant time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.builtins.type_queries import type_name
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    is_open,
    recast_columns,
)
from autograph.operators.containers.staged_containers import Content
from autograph.operators.keyed.key_codes import hashed
from autograph.staging.cond import stage_cond
from autograph.staging.deferred_errors import emit_check, never_failing
from runtime import default_graph
from runtime.aliasing import places_of, share
from runtime.dispatch import apply, as_known
from runtime.errors import StagedValueError, exact
from runtime.graph.opdef import REGISTRY
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, is_staged
from runtime.text_methods import text_value
from runtime.union import leaf_spec

ROOM = 8
"""For how many items there is room in an array that is made for a list without items."""


HELD = (
    "this array is an item of a list that staged branches or loops change, or an attribute of an "
    "object that they make, and is kept there as a copy; writing it would not change that. Write "
    ".copy() first, or assign it: items[i] = ..., o.x = ..."
)


def column(values: Sequence[Any], spec: TensorSpec) -> Any:
    """Return leaves as the rows of a column."""
    if not values:
        known = [n if isinstance(n, int) else 0 for n in spec.shape or ()]
        return rnp.zeros((ROOM, *known), spec.dtype)
    places, builder = [k for k, x in enumerate(values) if is_staged(x)], default_graph.current()
    if spec.shape == () and spec.dtype.kind in "biuf" and 2 * len(places) <= len(values):
        numbers = np.array([0 if is_staged(x) else x for x in values], spec.dtype)
        assert builder is not None
        found = as_known(builder, numbers)
        return reduce(lambda x, k: written_at(x, values[k], k), places, found)
    column = rnp.stack([rnp.asarray(value, spec.dtype) for value in values])
    hold(column, values)
    return column


def hold(buffer: Any, values: Sequence[Any]) -> None:
    """Remember that an array stands for arrays that are the items: writing those changes it."""
    places = [places_of(value) for value in values]
    if any(places) and type(buffer) is Symbol:
        share(buffer, [places_of(buffer), *places])


@never_failing()
def with_rows(buffer: Any, rows: Any, start: Any, stop: Any) -> Any:
    """Return an array with other rows at some places."""
    found = apply(REGISTRY["update"], [buffer, rows, start, stop], key="?:?")
    hold(found, [buffer, rows])
    return found


def read(buffer: Any, spec: TensorSpec, position: Any) -> Any:
    """Return one row as the leaf that it was."""
    with never_failing():
        row = buffer[position]
    return leaf_of(row, spec, buffer)


def read_rows(buffer: Any, positions: Any) -> Any:
    """Return the rows at positions, which exist."""
    with never_failing():
        return buffer[positions]


def leaf_of(row: Any, spec: TensorSpec, buffer: Any) -> Any:
    """Return a row of a buffer as the leaf that it was."""
    if spec.weak:
        return apply(REGISTRY["item"], [row])
    if spec.shape == ():
        return row
    copy = row.copy()
    share(copy, [places_of(buffer)])
    copy.unwritable = HELD
    return copy


def written_at(buffer: Any, leaf: Any, position: Any) -> Any:
    """Return a column with another leaf at a position, which exists."""
    leaf = text_value(leaf)  # arms leave texts where they were given what texts are made of
    rows, sizes = buffer.spec.shape[1:], leaf_spec(leaf).shape or ()
    for axis, pair in enumerate(zip(rows, sizes, strict=True)):
        if len({*pair}) > 1:
            need(leaf.shape[axis] == buffer.shape[1 + axis], StagedValueError, RAGGED)
    with never_failing():
        symbol = apply(REGISTRY["update"], [buffer, leaf, position], key="?")
    hold(symbol, [buffer, leaf])
    return symbol


def choose(test: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """Return what one of two functions gives, by a condition that may be staged."""
    if not is_staged(test):
        return yes() if test else no()
    return stage_cond(test, yes, no)


def joined_rows(first: Any, *others: Any) -> Any:
    """Return the rows of arrays, one after the other; those of no rows may be of other sizes."""
    if is_open(first.spec.shape[1:]):
        return reduce(_joined_if_any, [first, *others])
    return _joined(first, *others)


def _joined_if_any(a: Any, b: Any) -> Any:
    def not_none() -> Any:
        return choose(b.shape[0] == 0, lambda: a, lambda: _joined(a, b))

    return choose(a.shape[0] == 0, lambda: b, not_none)


@never_failing()
def _joined(first: Any, *others: Any) -> Any:
    found = rnp.concatenate([first, *(x.astype(first.dtype) for x in others)])
    hold(found, [first, *others])
    return found


@never_failing()
def moved(buffer: Any, position: Any) -> Any:
    """Return an array whose rows behind a position have moved to the front by one."""
    return with_rows(buffer, buffer[position + 1 :], position, buffer.shape[0] - 1)


def with_room(buffers: tuple[Any, ...], length: Any) -> tuple[Any, ...]:
    """Return the arrays with room for at least one more row; twice as long if they are full."""
    if not buffers:
        return buffers
    full = buffers[0].shape[0] <= length
    found: tuple[Any, ...] = choose(full, lambda: tuple(map(larger, buffers)), lambda: buffers)
    return found


def with_room_behind(content: Content) -> Content:
    """Return a deque with room for an item behind the last one.

    Where half of the rows or more are free in front, its items move there: an item moves once for
    each that was taken away.
    """
    size, length, head = content.buffers[0].shape[0], content.length, content.head
    is_free = (size <= head + length) & (head >= length) & (head > 0)

    def moved_up() -> tuple[Any, ...]:
        return (0, *(in_front(x, head, length) for x in content.buffers))

    head, *buffers = choose(is_free, moved_up, lambda: (head, *content.buffers))
    buffers = with_room(tuple(buffers), head + length)
    return content._replace(buffers=tuple(buffers), head=head)


@never_failing()
def in_front(buffer: Any, first: Any, count: Any) -> Any:
    """Return an array at whose beginning there are some of its rows."""
    return with_rows(buffer, buffer[first : first + count], 0, count)


def unread(buffer: Any) -> Any:
    """Return as many rows as a buffer has, which are written before they are read."""
    return apply(REGISTRY["stop_gradient"], [buffer]) if buffer.dtype.kind in "fc" else buffer


@never_failing()
def larger(buffer: Any) -> Any:
    """Return an array with more room, at least for a few rows."""
    more = rnp.zeros((ROOM, *buffer.shape[1:]), buffer.dtype)
    found = rnp.concatenate([buffer, unread(buffer), more])
    hold(found, [buffer])
    return found


RAGGED = (
    "a list that staged branches or loops change is given an array of another shape than those "
    "that it holds, and its items must have one shape: pad them, or use a list for each shape"
)


def need(test: Any, error: type[Exception], argument: Any) -> None:
    """Raise one of Python's errors unless a test is true, when the graph runs if it is staged."""
    test = test.item() if isinstance(test, np.generic) else test
    if is_staged(test):
        emit_check(test, error(argument))
    elif not test:
        raise error(argument)


def need_index(index: Any, message: str) -> None:
    """Raise Python's TypeError for a staged value that is no integer; {} stands for its class."""
    spec = index.spec if type(index) is Symbol else None
    if spec is not None and spec.shape and not index.is_varying:
        raise exact(TypeError("only integer scalar arrays can be converted to a scalar index"))
    if spec is not None and spec.dtype.kind not in ("iub" if spec.weak else "iu"):
        raise exact(TypeError(message.format(type_name(index))))


def within(index: Any, length: Any) -> Any:
    """Return whether there is an item at an index."""
    if not is_staged(index):
        return index < length if index >= 0 else -index <= length
    return (index >= -length) & (index < length)


def widened(content: Content, kind: ItemKind) -> Content:
    """Return the same items as those of a kind that holds them."""
    if content.kind == kind:
        return content
    if content.kind == NOTHING:
        return hashed(Content(kind, 0, empty_columns(kind), content.keyed))
    rows = recast_rows(content, kind)
    table = content.table if content.keyed is set else None  # what is equal has one hash
    return hashed(Content(kind, content.length, rows, content.keyed, table, content.head))


def recast_rows(content: Content, kind: ItemKind) -> tuple[Any, ...]:
    """Return the columns of a list as those of a kind that holds its items."""
    size = content.buffers[0].shape[0] if content.buffers else 0
    with never_failing():
        return tuple(recast_columns(content.buffers, size, content.kind, kind))


def empty_columns(kind: ItemKind) -> tuple[Any, ...]:
    """Return a column for each leaf of items of a kind, in which there is nothing yet."""
    return tuple(column((), spec) for spec in kind.specs)
