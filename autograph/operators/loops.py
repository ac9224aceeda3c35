"""`while` and `for`."""

from __future__ import annotations

from collections.abc import Callable
from dis import opmap
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from autograph.operators.assigned import with_assigned
from autograph.operators.conditionals import if_
from autograph.operators.containers import guard, guard_test
from autograph.operators.errors import located
from autograph.operators.iterables import iteration_of
from autograph.operators.logic import and_, not_
from autograph.operators.state import State
from autograph.operators.undefined import raise_if_local
from runtime import mode
from runtime.control.iteration import Iteration, stage_for
from runtime.control.while_loop import stage_while
from runtime.graph.walk import effects
from runtime.tensor import is_staged

Test = Callable[[], Any]


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
    places = (test, body, until)
    again = _condition(test, until, state, discard)
    try:
        mark, go_on = _run_while(test, body, again)
        if go_on is False:
            return
        with located():
            variables = State(state, discard, places)
            guarded = guard(body, places, variables)
            if _assigns(test):
                stage = partial(_stage_tested, go_on, guarded, again, variables)
            else:
                _forget_effects(mark)
                asked = guard_test(again, places)
                stage = partial(stage_while, asked, guarded, variables)
            with_assigned(variables, stage)
    except NameError as error:
        raise_if_local(error)
        raise


def _condition(test: Test, until: Test | None, state: str, discard: str) -> Test:
    """Return what is asked after a round: not `until`, and if so `test`."""
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


def _run_while(test: Test, body: Callable[[], Any], again: Test) -> tuple[int, Any]:
    """Run the loop in Python until it ends, or until its condition is staged.

    Returns a mark from before the last condition was asked, and the condition: False or staged.
    """
    mark, go_on = _mark(), test()
    while not is_staged(go_on):
        if not go_on:
            return mark, False
        body()
        mark, go_on = _mark(), again()
    return mark, go_on


def _mark() -> int:
    builder = mode.current()
    return builder.mark() if builder is not None else 0


def _forget_effects(mark: int) -> None:
    """Drop what a condition did that is asked again, in the loop."""
    builder = mode.current()
    assert builder is not None
    if any(map(effects, builder.nodes[mark:])):
        builder.rollback(mark)


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


def _run_in_python(
    iterable: Any, body: Callable[[Any], Any], until: Test | None, state: str, discard: str
) -> None:
    if until is None:
        for item in iterable:
            body(item)
        return
    remaining = iter(iterable)
    for item in remaining:
        body(item)
        stop = until()
        if is_staged(stop):
            break
        if stop:
            return
    for item in remaining:  # each further round under the condition that the loop goes on
        if_(not_(until()), partial(body, item), None, state, discard=discard, places=(body, until))


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
