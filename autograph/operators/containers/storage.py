"""Making, reading and writing what a staged list holds.

An item is kept as one row in an array for each of its leaves. The arrays have room for more, and
are replaced by arrays twice as long when they are full, so that appending takes constant time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.columns import (
    ROOM,
    choose,
    column,
    leaf_of,
    moved,
    need,
    need_index,
    read,
    widened,
    with_room,
    with_room_behind,
    within,
    written_at,
)
from autograph.operators.containers.handles import Handle, is_inner
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    holds_handles,
    is_open,
    recast_leaves,
    store_in,
    with_handles_of,
)
from autograph.operators.containers.item_values import flat_item, kind_of
from autograph.operators.containers.kind_joins import joined_kind, one_store
from autograph.operators.containers.known_items import (
    columns_of,
    inner_by_store,
    kinds_of,
    node_and_parts,
    parts_of,
)
from autograph.operators.containers.made_items import made_of
from autograph.operators.containers.makers import EMPTY_LIST, EMPTY_TUPLE, empty_like
from autograph.operators.containers.staged_containers import (
    Content,
    Lists,
    StagedList,
    keyed,
    lists_now,
)
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.stores import Store
from autograph.operators.containers.variable_names import place_of
from autograph.operators.heap.stored_objects import store_named
from autograph.operators.keyed.key_codes import hashed
from autograph.operators.keyed.set_layout import known_slots
from autograph.operators.mutation.journal import new, recorded
from autograph.staging.for_loop import Iteration
from autograph.staging.selections import pythons_number
from runtime.errors import MutationError
from runtime.spec import TensorSpec
from runtime.union import Choice, option_of, values_of


def promote(lists: Lists, python: Any, name: str, kinds: Sequence[ItemKind]) -> StagedList:
    """Make a list object, or another container, a staged list.

    Args:
        lists: the table of the trace.
        python: the object.
        name: what messages call it.
        kinds: of items that it will hold.
    """
    staged = StagedList(recorded(python, name), name)
    items = items_of(python)
    found = [*kinds_of(staged.what, items), *kinds]
    kind = reduce(partial(joined_kind, staged.what), found, NOTHING)
    staged.content = content_of(with_stores(kind, name), items, python)
    lists.add(staged)
    return staged


def with_stores(kind: ItemKind, name: str) -> ItemKind:
    """Return a kind of items that says in which stores the containers among their parts are.

    Args:
        kind: of items.
        name: of the container that they are items of.
    """
    if kind == NOTHING or not holds_handles(kind):
        return kind
    lists = lists_now()

    def store_of(known: Any) -> Any:
        if isinstance(known, Store):
            return known
        return one_store(store_named(lists, (known.label, place_of(name)), known), known)

    return with_handles_of(kind, store_of)


def as_stored(item: Any, kind: ItemKind) -> Any:
    """Return an item with handles in the places of its containers, which become part of stores."""
    return _stored(item, kind) if any(map(is_inner, parts_of(item))) else item


def _stored(x: Any, kind: ItemKind) -> Any:
    if is_inner(x):
        return admit(x, store_in(kind, empty_like(x)))
    if type(x) is Choice:
        pairs = zip(values_of(x), x._options, x._leaves, strict=True)
        found = [
            option_of(_stored(value, kind)) if any(map(is_inner, parts_of(value))) else pair
            for value, *pair in pairs
        ]
        return Choice(x._which, *zip(*found, strict=True))
    if not any(map(is_inner, parts_of(x))):
        return x
    node, parts = node_and_parts(x, kind)
    return node.holding([_stored(*part) for part in zip(node.children, parts, strict=True)])


def admit(value: Any, store: Store) -> Handle:
    """Make a container one of a store."""
    lists = lists_now()
    name = store.item_name
    staged = lists.find(value) or promote(lists, value, name, ())
    one_store(store, empty_like(value))
    if staged.home is None:
        kind = with_stores(staged.kind, name)
        content = widened(staged.content, kind) if kind != NOTHING else staged.content
        staged.home = Handle(store, store.add(content))
    one_store(staged.home.store, store)
    return staged.home


MANY = 8
"""So many containers of one store are admitted at once, where how many items they have is known."""


def _admit_all(values: Sequence[Any], store: Store) -> None:
    """Make containers those of a store, unless one is in a store already."""
    lists = lists_now()
    known = [lists.find(x) for x in values]
    if any(x is not None for x in known) or not store.takes_known:
        return
    for x in values:
        one_store(store, empty_like(x))
    name = store.item_name
    found = [promote(lists, x, name, ()) for x in values]
    kinds = {x.kind: with_stores(x.kind, name) for x in found}
    contents = [widened(x.content, kinds[x.kind]) for x in found]
    first = store.add_known(contents)
    for k, x in enumerate(found):
        x.home = Handle(store, first + k)


def items_of(python: Any) -> list[Any]:
    """Return what the items of a container are: of a dict, pairs of key and value."""
    return list(python.items() if isinstance(python, dict) else python)


def content_of(kind: ItemKind, items: Sequence[Any], python: Any = None) -> Content:
    """Return items that are known one by one as what a container holds.

    Args:
        kind: of the items.
        items: those.
        python: the container whose items they are; None for a list.
    """
    for store, values in inner_by_store(items, kind).items():
        if len(values) >= MANY:
            _admit_all(values, store)
    items = [as_stored(item, kind) for item in items]
    pairs = zip(columns_of(items, kind), kind.specs, strict=True)
    buffers = tuple(column(values, spec) for values, spec in pairs)
    return hashed(Content(kind, len(items), buffers, keyed(python), known_slots(python)))


def leaves_of(staged: StagedList, item: Any) -> Sequence[Any]:
    """Return the leaves of an item that a list will hold; what it holds is widened to hold it."""
    widen(staged, kind_of(staged.what, item))
    item = as_stored(item, staged.kind)
    return recast_leaves(flat_item(item), kind_of(staged.what, item), staged.kind)


def widen(staged: StagedList, kind: ItemKind) -> None:
    """Have a list hold items of another kind, too; MutationError if nothing holds both.

    Args:
        staged: the list.
        kind: of the items.
    """
    found = with_stores(joined_kind(staged.what, staged.kind, kind), staged.name)
    if staged.home is not None:
        staged.home.store.widen(found)
    else:
        staged.held = widened(staged.held, found)


def item_at(staged: StagedList, position: Any) -> Any:
    """Return the item at a position, which exists."""
    return made_of(staged.kind, leaves_at(staged, position))


def leaves_at(staged: StagedList, position: Any) -> list[Any]:
    """Return the leaves of the item at a position, which exists."""
    home = staged.home
    if home is None:
        buffers, position = staged.held.buffers, staged.held.row(position)
    else:
        position, buffers = home.store.start(home.number) + position, home.store.stored.buffers
    return [read(*pair, position) for pair in zip(buffers, staged.kind.specs, strict=True)]


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
    table: Any = None,
    head: Any = None,
) -> Any:
    """Return a new list object, which is staged.

    Args:
        name: what messages call it.
        kind: of its items.
        rows: an array for each leaf of them.
        length: how many there are, if not all rows of the arrays.
        make: makes the object, if it is no list.
        table: the hash table of its keys, if there is one.
        head: the row of the first item of a deque.
    """
    staged = StagedList(make(), name)
    count = (rows[0].shape[0] if rows else 0) if length is None else length
    if rows:
        keyed = staged.content.keyed
        staged.content = hashed(Content(kind, count, tuple(rows), keyed, table, head))
    lists_now().add(staged)
    new(staged.python)
    return staged.python


def rows_of(staged: StagedList) -> tuple[Any, ...]:
    """Return the items as an array for each of their leaves."""
    held, length = staged.held, staged.held.length
    if held.head is None:
        return tuple(buffer[:length] for buffer in held.buffers)
    return tuple(buffer[held.head : held.head + length] for buffer in held.buffers)


def rows_like(staged: StagedList, other: Content) -> tuple[Any, ...]:
    """Return the items of another list as a list that holds its kind, too, has its own."""
    content = widened(other, staged.kind)
    return tuple(buffer[: content.length] for buffer in content.buffers)


def write_at(staged: StagedList, position: Any, item: Any) -> None:
    """Put an item at a position, which exists."""
    write_leaves(staged, position, leaves_of(staged, item))


def write_leaves(staged: StagedList, position: Any, leaves: Sequence[Any]) -> None:
    """Put the leaves of an item at a position, which exists."""
    if staged.home is not None:
        staged.home.store.put(staged.home.number, position, leaves, written_at)
        return
    held = staged.held
    row = held.row(position)
    rows = (written_at(*x, row) for x in zip(held.buffers, leaves, strict=True))
    staged.held = held._replace(buffers=tuple(rows))


def append(staged: StagedList, item: Any) -> None:
    """Put an item behind the last one."""
    leaves = leaves_of(staged, item)
    length = length_of(staged)
    reserve(staged, leaves)
    write_at(staged, length, item)
    set_length(staged, length + 1)


def length_of(staged: StagedList) -> Any:
    """Return how many items a list has."""
    home = staged.home
    return staged.content.length if home is None else home.store.length(home.number)


def set_length(staged: StagedList, length: Any) -> None:
    """Have a list hold so many items; further ones are written already."""
    if staged.home is None:
        staged.held = staged.held._replace(length=length)
    else:
        staged.home.store.set_length(staged.home.number, length)


def reserve(staged: StagedList, leaves: Sequence[Any]) -> None:
    """Make room for one more item, which has these leaves."""
    if staged.home is None:
        staged.held = staged.held._replace(buffers=_shaped(staged, leaves))
    held = staged.held
    if staged.home is None and held.head is not None and held.buffers:
        staged.held = with_room_behind(held)
    elif staged.home is None:
        staged.held = held._replace(buffers=with_room(held.buffers, held.length))
    else:
        staged.home.store.reserve(staged.home.number, 1)


def _shaped(staged: StagedList, leaves: Sequence[Any]) -> tuple[Any, ...]:
    """Return its arrays, with rows of the sizes of an item where there are no items yet."""
    is_empty = staged.content.length == 0

    def shaped(buffer: Any, leaf: Any, spec: TensorSpec) -> Any:
        if not is_open(spec.shape):
            return buffer
        return choose(
            is_empty, lambda: rnp.zeros((ROOM, *np.shape(leaf)), spec.dtype), lambda: buffer
        )

    return tuple(map(shaped, staged.held.buffers, leaves, staged.kind.specs))


def close_gap(staged: StagedList, position: Any) -> None:
    """Move the items behind a position to the front by one."""
    staged.set_rows(staged.content.length, [moved(x, position) for x in staged.content.buffers])


def position_of(staged: StagedList, index: Any, message: str) -> Any:
    """Return an index that may be negative as a position; IndexError when there is none."""
    need_index(index, "list indices must be integers or slices, not {}")
    length, index = length_of(staged), pythons_number(index)
    need(within(index, length), IndexError, message)
    return choose(index < 0, lambda: index + length, lambda: index + 0)  # a test is a number


def item_of(staged: StagedList, index: Any) -> Any:
    """Return `items[index]`."""
    is_tuple = type(staged.python) is StagedTuple
    if isinstance(index, slice):
        rows = [x[index] for x in rows_of(staged)]
        make = EMPTY_TUPLE if is_tuple else EMPTY_LIST
        return fresh(f"{staged.name}[...]", staged.kind, rows, None, make)
    message = f"{'tuple' if is_tuple else 'list'} index out of range"
    return item_at(staged, position_of(staged, index, message))


def refused(staged: StagedList, what: str, instead: str) -> MutationError:
    """Return the error for what has no staged meaning."""
    return MutationError(
        f"{what} of the {staged.what}, whose items are known only when the graph runs, "
        f"since staged branches or loops change it: {instead}"
    )


def refuse_inner(staged: StagedList, kind: ItemKind, what: str, instead: str) -> None:
    """Raise MutationError where what items hold is asked for, and containers are among that."""
    if holds_handles(kind):
        raise refused(staged, f"{what}, with containers among its items,", instead)
