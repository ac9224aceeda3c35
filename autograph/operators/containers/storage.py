"""Making, reading and writing what a staged list holds.

An item is kept as one row in an array for each of its leaves. The arrays have room for more, and
are replaced by arrays twice as long when they are full, so that appending takes constant time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from types import FunctionType, MethodType
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    flat_item,
    is_open,
    made_of,
    recast_columns,
    recast_leaves,
)
from autograph.operators.containers.staged_containers import (
    NO_CONTENT,
    STAGED,
    Content,
    Lists,
    StagedList,
    joined_kind,
    kind_of,
    lists_of,
    staged_list,
)
from autograph.operators.journal import new, written
from autograph.staging.cond import stage_cond
from autograph.staging.deferred_errors import emit_check, never_failing
from autograph.staging.for_loop import Iteration
from runtime import default_graph
from runtime.aliasing import places_of, share
from runtime.dispatch import apply
from runtime.errors import MutationError
from runtime.graph.opdef import REGISTRY
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, is_staged, value_now
from runtime.union import leaf_spec

ROOM = 8
"""For how many items there is room in an array that is made for a list without items."""

HELD = (
    "this array is an item of a list that staged branches or loops change, and is kept there as a "
    "copy; writing it would not change the list. Write .copy() first, or assign the item: "
    "items[i] = ..."
)


def promote(lists: Lists, python: Any, name: str, kinds: Sequence[ItemKind]) -> StagedList:
    """Make a list object, or another container, a staged list.

    Args:
        lists: the table of the trace.
        python: the object.
        name: what messages call it.
        kinds: of items that it will hold.
    """
    staged = StagedList(written(python, name), name)
    items = items_of(python)
    found = [*(kind_of(staged.what, item) for item in items), *kinds]
    kind = reduce(partial(joined_kind, staged.what), found, NOTHING)
    staged.content = content_of(kind, items)
    lists.add(staged)
    return staged


def items_of(python: Any) -> list[Any]:
    """Return what the items of a container are: of a dict, pairs of key and value."""
    return list(python.items() if isinstance(python, dict) else python)


def content_of(kind: ItemKind, items: Sequence[Any]) -> Content:
    """Return items that are known one by one as the content of a list."""
    rows = [recast_leaves(flat_item(item), kind_of("list", item), kind) for item in items]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(kind.specs)
    pairs = zip(columns, kind.specs, strict=True)
    return Content(kind, len(items), tuple(_column(values, spec) for values, spec in pairs))


def _column(values: Sequence[Any], spec: TensorSpec) -> Any:
    if not values:
        known = [n if isinstance(n, int) else 0 for n in spec.shape or ()]
        return rnp.zeros((ROOM, *known), spec.dtype)
    column = rnp.stack([rnp.asarray(value, spec.dtype) for value in values])
    hold(column, values)
    return column


def hold(buffer: Any, values: Sequence[Any]) -> None:
    """Remember that an array stands for arrays that are the items: writing those changes it."""
    places = [places_of(value) for value in values]
    if any(places) and type(buffer) is Symbol:
        share(buffer, [places_of(buffer), *places])


def leaves_of(staged: StagedList, item: Any) -> Sequence[Any]:
    """Return the leaves of an item that a list will hold; what it holds is widened to hold it."""
    kind = kind_of(staged.what, item)
    widen(staged, kind)
    return recast_leaves(flat_item(item), kind, staged.kind)


def widen(staged: StagedList, kind: ItemKind) -> None:
    """Have a list hold items of another kind, too; MutationError if nothing holds both."""
    staged.content = widened(staged.content, joined_kind(staged.what, staged.kind, kind))


def widened(content: Content, kind: ItemKind) -> Content:
    """Return the same items as those of a kind that holds them."""
    if content.kind == kind:
        return content
    if content.kind == NOTHING:
        return content_of(kind, ())
    size = content.buffers[0].shape[0] if content.buffers else 0
    buffers = recast_columns(content.buffers, size, content.kind, kind)
    return Content(kind, content.length, tuple(buffers))


def item_at(staged: StagedList, position: Any) -> Any:
    """Return the item at a position, which exists."""
    pairs = zip(staged.content.buffers, staged.kind.specs, strict=True)
    leaves = [read(buffer, spec, position) for buffer, spec in pairs]
    return made_of(staged.kind, leaves)


def read(buffer: Any, spec: TensorSpec, position: Any) -> Any:
    """Return one row as the leaf that it was."""
    with never_failing():
        row = buffer[position]
    return leaf_of(row, spec, buffer)


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


def iteration_over(staged: StagedList) -> Iteration:
    """Return how a loop goes over a list."""
    rows = rows_of(staged)

    def element(index: Any, elements: Sequence[Any]) -> Any:
        parts = zip(elements, staged.kind.specs, rows, strict=True)
        return made_of(staged.kind, [leaf_of(*part) for part in parts])

    return Iteration(staged.content.length, rows, element)


def fresh(
    name: str,
    kind: ItemKind,
    rows: Sequence[Any],
    length: Any = None,
    make: Callable[[], Any] = list,
) -> Any:
    """Return a new list object, which is staged.

    Args:
        name: what messages call it.
        kind: of its items.
        rows: an array for each leaf of them.
        length: how many there are, if not all rows of the arrays.
        make: makes the object, if it is no list.
    """
    lists = lists_of(default_graph.current())
    assert lists is not None
    staged = StagedList(make(), name)
    count = (rows[0].shape[0] if rows else 0) if length is None else length
    staged.content = Content(kind, count, tuple(rows)) if rows else NO_CONTENT
    lists.add(staged)
    new(staged.python)
    return staged.python


def rows_of(staged: StagedList) -> tuple[Any, ...]:
    """Return the items as an array for each of their leaves."""
    return tuple(buffer[: staged.content.length] for buffer in staged.content.buffers)


def rows_like(staged: StagedList, other: Content) -> tuple[Any, ...]:
    """Return the items of another list as a list that holds its kind, too, has its own."""
    content = widened(other, staged.kind)
    return tuple(buffer[: content.length] for buffer in content.buffers)


def write_at(staged: StagedList, position: Any, item: Any) -> None:
    """Put an item at a position, which exists."""
    leaves = leaves_of(staged, item)
    _, length, buffers = staged.content
    pairs = zip(buffers, leaves, strict=True)
    staged.set_rows(length, (_written(x, leaf, position) for x, leaf in pairs))


def _written(buffer: Any, leaf: Any, position: Any) -> Any:
    rows, sizes = buffer.spec.shape[1:], leaf_spec(leaf).shape or ()
    for axis, pair in enumerate(zip(rows, sizes, strict=True)):
        if len({*pair}) > 1:
            need(leaf.shape[axis] == buffer.shape[1 + axis], NotImplementedError, RAGGED)
    with never_failing():
        symbol = apply(REGISTRY["update"], [buffer, leaf, position], key="?")
    hold(symbol, [buffer, leaf])
    return symbol


def append(staged: StagedList, item: Any) -> None:
    """Put an item behind the last one."""
    leaves = leaves_of(staged, item)
    length = staged.content.length
    staged.set_rows(length, with_room(_shaped(staged, leaves), length))
    write_at(staged, length, item)
    staged.set_rows(length + 1, staged.content.buffers)


def _shaped(staged: StagedList, leaves: Sequence[Any]) -> tuple[Any, ...]:
    """Return its arrays, with rows of the sizes of an item where there are no items yet."""
    is_empty = staged.content.length == 0

    def shaped(buffer: Any, leaf: Any, spec: TensorSpec) -> Any:
        if not is_open(spec.shape):
            return buffer
        return _if(is_empty, lambda: rnp.zeros((ROOM, *np.shape(leaf)), spec.dtype), lambda: buffer)

    return tuple(map(shaped, staged.content.buffers, leaves, staged.kind.specs))


def _if(test: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
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
        return _if(b.shape[0] == 0, lambda: a, lambda: _joined(a, b))

    return _if(a.shape[0] == 0, lambda: b, not_none)


@never_failing()
def _joined(first: Any, *others: Any) -> Any:
    found = rnp.concatenate([first, *(x.astype(first.dtype) for x in others)])
    hold(found, [first, *others])
    return found


def close_gap(staged: StagedList, position: Any) -> None:
    """Move the items behind a position to the front by one."""
    _, length, buffers = staged.content
    staged.set_rows(length, (_moved(x, position) for x in buffers))


@never_failing()
def _moved(buffer: Any, position: Any) -> Any:
    """Return an array whose rows behind a position have moved to the front by one."""
    found = buffer.copy()
    found[position:-1] = buffer[position + 1 :]
    return found


def with_room(buffers: tuple[Any, ...], length: Any) -> tuple[Any, ...]:
    """Return the arrays with room for at least one more row; twice as long if they are full."""
    if not buffers:
        return buffers
    full = buffers[0].shape[0] <= length
    found: tuple[Any, ...] = _if(full, lambda: tuple(map(_larger, buffers)), lambda: buffers)
    return found


@never_failing()
def _larger(buffer: Any) -> Any:
    """Return an array with more room, at least for a few rows."""
    more = rnp.zeros((ROOM, *buffer.shape[1:]), buffer.dtype)
    found = rnp.concatenate([buffer, buffer, more])
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


def position_of(staged: StagedList, index: Any, message: str) -> Any:
    """Return an index that may be negative as a position; IndexError when there is none."""
    length = staged.content.length
    need(within(index, length), IndexError, message)
    if not is_staged(index):
        return index if index >= 0 else length + index
    return index % length


def within(index: Any, length: Any) -> Any:
    """Return whether there is an item at an index."""
    if not is_staged(index):
        return index < length if index >= 0 else -index <= length
    return (index >= -length) & (index < length)


def item_of(staged: StagedList, index: Any) -> Any:
    """Return `items[index]`."""
    if isinstance(index, slice):
        return fresh(f"{staged.name}[...]", staged.kind, [x[index] for x in rows_of(staged)])
    return item_at(staged, position_of(staged, index, "list index out of range"))


def refused(staged: StagedList, what: str, instead: str) -> MutationError:
    """Return the error for what has no staged meaning."""
    return MutationError(
        f"{what} of the {staged.what}, whose items are known only when the graph runs, "
        f"since staged branches or loops change it: {instead}"
    )


class ListTruth:
    """What `and` and `or` give where an operand is a staged list: the truth of that, no more.

    Args:
        truth: a staged truth value.
    """

    __slots__ = ("truth",)

    def __init__(self, truth: Any) -> None:
        self.truth = truth

    def __repr__(self) -> str:
        return "`and` or `or` of a list whose items are known only when the graph runs"


LISTS = STAGED | {ListTruth}
"""Classes whose truth may be staged though they are no symbols."""

KNOWN = frozenset({bool, Symbol, int, float, str, np.bool_, type(None)})
"""Classes whose truth is what it is; that of an object that holds a list may be staged, too."""

OURS = frozenset({"autograph", "numpy", "runtime"})


def truth_of(value: Any) -> Any:
    """Return the truth of a value, staged for a staged list; other values as they are.

    A variable is read.
    """
    if type(value) is ListTruth:
        return value.truth
    value = value_now(value)
    if type(value) in KNOWN or lists_of(default_graph.current()) is None:
        return value
    staged = staged_list(value)
    if staged is not None:
        return staged.content.length > 0
    method = special(value, "__bool__") or special(value, "__len__")
    return value if method is None else table.operators.call(method)


def special(value: Any, name: str) -> Callable[[], Any] | None:
    """Return a method that Python's own syntax calls, if its class has it written in Python."""
    kind = type(value)
    method = None if kind.__module__.partition(".")[0] in OURS else getattr(kind, name, None)
    return MethodType(method, value) if isinstance(method, FunctionType) else None
