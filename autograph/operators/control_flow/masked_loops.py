"""`while` and `for` that each element goes through, and leaves, by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.operators.control_flow.active_mask import for_each
from autograph.operators.control_flow.elementwise import stage_rounds_of_each
from autograph.operators.control_flow.errors import located
from autograph.operators.control_flow.hints import Options, labelled, unhinted
from autograph.operators.control_flow.state import State
from autograph.operators.iteration.staged_iterables import rounds_of
from autograph.operators.lists.list_truth import truth_of
from autograph.operators.mutation.callee_writes import with_assigned
from autograph.operators.mutation.mutation_guard import guard

Test = Callable[[], Any]
Places = tuple[Test, Callable[[], Any], "Test | None"]


def stage_while_of_each(
    go_on: Any, places: Places, state: str, discard: str, options: Options
) -> None:
    """Stage a loop in which each element has its own number of rounds."""
    test, body, until = places
    with labelled(options, "loop"), located(), for_each():
        variables = State(f"{state}, {discard}", "", places, repeats=True)
        asked = guard(lambda: truth_of(unhinted(test())), places, variables)
        guarded = guard(body, places, variables)
        stage = partial(
            stage_rounds_of_each,
            go_on,
            lambda _: asked(),
            lambda _: guarded(),
            until,
            variables,
            options,
        )
        with_assigned(variables, stage)


def stage_for_of_each(
    iterable: Any,
    body: Callable[[Any], Any],
    until: Test | None,
    state: str,
    discard: str,
    options: Options,
) -> None:
    """Stage a loop that ends, or goes on, for each element by itself."""
    places = (body, until)
    variables = State(f"{state}, {discard}", "", places, repeats=True)
    guarded = guard(body, places, variables)
    goes_on, item = rounds_of(iterable)
    stage = partial(
        stage_rounds_of_each,
        goes_on(0),
        goes_on,
        lambda number: guarded(item(number)),
        until,
        variables,
        options,
    )
    with_assigned(variables, stage)
