"""Builtins that make or go over sequences: `range`, `len`, `zip`, `map`, `list`, ..."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, starmap
from typing import Any

import numpy as np

from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.builtins.item_by_item import ForEach
from autograph.operators.builtins.iterable_builtins import collected, over_items
from autograph.operators.builtins.overloads import MISSING, dispatched, given, of_value
from autograph.operators.builtins.type_queries import not_iterable, plain_type, type_name
from autograph.operators.iteration.iterator_adapters import (
    Backwards,
    Changed,
    Cycled,
    Endless,
)
from autograph.operators.iteration.protocol import Sequenced, StagedIterator
from autograph.operators.iteration.staged_iterables import (
    has_no_length,
    is_staged_iterable,
    items_of,
    iterator_over,
    part_of,
)
from autograph.operators.iteration.staged_range import StagedRange, index_of
from autograph.operators.iteration.taken_items import Taken
from autograph.operators.iteration.zipped_items import Zipped, check_strict
from autograph.staging.for_loop import Items, Iteration
from runtime import default_graph
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


def is_count(value: Any) -> bool:
    """Tell whether a value is a staged number that says how often a list is repeated."""
    is_number = is_staged(value) and not getattr(value, "is_cell", False)
    return is_number and value.spec.shape == () and value.spec.dtype.kind in "biu"


def _len_of(value: Any, *rest: Any) -> Any:
    if type(value) is StagedRange:
        return value.size()
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
    first = options.pop("start", start) if start is MISSING else start
    if default_graph.current() is None or iterable is MISSING or rest or options:
        return enumerate(*given(iterable, first), *rest, **options)
    number = index_of(0 if first is MISSING else first)

    def change(index: Any, item: Any) -> Any:
        return (index if type(number) is int and number == 0 else index + number), item

    return StagedIterator("enumerate", Changed(items_of(iterable), change))


def zip_(*iterables: Any, **options: Any) -> Any:
    """`zip(...)`: staged when one iterable is, and the others are sequences of numbers."""
    if default_graph.current() is None or options.keys() - {"strict"}:
        return zip(*iterables, **options)  # noqa: B905  (as the user wrote it)
    strict = bool(options.get("strict"))
    parts = [items_of(x) for x in iterables]
    items = Zipped(parts, strict)
    if not items.is_staged:
        _need_lengths(iterables)
        if strict:
            return StagedIterator("zip", Taken(zip(*iterables, strict=True), part_of, iterables))
    elif strict:
        check_strict(items, parts)
    return StagedIterator("zip", items)


def _need_lengths(iterables: Sequence[Any]) -> None:
    """Raise StagedValueError for an array that Python itself cannot go over while tracing."""
    for iterable in iterables:
        if is_staged(iterable) and not isinstance(iterable.shape[0], int):
            raise StagedValueError(
                f"zip() or map() of an array whose length is known only when the graph runs "
                f"({iterable.spec}) and of something that is neither an array, a range nor a list "
                "of numbers of one kind; make an array of that first"
            )


def map_(function: Any = MISSING, /, *iterables: Any, **options: Any) -> Any:
    """`map(function, ...)`: staged when an iterable is; the function is converted."""
    if default_graph.current() is None or not iterables or options:
        return map(*given(function), *iterables, **options)
    each = ForEach(function)
    if each.is_one_by_one and len(iterables) == 1:
        return over_items(map, decompositions.map_, (function, *iterables), {})
    if each.is_one_by_one:
        return over_items(starmap, decompositions.starmap, (function, zip_(*iterables)), {})
    if len(iterables) == 1:
        items = items_of(iterables[0])
        return StagedIterator("map", Changed(items, lambda _, item: each(item)))
    items = Zipped([items_of(x) for x in iterables])
    if not items.is_staged:
        _need_lengths(iterables)
    return StagedIterator("map", Changed(items, lambda _, item: each(*item)))


def reversed_(sequence: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
    """`reversed(sequence)`."""
    if default_graph.current() is None or type(sequence) is StagedIterator or sequence is MISSING:
        return reversed(*given(sequence), *rest, **options)
    if is_staged_iterable(sequence):
        return StagedIterator("reversed", Backwards(items_of(sequence)))
    found = reversed(sequence, *rest, **options)
    return (
        StagedIterator("reversed", Taken(found, part_of, [sequence]))
        if type(sequence) in (list, tuple, range)
        else found
    )


def iter_(value: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
    """`iter(value)`: what has come so far is known to the graph."""
    if default_graph.current() is None or value is MISSING or options:
        return iter(*given(value), *rest, **options)
    if rest:
        function, *others = value, *rest
        return StagedIterator(
            "iter",
            Taken(iter(partial(table.operators.call, function), *others), part_of, [function]),
        )
    return iterator_over(value)


def endless(function: Any) -> Callable[..., Any]:
    """Return the overload of `count`, `cycle` or `repeat`, whose items are computed by number."""

    def overload(*args: Any, **kwargs: Any) -> Any:
        if default_graph.current() is None:
            return function(*args, **kwargs)
        items = ENDLESS[function](*args, **kwargs)
        name = function.__name__
        return StagedIterator(
            name, Taken(function(*args, **kwargs), part_of, args) if items is None else items
        )

    overload.__qualname__ = function.__qualname__
    return overload


def listed(function: Any) -> Callable[..., Any]:
    """Return the overload of `product` and the like: an iterator over a list of their items."""

    def overload(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if default_graph.current() is None:
            return found
        items = [*islice(found, MOST_LISTED)]
        if len(items) < MOST_LISTED:
            return StagedIterator(function.__name__, Sequenced(items, part_of))
        return chain(items, found)

    overload.__qualname__ = function.__qualname__
    return overload


MOST_LISTED = 2**20
"""From so many items on, `product` and the like give them one by one."""


def _counted(start: Any = 0, step: Any = 1) -> Items | None:
    """Return the items of `count` of integers; others are added one by one."""
    if not (_is_integer(start) and _is_integer(step)):
        return None
    return Endless(lambda index: start + index * step)


def _is_integer(value: Any) -> bool:
    if is_staged(value):
        return bool(value.spec.shape == () and value.spec.dtype.kind == "i")
    return type(value) is int


def _repeated(value: Any, times: Any = None) -> Items:
    if times is None:
        return Endless(lambda index: value)
    return Iteration(index_of(times), (), lambda index, _: value)


ENDLESS: dict[Any, Callable[..., Items | None]] = {
    itertools.count: _counted,
    itertools.cycle: lambda iterable: Cycled(items_of(iterable)),
    itertools.repeat: _repeated,
}
"""What gives items without an end."""


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
        return collected(value)
    return _listed(value, *rest)


def tuple_(value: Any = MISSING, /, *rest: Any) -> Any:
    """`tuple(value)`: a loop of the graph where it is staged how many items there are."""
    if has_no_length(value) and not rest:
        return table.operators.call(tuple, collected(value))
    return _as_tuple(value, *rest)


_listed = of_value(list, _unrolled(list))
_as_tuple = of_value(tuple, _unrolled(tuple))
