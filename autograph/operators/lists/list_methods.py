"""The methods of lists, on staged lists.

Each does what Python's does; what Python raises is raised when the graph runs.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins.ordering import order_of
from autograph.operators.containers import item_loops
from autograph.operators.containers.code_equality import has_code, is_by_code
from autograph.operators.containers.columns import joined_rows, need, need_index
from autograph.operators.containers.equality import equal_to, find_item, numbers_of
from autograph.operators.containers.item_kinds import (
    NOTHING,
    ItemKind,
    holds_handles,
    is_of_numbers,
    may_be_none,
    slots_of,
)
from autograph.operators.containers.promotion import staged_of
from autograph.operators.containers.staged_containers import StagedList, own, staged_list
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import (
    append,
    close_gap,
    fresh,
    item_at,
    iteration_over,
    position_of,
    refused,
    rows_like,
    rows_of,
    set_length,
    widen,
)
from autograph.operators.containers.variants import VariantKind
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.iteration.staged_range import NO_INTEGER, index_of
from autograph.operators.keyed.key_codes import KEYS
from autograph.operators.keyed.views import View, in_order, view
from autograph.staging.deferred_errors import never_failing
from autograph.staging.number_join import union_of
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import is_staged
from runtime.union import Choice


def _append(staged: StagedList, item: Any) -> None:
    append(staged, item)


def _extend(staged: StagedList, items: Any) -> None:
    other = in_order(items)
    if other is not None and other.kind == NOTHING:
        return
    if other is not None:
        length, added = staged.content.length, other.content
        widen(staged, other.kind)
        pairs = zip(rows_of(staged), rows_like(staged, added), strict=True)
        joined = [joined_rows(x, y) for x, y in pairs]
        staged.set_rows(length + added.length, joined)
        return
    if is_staged(items) or not isinstance(items, list | tuple | range):
        raise refused(staged, "extend() by something that is no list", "append in a loop")
    for item in list(items):
        append(staged, item)


def _pop(staged: StagedList, index: Any = -1) -> Any:
    length = staged.content.length
    index = _integer(index)
    need(length > 0, IndexError, "pop from empty list")
    if type(index) is int and index == -1:
        item = item_at(staged, length - 1)
    else:
        position = position_of(staged, index, "pop index out of range")
        item = item_at(staged, position)
        close_gap(staged, position)
    set_length(staged, length - 1)
    return item


def _insert(staged: StagedList, index: Any, item: Any) -> None:
    index = _integer(index)
    length = staged.content.length
    append(staged, item)
    place = clamped(index, length)
    buffers = staged.content.buffers
    staged.set_rows(length + 1, (_shifted(x, place, length) for x in buffers))


def _integer(index: Any) -> Any:
    """Return an index of a method, of the class that it has when the graph runs."""
    if type(union_of(index)) is Choice:
        return index_of(index)
    need_index(index, NO_INTEGER)
    return index


def clamped(index: Any, length: Any) -> Any:
    """Return the position in a list of some length that an index of a slice stands for."""
    low = if_exp(index < 0, lambda: length + index, lambda: index)
    return if_exp(low < 0, lambda: 0, lambda: if_exp(low > length, lambda: length, lambda: low))


@never_failing()
def _shifted(buffer: Any, place: Any, last: Any) -> Any:
    """Return an array whose last row has moved to a place before."""
    found = own(buffer)
    found[place + 1 : last + 1] = buffer[place:last]
    found[place] = buffer[last]
    return found


def equal_lists(a: StagedList, b: StagedList) -> Any:
    """Return `a == b`; MutationError for items with arrays."""
    if any(spec.shape != () for spec in (*a.kind.specs, *b.kind.specs)):
        raise refused(a, "`==`", "compare the arrays in a loop")
    if _are_compared_one_by_one(a.kind) or _are_compared_one_by_one(b.kind):
        return table.operators.call(item_loops.equal_lists, a.python, b.python)
    sizes = a.content.length, b.content.length
    if NOTHING in (a.kind, b.kind) or slots_of(a.kind)[1] != slots_of(b.kind)[1]:
        return apply(REGISTRY["truth"], [(sizes[0] == 0) & (sizes[1] == 0)])
    count = if_exp(sizes[0] == sizes[1], lambda: sizes[0], lambda: 0)
    found = sizes[0] == sizes[1]
    columns = (numbers_of(x.kind, x.content.buffers) for x in (a, b))
    for x, y in zip(*columns, strict=True):
        if x.dtype.kind in "fc":
            message = f"nan in the list {a.name} is equal in Python if it is the same object"
            need(rnp.logical_not(rnp.any(rnp.isnan(x[:count]))), StagedValueError, message)
        found &= rnp.all(x[:count] == y[:count])
    return apply(REGISTRY["truth"], [found])


ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def ordered(sign: str, a: StagedList, b: StagedList) -> Any:
    """Return `a < b` and the like, of lists or tuples."""
    return table.operators.call(item_loops.ordered, a.python, b.python, ORDERS[sign])


def repeated(items: list[Any], times: Any) -> Any:
    """Return `items * times`, of which one is staged."""
    staged = staged_list(items)
    if staged is None:
        if not items:
            return []
        staged = staged_of(items.copy())
    length = staged.content.length
    count = length * times
    total = if_exp(count > 0, lambda: count, lambda: 0)
    if type(length) is int and length == 1:
        rows = [_filled(row, total) for row in rows_of(staged)]
    else:
        positions = rnp.arange(total) % length
        rows = [row[positions] for row in rows_of(staged)]
    return fresh(f"{staged.name} * ...", staged.kind, rows)


def _filled(row: Any, count: Any) -> Any:
    """Return an array with the only item of another one so many times."""
    if row.shape[1:] or row.dtype.kind not in "biufc":
        return row[rnp.zeros(count, int)]
    return rnp.full(count, row[0], row.dtype)


def _are_compared_one_by_one(kind: ItemKind) -> bool:
    """Tell whether a column for each place of an item does not compare as the items do."""
    is_of_kinds = kind != NOTHING and any(
        isinstance(x, VariantKind) or may_be_none(x) for x in slots_of(kind)[0]
    )
    return is_of_kinds or holds_handles(kind) or is_by_code(kind)


def _clear(staged: StagedList) -> None:
    staged.set_rows(0, staged.content.buffers)


def _copy(staged: StagedList) -> Any:
    return fresh(f"{staged.name}.copy()", staged.kind, rows_of(staged))


def _sort(staged: StagedList, *, key: Any = None, reverse: Any = False) -> None:
    rows = sorted_rows(staged, key, reverse)
    staged.set_rows(staged.content.length, rows)


def sorted_rows(staged: StagedList, key: Any, reverse: Any) -> list[Any]:
    """Return the rows in the order of Python's `sorted`."""
    compared = staged
    if key is None and isinstance(staged, View) and staged.part is None:
        compared = view(staged.source, KEYS)  # no two keys are equal, so values are not compared
    if key is None and is_of_numbers(compared.kind):
        order = apply(REGISTRY["python_order"], list(rows_of(compared)), reverse=bool(reverse))
    else:
        items = compared.python
        if key is None and type(items) is set:  # no two items are equal, so any order will do
            items = fresh(staged.name, staged.kind, rows_of(staged))
        order = order_of(items, iteration_over(compared), key, bool(reverse))
    return [column[order] for column in rows_of(staged)]


def _reverse(staged: StagedList) -> None:
    length, buffers = staged.content.length, staged.content.buffers
    rows = rows_of(staged)
    turned = []
    for buffer, part in zip(buffers, rows, strict=True):
        found = own(buffer)
        found[:length] = rnp.flip(part, 0)
        turned.append(found)
    staged.set_rows(length, turned)


def _count(staged: StagedList, item: Any) -> Any:
    if is_by_code(staged.kind) or has_code(item):
        return table.operators.call(item_loops.occurrences, staged.python, item)
    return apply(REGISTRY["to_int"], [rnp.sum(equal_to(staged, item))])


def _index(staged: StagedList, item: Any) -> Any:
    is_there, position = find_item(staged, item)
    need(is_there, ValueError, _missing(type(staged.python), item))
    return position


def _missing(cls: type, item: Any) -> Any:
    """Return Python's words for an item that `index` does not find."""
    if cls is StagedTuple:
        return "tuple.index(x): x not in tuple"
    if cls is list and sys.version_info >= (3, 14):
        return "list.index(x): x not in list"
    return table.operators.call(repr, item) + f" is not in {cls.__name__}"


def _remove(staged: StagedList, item: Any) -> None:
    is_there, position = find_item(staged, item)
    need(is_there, ValueError, "list.remove(x): x not in list")
    _pop(staged, position)


METHODS: dict[str, Callable[..., Any]] = {
    "append": _append,
    "clear": _clear,
    "copy": _copy,
    "count": _count,
    "extend": _extend,
    "index": _index,
    "insert": _insert,
    "pop": _pop,
    "remove": _remove,
    "reverse": _reverse,
    "sort": _sort,
}
