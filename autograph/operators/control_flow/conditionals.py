"""`if`, conditional expressions and `assert`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autograph.operators.calls.recursion import value_returned
from autograph.operators.control_flow.active_mask import current, for_all, for_each, is_split
from autograph.operators.control_flow.elementwise import stage_choice
from autograph.operators.control_flow.errors import located
from autograph.operators.control_flow.hints import NO_OPTIONS, Hinted, Options, labelled
from autograph.operators.control_flow.state import State
from autograph.operators.control_flow.undefined import evaluate, raise_if_local
from autograph.operators.lists.list_truth import KNOWN
from autograph.operators.lists.list_values import list_of_value, refer_to_lists
from autograph.operators.lists.returned_lists import ReturnedLists
from autograph.operators.mutation.callee_writes import with_assigned
from autograph.operators.mutation.mutation_guard import guard
from autograph.operators.objects.union_values import truth_of
from autograph.staging.cond import stage_cond
from autograph.staging.copies import Values
from autograph.staging.deferred_errors import placed
from autograph.staging.strictness import every_way_assigns
from runtime.dispatch import apply
from runtime.errors import StagedBoolError
from runtime.graph.opdef import REGISTRY
from runtime.ops.effects import literal
from runtime.tensor import is_staged

Arm = Callable[[], Any]


def if_(
    test: Any,
    then: Callable[[], Any],
    else_: Callable[[], Any] | None,
    state: str = "",
    *,
    discard: str = "",
    places: tuple[Callable[..., Any] | None, ...] = (),
) -> Any:
    """Run `then` when `test` is true, else `else_`; both, into a graph, when `test` is staged.

    Args:
        test: the condition.
        then: the first arm; what it returns is what the statement returns.
        else_: the second arm, or None for none.
        state: the variables that the arms assign and that are live afterwards.
        discard: further variables that the arms assign.
        places: the closures that assign them, when the arms themselves do not.
    """
    if type(test) is Hinted:
        return _hinted(
            test,
            lambda test, options: _stage_statement(
                test, (then, else_), state, discard, places, options
            ),
            lambda test: if_(test, then, else_, state, discard=discard, places=places),
        )
    try:
        if type(test) not in KNOWN:
            test = truth_of(test)
        if is_staged(test) or is_split(test):
            with located():
                arms = (then, else_)
                return _stage_statement(test, arms, state, discard, places, NO_OPTIONS)
        if test:
            return then()
        return else_() if else_ is not None else None
    except NameError as error:
        raise_if_local(error, then, else_)
        raise


def _stage_statement(
    test: Any,
    arms: tuple[Arm, Arm | None],
    state: str,
    discard: str,
    places: Sequence[Any],
    options: Options,
) -> Any:
    lists = ReturnedLists()
    returned = partial(value_returned, lists.value)
    return lists.joined(_stage_if(test, arms, state, discard, places, options, returned))


def _stage_if(
    test: Any,
    arms: tuple[Arm, Arm | None],
    state: str,
    discard: str,
    places: Sequence[Any],
    options: Options,
    returned: Callable[[Values], Any],
) -> Any:
    """Stage a branch; `returned` makes what an arm returns a value that can be joined."""
    then, else_ = arms
    places = places or arms
    with for_each(is_split(test)):
        if is_split(test) or (current() is not None and is_staged(test)):
            everything = State(f"{state}, {discard}", "", places)
            first = guard(then, places, everything)
            second = else_ and guard(else_, places, everything)
            each = partial(stage_choice, test, first, second, everything, options.label)
            return with_assigned(everything, each)
        variables = State(state, discard, places)
        mine = guard(then, places, variables, returned)
        other = guard(else_ or _nothing, places, variables, returned)
        stage = partial(stage_cond, test, mine, other, variables, options.label)
        with every_way_assigns(variables, "branch"):
            return with_assigned(variables, stage)


def _hinted(
    hinted: Hinted, stage: Callable[[Any, Options], Any], decide: Callable[[Any], Any]
) -> Any:
    """Run a branch of which something is said: as a part of the graph, or by Python."""
    test, options = truth_of(hinted.value), hinted.options
    options.for_branch()
    if is_staged(test):
        options.refuse_staging("branch", test.spec)
    elif options.is_forced:
        test = bool(test)
    with for_each(options.is_elementwise):
        if not (is_staged(test) or is_split(test) or options.is_forced):
            return decide(test)
        with labelled(options, "branch"), located():
            return evaluate(stage, test, options)


def _referring(returned: Values) -> Any:
    return refer_to_lists(returned[0])


def _nothing() -> None:
    pass


def if_exp(test: Any, then: Callable[[], Any], else_: Callable[[], Any]) -> Any:
    """`then() if test else else_()`."""
    holder = lambda: (then, else_)  # noqa: E731  (what they bind by := is found from it)
    if type(test) is Hinted:
        return _hinted(
            test,
            lambda test, options: _stage_operand(test, (then, else_), holder, options),
            lambda test: if_exp(test, then, else_),
        )
    try:
        if type(test) not in KNOWN:
            test = truth_of(test)
        if is_staged(test) or is_split(test):
            with located():
                return _stage_operand(test, (then, else_), holder, NO_OPTIONS)
        return then() if test else else_()
    except NameError as error:
        raise_if_local(error, then, else_)
        raise


def _stage_operand(test: Any, arms: tuple[Arm, Arm], holder: Arm, options: Options) -> Any:
    return list_of_value(_stage_if(test, arms, "", "", (holder,), options, _referring))


def keep(test: Any) -> Any:
    """Return the condition of a comprehension; StagedBoolError when it is staged.

    >>> keep(1 < 2)
    True
    """
    test = truth_of(test)
    if is_staged(test):
        raise StagedBoolError(
            f"the `if` of this comprehension is staged ({test.spec}), and how many items there are "
            "has to be known while tracing. Choose a value for each item (x if condition else 0), "
            "write a `for` loop with an `if` statement, or take the items of an array by x[x > 0]"
        )
    return test


def check(test: Any, message: str = "", error: type[Exception] = AssertionError) -> None:
    """Raise an error when `test` is false: at once, or when the graph runs if it is staged.

    Args:
        test: a truth value, `bool[]`.
        message: the text of the error.
        error: its class, one of Python's own.

    >>> check(1 < 2, "never raised")
    """
    test = for_all(test)
    if is_staged(test):
        apply(REGISTRY["check"], [test], error=error.__name__, message=literal(message))
    elif not test:
        raise error(message)


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """`assert test, message()`; a staged test is checked when the graph runs."""
    if type(test) not in KNOWN:
        test = truth_of(test)
    if is_staged(test):
        test = for_all(test)
        if message is None or _is_literal(message):
            check(test, "" if message is None else str(message()))
        else:
            if_exp(test, _nothing, partial(_fail_assertion, message))
    elif __debug__ and not test:
        raise AssertionError(*([] if message is None else [message()]))


def _fail_assertion(message: Callable[[], Any]) -> None:
    raise placed(AssertionError(message()))


def _is_literal(message: Callable[[], Any]) -> bool:
    """Tell whether a message is a text that stands there as it is."""
    code = message.__code__
    is_constant = not code.co_names and not code.co_freevars and code.co_stacksize == 1
    return is_constant and type(message()) is str and message() != ""
