"""The operators as plain Python: each does what the statement it stands for does, no more.

The reference for what converted code must mean when no tensor is involved, and a stand-in for
`autograph.operators` in tests of the converters. It checks what the real operators rely on:
every state name can be reached from the functions that an operator is given.
"""

from __future__ import annotations

import operator
import sys
from builtins import slice
from collections.abc import Callable, Iterable
from types import FunctionType, TracebackType
from typing import Any

from autograph.operators.builtins.text_forms import percent
from autograph.operators.builtins.texts import field, text
from autograph.operators.control_flow.handlers import find_star
from autograph.operators.control_flow.matching import match, matches

__all__ = [
    "field",
    "match",
    "matches",
    "slice",
    "percent",
    "text",
]  # outside of a trace these are Python's own

from runtime.errors import unbound_local_text

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


def if_(
    test: Any,
    then: Callable[[], Any],
    else_: Callable[[], Any] | None,
    state: str = "",
    discard: str = "",
) -> Any:
    check_state((then, else_), state, discard)
    arm = then if test else else_
    return None if arm is None else run(arm)


def while_(
    test: Callable[[], Any],
    body: Callable[[], None],
    state: str = "",
    discard: str = "",
    until: Callable[[], Any] | None = None,
) -> None:
    check_state((test, body, until), state, discard)
    while run(test):
        run(body)
        if until is not None and run(until):
            break


def for_(
    iterable: Iterable[Any],
    body: Callable[[Any], None],
    state: str = "",
    discard: str = "",
    until: Callable[[], Any] | None = None,
) -> None:
    check_state((body, until), state, discard)
    for item in iterable:
        run(body, item)
        if until is not None and run(until):
            break


def with_(manager: Any, body: Callable[..., None], state: str = "", discard: str = "") -> None:
    check_state((body,), state, discard)
    with manager as value:
        run(body, *[value] * body.__code__.co_argcount)


def and_(first: Any, *rest: Callable[[], Any]) -> Any:
    for operand in rest:
        if not first:
            return first
        first = run(operand)
    return first


def or_(first: Any, *rest: Callable[[], Any]) -> Any:
    for operand in rest:
        if first:
            return first
        first = run(operand)
    return first


def not_(value: Any) -> bool:
    return not value


def compare(left: Any, *rest: Any) -> Any:
    result: Any = True
    for sign, operand in zip(rest[::2], rest[1::2], strict=True):
        if not result:
            return result
        right = run(operand)
        result = COMPARISONS[sign](left, right)
        left = right
    return result


def in_(item: Any, container: Any) -> bool:
    return item in container


def is_(value: Any, other: Any) -> bool:
    return value is other


def is_not(value: Any, other: Any) -> bool:
    return value is not other


def not_in(item: Any, container: Any) -> bool:
    return item not in container


def try_(
    body: Callable[[], None],
    handlers: Any,
    else_: Callable[[], None] | None = None,
    final: Callable[[], None] | None = None,
    state: str = "",
    discard: str = "",
) -> None:
    check_state((body, *(handler for _, handler in handlers), else_, final), state, discard)
    try:
        try:
            run(body)
        except BaseException as error:
            for classes, handler in handlers:
                if classes is None or isinstance(error, run(classes)):
                    run(handler, error)
                    break
            else:
                raise
        else:
            if else_ is not None:
                run(else_)
    finally:
        if final is not None:
            run(final)


def try_star(
    body: Callable[[], None],
    handlers: Any,
    else_: Callable[[], None] | None = None,
    final: Callable[[], None] | None = None,
    state: str = "",
    discard: str = "",
) -> None:
    check_state((body, *(handler for _, handler in handlers), else_, final), state, discard)

    def handle(error: BaseException) -> None:
        found = find_star(handlers, error)
        if found is None:
            raise error
        run(found, error)

    try_(body, [(lambda: BaseException, handle)], else_, final)


def if_exp(test: Any, then: Callable[[], Any], else_: Callable[[], Any]) -> Any:
    return run(then) if test else run(else_)


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    if test:
        return
    raise AssertionError if message is None else AssertionError(run(message))


def keep(test: Any) -> Any:
    return test


def call(function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Any:
    return function(*arguments, **keywords)


CALL = call.__code__


def get_item(container: Any, index: Any) -> Any:
    return container[index]


def run(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a generated function; an unbound variable in it is an unbound local of the user's."""
    try:
        return function(*arguments)
    except NameError as error:
        if type(error) is NameError and is_own(error, function):
            local = UnboundLocalError(unbound_local_text(error.name))
            try:
                raise local
            finally:
                local.__context__ = error.__context__
        raise


def is_own(error: NameError, function: Callable[..., Any]) -> bool:
    """Whether an error was raised by the function's own code about a variable around it."""
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    assert isinstance(function, FunctionType)
    free = getattr(error, "name", None) in function.__code__.co_freevars or "free" in str(error)
    is_read_here = traceback is not None and traceback.tb_frame.f_code is function.__code__
    return free and is_read_here and is_of_the_caller(error.name)


def is_of_the_caller(name: str) -> bool:
    """Whether a variable is one of the user's function that is running, not of one around it."""
    frame = sys._getframe(1)
    while frame is not None and name not in frame.f_code.co_cellvars:
        caller = frame.f_back
        is_called = caller is None or caller.f_globals is not globals() or caller.f_code is CALL
        if frame.f_globals is not globals() and is_called:
            return False
        frame = caller
    return True


def check_state(functions: Iterable[Callable[..., Any] | None], *states: str) -> None:
    names = [name for state in states for name in state.split(", ") if name]
    known = [function for function in functions if isinstance(function, FunctionType)]
    free = {name for function in known for name in function.__code__.co_freevars}
    for name in names:
        root = name.rstrip("?").partition(".")[0]
        reachable = root in free or any(
            root in function.__code__.co_names or root in function.__globals__ for function in known
        )
        assert reachable, f"{root} of the state {states} is out of reach"
    assert len(set(names)) == len(names)
