"""Calls of builtins with staged containers, and with generators that are staged."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from functools import reduce
from itertools import chain, compress, dropwhile, filterfalse, starmap, takewhile
from typing import Any

from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.builtins.builtin_rows import Rule
from autograph.operators.builtins.builtin_table import row_of
from autograph.operators.builtins.item_by_item import ForEach
from autograph.operators.builtins.iterable_builtins import (
    collected,
    over_items,
    value_of_recipe,
    zipped,
)
from autograph.operators.builtins.special_builtins import NOT_OURS, answered
from autograph.operators.containers import item_loops
from autograph.operators.containers.method_calls import first_staged
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.iteration.generators import Generator, is_lazy
from autograph.operators.iteration.special_iteration import iterated
from autograph.operators.iteration.staged_iterables import has_no_length
from runtime.errors import StagedValueError


def call_builtin(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a builtin with a staged container or generator; `NOT_OURS` for any other call."""
    owner = getattr(function, "__self__", None)
    grow = _GROWING.get((type(owner), getattr(function, "__name__", "")))
    if grow is not None:
        return _grown(grow, owner, args, kwargs)
    row = row_of(function)
    if row is None:
        return NOT_OURS
    if row.methods and args:
        found = answered(function, row.methods, args, kwargs)
        if found is not NOT_OURS:
            return found
    gone_over = _gone_over(row, args)
    if any(x is not y for x, y in zip(args, gone_over, strict=True)):
        return table.operators.call(function, *gone_over, **kwargs)
    given = [x for x in args if is_lazy(x)]
    if given and not (row.draws and Generator not in map(type, given)):
        return _over_generators(row, function, args, kwargs, given)
    if callable(row.container) and first_staged(args, kwargs) is not None:
        return row.container(*args, **kwargs)
    return NOT_OURS


def _gone_over(row: Rule, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with what is gone over in the place of objects of the user's."""
    is_of_many = row.function in (max, min) and len(args) > 1
    if (row.loop is None and not row.draws) or is_of_many or row.function in (iter, next):
        return args
    first = int(row.function in _WITH_FUNCTION)
    last = len(args) if row.function in _OF_ALL else first + 1
    return (*args[:first], *map(iterated, args[first:last]), *args[last:])


_WITH_FUNCTION = frozenset({map, filter, reduce, dropwhile, filterfalse, starmap, takewhile})
"""Builtins whose first argument is a function."""
_OF_ALL = frozenset({map, zip, chain, compress})
"""Builtins that go over all of their arguments."""


_GROWING: dict[Any, Any] = {
    (list, "extend"): decompositions.extend,
    (deque, "extend"): decompositions.extend,
    (deque, "extendleft"): decompositions.extendleft,
    (set, "update"): item_loops.add_all,
    (dict, "update"): decompositions.update_dict,
    (defaultdict, "update"): decompositions.update_dict,
    (Counter, "update"): decompositions.update_counter,
}
"""Methods that put in what a loop goes over."""


def _grown(grow: Any, items: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Put what a loop of the graph goes over into a container."""
    if len(args) == 1 and isinstance(items, dict) and isinstance(args[0], dict):
        pairs = None if staged_list(args[0]) is None or kwargs else _pairs(args[0])
        of_pairs = decompositions.add_counts if type(items) is Counter else grow
        return NOT_OURS if pairs is None else value_of_recipe(of_pairs, (items, pairs), {})
    given = tuple(map(iterated, args))
    is_loop = len(given) == 1 and (is_lazy(given[0]) or has_no_length(given[0]))
    if not is_loop or kwargs or staged_list(given[0]) is not None:
        return NOT_OURS
    return value_of_recipe(grow, (items, *given), {})


def _pairs(items: Any) -> Any:
    return table.operators.call(items.items)


_BEST = {max: item_loops.largest_by, min: item_loops.smallest_by}


def _over_generators(
    row: Rule, function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], given: list[Any]
) -> Any:
    if len(given) > 1 and function is zip:
        for one in given:
            if type(one) is Generator:
                one.need_place()
        raise StagedValueError(
            f"zip() of the generators {given[0].name}() and {given[1].name}(): which of them ends "
            "first is known only when the graph runs, and only one can be gone over at a time. "
            "Make a list of one of them before: items = list(...)"
        )
    if function is iter and len(args) == 1:
        return args[0]
    if function is zip and not kwargs.get("strict"):
        return zipped(args, given[0])
    if function is map and len(args) > 2:
        rows = zipped(args[1:], given[0])
        return over_items(starmap, decompositions.starmap, (args[0], rows), {})
    key = kwargs.get("key") if function in (max, min) else None
    if key is not None and ForEach(key).is_one_by_one:
        default = [kwargs["default"]] if "default" in kwargs else []
        return value_of_recipe(_BEST[function], (args[0], key, *default), {})
    if row.loop is decompositions.collected:
        return table.operators.call(function, collected(args[0]), *args[1:], **kwargs)
    return NOT_OURS if row.loop is None else over_items(function, row.loop, args, kwargs)
