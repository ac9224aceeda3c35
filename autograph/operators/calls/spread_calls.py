"""Calls `f(*items)` of which only the graph knows how many items there are, and tuples `(*items,)`.

Comes in: a function, and its arguments, with a `Spread` for what a star stands before. Goes out:
what the function gives, by a form of it that takes the items as one; or an error that says so.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from autograph.operators import table
from autograph.operators.builtins.iterable_builtins import listed, over_items
from autograph.operators.containers import item_loops
from autograph.operators.containers.columns import need
from autograph.operators.containers.items import joined, spread, unpack
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import refused
from autograph.operators.iteration.special_iteration import iterated
from autograph.operators.iteration.staged_iterables import has_no_length
from runtime.errors import StagedLengthError
from runtime.union import Choice, values_of


class Spread(NamedTuple):
    """What a star stands before in a call.

    Args:
        items: a staged list, or another container.
    """

    items: Any


def arguments(value: Any) -> Any:
    """Return what `*value` in a call gives to the function: its items, or what stands for them."""
    value = listed(iterated(value))
    if has_no_length(value):
        value = table.operators.call(list, value)
    return value if staged_list(value) is None else [Spread(value)]


def as_tuple(value: Any) -> Any:
    """Return what `*value` in a tuple stands for, as a tuple."""
    options = values_of(value) if type(value) is Choice else [value]
    if all(type(x) in (tuple, StagedTuple) for x in options):
        return value
    return table.operators.call(tuple, value)


def spread_call(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return `function(*args, **kwargs)`, where some arguments are a `Spread`."""
    form = _FORMS.get(function) if function.__hash__ is not None else None
    if form is not None and not (form is _transposed and len(args) > 1):
        return form(function, args, kwargs)
    if _is_users(function) and (given := _one_by_one(function, args)) is not None:
        return table.operators.call(function, *given, **kwargs)
    staged = next(staged_list(x.items) for x in args if type(x) is Spread)
    assert staged is not None
    name = getattr(function, "__qualname__", type(function).__name__)
    error = refused(
        staged, f"the star in a call of {name}()", "give the list itself, or write a loop"
    )
    raise StagedLengthError(str(error))


def _is_users(function: Any) -> bool:
    """Tell whether a function, a method or a class is of Python code."""
    is_class = isinstance(function, type) and isinstance(
        getattr(function, "__init__", None), FunctionType
    )
    return is_class or isinstance(function, FunctionType | MethodType)


def _length_of(items: Any) -> Any:
    """Return how many items there are."""
    return table.operators.call(len, items)


def _listed(args: Sequence[Any]) -> Any:
    """Return a list of all arguments."""
    parts = (spread(x.items) if type(x) is Spread else [x] for x in args)
    return joined([], *parts)


def _transposed(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`zip(*rows)`."""
    return over_items(function, item_loops.transposed, (args[0].items,), kwargs)


def _chained(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`chain(*parts)`."""
    call, flat = table.operators.call, itertools.chain.from_iterable
    parts = [call(flat, x.items) if type(x) is Spread else x for x in args]
    return parts[0] if len(args) == 1 else call(function, *parts, **kwargs)


def _extreme(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`max(*items)`: of one item that would be the greatest item of that."""
    items = _listed(args)
    message = f"{function.__name__}() of one number, or of nothing"
    need(_length_of(items) > 1, TypeError, message)
    return table.operators.call(function, items, **kwargs)


def _folded(start: int) -> Callable[..., Any]:
    """`math.gcd(*items)` and the like."""

    def form(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return table.operators.call(functools.reduce, function, _listed(args), start, **kwargs)

    return form


def _printed(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`print(*items)`."""
    call, others = table.operators.call, dict(kwargs)
    separator = others.pop("sep", None)
    texts = call(list, call(map, str, _listed(args)))
    return call(function, call((" " if separator is None else separator).join, texts), **others)


_FORMS: dict[Any, Callable[..., Any]] = {
    itertools.chain: _chained,
    math.gcd: _folded(0),
    math.lcm: _folded(1),
    max: _extreme,
    min: _extreme,
    print: _printed,
    zip: _transposed,
}
"""Functions that take their arguments as one, too."""


def _one_by_one(function: Any, args: Sequence[Any]) -> list[Any] | None:
    """Return the arguments of a function of the user's that takes so many, or None."""
    kinds = inspect.Parameter
    taken = [
        x for x in inspect.signature(function).parameters.values() if x.kind != kinds.KEYWORD_ONLY
    ]
    places = (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    are_fixed = all(x.kind in places and x.default is kinds.empty for x in taken)
    if not are_fixed or sum(type(x) is Spread for x in args) > 1:
        return None
    count = len(taken) - len(args) + 1
    given: list[Any] = []
    message = f"{function.__qualname__}() takes {len(taken)} positional arguments"
    need(_length_of(_listed(args)) == len(taken), TypeError, message)
    for x in args:
        given += unpack(x.items, count) if type(x) is Spread else [x]
    return given
