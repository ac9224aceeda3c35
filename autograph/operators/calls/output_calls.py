"""Calls that write: logs, warnings and the standard streams, in staged code.

Comes in: the function that is called, and its arguments. Goes out: what writes when the graph runs,
in order with what is printed.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FrameType
from typing import Any

from autograph.operators.builtins.text_forms import percent
from autograph.operators.builtins.texts import holds_staged, is_building, print_at_run, str_
from autograph.operators.calls.caller_frames import named_as_caller
from autograph.staging.context import journal_now
from runtime import default_graph, trees
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.operator_mode import operate_now
from runtime.ops.effects import Called, declared_as, fill_text
from runtime.texts import StagedText

_LEVELS = ("debug", "info", "warning", "error", "critical", "exception", "log")
_LOGS = {
    getattr(owner, name)
    for owner in (logging, logging.Logger, logging.LoggerAdapter)
    for name in _LEVELS
}
_NAMES = frozenset({*_LEVELS, "warn", "write"})


def staged_output(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
) -> Callable[..., Any] | None:
    """Return what is called for a function that writes; None if it is none.

    Args:
        function: what is called.
        args: what it is given.
        kwargs: likewise.
        frame: of the user's function that calls it, which logs and warnings name.
    """
    if getattr(function, "__name__", None) not in _NAMES or operate_now() is not None:
        return None
    if not is_building():
        return None
    is_known = journal_now() is None and not any(map(holds_staged, (*args, *kwargs.values())))
    if is_known and _is_heard_here(function):
        return None
    owner = getattr(function, "__self__", None)
    if owner is not None and (owner is sys.stdout or owner is sys.stderr):
        return partial(print_at_run, end="", file=owner)
    if function is warnings.warn and args and isinstance(args[0], StagedText | str):
        return partial(_write, named_as_caller(function, frame))
    if getattr(function, "__func__", function) in _LOGS:
        return partial(_log, function, frame)
    return None


def _is_heard_here(function: Any) -> bool:
    """Tell whether what is logged or warned of is for the function that is traced itself."""
    builder, owner = default_graph.current(), getattr(function, "__self__", None)
    if function is warnings.warn:
        return builder is not None and builder.reports.is_recorded
    return isinstance(owner, logging.Logger) and owner is not logging.getLogger(owner.name)


def _log(function: Any, frame: FrameType, *args: Any, **kwargs: Any) -> None:
    name = function.__name__
    if name == "exception" or kwargs.get("exc_info"):
        raise StagedValueError(
            f"{name}() logs the exception that is being handled, and in staged code that is known "
            "only when the graph runs. Log its text: logging.error(str(error))"
        )
    levels = args[:1] if name == "log" else ()
    message, *values = args[len(levels) :]
    call = partial(named_as_caller(function, frame), *levels, **kwargs)
    if any(map(holds_staged, (message, *values))):
        _write(call, percent(message, tuple(values)) if values else str_(message))
    else:
        _write(call, message, *values)


def _write(call: Callable[..., Any], text: Any, *known: Any, **options: Any) -> None:
    """Call a function with a text, and with what is known, when the graph runs."""
    is_staged = type(text) is StagedText

    def write(*values: Any) -> None:
        call(fill_text(text.form, values) if is_staged else text, *known, **options)

    operands = text.values if is_staged else ()
    attrs = declared_as((), trees.LEAF)
    apply(REGISTRY["ask_python"], operands, function=Called(write), **attrs)
