"""Builtins that make one value of many: `sum`, `max`, ..."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import GeneratorType
from typing import Any

from autograph.operators import table
from autograph.operators.builtins.number_builtins import is_python_number
from autograph.operators.builtins.ordering import AMBIGUOUS, are_columns, columns_of, place_of_best
from autograph.operators.builtins.overloads import MISSING, given
from autograph.operators.builtins.texts import holds_staged, is_asked
from autograph.operators.containers.chosen_items import items_at
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.iteration.generators import need_loop
from autograph.operators.iteration.staged_iterables import (
    is_plain_row,
    is_staged_iterable,
    iteration_of,
)
from autograph.operators.objects.special_methods import has_methods, runs_code
from autograph.staging.copies import Values
from autograph.staging.for_loop import Iteration, stage_for
from autograph.staging.region import NoState
from runtime import default_graph
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol, is_staged
from runtime.texts import StagedText

STAGED = frozenset({Symbol, StagedText, tuple, list, StagedTuple})
"""Classes of what may be, or hold, what is compared when the graph runs."""

MANY_ITEMS = 64
"""A generator that gives so many staged items to `sum`, `max` or `min` becomes a loop."""


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
    key = options.get("key")
    items, keys = _collected(candidates, key)
    if not any(map(is_asked, keys)) or len(items) == 1:
        return _best_by_known(builtin, items, keys, options)
    if all(type(x) is tuple and not runs_code(x) for x in keys) and are_columns(keys):
        name = builtin.__name__
        position = apply(REGISTRY[f"python_{name}"], columns_of(name, keys))
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
    return iteration.item(place_of_best(name, values, iteration, key))


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
    items = iterable if type(iterable) in (list, tuple) else _collected(iterable)[0]
    if type(start) is not Symbol and is_plain_row(items):
        return sum(items, *rest, **options)
    if all(map(is_python_number, (start, *items))):
        return apply(REGISTRY["python_sum"], [start, *items])
    total = start
    for item in items:
        total = table.operators.binary("+", total, item)
    return total


def _collected(iterable: Any, key: Any = None) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the items of an iterable, unless they are many that are staged, and their keys.

    The key of an item is asked for before the next item.
    """
    if key is None and not isinstance(iterable, GeneratorType):
        items = iterable if isinstance(iterable, list | tuple) else list(iterable)
        return items, items
    found: list[Any] = []
    keys = found if key is None else []
    for item in iterable:
        found.append(item)
        if key is not None:
            keys.append(table.operators.call(key, item))
        is_many = isinstance(iterable, GeneratorType) and len(found) == MANY_ITEMS
        if is_many and all(map(holds_staged, found)):
            need_loop(iterable)
    return found, keys


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


def _compared(sign: str) -> Callable[[Any, Any], Any]:
    return lambda new, best: table.operators.binary(sign, new, best)


max_: Callable[..., Any] = _extreme(max, _compared(">"))
min_: Callable[..., Any] = _extreme(min, _compared("<"))
