"""Staging `while` and `for` as the user's options of them say.

Comes in: what the operators of loops have found out, closures and their state. Goes out: a loop of
the graph, and the state assigned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograph.operators.assigned import with_assigned
from autograph.operators.extended import Extended
from autograph.operators.hints import Options
from autograph.operators.state import State as Variables
from runtime.control.iteration import Iteration, stage_for
from runtime.control.region import State
from runtime.control.rules import check_declared, declaring, every_way_assigns
from runtime.control.while_loop import stage_while

Test = Callable[[], Any]


def stage_loop(variables: Variables, stage: Callable[[], Any], options: Options) -> None:
    """Stage a loop with the shapes that are declared for its variables."""
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

    return replace(iteration, element=element)
