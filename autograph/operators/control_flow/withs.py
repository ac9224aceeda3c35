"""`with`: what the context manager does with an exception that the block raises in a graph.

Most managers look at no exception: a lock, a file, a tape. Their `with` is Python's own, and its
block is traced where it stands. For the others the statement is what Python's reference says it
is: a `try` whose handler calls `__exit__`, and raises again what that does not swallow. A
generator of the user's under `contextlib.contextmanager` is run with the block in the place of its
`yield`.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from contextlib import _GeneratorContextManager
from functools import cache
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any

from autograph import conversion
from autograph.converters.generators import Steps
from autograph.errors import UnsupportedSyntaxError
from autograph.operators import table
from autograph.operators.calls.call import call, entered
from autograph.operators.calls.conversion_rules import rules
from autograph.operators.control_flow.conditionals import if_
from autograph.operators.control_flow.errors import located
from autograph.operators.control_flow.logic import not_
from autograph.operators.control_flow.tries import stage_with
from autograph.operators.control_flow.undefined import evaluate
from runtime import default_graph
from runtime.graph.location import is_ours

_OF_C = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType)


_DOING = ("STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "STORE_DEREF", "RAISE", "CALL")
"""Instructions by which an `__exit__` may do something, where the block raises, too."""


def with_(manager: Any, body: Callable[..., Any], state: str = "", *, discard: str = "") -> None:
    """Run `body` between `__enter__` and `__exit__` of a context manager.

    Args:
        manager: the context manager.
        body: the block; takes what `__enter__` gives, if that is bound to anything.
        state: the variables that the block assigns and that are live afterwards.
        discard: further variables that it assigns.

    Raises:
        TypeError: it is no context manager.
        UnsupportedSyntaxError: it is a generator that might handle an exception of the block, and
            does not yield once.
    """

    def run(value: Any) -> None:
        evaluate(body, *[value] * body.__code__.co_argcount)

    around = None if default_graph.current() is None else _around_block(manager)
    if around is not None:
        around(run)
    elif default_graph.current() is None or not _looks_at_exceptions(manager):
        with entered(manager) as value:
            run(value)
    else:
        _stage(manager, run, state, discard, body)


def _around_block(manager: Any) -> Callable[[Any], None] | None:
    """Return what runs a generator of the user's with a block in the place of its `yield`.

    None where that is not to be converted and lets exceptions pass: then it is Python's own.
    """
    if not isinstance(manager, _GeneratorContextManager):
        return None
    function = manager.func
    assert isinstance(function, FunctionType)
    is_left = rules.are_left(function.__module__ or "") or is_ours(function.__code__.co_filename)
    if is_left and not conversion.handles_errors(function):
        return None
    try:
        with located():
            made, name = conversion.convert_generator(function, table.operators, Steps.ONCE)
    except UnsupportedSyntaxError:
        if conversion.handles_errors(function):
            raise
        return None
    return lambda run: made(*manager.args, **manager.kwds, **{name: run})


def _stage(
    manager: Any, run: Callable[[Any], None], state: str, discard: str, body: Callable[..., Any]
) -> None:
    leave = type(manager).__exit__
    value = call(type(manager).__enter__, manager)

    def enclosed() -> None:
        run(value)

    def left() -> None:
        call(leave, manager, None, None, None)

    def raised(error: BaseException) -> None:
        def again() -> None:
            raise error

        is_swallowed = call(leave, manager, type(error), error, error.__traceback__)
        if_(not_(is_swallowed), again, None)

    stage_with(enclosed, raised, left, state, discard, body)


def _looks_at_exceptions(manager: Any) -> bool:
    """Tell whether a manager may do anything with an exception but let it pass."""
    if isinstance(manager, _GeneratorContextManager):
        return False
    leave = getattr(type(manager), "__exit__", None)
    if leave is None or isinstance(leave, _OF_C):
        return False  # that leaves exceptions alone: of files, locks, memory views
    if not isinstance(leave, FunctionType):
        return True
    if is_ours(leave.__code__.co_filename):
        return False
    does = not rules.are_left(leave.__module__ or "") and _does(leave.__code__)
    return does or _reads_exception(leave.__code__)


@cache
def _does(code: CodeType) -> bool:
    """Tell whether a converted `__exit__` may do anything: a library's is not traced twice."""
    return any(one.opname.startswith(_DOING) for one in dis.get_instructions(code))


@cache
def _reads_exception(code: CodeType) -> bool:
    """Tell whether an `__exit__` reads its arguments, or may return what is true."""
    if "exc_info" in code.co_names:
        return True
    count = code.co_argcount + bool(code.co_flags & 0x04)  # CO_VARARGS
    arguments = {*code.co_varnames[1:count]}
    before = None
    for one in dis.get_instructions(code):
        names = one.argval if isinstance(one.argval, tuple) else (one.argval,)
        if "LOAD" in one.opname and "CONST" not in one.opname and arguments.intersection(names):
            return True
        if one.opname == "RETURN_CONST" and one.argval:
            return True
        if one.opname == "RETURN_VALUE" and (one.is_jump_target or not _is_false(before)):
            return True
        before = one
    return False


def _is_false(instruction: dis.Instruction | None) -> bool:
    return instruction is not None and instruction.opname == "LOAD_CONST" and not instruction.argval
