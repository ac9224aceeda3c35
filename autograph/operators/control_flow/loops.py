"""`while` and `for`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from copy import copy
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.containers.staged_containers import STAGED
from autograph.operators.control_flow.active_mask import current, for_each, is_split
from autograph.operators.control_flow.conditionals import if_
from autograph.operators.control_flow.errors import located
from autograph.operators.control_flow.hints import (
    NO_OPTIONS,
    Options,
    labelled,
    options_of,
    unhinted,
)
from autograph.operators.control_flow.logic import and_, not_
from autograph.operators.control_flow.masked_loops import stage_for_of_each, stage_while_of_each
from autograph.operators.control_flow.rolling import (
    Growth,
    is_rolled,
    rolled,
    rolls,
    rounds_before,
    rounds_of,
    unroll,
)
from autograph.operators.control_flow.staged_loops import (
    stage_iterator,
    stage_loop,
    stage_rounds,
    stage_tested_rounds,
)
from autograph.operators.control_flow.state import State
from autograph.operators.control_flow.undefined import raise_if_local
from autograph.operators.control_flow.unrolled_loops import Rounds, is_for_the_graph
from autograph.operators.iteration.generators import go_over, need_staged
from autograph.operators.iteration.keyed_items import is_keyed
from autograph.operators.iteration.protocol import StagedIterator, same
from autograph.operators.iteration.special_iteration import iterated
from autograph.operators.iteration.staged_iterables import (
    is_staged_iterable,
    items_of,
    loop_over,
    part_of,
)
from autograph.operators.lists.list_truth import KNOWN
from autograph.operators.mutation.mutation_guard import guard, guard_test, noting_writes, writes
from autograph.operators.objects.union_values import each, truth_of
from autograph.staging.strictness import refuse_late_staging
from runtime import default_graph
from runtime.errors import StagedValueError
from runtime.graph.walk import effects
from runtime.tensor import is_staged
from runtime.union import Choice

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
        before, go_on = mark(), noting_writes(test)
        places = (test, body, until)
        options = options_of(go_on)
        asked = lambda: unhinted(noting_writes(test))  # noqa: E731
        again = _condition(asked, places, state, discard)
        with for_each(options.is_elementwise):
            _while(before, unhinted(go_on), again, places, state, discard, options)
    except NameError as error:
        raise_if_local(error, test, body)
        raise


def _condition(ask: Test, places: Places, state: str, discard: str) -> Test:
    """Return what is asked after a round: not `until`, and if so the condition."""
    test, _, until = places
    if until is None:
        return ask
    if not writes(test):
        return lambda: and_(not_(until()), ask)
    arms = (lambda: truth_of(ask())), _false
    return lambda: if_(not_(until()), *arms, state, discard=discard, places=(test, until))


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
    is_plain = options is NO_OPTIONS and current() is None
    growth = Growth(body, None if is_plain else 0, _is_endless(test, until))
    becomes_rolled = is_plain and is_rolled(body)
    while True:
        if type(go_on) not in KNOWN:
            go_on = truth_of(go_on)
        if is_staged(go_on) or is_split(go_on) or options.is_forced:
            break
        if not go_on:
            return
        if becomes_rolled and done >= rounds_before(body):
            break
        if options is not NO_OPTIONS:
            options.check_round(done)
        body()
        done += 1
        growth.add_round()
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
            found = truth_of(again())  # a known operand of `and` is no value of the graph
            return bool(found) if type(found) in _WITH_LENGTH else found

        def further(rounds: Callable[[], None]) -> None:
            if_(again(), rounds, None, state, discard=discard, places=places)

        rest = (guarded, further, variables, options, done)
        if writes(test):
            test_too = guard(asked, places, variables)
            stage = partial(stage_tested_rounds, go_on, test_too, *rest)
        else:
            _forget_effects(before)
            stage = partial(stage_rounds, guard_test(asked, places, variables, test), *rest)
        with rolled(body, _is_endless(test, until)) if becomes_rolled else nullcontext():
            stage_loop(variables, stage, options)


_WITH_LENGTH = STAGED | {tuple, str, bytes, range}


def _is_endless(test: Test, until: Test | None) -> bool:
    """Tell whether nothing but an exception ends a loop: its condition names nothing."""
    code = test.__code__ if isinstance(test, FunctionType) else None
    return until is None and code is not None and not (code.co_names or code.co_freevars)


def mark() -> int:
    """Return where the graph that is being built ends."""
    builder = default_graph.current()
    return builder.mark() if builder is not None else 0


def _forget_effects(before: int | None) -> None:
    """Drop what a condition did that is asked again, in the loop."""
    builder = default_graph.current()
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
            _for(iterated(unhinted(iterable)), body, until, state, discard, options)
    except NameError as error:
        raise_if_local(error, body)
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
    loop = _Loop(body, until, state, discard, options)
    iterator, iterable = loop_over(iterable, options)
    if iterator is not None:
        loop.stage(iterator)
    elif options is NO_OPTIONS and rolls(
        body, body, lambda: rounds_of(iterable), until is not None or _may_change(iterable)
    ):
        _roll(loop, iterable)
    elif options is NO_OPTIONS and is_rolled(body) and _may_change(iterable):
        unroll(body)  # items have been taken to find out whether they are columns
    elif _never_ends(loop, iterable) and is_rolled(body):
        with rolled(body, is_endless=True):
            loop.stage(iterable)
    elif until is not None or type(iterable) in (StagedIterator, list) or is_keyed(iterable):
        _unroll(loop, _iterator_of(iterable), _growth(loop, iterable))
    else:
        _run_in_python(iterable, body, _growth(loop, iterable))


def _never_ends(loop: _Loop, iterable: Any) -> bool:
    """Tell whether nothing but an exception ends a loop over the graph's own items."""
    is_endless = type(iterable) is StagedIterator and iterable.items.is_endless
    return is_endless and loop.until is None and is_for_the_graph(iterable)


def _growth(loop: _Loop, iterable: Any) -> Growth:
    if _never_ends(loop, iterable):
        return Growth(loop.body, None, is_endless=True)
    if loop.options is not NO_OPTIONS:
        return Growth(loop.body, 0)
    count = None if _may_change(iterable) else rounds_of(iterable)
    return Growth(loop.body, count, may_end=loop.until is not None)


def _may_change(iterable: Any) -> bool:
    """Tell whether lists may change from which an iterator takes its items one by one."""
    return type(iterable) is StagedIterator and iterable.items.may_change


def _iterator_of(iterable: Any) -> StagedIterator:
    """Return what a loop of Python's goes over as an iterator whose place is known."""
    if type(iterable) is StagedIterator:
        return iterable
    return StagedIterator("for", items_of(iterable), is_held=False)


class _Loop(NamedTuple):
    """What a `for` does: its body, what ends it, the variables, and what is said of it."""

    body: Callable[[Any], Any]
    until: Test | None
    state: str
    discard: str
    options: Options

    def stage(self, iterator: StagedIterator) -> None:
        """Stage what remains of the loop."""
        with labelled(self.options, "loop"), located():
            places = (self.body, self.until)
            variables = State(self.state, self.discard, places, repeats=True)
            guarded = guard(self.body, places, variables)
            first = iterator.advance(iterator.items.in_graph()) if iterator.is_resumed else None
            rest = (guarded, self.until, self.under, variables, self.options, first)
            stage_loop(variables, partial(stage_iterator, iterator, *rest), self.options)

    def under(self, test: Any, rounds: Callable[[], None]) -> None:
        """Run a part of the loop under a condition."""
        places = (self.body, self.until)
        if_(test, rounds, None, self.state, discard=self.discard, places=places)

    def goes_on(self) -> Any:
        """Tell whether nothing has ended it."""
        return True if self.until is None else not_(self.until())


def _roll(loop: _Loop, iterable: Any) -> None:
    """Run the rounds that are not like later ones in Python, and stage the others.

    What it goes over has to stay as it is: later rounds would see that it does not.
    """
    count, is_iterator = rounds_before(loop.body), type(iterable) is StagedIterator
    known = iterable.items.known() if is_iterator else [iterable]
    lists = [x for x in known if type(x) in _MAY_CHANGE]
    before = [copy(x) for x in lists]
    if is_iterator:
        iterator = iterable
        for _ in range(count):
            iterator.advance()
            loop.body(iterator.item())
    else:
        items = part_of(iterable[count:])
        assert items is not None
        iterator = StagedIterator("for", items, is_held=False)
        for number in iterable[:count]:
            loop.body(number)

    def rest() -> None:
        with rolled(loop.body):
            loop.stage(iterator)
            if not all(map(same, lists, before)):
                raise StagedValueError("a loop of the graph goes over a list that it changes")

    goes_on = loop.goes_on() if count else True
    if is_staged(goes_on):
        loop.under(goes_on, rest)
    elif goes_on:
        rest()


_MAY_CHANGE = frozenset({list, np.ndarray})


def _run_in_python(iterable: Any, body: Callable[[Any], Any], growth: Growth) -> None:
    for item in iterable:
        with growth.around():
            body(item)
        growth.add_round()


def _unroll(loop: _Loop, iterator: StagedIterator, growth: Growth) -> None:
    """Run rounds in Python while it is known that there is one, and stage the others."""
    stop: Any = False
    while not is_staged(stop) and iterator.is_known:
        if stop:
            return
        if iterator.items.is_staged:  # a list that the body has made a staged one
            loop.stage(iterator)
            return
        if not iterator.advance():
            return
        with growth.around():
            loop.body(iterator.item())
        if loop.until is not None:
            stop = loop.until()
        growth.add_round(is_last=is_staged(stop))
    refuse_late_staging("for")
    with located():
        need_staged(iterator.items, iterator.name)
        if is_for_the_graph(iterator):
            loop.stage(iterator)
        else:
            Rounds(loop, iterator).run()
