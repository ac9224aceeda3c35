"""`while` and `for`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import autograph.operators as operators
from autograph.conversion import loop_of
from autograph.operators.assigned import assigns
from autograph.operators.choices import each, truth_of
from autograph.operators.conditionals import if_
from autograph.operators.containers import guard, guard_test
from autograph.operators.errors import located
from autograph.operators.generators import go_over, need_staged
from autograph.operators.hints import NO_OPTIONS, Options, labelled, options_of, unhinted
from autograph.operators.iterables import (
    is_staged_iterable,
    iteration_of,
    iteration_with,
)
from autograph.operators.lists.content import KNOWN, live_items
from autograph.operators.lists.table import ContentVariable, lists_of, staged_list
from autograph.operators.logic import and_, not_
from autograph.operators.masks import current, for_each, is_split
from autograph.operators.split_loops import stage_for_of_each, stage_while_of_each
from autograph.operators.staged_loops import (
    stage_items,
    stage_loop,
    stage_rounds,
    stage_tested_rounds,
)
from autograph.operators.state import State
from autograph.operators.streams import Stream, counted, stage_elements, stage_opened
from autograph.operators.undefined import raise_if_local
from runtime import mode
from runtime.choice import Choice
from runtime.control.iteration import Iteration, Live
from runtime.control.rules import refuse_late_staging
from runtime.graph.walk import effects
from runtime.tensor import is_staged

MANY_ROUNDS = 500
"""So many rounds a loop runs, all in all, before its operators are inlined."""

Test = Callable[[], Any]
Places = tuple[Test, Callable[[], Any], "Test | None"]


def while_(
    test: Test,
    body: Callable[[], Any],
    state: str = "",
    *,
    until: Test | None = None,
    discard: str = "",
) -> None:
    """Run `body` while `test` is true; as a loop of the graph once `test` is staged.

    Args:
        test: the condition, asked before each round.
        body: one round.
        state: the variables that the body assigns and that are live afterwards or in a later round.
        until: asked after each round; true ends the loop.
        discard: further variables that the body assigns.
    """
    try:
        before, go_on = mark(), test()
        places = (test, body, until)
        options = options_of(go_on)
        asked = test if options is NO_OPTIONS else lambda: unhinted(test())
        again = _condition(asked, places, state, discard)
        with for_each(options.is_elementwise):
            _while(before, unhinted(go_on), again, places, state, discard, options)
    except NameError as error:
        raise_if_local(error)
        raise


UNASKED = object()
"""The condition of a loop that must be asked anew, since `until` is staged."""


def resume_while(
    go_on: Any,
    before: int | None,
    test: Test,
    body: Callable[[], Any],
    state: str = "",
    *,
    until: Test | None = None,
    discard: str = "",
) -> None:
    """Go on with a loop that Python has run until its condition was a symbol.

    Args:
        go_on: the condition of the next round.
        before: the `mark()` from before the condition was asked; None if asking has no effects.
        test, body, state, until, discard: as for `while_`.
    """
    places = (test, body, until)
    again = _condition(test, places, state, discard)
    try:
        if go_on is UNASKED:
            before, go_on = mark(), again()
        _while(before, go_on, again, places, state, discard, done=1)
    except NameError as error:
        raise_if_local(error)
        raise


def _condition(ask: Test, places: Places, state: str, discard: str) -> Test:
    """Return what is asked after a round: not `until`, and if so the condition."""
    test, _, until = places
    if until is None:
        return ask
    if not assigns(test):
        return lambda: and_(not_(until()), ask)
    return lambda: if_(not_(until()), ask, _false, state, discard=discard, places=(test, until))


def _false() -> bool:
    return False


def _while(
    before: int | None,
    go_on: Any,
    again: Test,
    places: Places,
    state: str,
    discard: str,
    options: Options = NO_OPTIONS,
    done: int = 0,
) -> None:
    """Run the loop in Python until it ends, or until its condition is staged; then stage it."""
    test, body, until = places
    loop = loop_of(body)
    while True:
        if type(go_on) not in KNOWN:
            go_on = truth_of(go_on)
        if is_staged(go_on) or is_split(go_on) or options.is_forced:
            break
        if not go_on:
            return
        if options is not NO_OPTIONS:
            options.check_round(done)
        body()
        done += 1
        loop.rounds += 1
        if (
            loop.rounds > MANY_ROUNDS
            and options is NO_OPTIONS
            and (until is None or until() is False)
        ):
            quick = loop.guarded((body, test, until), operators)
            if quick is not None:
                quick()
                return
        before, go_on = mark(), again()
    if is_staged(go_on):
        options.refuse_staging("loop", go_on.spec)
    if current() is not None or is_split(go_on):
        stage_while_of_each(go_on, places, state, discard, options)
        return
    with labelled(options, "loop"), located():
        if done:
            refuse_late_staging("while")
        variables = State(state, discard, places, repeats=True)
        guarded = guard(body, places, variables)

        def asked() -> Any:
            return truth_of(again())

        def further(rounds: Callable[[], None]) -> None:
            if_(again(), rounds, None, state, discard=discard, places=places)

        rest = (guarded, further, variables, options, done)
        if assigns(test):
            stage = partial(stage_tested_rounds, go_on, asked, *rest)
        else:
            _forget_effects(before)
            stage = partial(stage_rounds, guard_test(asked, places), *rest)
        stage_loop(variables, stage, options)


def mark() -> int:
    """Return where the graph that is being built ends."""
    builder = mode.current()
    return builder.mark() if builder is not None else 0


def _forget_effects(before: int | None) -> None:
    """Drop what a condition did that is asked again, in the loop."""
    builder = mode.current()
    assert builder is not None
    if before is not None and any(map(effects, builder.nodes[before:])):
        builder.rollback(before)


def for_(
    iterable: Any,
    body: Callable[[Any], Any],
    state: str = "",
    *,
    until: Test | None = None,
    discard: str = "",
) -> None:
    """Run `body` for each element; as a loop of the graph when the iterable is staged.

    Args:
        iterable: what to go over.
        body: one round, given the element.
        state: the variables that the body assigns and that are live afterwards or in a later round.
        until: asked after each round; true ends the loop.
        discard: further variables that the body assigns.
    """
    options = options_of(iterable)
    try:
        if type(iterable) is Choice:
            with located():
                use = partial(for_, body=body, state=state, until=until, discard=discard)
                each(iterable, use, state, discard, (body, until))
            return
        with for_each(options.is_elementwise):
            _for(unhinted(iterable), body, until, state, discard, options)
    except NameError as error:
        raise_if_local(error)
        raise


def _for(
    iterable: Any,
    body: Callable[[Any], Any],
    until: Test | None,
    state: str,
    discard: str,
    options: Options,
) -> None:
    if current() is not None and is_staged_iterable(iterable):
        with labelled(options, "loop"), located():
            stage_for_of_each(iterable, body, until, state, discard, options)
        return
    if options is NO_OPTIONS and go_over(iterable, body, until):
        return
    if options is NO_OPTIONS:
        iteration = iteration_of(iterable)
    else:
        iteration, iterable = iteration_with(iterable, options)
    if iteration is None:
        if type(iterable) is list and lists_of(mode.current()) is not None:
            _run_over_list(iterable, body, until, state, discard)
        else:
            _run_in_python(iterable, body, until, state, discard)
        return
    with labelled(options, "loop"), located():
        _stage_for(iteration, body, until, state, discard, options)


def _stage_for(
    iteration: Iteration | Live | Stream,
    body: Callable[[Any], Any],
    until: Test | None,
    state: str,
    discard: str,
    options: Options,
) -> None:
    places = (body, until)
    variables = State(state, discard, places, repeats=True)
    guarded = guard(body, places, variables)

    def further(test: Any, rounds: Callable[[], None]) -> None:
        if_(test, rounds, None, state, discard=discard, places=places)

    def stage() -> None:
        if isinstance(iteration, Stream):
            opened = iteration.open()
            if opened.stream is not None and options.rounds == 1:
                stage_elements(opened, guarded, until, variables, options)
            else:
                stage_opened(opened, guarded, until, further, variables, options)
            return
        over = _live(iteration, variables)
        if until is None and isinstance(over, Iteration):
            stage_items(over, guarded, variables, options)
        else:
            stage_opened(counted(over), guarded, until, further, variables, options)

    stage_loop(variables, stage, options)


def _live(iteration: Iteration | Live, variables: State) -> Iteration | Live:
    """Return how a loop goes over an iterable, which may be of a list that its body changes."""
    live = iteration.live if isinstance(iteration, Iteration) else None
    if live is None:
        return iteration
    is_changed = any(ContentVariable(x).key in variables.keys for x in live.sources)
    return live if is_changed else iteration


def _run_over_list(
    items: list[Any], body: Callable[[Any], Any], until: Test | None, state: str, discard: str
) -> None:
    """Run rounds in Python until the body makes the list a staged one; then stage the others."""
    position = 0
    stop: Any = False
    while staged_list(items) is None and position < len(items):
        position += 1
        if is_staged(stop):
            refuse_late_staging("for")
            assert until is not None
            one_round = partial(body, items[position - 1])
            if_(not_(until()), one_round, None, state, discard=discard, places=(body, until))
            continue
        body(items[position - 1])
        stop = until() if until is not None else False
        if not is_staged(stop) and stop:
            return
    staged = staged_list(items)
    if staged is not None:
        rest = live_items(staged, position)
        with located():
            _stage_for(rest, body, until, state, discard, NO_OPTIONS)


def resume_for(
    remaining: Iterator[Any],
    body: Callable[[Any], Any],
    state: str = "",
    *,
    until: Test,
    discard: str = "",
) -> None:
    """Go on with a loop that Python has run until what ends it was a symbol.

    Args:
        remaining: gives the elements of the further rounds.
        body, state, until, discard: as for `for_`.
    """
    try:
        _until_staged(remaining, body, until, state, discard, until())
    except NameError as error:
        raise_if_local(error)
        raise


def _run_in_python(
    iterable: Any, body: Callable[[Any], Any], until: Test | None, state: str, discard: str
) -> None:
    remaining = iter(iterable)
    if until is not None:
        _until_staged(remaining, body, until, state, discard, False)
        return
    loop = loop_of(body)
    for item in remaining:
        body(item)
        loop.rounds += 1
        if loop.rounds > MANY_ROUNDS:
            quick = loop.guarded((body,), operators)
            if quick is not None:
                quick(remaining)
                return


def _until_staged(
    remaining: Iterator[Any],
    body: Callable[[Any], Any],
    until: Test,
    state: str,
    discard: str,
    stop: Any,
) -> None:
    """Run rounds in Python, from where `stop` is staged under the condition that it is false."""
    loop = loop_of(body)
    while not is_staged(stop):
        item = _NO_ITEM if stop else next(remaining, _NO_ITEM)
        if item is _NO_ITEM:
            return
        body(item)
        loop.rounds += 1
        stop = until()
        if loop.rounds > MANY_ROUNDS and stop is False:
            quick = loop.guarded((body, until), operators)
            if quick is not None:
                quick(remaining)
                return
    refuse_late_staging("for")
    need_staged(remaining)
    for item in remaining:
        if_(not_(until()), partial(body, item), None, state, discard=discard, places=(body, until))


_NO_ITEM = object()
