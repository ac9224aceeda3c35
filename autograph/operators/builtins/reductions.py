"""Builtins that make one value of many, or put them in order: `sum`, `max`, `sorted`, ..."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key, partial
from itertools import permutations
from types import GeneratorType
from typing import Any

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins.number_builtins import bool_, is_python_number
from autograph.operators.builtins.overloads import MISSING, given
from autograph.operators.builtins.texts import holds_staged, is_asked
from autograph.operators.containers.chosen_items import items_at
from autograph.operators.containers.columns import need
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.storage import refused
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.iteration.generators import need_loop
from autograph.operators.iteration.staged_iterables import (
    has_no_length,
    is_plain_row,
    is_staged_iterable,
    iteration_of,
)
from autograph.operators.mutation.journal import journaling
from autograph.operators.objects.special_methods import has_methods, runs_code
from autograph.staging.copies import Values
from autograph.staging.for_loop import Iteration, stage_for
from autograph.staging.number_join import union_of
from autograph.staging.region import NoState
from runtime import default_graph
from runtime.dispatch import apply
from runtime.dtypes import STRING
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol, is_staged
from runtime.text_methods import is_text, text_value
from runtime.texts import StagedText
from runtime.union import Choice, describe_options, is_numeric, leaf_spec

STAGED = frozenset({Symbol, StagedText, tuple})
"""Classes of what may be, or hold, what is compared when the graph runs."""

AMBIGUOUS = (
    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
)

MANY_ITEMS = 64
"""A generator that gives so many staged items to `sum`, `max` or `min` becomes a loop."""

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


def _extreme(builtin: Callable[..., Any], better: Callable[[Any, Any], Any]) -> Any:
    """Return the overload of `max` or `min`."""

    def overload(first: Any = MISSING, second: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
        is_for_us = type(first) in STAGED or type(second) in STAGED or rest or options
        if not (is_for_us or has_methods(type(first)) or has_methods(type(second))):
            return builtin(first, second)
        if second is MISSING and not options and is_plain_row(first):
            return builtin(first)
        values = given(first, second, *rest)
        if default_graph.current() is None or not values or options.keys() - {"key", "default"}:
            return builtin(*values, **options)
        if len(values) == 1 and is_staged_iterable(first):
            return _best_of_array(builtin.__name__, first, **options)
        if len(values) > 1 and "default" in options:
            return builtin(*values, **options)
        candidates = values[0] if len(values) == 1 else values
        return _best_of_items(builtin, better, candidates, options)

    return overload


def _best_of_items(
    builtin: Callable[..., Any],
    better: Callable[[Any, Any], Any],
    candidates: Any,
    options: dict[str, Any],
) -> Any:
    items = candidates if isinstance(candidates, list | tuple) else _collected(candidates)
    key = options.get("key")
    keys = items if key is None else [table.operators.call(key, item) for item in items]
    if not any(map(is_asked, keys)) or len(items) == 1:
        return _best_by_known(builtin, items, keys, options)
    if all(type(x) is tuple and not runs_code(x) for x in keys):
        name = builtin.__name__
        position = apply(REGISTRY[f"python_{name}"], _columns(name, keys))
        return items_at(items, [position])[0]
    best, best_key = items[0], keys[0]
    for item, item_key in zip(items[1:], keys[1:], strict=True):
        test = better(item_key, best_key)
        _need_one(test, f"For arrays write np.{builtin.__name__}imum(a, b)")
        if key is None:
            best = best_key = _choose(test, item, best)
        else:
            best, best_key = _choose(test, (item, item_key), (best, best_key))
    return best


def _best_by_known(
    builtin: Callable[..., Any], items: Sequence[Any], keys: Sequence[Any], options: dict[str, Any]
) -> Any:
    """Choose in Python, by keys that were computed already."""
    if not items:
        return builtin(items, **options)
    return items[builtin(range(len(items)), key=keys.__getitem__)]


def _columns(name: str, keys: Sequence[Any]) -> list[Any]:
    """Return keys that are numbers and texts, or tuples of them, as arrays."""
    rows = [_comparable(x if type(x) is tuple else (x,)) for x in keys]
    if len({*map(len, rows)}) > 1:
        raise TypeError(f"{name}() compares tuples of staged items, which must be of one length")
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


def _choose(test: Any, yes: Any, no: Any) -> Any:
    return if_exp(test, lambda: yes, lambda: no)


def _need_one(test: Any, hint: str) -> None:
    """Raise the ValueError of NumPy for the truth of an array, if that has not one element."""
    if is_staged(test) and any(isinstance(n, int) and n != 1 for n in test.spec.shape or ()):
        raise ValueError(f"{AMBIGUOUS}. {hint}")


def _best_of_array(name: str, values: Any, key: Any = None, default: Any = MISSING) -> Any:
    iteration = iteration_of(values)
    if default is not MISSING:
        if iteration.length is None:
            found = iteration.count > 0
            return if_exp(found, lambda: _best(name, values, iteration, key), lambda: default)
        if iteration.length == 0:
            return default
    return _best(name, values, iteration, key)


def _best(name: str, values: Any, iteration: Iteration, key: Any) -> Any:
    position = apply(REGISTRY[f"python_{name}"], keys_of(name, values, iteration, key))
    return iteration.item(position)


def keys_of(name: str, values: Any, iteration: Iteration, key: Any) -> list[Any]:
    """Return the columns of what `max`, `min` or `sorted` compares."""
    if type(values) is Symbol and key is None:
        _need_one_axis(name, values)
        return [values]
    function: Callable[[Any], Any] = (
        (lambda item: item) if key is None else partial(table.operators.call, key)
    )
    rows: Any = stage_for(iteration, lambda item: _exact(_comparable(function(item))))
    columns = list(rows) if isinstance(rows, tuple) else [rows]
    for column in columns:
        if type(column) is Choice:
            raise StagedValueError(
                f"{name}() of staged items of which some may be {describe_options(column)}: which "
                "are is known only when the graph runs. Give a key= that makes a number of each"
            )
        if type(column) is not Symbol:
            raise TypeError(
                f"{name}() of staged items needs numbers, or flat tuples of numbers, to compare"
            )
        _need_one_axis(name, column)
    return columns


def _comparable(key: Any) -> Any:
    """Return what is compared, its texts as values of the graph."""
    staged = next(filter(None, map(staged_list, key if type(key) is tuple else (key,))), None)
    if staged is not None:
        instead = "compare what a key= makes of each: key=lambda items: (items[0], items[1])"
        raise refused(staged, "the order", instead)
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


def sum_(iterable: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
    """`sum(iterable, start)`, from the left."""
    if not rest and not options and is_plain_row(iterable):
        return sum(iterable)
    if (
        default_graph.current() is None
        or len(rest) > 1
        or (options and (rest or set(options) != {"start"}))
    ):
        return sum(*given(iterable), *rest, **options)
    start = rest[0] if rest else options.get("start", 0)
    if is_staged_iterable(iterable):
        return _sum_of_array(iteration_of(iterable), iterable, start)
    if iterable is MISSING:
        return sum(**options)  # type: ignore[call-overload]
    items = iterable if type(iterable) in (list, tuple) else _collected(iterable)
    if type(start) is not Symbol and is_plain_row(items):
        return sum(items, *rest, **options)
    if all(map(is_python_number, (start, *items))):
        return apply(REGISTRY["python_sum"], [start, *items])
    total = start
    for item in items:
        total = table.operators.binary("+", total, item)
    return total


def _collected(iterable: Any) -> list[Any]:
    """Return the items of an iterable, unless they are many that are staged."""
    if not isinstance(iterable, GeneratorType):
        return list(iterable)
    items: list[Any] = []
    for item in iterable:
        items.append(item)
        if len(items) == MANY_ITEMS and all(map(holds_staged, items)):
            need_loop(iterable)
    return items


def _sum_of_array(iteration: Iteration, values: Any, start: Any) -> Any:
    if iteration.length == 0:
        return start
    if iteration.length is not None:
        start, iteration = start + iteration.item(0), iteration.after(1)
    elif type(values) is Symbol and values.spec.rank != 1:
        raise StagedValueError(
            f"sum() of the rows of an array whose length is known only when the graph runs "
            f"({values.spec}) gives the start for no rows; write np.sum(x, axis=0)"
        )
    total = Folded(start)
    stage_for(iteration, total.add, total)
    return total.value


class Folded(NoState):
    """The one variable of a sum or a product.

    Args:
        value: where it begins.
    """

    names = ("the sum",)
    optional = (False,)

    def __init__(self, value: Any) -> None:
        self.value = value

    def add(self, item: Any) -> None:
        self.value = table.operators.binary("+", self.value, item)

    def multiply(self, item: Any) -> None:
        self.value = table.operators.binary("*", self.value, item)

    def read(self) -> Values:
        return Values([self.value])

    def write(self, values: Sequence[Any]) -> None:
        (self.value,) = values


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
        keys = keys_of("sorted", iterable, iteration, key)
        order = apply(REGISTRY["python_order"], keys, reverse=reverse)
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
    with journaling(default_graph.current()) as journal:
        below: dict[Any, Any] = {(i, j): bool_(_compared("<")(keys[i], keys[j])) for i, j in pairs}
        if journal.entries or any(
            x.variable.read() is not x.before for x in journal.slots.values()
        ):
            raise StagedValueError(_UNSORTED.format("whose comparisons write something"))
    if not any(map(is_staged, below.values())):
        by = cmp_to_key(lambda i, j: -1 if i != j and below[i, j] else 0)
        return [items[k] for k in sorted(range(len(items)), key=by, reverse=reverse)]
    levels = [_folded(below[i, j] for i in range(len(keys)) if i != j) for j in range(len(keys))]
    for i, j in pairs:
        need(below[i, j] == (levels[i] < levels[j]), StagedValueError, _UNORDERED)
    return _sorted_items(items, levels, reverse)


def _folded(numbers: Iterable[Any]) -> Any:
    total: Any = 0
    for number in numbers:
        total = total + number
    return total


def _sorted_items(items: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    order = apply(REGISTRY["python_order"], _columns("sorted", keys), reverse=reverse)
    return items_at(items, [order[k] for k in range(len(items))])


def sort(items: list[Any], /, *rest: Any, key: Any = None, reverse: Any = False) -> None:
    """`items.sort(...)`, of a list whose items are known one by one."""
    if rest or default_graph.current() is None:
        return items.sort(*rest, key=key, reverse=reverse)
    items[:] = sorted_(items, key=key, reverse=reverse)


def _compared(sign: str) -> Callable[[Any, Any], Any]:
    return lambda new, best: table.operators.binary(sign, new, best)


max_: Callable[..., Any] = _extreme(max, _compared(">"))
min_: Callable[..., Any] = _extreme(min, _compared("<"))
