"""Generators of the user's whose steps depend on staged values.

A generator is Python's own, and runs while tracing, until it asks for the truth of a staged value.
Then the function is traced again, and calls of this generator give a `Generator`: nothing has run
yet, and what goes over it runs the body, converted, with the consumer in the place of `yield`. So
the consumer's variables are state of the generator's loops and branches.

What cannot take the steps so (`send`, `next` in the midst, code that is not converted) gets them
from Python's own generator, which says where it cannot go on.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count, cycle, repeat
from types import CodeType, FrameType, FunctionType, GeneratorType, TracebackType
from typing import Any

from autograph import conversion
from autograph.converters.generators import Steps
from autograph.converters.resumed import BUILTINS
from autograph.errors import ConversionError
from autograph.operators import table
from autograph.operators.containers.generator_restarts import GeneratorRefused, GeneratorsNeeded
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.control_flow.errors import located
from autograph.operators.iteration.iterator_adapters import Changed
from autograph.operators.iteration.iterator_state import (
    GeneratorKey,
    Left,
    generators_now,
    place_of,
)
from autograph.operators.iteration.protocol import StagedIterator
from autograph.operators.iteration.resumed_generators import resumed_generator
from autograph.operators.iteration.staged_iterables import has_no_length, is_left, items_of
from autograph.operators.lists.list_values import list_of_value, value_of_option
from autograph.operators.mutation.journal import new
from autograph.staging.for_loop import Items
from autograph.staging.options import follow_lists
from autograph.staging.union_operators import each
from runtime import default_graph
from runtime.errors import StagedBoolError, StagedValueError
from runtime.graph.location import entries, is_ours
from runtime.tensor import Symbol
from runtime.union import Choice, values_of


class Generator:
    """What a generator of the user's gives: good for one use.

    Args:
        name: what messages call it.
        run: `(receive, stops)`, runs the body and gives `receive` each item; if it `stops`, what
            that returns tells whether it wants no more.
        plain: makes Python's own iterator.
        place: which generator it is, if one that is left can be gone on with.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[Callable[[Any], Any], bool], None],
        plain: Callable[[], Iterator[Any]],
        place: GeneratorKey | None = None,
    ) -> None:
        self.name = name
        self._run = run
        self._place = place
        self._plain = plain
        self._items: Any = None
        self._builder = default_graph.current()
        self._is_used = False
        self._is_outside = False
        self._is_exhausted = False

    def named(self, name: str, plain: Callable[[], Iterator[Any]]) -> Generator:
        """Return the same under another name, with another iterator of Python's."""
        return Generator(name, self._run, plain, self._place)

    @property
    def is_begun(self) -> bool:
        """Whether Python's own iterator has been asked for items."""
        return self._items is not None

    def each(self, receive: Callable[[Any], Any], until: Callable[[], Any] | None) -> None:
        """Give each item to a function.

        Args:
            receive: what is done with an item.
            until: asked after each item; true ends the generator. None if nothing ends it.
        """
        if self._is_exhausted:
            return
        self._begin()

        def received(item: Any) -> Any:
            self._is_outside = True
            receive(item)
            stop = None if until is None else until()
            self._is_outside = False
            return stop

        try:
            self._run(received, until is not None)
        except StopIteration as error:
            if self._is_outside:
                raise
            raise RuntimeError("generator raised StopIteration") from error
        except BaseException:
            self._is_used = False  # the statement may be traced once more
            raise
        self._is_exhausted = until is None

    def need_place(self) -> None:
        """Have the function traced again with a generator that keeps its place, if it can."""
        left = None if self._place is None else Left(self._place)
        if left is not None and left not in generators_now():
            raise GeneratorsNeeded([left])

    def _begin(self) -> None:
        is_there = default_graph.current() is self._builder
        if self._is_used or not is_there:
            self.need_place()
        if self._is_used:
            raise StagedValueError(
                f"the generator {self.name}() is used a second time, and how far the first use "
                "came is known only when the graph runs. Call it anew for each loop, or make "
                "a list of it before"
            )
        if not is_there:
            raise StagedValueError(
                f"the generator {self.name}() was made outside of the staged branch or loop that "
                "goes over it, which may run any number of times. Call it there"
            )
        self._is_used = True

    def __iter__(self) -> Generator:
        return self

    def _python(self) -> Any:
        if self._is_exhausted:
            return iter(())
        if self._is_used:
            self._begin()
        if self._items is None:
            self._items = self._plain()
        return self._items

    def __next__(self) -> Any:
        return next(self._python())

    def send(self, value: Any) -> Any:
        """As of Python's generators."""
        return self._python().send(value)

    def throw(self, *error: Any) -> Any:
        """As of Python's generators."""
        return self._python().throw(*error)

    def close(self) -> None:
        """As of Python's generators."""
        if not self._is_used:
            self._python().close()


def is_lazy(value: Any) -> bool:
    """Tell whether only a loop of the graph can go over a value, which gives its items once."""
    if type(value) is Generator:
        return not value.is_begun
    return is_left(value) and not value.items.is_staged


def go_over(iterable: Any, body: Callable[[Any], Any], until: Callable[[], Any] | None) -> bool:
    """Run a loop over a generator that is staged; tell whether an iterable is one.

    Args:
        iterable: what the loop goes over.
        body: one round, given the item.
        until: asked after each round; true ends the loop. None if nothing ends it.
    """
    if not is_lazy(iterable) or type(iterable) is not Generator:
        return False
    with located():
        iterable.each(body, until)
    return True


def is_to_be_staged(code: CodeType) -> bool:
    """Tell whether a function is a generator of which it was found that it has to be staged."""
    return bool(code.co_flags & inspect.CO_GENERATOR) and place_of(code) in generators_now()


def staged_generator(function: FunctionType) -> Callable[..., Generator | StagedIterator]:
    """Return what is called in the place of a generator.

    Raises:
        ConversionError: its steps cannot be given to something else.
    """
    place = place_of(function.__code__)
    is_clear = BUILTINS.isdisjoint((*function.__globals__, *function.__code__.co_freevars))
    if Left(place) in generators_now() and is_clear:
        with suppress(ConversionError):  # it yields where none can go on
            return resumed_generator(function)
    conversion.convert_generator(function, table.operators, Steps.ALL)

    def make(*args: Any, **kwargs: Any) -> Generator:
        def run(receive: Callable[[Any], Any], stops: bool) -> None:
            steps = Steps.UNTIL if stops else Steps.ALL
            body, name = conversion.convert_generator(function, table.operators, steps)
            body(*args, **kwargs, **{name: receive})

        return Generator(function.__name__, run, lambda: function(*args, **kwargs), place)

    return make


def comprehension_place(run: Callable[..., Any], name: str) -> GeneratorKey:
    """Return which comprehension a function is the loop of; `name` is that of its kind."""
    return run.__code__.co_filename, run.__code__.co_firstlineno, name


def is_looped(iterable: Any, place: GeneratorKey) -> bool:
    """Tell whether a comprehension is a loop of the graph.

    Args:
        iterable: what it goes over first.
        place: which one it is.
    """
    return place in generators_now() or is_lazy(iterable) or has_no_length(iterable)


def one_of_lists(iterable: Any) -> Any:
    """Return what a comprehension goes over: one list for one of several with staged items."""
    if type(iterable) is Symbol and iterable.union is not None:
        return iterable.union  # which has no items, whatever its class is
    if type(iterable) is not Choice:
        return table.operators.iterated(iterable)
    follow_lists(iterable)
    if any(map(staged_list, values_of(iterable))):
        return list_of_value(each(iterable, value_of_option))
    return iterable


def generator_expression(
    iterable: Any,
    run: Callable[[Any, Callable[[Any], Any]], None],
    plain: Callable[[Any], Iterator[Any]],
) -> Any:
    """Return a generator expression.

    Args:
        iterable: what it goes over first.
        run: goes over that and gives each item to a function, until that returns true.
        plain: returns Python's own.
    """
    iterable = one_of_lists(iterable)
    if not is_looped(iterable, comprehension_place(run, "<genexpr>")):
        return new(plain(iterable))
    return _expression(iterable, run, plain, None)


def _expression(iterable: Any, run: Any, plain: Any, place: GeneratorKey | None) -> Generator:
    return Generator(
        "<genexpr>", lambda receive, stops: run(iterable, receive), lambda: plain(iterable), place
    )


def generator_of_each(
    iterable: Any,
    run: Callable[[Any, Callable[[Any], Any]], None],
    plain: Callable[[Any], Iterator[Any]],
) -> Any:
    """Return a generator expression that gives one item for each of its iterable, as `map` does.

    Args:
        iterable: what it goes over.
        run: goes over that and gives each item to a function, until that returns true.
        plain: returns Python's own.
    """
    iterable = one_of_lists(iterable)
    place = comprehension_place(run, "<genexpr>")
    if not is_looped(iterable, place):
        return new(plain(iterable))
    if type(iterable) is Generator or Left(place) not in generators_now():
        return _expression(iterable, run, plain, place)

    def change(_: Any, item: Any) -> Any:
        found: list[Any] = []
        run((item,), found.append)
        return found[0]

    return StagedIterator("<genexpr>", Changed(items_of(iterable), change))


def to_be_staged(trace: TracebackType | None, known: Iterable[Any]) -> GeneratorKey | None:
    """Return the innermost generator that an error went through and that is not staged yet."""
    found = None
    for entry in entries(trace):
        code = entry.tb_frame.f_code
        is_generator = code.co_flags & inspect.CO_GENERATOR and not is_ours(code.co_filename)
        if is_generator and place_of(code) not in known:
            found = place_of(code)
    return found


def need_or_refuse(error: StagedBoolError) -> None:
    """Have the generator staged that asked for the truth of a staged value, in code of Python's.

    Its own handlers see nothing of that.
    """
    if default_graph.current() is None:
        return
    known = generators_now()
    frame: FrameType | None = sys._getframe(1)
    found = []
    while frame is not None:
        code = frame.f_code
        if code.co_flags & inspect.CO_GENERATOR and not is_ours(code.co_filename):
            found.append(place_of(code))
        frame = frame.f_back
    new = [place for place in found if place not in known]
    if new:
        raise GeneratorsNeeded(new[:1])
    if found:
        raise GeneratorRefused(error)


def need_loop(generator: GeneratorType[Any, Any, Any]) -> None:
    """Have a generator of Python's staged, in a new trace, if it is one of the user's."""
    known = generators_now()
    place = place_of(generator.gi_code)
    if place not in known and not is_ours(generator.gi_code.co_filename):
        raise GeneratorsNeeded([place])


def cannot_be_staged(generator: GeneratorType[Any, Any, Any]) -> bool:
    """Tell whether a generator is one of Python's though it was to be staged, or one of ours."""
    code = generator.gi_code
    return place_of(code) in generators_now() or is_ours(code.co_filename)


def need_staged(items: Items, name: str) -> None:
    """Have generators staged, in a new trace, when a staged condition ends a loop over them.

    They may have no end of their own, so that they must be a part of the staged loop.

    Raises:
        StagedValueError: it goes over another iterator of Python's, which cannot be set back.
    """
    known = generators_now()
    found: set[Any] = set()
    for one in items.outside:
        if isinstance(one, GeneratorType) and not is_ours(one.gi_code.co_filename):
            found.add(place_of(one.gi_code))
        elif isinstance(one, count | cycle | repeat):
            found.add(type(one))
        elif isinstance(one, type):
            found.add(one)
    if found.difference(known):
        raise GeneratorsNeeded(found)
    if items.outside:
        kind = type(items.outside[0]).__name__
        raise StagedValueError(
            f"a staged condition ends a loop over an iterator of type {kind}: how far it has come "
            "is known only when the graph runs, and only its own code can tell its items. Make a "
            f"list of it before: items = list({name if name != 'for' else '...'})"
        )
