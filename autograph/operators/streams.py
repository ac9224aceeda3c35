"""What a staged loop pulls its elements from, one by one: datasets, alone and in `zip`.

How many elements there are is known by nobody. A loop opens what it goes over, asks before each
round whether there is another element, and gets it; nothing is drawn that no round receives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from autograph.operators.extended import Extended
from autograph.operators.hints import Options
from autograph.operators.logic import and_, not_
from runtime import trees
from runtime.control.iteration import Iteration, Live, stage_for
from runtime.control.region import State
from runtime.control.rules import relaxing_shapes
from runtime.control.while_loop import stage_while
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.ops.streams import stream_advance, stream_item, stream_open


class Stream(ABC):
    """What a loop pulls elements from."""

    length = None

    @abstractmethod
    def open(self) -> Opened:
        """Begin to go over it, where the graph is being built."""

    @property
    def count(self) -> NoReturn:
        """How many elements there are is never known."""
        raise StagedValueError(_ONLY_LOOPS)

    sequences = count

    def item(self, index: Any) -> NoReturn:
        """There is no element of a number."""
        raise StagedValueError(_ONLY_LOOPS)


_ONLY_LOOPS = (
    "the number of elements of a dataset is not known, and they are given one after the other, so "
    "only a `for` loop over it, or over enumerate, zip or map of it, can be part of the graph; for "
    "a sum or a maximum write dataset.reduce(start, function)"
)

Advance = Callable[[Any], Any]
"""Goes to the element of a number, and tells whether there is one."""


class Opened:
    """A stream that a loop goes over.

    Args:
        advance: asked once for each round, in order.
        item: the element of a number, to which it was advanced.
        stream: what goes to the next element in each round; None when that are several.
    """

    def __init__(self, advance: Advance, item: Callable[[Any], Any], stream: Any = None) -> None:
        self.advance = advance
        self.item = item
        self.stream = stream


class Elements(Stream):
    """The elements of a dataset.

    Args:
        source: returns the dataset as a staged value.
        spec: of its elements.
    """

    def __init__(self, source: Callable[[], Any], spec: Any) -> None:
        self._source = source
        self._spec = spec

    def open(self) -> Opened:
        specs, structure = trees.flatten(self._spec)
        texts = tuple(map(str, specs))
        stream = apply(stream_open, [self._source()])

        def item(index: Any) -> Any:
            return trees.unflatten(structure, apply(stream_item, [stream], specs=texts))

        return Opened(lambda index: apply(stream_advance, [stream]), item, stream)


class Changed(Stream):
    """A stream whose elements are made of those of another, and of their numbers.

    Args:
        inner: the other stream.
        element: `(number, element) -> element`.
    """

    def __init__(self, inner: Stream, element: Callable[[Any, Any], Any]) -> None:
        self._inner = inner
        self._element = element

    def open(self) -> Opened:
        opened = self._inner.open()

        def item(index: Any) -> Any:
            return self._element(index, opened.item(index))

        return Opened(opened.advance, item, opened.stream)


class Together(Stream):
    """Several streams, arrays and ranges side by side, up to the end of the shortest.

    Args:
        parts: what `zip` was given, at least one of them a stream.
    """

    def __init__(self, parts: Sequence[Stream | Iteration]) -> None:
        self._parts = parts

    def open(self) -> Opened:
        opened = [p.open() if isinstance(p, Stream) else counted(p) for p in self._parts]

        def advance(index: Any) -> Any:
            tests = [lambda part=part: part.advance(index) for part in opened]
            return tests[0]() if len(tests) == 1 else and_(tests[0](), *tests[1:])

        return Opened(advance, lambda index: tuple(part.item(index) for part in opened))


def counted(iteration: Iteration | Live) -> Opened:
    """Return an iteration that is asked before each round whether there is another item."""
    if isinstance(iteration, Live):
        return Opened(iteration.goes_on, iteration.item)
    return Opened(lambda index: index < iteration.count, iteration.item)


def stage_elements(
    elements: Opened,
    body: Callable[[Any], Any],
    until: Callable[[], Any] | None,
    state: State,
    options: Options,
) -> None:
    """Stage a `for` over one dataset as a `reduce`.

    Args:
        elements, body, until, state, options: as for `stage_opened`.
    """
    ended = Extended(state, "the end of the loop", False)

    def one_round(numbered: Any) -> None:
        index, element = numbered
        options.check_round(index)
        body(element)
        if until is not None:
            ended.extra = until()

    iteration = Iteration(elements.stream, (), lambda index, _: (index, elements.item(index)))
    place = None if until is None else 0
    with relaxing_shapes():  # as in the reference, where elements may have any
        stage_for(iteration, one_round, state if until is None else ended, options.label, place)


def stage_opened(
    opened: Opened,
    body: Callable[[Any], Any],
    until: Callable[[], Any] | None,
    again: Callable[[Any, Callable[[], None]], None],
    state: State,
    options: Options,
) -> None:
    """Stage a `for` that asks before each round whether there is another element.

    Args:
        opened: what it goes over.
        body: one round, given the element.
        until: asked after each round; true ends the loop, and no further element is drawn.
        again: runs a function under a condition.
        state: the variables that the body assigns.
        options: what is said of the loop.
    """
    rounds = Extended(state, "the number of rounds", 0)

    def test(done: int = 0) -> Any:
        if until is None:
            return opened.advance(rounds.extra + done)
        return and_(not_(until()), lambda: opened.advance(rounds.extra + done))

    def run(number: int) -> None:
        index = rounds.extra + number
        options.check_round(index)
        body(opened.item(index))
        if number + 1 < options.rounds:
            again(test(number + 1), lambda: run(number + 1))

    def one_round() -> None:
        run(0)
        rounds.extra = rounds.extra + options.rounds

    stage_while(test, one_round, rounds, options.label)
