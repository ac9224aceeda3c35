"""Lists of numbers among the arguments, as arrays: one trace serves all lists of a kind.

    [3, 1, 2, ...]           [0: 3 1 2 ...]
    [(0, 1.5), (7, 2.0)]     [0: 0 7] [1: 1.5 2.0]
    [[3, 1], [], [2]]        starts: 0 2 2, lengths: 2 0 1, [0: 3 1 2]

A number of Python is part of a trace, and so are all numbers of a list, and how many there are.
After several such traces, lists are given as a column for each place of their items. In the trace
they are staged lists, whose length is known when the graph runs; what becomes of one there becomes
of the caller's own afterwards, as with all lists.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.handles import Handle
from autograph.operators.containers.item_kinds import ItemKind
from autograph.operators.containers.makers import EMPTY_LIST
from autograph.operators.containers.staged_containers import Lists, lists_now
from autograph.operators.containers.storage import fresh
from autograph.operators.containers.stores import UNUSED, Stored
from autograph.operators.heap.stored_objects import store_named
from runtime import trees
from runtime.errors import MutationError
from runtime.kernels import list_items
from runtime.spec import WEAK_SPECS, make_spec
from runtime.tree_classes import register_tree

NAME = "items"
_WRITTEN = "lists that are items of an argument are written or returned: each has its own trace"
SHORTEST = 9
"""Shorter lists stay as they are, if they are not of several lengths: programs take them apart."""
LONG = 100
"""Lists that have so many items are read by machine code; there is none for shorter ones alone."""
_PYTHON = {int: np.dtype(np.int64), float: np.dtype(np.float64), bool: np.dtype(bool)}


@dataclass(frozen=True, slots=True)
class Form:
    """What the items of a list are, or of lists in it: numbers of a class, or tuples of some.

    Lists have at least so many items as `least` says.
    """

    structure: trees.Structure
    classes: tuple[type, ...]
    is_nested: bool = False
    least: int = SHORTEST

    @property
    def kind(self) -> ItemKind:
        """What a staged list of such items is made of."""
        specs = (
            WEAK_SPECS[cls] if cls in _PYTHON else make_spec(np.dtype(cls), ())
            for cls in self.classes
        )
        return ItemKind(self.structure, tuple(specs))


class Columns:
    """A list as arrays, one for each place of its items.

    Of lists in it, there is where each starts, and how many items it has, in front of these.
    """

    __slots__ = ("arrays", "form")

    def __init__(self, form: Form, arrays: Sequence[Any]) -> None:
        self.form = form
        self.arrays = tuple(arrays)


def _labels(form: Form) -> list[str]:
    heads = [".starts", ".lengths"] if form.is_nested else []
    return heads + [f"[*]{path}" for path in trees.paths(form.structure)]


register_tree(Columns, lambda x: (x.arrays, x.form), Columns, _labels)


def _is_columns(value: Any) -> bool:
    return type(value) is Columns


def in_columns(bound: Any, varying: Container[Any] = ()) -> Any:
    """Return arguments with the lists of numbers among them as columns.

    Args:
        bound: a tuple of arguments, and a dict of those with names.
        varying: the numbers and names of arguments that are lists of several lengths, short ones,
            too.
    """
    args, kwargs = bound
    given = [_short(x) if k in varying else x for k, x in enumerate(args)]
    named = {k: _short(x) if k in varying else x for k, x in kwargs.items()}
    return trees.map_tree(_packed, (tuple(given), named), _is_list)


def _short(value: Any) -> Any:
    found = _columns_of(value) if type(value) is list and value else None
    return value if found is None else Columns(replace(found.form, least=1), found.arrays)


def varies(structure: trees.Structure) -> bool:
    """Tell whether arguments in columns are lists of several lengths, short ones, too."""
    return any(x is not None and x[0] is Columns and x[1].least == 1 for x in structure.entries)


def _is_list(value: Any) -> bool:
    return type(value) is list and len(value) >= SHORTEST


def _packed(value: Any) -> Any:
    found = _columns_of(value) if _is_list(value) else None
    return value if found is None else found


def _columns_of(items: list[Any]) -> Columns | None:
    """Return a list as columns; None if its items are no numbers or tuples of them."""
    is_nested = type(items[0]) is list
    if (is_nested or len(items) >= LONG) and list_items.can_read():
        rows = (x for x in items if type(x) is list and x) if is_nested else iter([items])
        first = next(rows, [None])[0]
        given = first if type(first) is tuple else (first,)
        classes = tuple(map(type, given))
        if given and not {*classes} - {*list_items.KINDS}:
            form = Form(trees.flatten(first)[1], classes, is_nested)
            found = reader(form)(items)
            return None if found is None else Columns(form, found)
    return columns_by_python(items)


def reader(form: Form) -> Callable[[list[Any]], Sequence[Any] | None]:
    """Return what gives the columns of a list of a form; None for one that is none of these."""
    if not list_items.can_read() or {*form.classes} - {*list_items.KINDS}:
        return partial(_read_by_python, form)
    width = 0 if form.structure == trees.LEAF else len(form.classes)
    return list_items.reader(width, form.classes, form.is_nested)


def _read_by_python(form: Form, items: list[Any]) -> Sequence[Any] | None:
    found = columns_by_python(items)
    is_like = found is not None and replace(found.form, least=form.least) == form
    return found.arrays if found is not None and is_like else None


def columns_by_python(items: list[Any]) -> Columns | None:
    """Return the same, without machine code."""
    first = items[0]
    if len(set(map(type, items))) != 1:
        return None
    if type(first) is list:
        return _rows_of(items)
    if type(first) is not tuple:
        columns: Sequence[Sequence[Any]] = [items]
    elif len(set(map(len, items))) == 1:
        columns = list(zip(*items, strict=True))
    else:
        return None
    arrays = list(map(_array, columns))
    classes = tuple(type(column[0]) for column in columns)
    if not columns or any(x is None for x in arrays):
        return None
    return Columns(Form(trees.flatten(first)[1], classes), arrays)


def _rows_of(rows: list[list[Any]]) -> Columns | None:
    """Return lists in a list as columns; None if one of them is there twice."""
    items = [*chain.from_iterable(rows)]
    is_one_twice = len(set(map(id, rows))) < len(rows)
    found = None if is_one_twice or not items else columns_by_python(items)
    if found is None or found.form.is_nested:
        return None
    lengths = np.array([*map(len, rows)], np.int64)
    form = Form(found.form.structure, found.form.classes, is_nested=True)
    return Columns(form, [np.cumsum(lengths) - lengths, lengths, *found.arrays])


def _array(column: Sequence[Any]) -> Any:
    """Return numbers of one class as an array; None if they are no such numbers."""
    cls = type(column[0])
    dtype = _PYTHON.get(cls) or (np.dtype(cls) if issubclass(cls, np.number) else None)
    if dtype is None or dtype.kind not in "biuf" or len(set(map(type, column))) != 1:
        return None
    try:
        found = np.array(column, dtype)
    except OverflowError:  # an integer of more than 64 bits
        return None
    return None if dtype.kind == "f" and np.isnan(found).any() else found  # NaN is an object


def longest(arguments: Any) -> int:
    """Return how many items the longest list has that is given in columns."""
    found = (x for x in trees.flatten_to(arguments, _is_columns)[0] if _is_columns(x))
    return max((x.arrays[-1].size for x in found), default=0)


def as_lists(arguments: Any) -> Any:
    """Return arguments with staged lists in the places of columns of symbols."""

    def staged(value: Any) -> Any:
        if not _is_columns(value):
            return value
        kind = value.form.kind
        return (
            _nested(kind, *value.arrays)
            if value.form.is_nested
            else fresh(NAME, kind, value.arrays)
        )

    leaves, structure = trees.flatten_to(arguments, _is_columns)
    if not any(map(_is_columns, leaves)):
        return arguments  # itself: some objects in it may be one
    return trees.unflatten(structure, map(staged, leaves))


def _nested(kind: ItemKind, starts: Any, lengths: Any, *columns: Any) -> Any:
    """Return a staged list of lists: these are in a store of their own, and stay as they are."""
    lists = lists_now()
    store = store_named(lists, ("list", f"{NAME} {len(lists.stores)}"), EMPTY_LIST)
    if store.stored is not UNUSED:
        raise MutationError(_WRITTEN)
    count, used = starts.shape[0], columns[0].shape[0]
    store.given = store.stored = Stored(kind, count, used, (starts, lengths, lengths), columns)
    handles = ItemKind(trees.flatten(Handle(store, 0))[1], (WEAK_SPECS[int],))
    return fresh(NAME, handles, [rnp.arange(count)])


def check_rows(lists: Lists) -> None:
    """Raise MutationError if a trace has changed lists that are items of an argument."""
    for store in lists.stores.values():
        pair = [trees.flatten(x)[0] for x in (store.given, store.stored) if x is not None]
        if len(pair) == 2 and any(a is not b for a, b in zip(*pair, strict=True)):
            raise MutationError(_WRITTEN)
