"""Overloads of what gives, collects or goes over items: loops, where only the graph has these.

Comes in: a function and what it does, as a loop. Goes out: its overload.
"""

from __future__ import annotations

import inspect
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NoReturn

import numpy as np

import runtime.numpy as rnp
from autograph import conversion
from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.containers.generator_restarts import GeneratorsNeeded
from autograph.operators.containers.item_kinds import ItemKind, is_of_numbers
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.containers.storage import fresh
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.control_flow.rolling import (
    Growth,
    rolled,
    rolls,
    rounds_before,
    rounds_of,
)
from autograph.operators.iteration.generators import (
    Generator,
    comprehension_place,
    is_lazy,
    is_looped,
    one_of_lists,
    staged_generator,
)
from autograph.operators.iteration.iterator_state import Left, generators_now, place_of
from autograph.operators.iteration.protocol import StagedIterator
from autograph.operators.iteration.staged_iterables import (
    has_no_length,
    is_staged_iterable,
    items_of,
    part_of,
)
from autograph.operators.iteration.taken_items import Taken
from autograph.operators.iteration.zipped_items import Rows, Zipped
from autograph.operators.keyed.known_keys import has_staged
from autograph.operators.mutation.journal import new
from autograph.operators.objects.special_methods import has_methods
from autograph.staging.union_operators import each
from runtime import default_graph, trees
from runtime.dispatch import apply
from runtime.errors import StagedBoolError, StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.spec import row_spec
from runtime.tensor import Symbol, is_staged
from runtime.union import Choice


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
        loop = Generator(name, lambda receive, stops: run(iterable, receive), _never)
        if is_looped(iterable, place):
            return value_of_recipe(recipe, (loop,), {})
        count = default_graph.current() and _rounds_of(iterable)
        if count and rolls(run, place, lambda: count) and not rounds_before(place):
            with rolled(place):
                return value_of_recipe(recipe, (loop,), {})
        try:
            return plain(_counted(iterable, Growth(place, count)) if count else iterable)
        except StagedValueError:  # of another iterable, of a key, of a comprehension inside
            raise GeneratorsNeeded([place]) from None

    return comprehension


def _rounds_of(iterable: Any) -> int:
    """Return how many rounds a comprehension has that may be rolled; 0 if it may not be."""
    shape = iterable.spec.shape if is_staged(iterable) else None
    return shape[0] if shape else rounds_of(iterable)


def _counted(iterable: Iterable[Any], growth: Growth) -> Iterator[Any]:
    """Yield items, and begin the trace again where what is made of them adds many nodes."""
    for item in iterable:
        yield item
        growth.add_round()


list_comprehension = _comprehension("<listcomp>", decompositions.collected)
set_comprehension = _comprehension("<setcomp>", decompositions.set_)
dict_comprehension = _comprehension("<dictcomp>", decompositions.dict_)


def _never() -> NoReturn:
    raise AssertionError("a comprehension is never asked for its items one by one")


def collected(generator: Any) -> Any:
    """Return a list of all items of a generator, or of an array of unknown length."""
    if type(generator) is Symbol and generator.spec.shape is not None:
        kind = ItemKind(trees.LEAF, (row_spec(generator.spec),))
        if is_of_numbers(kind):
            return fresh("list(x)", kind, [rnp.copy(generator)])
    return value_of_recipe(decompositions.collected, (generator,), {})


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
    return conversion.convert(recipe, table.operators)(*args, **kwargs)  # type: ignore[arg-type]


def over_items(function: Any, loop: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Return what the loop of a builtin gives: a value, or its steps as a staged generator."""
    if not inspect.isgeneratorfunction(loop):
        return value_of_recipe(loop, args, kwargs)
    found = staged_generator(_loop_of(loop, args))(*args, **kwargs)
    if isinstance(found, StagedIterator):
        return found
    return found.named(function.__name__, lambda: function(*args, **kwargs))


def _loop_of(loop: Any, args: tuple[Any, ...]) -> Any:
    """Return the loop of a builtin, the one of fewer branches where that is the same."""
    is_short = loop is decompositions.islice and len(args) == 2
    return decompositions.first_items if is_short else loop


def zipped(args: tuple[Any, ...], generator: Generator) -> Any:
    """Return the steps of `zip` of a generator, and of arrays and sequences."""
    position = next(k for k, x in enumerate(args) if x is generator)
    others = (*args[:position], *args[position + 1 :])
    rows = Zipped([items_of(x) for x in others])
    if rows.counted() is None:
        generator.need_place()
        raise StagedValueError(
            f"zip() of the generator {generator.name}() and of something that is neither an array, "
            "a range nor a list of numbers of one kind; make an array of that first"
        )
    loop: Any = decompositions.zip_with
    found = staged_generator(loop)(Rows(rows), generator, position)
    if isinstance(found, StagedIterator):
        return found
    return found.named("zip", lambda: zip(*args))  # noqa: B905  (as the user wrote it)


def iterators(function: Any, loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return the overload of a function that gives an iterator, or goes over one.

    Args:
        function: the function.
        loop: what it does, as a loop.
    """

    def overload(*args: Any, **kwargs: Any) -> Any:
        if default_graph.current() is None:
            return function(*args, **kwargs)
        if function in generators_now():
            return over_items(function, loop, args, kwargs)
        if _needs_graph(function, args):
            raise GeneratorsNeeded([function])
        found = function(*map(_called, args), **kwargs)
        if function is itertools.groupby:  # its groups compare keys, too
            found = ((key, _part(_steps(function, group))) for key, group in found)
        if not inspect.isgeneratorfunction(loop):
            return found
        ends = function in (itertools.islice, itertools.takewhile)
        given = (*args, *kwargs.values())
        items = Taken(_steps(function, found), part_of, given, None if ends else function)
        items.others = frozenset({function, Left(place_of(_loop_of(loop, args).__code__))})
        return StagedIterator(function.__name__, items)

    overload.__qualname__ = function.__qualname__
    return overload


def _part(items: Iterator[Any]) -> StagedIterator:
    """Return an iterator over what no other one gives."""
    return StagedIterator("iter", Taken(items, part_of))


def collector(kind: Any, loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return the overload of a class of containers that is given items or keys.

    With items that are staged, or whose number is, it is the loop.
    """

    def overload(*args: Any, **kwargs: Any) -> Any:
        most = 2 if kind is deque else 1
        if kind is deque and any(map(is_staged, (*args[1:], *kwargs.values()))):
            raise StagedValueError(
                "the maxlen of a deque is known only when the graph runs; give a number that is "
                "known, or write `if len(items) > maxlen: items.popleft()` after appending"
            )
        if default_graph.current() is None or not 0 < len(args) <= most or (kind is set and kwargs):
            return kind(*args, **kwargs)
        items, *rest = args
        if kind is not dict or not hasattr(items, "keys"):
            items = table.operators.iterated(items)
        if kind is set and staged_list(items) is not None and isinstance(items, set | dict):
            found: set[Any] = set()  # Python makes room for all of them before
            table.operators.call(found.update, items)
            return found
        if isinstance(items, Mapping):
            if staged_list(items) is None:
                return kind(*args, **kwargs)
            items = table.operators.call(items.items if issubclass(kind, dict) else items.keys)
        if not is_staged_iterable(items):
            items = list(items)
            if kind is deque or not any(has_staged(_key(kind, item)) for item in items):
                return kind(items, *rest, **kwargs)
        return value_of_recipe(loop, (items, *rest), kwargs)

    overload.__qualname__ = kind.__qualname__
    return overload


def looped(function: Any, loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return the overload of a function of lists: on staged ones, or with a key, it is the loop."""

    def overload(*args: Any, **kwargs: Any) -> Any:
        is_plain = not any(map(_holds_staged, (*args, *kwargs.values())))
        if default_graph.current() is None or (is_plain and kwargs.get("key") is None):
            return function(*args, **kwargs)
        return value_of_recipe(loop, args, kwargs)

    overload.__qualname__ = function.__qualname__
    return overload


def _holds_staged(value: Any) -> bool:
    """Tell whether a value is staged or of the user's, or a list or tuple that holds what is."""
    if type(value) in (list, tuple) and staged_list(value) is None:
        return any(map(_holds_staged, value))
    return is_staged(value) or is_staged_iterable(value) or has_methods(type(value))


dict_of = collector(dict, decompositions.dict_)
set_of = collector(set, decompositions.set_)


def merged(*parts: Any) -> Any:
    """`{key: value, **x}`, of the dicts that are written down, and what two stars stand before."""
    is_known = default_graph.current() is None or all(
        type(x) is not Choice and staged_list(x) is None for x in parts
    )
    if is_known and not any(type(x) is dict and any(map(has_staged, x)) for x in parts):
        found: dict[Any, Any] = {}
        for part in parts:
            found = {**found, **part}
        return found
    found = new({})
    for part in parts:
        if type(part) is Choice:
            each(part, _need_mapping)
        else:
            _need_mapping(part)
        table.operators.call(found.update, part)
    return found


def _need_mapping(part: Any) -> None:
    """Raise Python's TypeError for what two stars cannot stand before."""
    if not hasattr(part, "keys"):
        {**part}  # noqa: B018


def _key(kind: Any, item: Any) -> Any:
    """Return the part of an item that is hashed."""
    return item[0] if kind is dict and isinstance(item, list | tuple) and item else item


def next_(iterator: Any, *default: Any) -> Any:
    """The overload of `next`."""
    if type(iterator) is not StagedIterator or iterator.items.is_streamed:
        if not has_no_length(iterator):
            return next(iterator, *default)
        return value_of_recipe(decompositions.next_, (iterator, *default), {})
    more = iterator.advance()
    if not is_staged(more):
        if more:
            return iterator.item()
        return next(iter(()), *default)
    if default:
        return if_exp(more, iterator.item, lambda: default[0])
    apply(REGISTRY["check"], [more], error="StopIteration", message="")
    return iterator.item()


def _needs_graph(function: Any, args: tuple[Any, ...]) -> bool:
    """Tell whether Python cannot go over one of the arguments, or lacks a number of items."""
    if function in (itertools.islice, itertools.repeat) and any(map(is_staged, args[1:])):
        return True
    parts = args[0] if function == itertools.chain.from_iterable and args else ()
    inner = parts if type(parts) in (list, tuple) else ()
    return any(map(has_no_length, (*args, *inner)))


def _called(given: Any) -> Any:
    """Return an argument; a function is converted."""
    is_plain = not callable(given) or isinstance(given, type | np.ufunc)
    return given if is_plain else partial(table.operators.call, given)


def _steps(function: Any, items: Iterator[Any]) -> Iterator[Any]:
    """Yield the items of an iterator of Python's, which may ask for no staged truth."""
    try:
        yield from items
    except StagedBoolError:
        raise GeneratorsNeeded([function]) from None
