"""Builtins, `itertools` and `reduce` of generators that are staged: the loops of `recipes`.

Comes in: the function and its arguments. Goes out: a value, or another generator.
"""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn

import numpy as np

import autograph.operators as operators
from autograph import conversion
from autograph.operators import ordered, recipes
from autograph.operators.generators import (
    Generator,
    comprehension_place,
    is_lazy,
    is_looped,
    one_of_lists,
    staged_generator,
)
from autograph.operators.iterables import has_no_length, is_staged_iterable, zipped
from autograph.operators.lists.calls import NOT_OURS
from autograph.operators.lists.keys import has_staged
from autograph.operators.lists.table import GeneratorsNeeded, lists_of, need_lists, staged_list
from runtime import mode
from runtime.control.iteration import Iteration
from runtime.errors import StagedValueError
from runtime.tensor import is_staged

COLLECTORS: dict[Any, Callable[..., Any]] = {
    Counter: recipes.counter,
    deque: recipes.deque_,
    dict: recipes.dict_,
    set: recipes.set_,
}
"""What puts the items of an iterable into a container."""

ORDERED: dict[Any, Callable[..., Any]] = {
    bisect.bisect_left: ordered.bisect_left,
    bisect.bisect_right: ordered.bisect_right,
    bisect.insort_left: ordered.insort_left,
    bisect.insort_right: ordered.insort_right,
    heapq.heapify: ordered.heapify,
    heapq.heappop: ordered.heappop,
    heapq.heappush: ordered.heappush,
    heapq.heappushpop: ordered.heappushpop,
    heapq.heapreplace: ordered.heapreplace,
    heapq.nlargest: ordered.nlargest,
    heapq.nsmallest: ordered.nsmallest,
}
"""What keeps lists in order."""

STEPS: dict[Any, Callable[..., Any]] = {
    enumerate: recipes.enumerate_,
    filter: recipes.filter_,
    map: recipes.map_,
    itertools.accumulate: recipes.accumulate,
    itertools.chain: recipes.chain,
    itertools.chain.from_iterable: recipes.chain_of,
    itertools.count: recipes.count,
    itertools.dropwhile: recipes.dropwhile,
    itertools.filterfalse: recipes.filterfalse,
    itertools.islice: recipes.islice,
    itertools.pairwise: recipes.pairwise,
    itertools.repeat: recipes.repeat,
    itertools.starmap: recipes.starmap,
    itertools.takewhile: recipes.takewhile,
}
"""What gives an iterator."""

VALUES: dict[Any, Callable[..., Any]] = {
    all: recipes.all_,
    any: recipes.any_,
    functools.reduce: recipes.reduce,
    next: recipes.next_,
}
"""What goes over an iterator, perhaps in part, and gives a value."""

COLLECTING = frozenset({*COLLECTORS, list, max, min, sorted, sum, tuple})
"""What uses an iterator up: it gets a list."""


def call_with_generators(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a function with a generator that is staged; `NOT_OURS` for any other call."""
    if getattr(function, "__name__", "") == "extend" and isinstance(function.__self__, list):
        is_loop = len(args) == 1 and (is_lazy(args[0]) or has_no_length(args[0]))
        is_loop = is_loop and staged_list(args[0]) is None
        return extended(function.__self__, args[0]) if is_loop else NOT_OURS
    given = [x for x in args if is_lazy(x)]
    if not given:
        return NOT_OURS
    if len(given) > 1 and function is zip:
        raise StagedValueError(
            f"zip() of the generators {given[0].name}() and {given[1].name}(): which of them ends "
            "first is known only when the graph runs, and only one can be gone over at a time. "
            "Make a list of one of them before: items = list(...)"
        )
    if function is iter and len(args) == 1:
        return args[0]
    if function is zip and not kwargs.get("strict"):
        return _zipped(args, given[0])
    if function is map and len(args) > 2:
        return staged_steps(itertools.starmap, (args[0], _zipped(args[1:], given[0])), {})
    if _is_one_of(function, STEPS):
        return staged_steps(function, args, kwargs)
    if _is_one_of(function, VALUES):
        return value_of_recipe(VALUES[function], args, kwargs)
    if _is_one_of(function, COLLECTING):
        return operators.call(function, collected(args[0]), *args[1:], **kwargs)
    return NOT_OURS


def extended(items: list[Any], iterable: Any) -> list[Any]:
    """Append what a loop of the graph goes over to a list; returns that."""
    value_of_recipe(recipes.extend, (items, iterable), {})
    return items


def _comprehension(name: str, recipe: Callable[..., Any]) -> Callable[..., Any]:
    """Return the operator of a comprehension that gives a container.

    Args:
        name: of the code object that Python makes of one.
        recipe: puts the items of a generator into a container.
    """

    def comprehension(
        iterable: Any,
        run: Callable[[Any, Callable[[Any], Any]], None],
        plain: Callable[[Any], Any],
    ) -> Any:
        """Return a comprehension: that of Python, or a loop over a generator that is staged.

        Args:
            iterable: what it goes over first.
            run: goes over that and gives each item to a function, until that returns true.
            plain: returns Python's own.
        """
        iterable = one_of_lists(iterable)
        place = comprehension_place(run, name)
        if not is_looped(iterable, place):
            try:
                return plain(iterable)
            except StagedValueError:  # of another iterable, of a key, of a comprehension inside
                raise GeneratorsNeeded([place]) from None
        loop = Generator(name, lambda receive, stops: run(iterable, receive), _never)
        return value_of_recipe(recipe, (loop,), {})

    return comprehension


list_comprehension = _comprehension("<listcomp>", recipes.collected)
set_comprehension = _comprehension("<setcomp>", recipes.set_)
dict_comprehension = _comprehension("<dictcomp>", recipes.dict_)


def _never() -> NoReturn:
    raise AssertionError("a comprehension is never asked for its items one by one")


def _is_one_of(function: Any, table: Any) -> bool:
    try:
        return function in table
    except TypeError:  # an unhashable callable object
        return False


def collected(generator: Any) -> Any:
    """Return a list of all items of a generator."""
    return value_of_recipe(recipes.collected, (generator,), {})


def listed(value: Any) -> Any:
    """Return the items of a generator that is staged as a list; other values as they are."""
    return collected(value) if is_lazy(value) else value


def refuse_generator(value: Any) -> None:
    """Raise StagedValueError for a generator whose items are asked for one by one."""
    if is_lazy(value):
        raise StagedValueError(
            f"the items of the generator {value.name}(), one by one: how many there are is known "
            "only when the graph runs; write a `for` loop over it"
        )


def value_of_recipe(
    recipe: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """Return what a recipe gives, converted."""
    return conversion.convert(recipe, operators, False, True)(*args, **kwargs)  # type: ignore[arg-type]


def staged_steps(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Generator:
    """Return the steps of an iterator of Python's as a generator that is staged."""
    found = staged_generator(STEPS[function])(*args, **kwargs)  # type: ignore[arg-type]
    return found.named(function.__name__, lambda: function(*args, **kwargs))


def _zipped(args: tuple[Any, ...], generator: Generator) -> Generator:
    """Return the steps of `zip` of a generator, and of arrays and sequences."""
    position = next(k for k, x in enumerate(args) if x is generator)
    others = (*args[:position], *args[position + 1 :])
    rows = zipped(others)
    if not isinstance(rows, Iteration):
        raise StagedValueError(
            f"zip() of the generator {generator.name}() and of something that is neither an array, "
            "a range nor a list of numbers of one kind; make an array of that first"
        )
    found = staged_generator(recipes.zip_with)(rows, generator, position)  # type: ignore[arg-type]
    return found.named("zip", lambda: zip(*args))  # noqa: B905  (as the user wrote it)


def iterators(function: Any, *, asks: bool = False) -> Callable[..., Any]:
    """Return the overload of a function that gives an iterator, or goes over one.

    Args:
        function: the function, for which there is a recipe.
        asks: whether it asks for the truth of what the function that it is given returns.
    """

    def overload(*args: Any, **kwargs: Any) -> Any:
        if mode.current() is None:
            return function(*args, **kwargs)
        lists = lists_of(mode.current())
        if lists is not None and function in lists.generators:
            if function in VALUES:
                return value_of_recipe(VALUES[function], args, kwargs)
            return staged_steps(function, args, kwargs)
        if _needs_graph(function, args):
            raise GeneratorsNeeded([function])
        if asks and args and args[0] is None:
            args = (bool, *args[1:])
        return function(*(_called(function, x, asks) for x in args), **kwargs)

    overload.__qualname__ = function.__qualname__
    return overload


def collector(kind: Any) -> Callable[..., Any]:
    """Return the overload of a class of containers that is given items or keys.

    With items that are staged, or whose number is, it is the loop of the recipe.
    """

    def overload(*args: Any, **kwargs: Any) -> Any:
        most = 2 if kind is deque else 1
        if mode.current() is None or not 0 < len(args) <= most or (kind is set and kwargs):
            return kind(*args, **kwargs)
        items, *rest = args
        if isinstance(items, Mapping):
            if staged_list(items) is None:
                return kind(*args, **kwargs)
            items = operators.call(items.items if issubclass(kind, dict) else items.keys)
        if not is_staged_iterable(items):
            items = list(items)
            if kind is deque or not any(has_staged(_key(kind, item)) for item in items):
                return kind(items, *rest, **kwargs)
        need_lists()
        return value_of_recipe(COLLECTORS[kind], (items, *rest), kwargs)

    overload.__qualname__ = kind.__qualname__
    return overload


def looped(function: Any) -> Callable[..., Any]:
    """Return the overload of a function of lists: on staged ones it is the loop of its recipe."""

    def overload(*args: Any, **kwargs: Any) -> Any:
        if mode.current() is None or not any(map(_holds_staged, args)):
            return function(*args, **kwargs)
        need_lists()
        return value_of_recipe(ORDERED[function], args, kwargs)

    overload.__qualname__ = function.__qualname__
    return overload


def _holds_staged(value: Any) -> bool:
    """Tell whether a value is staged, or a list or tuple that holds what is."""
    if type(value) in (list, tuple) and staged_list(value) is None:
        return any(map(_holds_staged, value))
    return is_staged(value) or staged_list(value) is not None


dict_of = collector(dict)
set_of = collector(set)


def _key(kind: Any, item: Any) -> Any:
    """Return the part of an item that is hashed."""
    return item[0] if kind is dict and isinstance(item, list | tuple) and item else item


def next_(iterator: Any, *default: Any) -> Any:
    """The overload of `next`."""
    if not has_no_length(iterator):
        return next(iterator, *default)
    return value_of_recipe(recipes.next_, (iterator, *default), {})


def _needs_graph(function: Any, args: tuple[Any, ...]) -> bool:
    """Tell whether Python cannot go over one of the arguments, or lacks a number of items."""
    if function in (itertools.islice, itertools.repeat) and any(map(is_staged, args[1:])):
        return True
    parts = args[0] if function == itertools.chain.from_iterable and args else ()
    inner = parts if type(parts) in (list, tuple) else ()
    return any(map(has_no_length, (*args, *inner)))


def _called(function: Any, given: Any, asks: bool) -> Any:
    """Return an argument; a function is converted."""
    if not callable(given) or (not asks and isinstance(given, type | np.ufunc)):
        return given
    called = partial(operators.call, given)
    return partial(_known, function, called) if asks else called


def _known(function: Any, called: Callable[..., Any], *items: Any) -> Any:
    """Return the truth of what a function returns, which Python asks for."""
    found = called(*items)
    if is_staged(found):
        raise GeneratorsNeeded([function])
    return found
