"""`while` and `for`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dis import opmap
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import autograph.operators as operators
from autograph.conversion import loop_of
from autograph.operators.assigned import with_assigned
from autograph.operators.conditionals import if_
from autograph.operators.containers import guard, guard_test
from autograph.operators.errors import located
from autograph.operators.iterables import is_staged_iterable, iteration_of
from autograph.operators.lists.content import truth_of
from autograph.operators.lists.table import lists_of
from autograph.operators.logic import and_, not_
from autograph.operators.state import State
from autograph.operators.undefined import raise_if_local
from runtime import mode
from runtime.control.iteration import Iteration, stage_for
from runtime.control.while_loop import stage_while
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
    again = _condition(test, until, state, discard)
    try:
        _while(mark(), truth_of(test()), again, (test, body, until), state, discard)
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
    again = _condition(test, until, state, discard)
    try:
        if go_on is UNASKED:
            before, go_on = mark(), again()
        _while(before, go_on, again, (test, body, until), state, discard)
    except NameError as error:
        raise_if_local(error)
        raise


def _condition(test: Test, until: Test | None, state: str, discard: str) -> Test:
    """Return what is asked after a round: not `until`, and if so `test`."""
    if lists_of(mode.current()) is not None and not _assigns(test):
        asked, test = test, lambda: truth_of(asked())
    if until is None:
        return test
    if not _assigns(test):
        return lambda: and_(not_(until()), test)
    places = (test, until)
    return lambda: if_(not_(until()), test, _false, state, discard=discard, places=places)


def _false() -> bool:
    return False


_STORES = frozenset({opmap["STORE_DEREF"], opmap["STORE_GLOBAL"]})


def _assigns(test: Test) -> bool:
    """Tell whether a condition assigns variables around it, by `:=`, perhaps in an operand."""
    return isinstance(test, FunctionType) and _stores(test.__code__)


def _stores(code: CodeType) -> bool:
    inner = (value for value in code.co_consts if isinstance(value, CodeType))
    return not _STORES.isdisjoint(code.co_code[::2]) or any(map(_stores, inner))


def _while(
    before: int | None, go_on: Any, again: Test, places: Places, state: str, discard: str
) -> None:
    """Run the loop in Python until it ends, or until its condition is staged; then stage it."""
    test, body, until = places
    loop = loop_of(body)
    while not is_staged(go_on):
        if not go_on:
            return
        body()
        loop.rounds += 1
        if loop.rounds > MANY_ROUNDS and (until is None or until() is False):
            quick = loop.guarded((body, test, until), operators)
            if quick is not None:
                quick()
                return
        before, go_on = mark(), again()
    with located():
        variables = State(state, discard, places)
        guarded = guard(body, places, variables)
        if _assigns(test):
            stage = partial(_stage_tested, go_on, guarded, again, variables)
        else:
            _forget_effects(before)
            stage = partial(stage_while, guard_test(again, places), guarded, variables)
        with_assigned(variables, stage)


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


def _stage_tested(go_on: Any, body: Callable[[], Any], again: Test, variables: State) -> None:
    """Stage a loop whose condition assigns variables: it is asked at the end of each round."""
    tested = _Extended(variables, "the condition", go_on)

    def one_round() -> None:
        body()
        tested.extra = again()

    stage_while(lambda: tested.extra, one_round, tested)


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
    try:
        iteration = iteration_of(iterable)
        if iteration is None:
            _run_in_python(iterable, body, until, state, discard)
            return
        with located():
            variables = State(state, discard, (body, until))
            guarded = guard(body, (body, until), variables)
            if until is None:
                stage: Callable[[], Any] = partial(stage_for, iteration, guarded, variables)
            else:
                stage = partial(_stage_for_until, iteration, guarded, until, variables)
            with_assigned(variables, stage)
    except NameError as error:
        raise_if_local(error)
        raise


def is_plain_iterable(iterable: Any) -> bool:
    """Tell whether Python's own loop goes over something."""
    return not is_staged_iterable(iterable)


ITERABLES = frozenset({list, tuple, range, dict, set, frozenset, str, bytes, enumerate, zip, map})
"""Classes of plain iterables."""


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
    for item in remaining:
        if_(not_(until()), partial(body, item), None, state, discard=discard, places=(body, until))


_NO_ITEM = object()


class _Extended:
    """The state of a loop, and in front of it one more variable.

    Args:
        state: of the loop.
        name: of the variable.
        value: what it holds in the beginning.
    """

    def __init__(self, state: State, name: str, value: Any) -> None:
        self._state = state
        self.names = [name, *state.names]
        self.optional = [False, *state.optional]
        self.extra = value
        self.explain = state.explain

    def read(self) -> list[Any]:
        return [self.extra, *self._state.read()]

    def write(self, values: Any) -> None:
        self.extra, *others = values
        self._state.write(others)


def _stage_for_until(
    iteration: Iteration, body: Callable[[Any], Any], until: Test, state: State
) -> None:
    counted = _Extended(state, "the number of rounds", 0)

    def test() -> Any:
        return and_(not_(until()), lambda: counted.extra < iteration.count)

    def one_round() -> None:
        index = counted.extra
        body(iteration.item(index))
        counted.extra = index + 1

    stage_while(test, one_round, counted)
