"""Builtins that make or go over sequences: `range`, `len`, `zip`, `map`, `list`, ..."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import numpy as np

import autograph.operators as operators
from autograph.operators.iterables import (
    StagedIterator,
    StagedRange,
    has_no_length,
    is_staged_iterable,
    iteration_of,
    zipped,
)
from autograph.operators.iterating import collected
from autograph.operators.iterations import backwards, enumerated, mapped
from autograph.operators.kinds import not_iterable, plain_type, type_name
from autograph.operators.lists.table import need_lists
from autograph.operators.masks import is_split
from autograph.operators.numbers import to_int
from autograph.operators.overloads import MISSING, dispatched, given, of_value
from runtime import mode
from runtime.errors import StagedValueError
from runtime.tensor import Symbol, is_staged
from runtime.text_methods import call_text, is_text
from runtime.texts import StagedText


def range_(start: Any = MISSING, stop: Any = MISSING, step: Any = MISSING, /, *rest: Any) -> Any:
    """`range(stop)`, `range(start, stop, step)`."""
    if type(start) is Symbol or stop is not MISSING:
        return dispatched(range, _range, (start, stop, step, *rest), {})
    return range(start)


def _range(*bounds: Any) -> Any:
    if len(bounds) > 3:
        return range(*bounds)
    start, stop, step = map(index_of, (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3])
    if type(step) is int and step == 0:
        return range(0, 0, step)
    return StagedRange(start, stop, step)


def index_of(bound: Any) -> Any:
    """Return a number as a Python integer, staged or not; TypeError for those that are none."""
    if not is_staged(bound):
        return operator.index(bound)
    is_integer = bound.spec.dtype.kind in "iu" or (bound.spec.weak and bound.spec.dtype.kind == "b")
    if is_integer and is_split(bound):
        return bound
    if not is_integer or bound.spec.shape != ():
        raise TypeError(
            f"{type_name(bound)!r} object cannot be interpreted as an integer "
            f"({bound.spec}); write int(...)"
        )
    return to_int(bound)


def _len_of(value: Any, *rest: Any) -> Any:
    if type(value) is StagedRange:
        return value.count()
    if rest or not is_staged(value):
        return len(*given(value), *rest)
    if is_text(value):
        return call_text("len", value)
    if plain_type(value) is not np.ndarray:
        raise TypeError(f"object of type {type_name(value)!r} has no len()")
    if value.ndim == 0:
        raise TypeError("len() of unsized object")
    return value.shape[0]


def len_(value: Any = MISSING, /, *rest: Any) -> Any:
    """`len(value)`: the size of the first axis, staged when it is known only at run time."""
    kind = type(value)
    if kind is Symbol or kind is StagedRange or rest:
        return _len_of(value, *rest)
    return call_text("len", value) if kind is StagedText else len(value)


def enumerate_(iterable: Any = MISSING, start: Any = MISSING, *rest: Any, **options: Any) -> Any:
    """`enumerate(iterable, start)`."""
    if is_staged_iterable(iterable) and not rest and not options:
        first = 0 if start is MISSING else index_of(start)
        return StagedIterator("enumerate", enumerated(_iteration(iterable), first))
    if start is MISSING and iterable is not MISSING and not rest and not options:
        return enumerate(iterable)
    if is_staged(start):
        start = index_of(start)
        return zip((start + k for k in count()), iterable)  # noqa: B905  (the first has no end)
    return enumerate(*given(iterable, start), *rest, **options)


def _iteration(iterable: Any) -> Any:
    iteration = iteration_of(iterable)
    assert iteration is not None
    return iteration


def zip_(*iterables: Any, **options: Any) -> Any:
    """`zip(...)`: staged when one iterable is, and the others are sequences of numbers."""
    if not any(map(is_staged_iterable, iterables)) or options.keys() - {"strict"}:
        return zip(*iterables, **options)  # noqa: B905  (as the user wrote it)
    over = zipped(iterables, bool(options.get("strict")))
    if over is None:
        return zip(*map(_by_python, iterables), **options)  # noqa: B905
    return StagedIterator("zip", over)


def _by_python(iterable: Any) -> Any:
    """Return an iterable that Python itself can go over while tracing."""
    if not is_staged(iterable) or isinstance(iterable.shape[0], int):
        return iterable
    raise StagedValueError(
        f"zip() or map() of an array whose length is known only when the graph runs "
        f"({iterable.spec}) and of something that is neither an array, a range nor a list of "
        "numbers of one kind; make an array of that first"
    )


def map_(function: Any = MISSING, /, *iterables: Any, **options: Any) -> Any:
    """`map(function, ...)`: staged when an iterable is; the function is converted."""
    if mode.current() is None or not iterables:
        return map(*given(function), *iterables, **options)
    called = partial(operators.call, function)
    if any(map(is_staged_iterable, iterables)):
        over = zipped(iterables, bool(options.get("strict")))
        if over is not None:
            return StagedIterator("map", mapped(called, over))
        iterables = tuple(map(_by_python, iterables))
    return map(called, *iterables, **options)


def reversed_(sequence: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
    """`reversed(sequence)`."""
    if is_staged_iterable(sequence) and type(sequence) is not StagedIterator:
        return StagedIterator("reversed", backwards(_iteration(sequence)))
    return reversed(*given(sequence), *rest, **options)


def _unrolled(builtin: Callable[..., Any]) -> Callable[..., Any]:
    def unroll(array: Any) -> Any:
        return builtin(_items(array, builtin.__name__))

    return unroll


def _items(array: Any, name: str) -> Iterator[Any]:
    """Return the items of an array, one by one, when it is known how many there are."""
    if array.spec.shape == ():
        raise not_iterable(array)
    if array.spec.shape is None or not isinstance(array.spec.shape[0], int):
        raise StagedValueError(
            f"{name}() of an array whose length is known only when the graph runs ({array.spec}): "
            "keep the array, write a `for` loop over it, or give the argument a signature with "
            "the length"
        )
    return iter(array)


def list_(value: Any = MISSING, /, *rest: Any) -> Any:
    """`list(value)`: a loop of the graph where it is staged how many items there are."""
    if has_no_length(value) and not rest:
        need_lists()
        return collected(value)
    return _listed(value, *rest)


_listed = of_value(list, _unrolled(list))
tuple_: Callable[..., Any] = of_value(tuple, _unrolled(tuple))
iter_: Callable[..., Any] = of_value(iter, lambda array: _items(array, "iter"))
