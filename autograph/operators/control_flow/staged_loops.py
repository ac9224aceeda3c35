"""Staging `while` and `for` as the user's options of them say.

Comes in: what the operators of loops have found out, closures and their state. Goes out: a loop of
the graph, and the state assigned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from autograph.operators.control_flow.extra_carry import Extended
from autograph.operators.control_flow.hints import Options
from autograph.operators.control_flow.logic import and_, not_
from autograph.operators.control_flow.rolling import roll_around
from autograph.operators.control_flow.state import State as Variables
from autograph.operators.heap.stored_objects import variable_of
from autograph.operators.iteration.protocol import StagedIterator, add_places
from autograph.operators.mutation.callee_writes import with_assigned
from autograph.staging.deferred_errors import is_of_the_program
from autograph.staging.for_loop import Items, Iteration, stage_for
from autograph.staging.region import State
from autograph.staging.strictness import (
    check_declared,
    declaring,
    every_way_assigns,
    relaxing_shapes,
)
from autograph.staging.while_loop import stage_while
from runtime import default_graph
from runtime.tensor import is_staged

Test = Callable[[], Any]


def stage_loop(variables: Variables, stage: Callable[[], Any], options: Options) -> None:
    """Stage a loop with the shapes that are declared for its variables."""
    roll_around()
    with declaring(options.shapes), every_way_assigns(variables, "loop"):
        check_declared(variables.names, variables.read())
        with_assigned(variables, stage)


Again = Callable[[Callable[[], None]], None]
"""Runs a function if there is another round, inside of one round of the graph."""


def stage_rounds(
    test: Test, body: Callable[[], Any], again: Again, state: State, options: Options, done: int
) -> None:
    """Stage a `while`.

    Args:
        test: the condition.
        body: one round.
        again: for further rounds in one round of the graph.
        state: the variables that the body assigns.
        options: what is said of the loop.
        done: how many rounds Python has run.
    """
    rounds, variables = _rounds(body, again, state, options, done)
    stage_while(test, rounds, variables, options.label)


def stage_tested_rounds(
    go_on: Any,
    test: Test,
    body: Callable[[], Any],
    again: Again,
    state: State,
    options: Options,
    done: int,
) -> None:
    """Stage a `while` whose condition assigns variables: it is asked at the end of each round.

    Args:
        go_on: the condition of the first round.
        test, body, again, state, options, done: as for `stage_rounds`.
    """
    tested = Extended(state, "the condition", go_on)
    rounds, variables = _rounds(body, again, tested, options, done)

    def one_round() -> None:
        rounds()
        tested.extra = test()

    stage_while(lambda: tested.extra, one_round, variables, options.label)


def _rounds(
    body: Callable[[], Any], again: Again, state: State, options: Options, done: int
) -> tuple[Callable[[], None], State]:
    """Return one round of the graph, and its state: the rounds are counted if there is a limit."""
    counted = Extended(state, "the number of rounds", done)
    is_limited = options.max_iterations is not None

    def run(number: int) -> None:
        if is_limited:
            options.check_round(counted.extra + number)
        body()
        if number + 1 < options.rounds:
            again(lambda: run(number + 1))

    def one_round() -> None:
        run(0)
        if is_limited:
            counted.extra = counted.extra + options.rounds

    return one_round, counted if is_limited else state


def stage_items(
    iteration: Iteration, body: Callable[[Any], Any], state: State, options: Options
) -> None:
    """Stage a `for` without jumps out of it."""
    iteration = _limited(iteration, options)
    if options.rounds == 1:
        stage_for(iteration, body, state, options.label)
        return
    rounds = options.rounds
    steps = iteration.count // rounds

    def several(first: Any) -> None:
        for number in range(rounds):
            body(iteration.item(first * rounds + number))

    stage_for(Iteration(steps, (), lambda index, _: index), several, state, options.label)
    rest = iteration.count - steps * rounds
    if type(rest) is not int or rest:
        last = Iteration(rest, (), lambda index, _: iteration.item(steps * rounds + index))
        stage_for(last, body, state, options.label)


def _limited(iteration: Iteration, options: Options) -> Iteration:
    """Return an iteration that raises in the round that is one too many."""
    most, length = options.max_iterations, iteration.length
    if most is None or (length is not None and length <= most):
        return iteration

    def element(index: Any, elements: Any) -> Any:
        options.check_round(index)
        return iteration.element(index, elements)

    return Iteration(iteration.count, iteration.sequences, element)


def stage_elements(
    items: Items,
    body: Callable[[Any], Any],
    until: Test | None,
    state: State,
    options: Options,
) -> None:
    """Stage a `for` over one dataset as a `reduce`.

    Args:
        items: its elements, opened.
        body: one round, given the element.
        until: asked after each round; true ends the loop.
        state: the variables that the body assigns.
        options: what is said of the loop.
    """
    ended = Extended(state, "the end of the loop", False)

    def one_round(numbered: Any) -> None:
        index, element = numbered
        options.check_round(index)
        body(element)
        if until is not None:
            ended.extra = until()

    iteration = Iteration(items.stream, (), lambda index, _: (index, items.item(index)))
    place = None if until is None else 0
    with relaxing_shapes():  # as in the reference, where elements may have any
        stage_for(iteration, one_round, state if until is None else ended, options.label, place)


def stage_iterator(
    iterator: StagedIterator,
    body: Callable[[Any], Any],
    until: Test | None,
    again: Callable[[Any, Callable[[], None]], None],
    state: Variables,
    options: Options,
    first: Any = None,
) -> None:
    """Stage a `for`.

    Args:
        iterator: what it goes over.
        body: one round, given the item.
        until: asked after each round; true ends the loop.
        again: runs a function under a condition.
        state: the variables that the body assigns.
        options: what is said of the loop.
        first: whether there is an item, where that is drawn already; else None.
    """
    if iterator.items.is_streamed:
        iterator.check_unused()
    with _put_back_after_errors(iterator):
        found = iterator.items.in_graph()
        assert found is not None
        items = found.opened()
        if items.stream is not None and options.rounds == 1:
            stage_elements(items, body, until, state, options)
            iterator.finish()
            return
        touched = {variable.key for _, variable in iterator.variables()}
        touched |= {variable_of(source).key for source in items.sources}
        rest = iterator.rest(items) if until is None and not touched & state.keys else None
        if rest is not None:
            state.taken = touched
            stage_items(rest, body, state, options)
            iterator.finish()
            return
        add_places(state, iterator)
        if items.drawn or items.variables:
            _stage_in_order(iterator, items, body, until, state, options, first)
        else:
            _stage_by_number(iterator, items, body, until, again, state, options)


@contextmanager
def _put_back_after_errors(iterator: StagedIterator) -> Iterator[None]:
    """Leave an iterator where it was when a block raises: the statement may be traced once more.

    Plain Python has taken what is known to be taken when an error of the program ends the loop.
    """
    builder = default_graph.current()
    assert builder is not None
    places = [variable for _, variable in iterator.variables()]
    before = [place.read() for place in places]
    try:
        yield
    except BaseException as error:
        is_left = is_of_the_program(builder, error)
        for place, position in zip(places, before, strict=True):
            if not is_left or is_staged(place.read()):
                place.write(position)
        raise


def _stage_by_number(
    iterator: StagedIterator,
    items: Items,
    body: Callable[[Any], Any],
    until: Test | None,
    again: Callable[[Any, Callable[[], None]], None],
    state: State,
    options: Options,
) -> None:
    """Stage a `for` that asks before each round whether there is an item of its number."""
    begin = iterator.position
    rounds = 1 if iterator.is_held else options.rounds

    def test(number: int = 0) -> Any:
        has = partial(items.has, iterator.position + number)
        return has() if until is None else and_(not_(until()), has)

    def run(first: Any, number: int) -> None:
        options.check_round(first + number - begin)
        body(items.item(first + number))
        if number + 1 < rounds:
            again(test(number + 1), lambda: run(first, number + 1))

    def one_round() -> None:
        first = iterator.position
        if rounds == 1:
            iterator.position = first + 1
            run(first, 0)
        else:
            run(first, 0)
            iterator.position = first + rounds

    stage_while(test, one_round, state, options.label)


def _stage_in_order(
    iterator: StagedIterator,
    items: Items,
    body: Callable[[Any], Any],
    until: Test | None,
    state: State,
    options: Options,
    first: Any,
) -> None:
    """Stage a `for` over what draws from other iterators: the next item is drawn after a round."""

    def more() -> Any:
        advance = partial(iterator.advance, items)
        return advance() if until is None else and_(not_(until()), advance)

    def one_round() -> None:
        options.check_round(iterator.position - 1)
        body(iterator.item(items))
        drawn.extra = more()

    drawn = Extended(state, "whether there is an item", more() if first is None else first)
    stage_while(lambda: drawn.extra, one_round, drawn, options.label)
