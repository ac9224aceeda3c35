"""Errors of a wrong use, of which staging knows the class, and plain Python the text.

Comes in: an error that a trace has met. Goes out: whether code of ours raised it, in place of plain
Python's. Where its text could be seen, plain Python makes the call.
"""

from __future__ import annotations

import dis
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import CodeType, TracebackType
from typing import Any

from autograph.conversion import original_of
from autograph.staging.deferred_errors import as_plain, names_placeholders
from runtime.errors import AxisError, OverlapError, RuntimeGraphError, StagedValueError, is_exact
from runtime.graph.location import is_ours
from runtime.graph.node import Graph, Node
from runtime.graph.walk import walk

_OF_WRONG_USE = (TypeError, AttributeError, ValueError, IndexError, RecursionError)
_EXACT = (AxisError, UnicodeError)
_RAISES_AGAIN = frozenset(
    {
        "autograph.operators.control_flow.tries",
        "autograph.operators.control_flow.withs",
        "autograph.staging.try_block",
    }
)
"""Modules that raise what the program has raised."""
_RAISE = "RAISE_VARARGS"


def is_of_wrong_use(error: BaseException) -> bool:
    """Tell whether an error is of the classes that Python and NumPy raise for a wrong use."""
    if not isinstance(error, _OF_WRONG_USE) or isinstance(error, _EXACT):
        return False
    is_refusal = isinstance(error, RuntimeGraphError) and as_plain(error) is error
    return not is_refusal and not is_exact(error)


def is_inexact(error: BaseException) -> bool:
    """Tell whether plain Python may say something else where it raises this."""
    if not is_of_wrong_use(error):
        return False
    is_too_deep = isinstance(error, RecursionError)  # plain calls need less of the stack
    if is_too_deep or as_plain(error) is not error or names_placeholders(error):
        return True
    step = deque(_steps(error), maxlen=1)
    return bool(step) and _is_raised_by_us(error, step[0])


def _is_raised_by_us(error: BaseException, step: TracebackType) -> bool:
    """Tell whether code of ours has raised an error at a step, and not again."""
    code, module = step.tb_frame.f_code, step.tb_frame.f_globals.get("__name__", "")
    if not is_ours(code.co_filename) or original_of(code) is not None or module in _RAISES_AGAIN:
        return False
    is_of_numpy = type(error).__module__.startswith("numpy.")
    return is_of_numpy or dis.opname[code.co_code[step.tb_lasti]] == _RAISE


def _steps(error: BaseException) -> Iterator[TracebackType]:
    """Yield the calls that an error has left, the innermost one last."""
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def note_what_staging_says(error: BaseException, ours: BaseException) -> None:
    """Give plain Python's error a note of what staging says in its place, if that is more."""
    if type(error) is type(as_plain(ours)) and str(error) != str(ours):
        vars(error).setdefault("__notes__", []).append(f"Staging says: {ours}")


def need_exact(error: BaseException, handler: Callable[..., Any]) -> None:
    """Raise StagedValueError where a handler reads an error that is inexact."""
    code = getattr(handler, "__code__", None)
    if is_inexact(error) and (code is None or _reads_first(code)):
        raise StagedValueError(
            f"a handler reads what plain Python says where it raises {type(error).__name__}, and "
            f"staging says it in other words: {error}. Catch it without a name, or ask before"
        ) from error


def is_doubtful(graph: Graph, error: Exception) -> bool:
    """Tell whether plain Python may do otherwise than a run that raises an error.

    So it is where no op says that it raises such a one, and for classes that staging emulates.
    """
    if isinstance(error, MemoryError | Warning | FloatingPointError | OverlapError):
        return False
    names = {kind.__name__ for kind in type(error).__mro__}
    is_emulated = isinstance(error, StagedValueError | TypeError | AttributeError | OverflowError)
    return is_emulated or all(names.isdisjoint(_names(node)) for node in walk(graph))


def _names(node: Node) -> Iterable[str]:
    """Return the names of what a node may raise."""
    error = node.attrs.get("error")
    if isinstance(error, str):
        return (error,)
    specs = [value.spec for value in node.inputs]
    return [error.name for error in node.op.raises(specs, node.attrs)]


@cache
def _reads_first(code: CodeType) -> bool:
    """Tell whether code reads its first parameter, itself or in a function inside of it."""
    name = code.co_varnames[0]
    loads = (x for x in dis.get_instructions(code) if x.opname.startswith("LOAD_"))
    return any(name in (x.argval if type(x.argval) is tuple else (x.argval,)) for x in loads)
