"""`sorted` and `list.sort`, and what they, `max` and `min` compare.

Keys that are numbers and texts, or tuples of them, are columns, which one operation puts in order.
Others (lists, tuples of several lengths, what may be one of several things) are compared one by
one, in a loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from itertools import permutations
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins.item_by_item import ForEach
from autograph.operators.builtins.number_builtins import bool_
from autograph.operators.builtins.overloads import MISSING, given
from autograph.operators.builtins.texts import is_asked
from autograph.operators.containers import item_loops
from autograph.operators.containers.chosen_items import items_at
from autograph.operators.containers.columns import need
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import rows_of
from autograph.operators.iteration.staged_iterables import (
    has_no_length,
    is_plain_row,
    is_staged_iterable,
    iteration_of,
)
from autograph.operators.mutation.journal import trying
from autograph.operators.objects.special_methods import runs_code
from autograph.staging.for_loop import Iteration, stage_for
from autograph.staging.number_join import union_of
from runtime import default_graph
from runtime.dispatch import apply
from runtime.dtypes import STRING
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol, is_staged
from runtime.text_methods import is_text, text_value
from runtime.union import Choice, is_numeric, leaf_spec

AMBIGUOUS = (
    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
)
_MOST_OBJECTS = 32
_UNSORTED = "sorted() of objects of the user's, {}: give it a key= that makes a number of each"
_UNORDERED = (
    "sorted() of objects whose `<` is no order, as of NaN: what comes first then is known to "
    "Python's own algorithm only"
)
_EXACT = 2**53
_ROUNDED = (
    "Python compares int and float numbers exactly, and here they are compared as floats, which "
    "do not hold such large integers; write float(x) for each of them"
)


def columns_of(name: str, keys: Sequence[Any]) -> list[Any]:
    """Return keys that are numbers and texts, or tuples of them, as arrays."""
    rows = [_comparable(x if type(x) is tuple else (x,)) for x in keys]
    columns = [_column([_as_array(name, x) for x in column]) for column in zip(*rows, strict=True)]
    for column in columns:
        _need_one_axis(name, column)
    return columns


def _as_array(name: str, number: Any) -> Any:
    if not (is_text(number) or is_numeric(number)):
        raise StagedValueError(
            f"{name}() of staged items compares them by a {type(number).__name__}, too, and a "
            "graph compares numbers and texts. Give a key= that makes numbers of each"
        )
    return rnp.asarray(number, STRING) if is_text(number) else number


def _column(numbers: Sequence[Any]) -> Any:
    """Return numbers as an array; if it is of floats, these must hold all integers of Python's."""
    options = [option for number in numbers for option in _options(number)]
    kinds = {spec.dtype.kind for spec in (leaf_spec(x) for x, _ in options) if spec.weak}
    if {"i", "f"} <= kinds:
        for option, is_it in options:
            _need_exact(option, is_it)
    return rnp.stack(numbers)


def _options(number: Any) -> list[tuple[Any, Any]]:
    """Return the number in all classes that it may have, and whether it has that class."""
    union = union_of(number)
    if union is number:
        return [(number, True)]
    return [(leaf, union._which == k) for k, (leaf,) in enumerate(union._leaves)]


def _need_exact(number: Any, is_it: Any) -> None:
    """Raise StagedValueError when a float may not hold an integer of Python's that is compared."""
    spec = leaf_spec(number)
    if spec.weak and spec.dtype.kind == "i":
        fits = (number <= _EXACT) & (number >= -_EXACT)
        need(fits if is_it is True else fits | rnp.logical_not(is_it), StagedValueError, _ROUNDED)


def _keys_of(name: str, values: Any, iteration: Iteration, key: ForEach) -> list[Any]:
    """Return the columns of what `max`, `min` or `sorted` compares."""
    if type(values) is Symbol and key.function is None:
        _need_one_axis(name, values)
        return [values]

    def compared(item: Any) -> Any:
        found = item if key.function is None else key(item)
        if not are_columns([found]):
            key.need_one_by_one()
        return _exact(_comparable(found))

    rows: Any = stage_for(iteration, compared)
    columns = list(rows) if isinstance(rows, tuple) else [rows]
    for column in columns:
        if type(column) is Choice:
            key.need_one_by_one()
        if type(column) is not Symbol:
            raise TypeError(
                f"{name}() of staged items needs numbers, or flat tuples of numbers, to compare"
            )
        _need_one_axis(name, column)
    return columns


def _comparable(key: Any) -> Any:
    """Return what is compared, its texts as values of the graph."""
    return tuple(map(text_value, key)) if type(key) is tuple else text_value(key)


def _exact(key: Any) -> Any:
    """Return what is compared as a float, perhaps; StagedValueError when it is no such number."""
    for part in key if type(key) is tuple else (key,):
        if union_of(part) is not part:
            _column([part])
    return key


def _need_one_axis(name: str, values: Any) -> None:
    if values.spec.rank is not None and values.spec.rank > 1:
        function = {"sorted": "sort"}.get(name, name)
        raise ValueError(
            f"{AMBIGUOUS}: {name}() compares the rows of an array ({values.spec}); write "
            f"np.{function}(x), or give a key= that makes a number of a row"
        )


def are_columns(keys: Sequence[Any]) -> bool:
    """Tell whether keys are compared as columns: they have no containers among their parts.

    Nor are they tuples of several lengths, or what may be one of several things.
    """
    rows = [x if type(x) is tuple else (x,) for x in keys]
    is_one = len({*map(len, rows)}) == 1 and len({type(x) is tuple for x in keys}) == 1
    return is_one and not any(type(x) in _COMPARED for row in rows for x in row)


_COMPARED = (list, tuple, StagedTuple, Choice)


def order_of(values: Any, iteration: Iteration, key: Any, reverse: bool) -> Any:
    """Return at which places the items stand that `sorted` puts first, second, ..."""
    each = ForEach(key)
    if each.is_one_by_one:
        keys = table.operators.call(item_loops.keys, values, key)
        return _listed(table.operators.call(item_loops.order, keys, reverse))
    keys = _keys_of("sorted", values, iteration, each)
    return apply(REGISTRY["python_order"], keys, reverse=reverse)


def place_of_best(name: str, values: Any, iteration: Iteration, key: Any) -> Any:
    """Return at which place the item stands that `max` or `min` gives."""
    each = ForEach(key)
    if each.is_one_by_one:
        keys = table.operators.call(item_loops.keys, values, key)
        best = item_loops.largest if name == "max" else item_loops.smallest
        return table.operators.call(best, keys)
    return apply(REGISTRY[f"python_{name}"], _keys_of(name, values, iteration, each))


def _listed(places: list[int]) -> Any:
    """Return a list of numbers as an array of the graph, or as it is where that is known."""
    staged = staged_list(places)
    return places if staged is None else rows_of(staged)[0]


def sorted_(iterable: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
    """`sorted(iterable)`: a list; of an array, its items, when it is known how many there are."""
    if not rest and not options and is_plain_row(iterable):
        return sorted(iterable)
    if (
        default_graph.current() is None
        or iterable is MISSING
        or rest
        or options.keys() - {"key", "reverse"}
    ):
        return sorted(*given(iterable), *rest, **options)
    key, reverse = options.get("key"), bool(options.get("reverse", False))
    if has_no_length(iterable):
        items = table.operators.call(list, iterable)
        return table.operators.call(sorted, items, key=key, reverse=reverse)
    if is_staged_iterable(iterable):
        iteration = iteration_of(iterable)
        order = order_of(iterable, iteration, key, reverse)
        return [iteration.item(order[k]) for k in range(int(iteration.count))]
    items = list(iterable)
    keys = items if key is None else [table.operators.call(key, item) for item in items]
    if not any(map(is_asked, keys)):
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
        return [items[k] for k in order]
    if any(map(runs_code, keys)):
        return _sorted_objects(items, keys, reverse)
    return _sorted_items(items, keys, reverse)


def _sorted_objects(items: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    """Sort by what `<` says of each two keys, which are objects of the user's."""
    if len(keys) > _MOST_OBJECTS:
        raise StagedValueError(_UNSORTED.format("which are many"))
    pairs = list(permutations(range(len(keys)), 2))
    with trying(_UNSORTED.format("whose comparisons write something")):
        below: dict[Any, Any] = {(i, j): bool_(_is_below(keys[i], keys[j])) for i, j in pairs}
    if not any(map(is_staged, below.values())):
        by = cmp_to_key(lambda i, j: -1 if i != j and below[i, j] else 0)
        return [items[k] for k in sorted(range(len(items)), key=by, reverse=reverse)]
    levels = [_folded(below[i, j] for i in range(len(keys)) if i != j) for j in range(len(keys))]
    for i, j in pairs:
        need(below[i, j] == (levels[i] < levels[j]), StagedValueError, _UNORDERED)
    return _sorted_items(items, levels, reverse)


def _is_below(a: Any, b: Any) -> Any:
    return table.operators.binary("<", a, b)


def _folded(numbers: Iterable[Any]) -> Any:
    total: Any = 0
    for number in numbers:
        total = total + number
    return total


def _sorted_items(items: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    if are_columns(keys):
        order = apply(REGISTRY["python_order"], columns_of("sorted", keys), reverse=reverse)
    else:
        order = _listed(table.operators.call(item_loops.order, list(keys), reverse))
    return items_at(items, [order[k] for k in range(len(items))])


def sort(items: list[Any], /, *rest: Any, key: Any = None, reverse: Any = False) -> None:
    """`items.sort(...)`, of a list whose items are known one by one."""
    if rest or default_graph.current() is None:
        return items.sort(*rest, key=key, reverse=reverse)
    items[:] = sorted_(items, key=key, reverse=reverse)
