"""What an arm or a body raises while it is traced, raised when the graph runs it.

Comes in: an exception. Goes out: whether plain Python would raise it there as well, if the code ran
at all, and a node that does so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime import mode
from runtime.dispatch import as_value
from runtime.errors import DtypeError, LoopStateError, RuntimeGraphError, ShapeError
from runtime.graph.builder import Builder
from runtime.graph.location import error_location
from runtime.graph.opdef import REGISTRY
from runtime.ops.effects import EXCEPTIONS, literal
from runtime.texts import StagedText


def is_of_the_program(builder: Builder, error: Exception) -> bool:
    """Tell whether an error is one that the code would raise in plain Python, if it ran at all."""
    kind = type(error)
    if kind.__module__ == "builtins":
        return kind.__name__ in EXCEPTIONS and not _is_explained(builder, error)
    return isinstance(error, DtypeError | ShapeError) or kind.__module__.startswith("numpy")


def _is_explained(builder: Builder, error: BaseException) -> bool:
    """Tell whether a variable is undefined because a graph cannot hold what it holds."""
    return isinstance(error, NameError) and any(f"'{x}'" in str(error) for x in builder.undefined)


def is_of_tracing(builder: Builder, error: BaseException) -> bool:
    """Tell whether an error is about staging, so that plain Python would not raise it."""
    if isinstance(error, RuntimeGraphError):
        return not isinstance(error, DtypeError | ShapeError)
    return _is_explained(builder, error)


def is_caught(builder: Builder, error: BaseException) -> bool:
    """Tell whether a `try` around what is being built catches an error of the program."""
    if builder.catcher is None or is_of_tracing(builder, error):
        return False
    return builder.catcher.catches(error)


def error_of_every_round(error: Exception) -> LoopStateError:
    """Return the error for a loop that a `try` around it catches the first round of."""
    return LoopStateError(
        f"the body of this staged loop raises {type(error).__name__} in every round, inside a "
        "`try` that catches it. Raise it under a condition that depends on the arrays, or catch it "
        "inside the loop"
    )


def fail_caught(error: Exception) -> bool:
    """Leave the `try` that catches an error, if there is one, from here; tell whether it does."""
    builder = mode.current()
    assert builder is not None
    if not is_caught(builder, error):
        return False
    assert builder.catcher is not None
    operands, attrs = builder.catcher.leave(builder, error, as_value(builder, False))
    builder.emit(REGISTRY["fail"], operands, attrs, location=error_location(error))
    return True


@contextmanager
def never_failing() -> Iterator[None]:
    """Emit ops that raise nothing, such as indices that exist: no `try` is left before them."""
    builder = mode.current()
    assert builder is not None
    outer, builder.catcher = builder.catcher, None
    try:
        yield
    finally:
        builder.catcher = outer


def emit_failure(error: Exception) -> None:
    """Add a node that raises the error to the graph that is being built."""
    builder = mode.current()
    assert builder is not None
    message, values = _message(error)
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
    name = next(kind for kind in kinds if kind in EXCEPTIONS)
    attrs = {"error": name, "message": message}
    operands = [as_value(builder, operand) for operand in (False, *values)]
    builder.emit(REGISTRY["check"], operands, attrs, location=error_location(error))


def _message(error: Exception) -> tuple[str, tuple[Any, ...]]:
    """Return the text of an error as a form, and the values in it."""
    text = error.args[0] if len(error.args) == 1 else error  # str() of a KeyError adds quotes
    return (text.form, text.values) if type(text) is StagedText else (literal(str(text)), ())


def has_staged_text(error: Exception) -> bool:
    """Tell whether the text of an error is known only when the graph runs."""
    return len(error.args) == 1 and type(error.args[0]) is StagedText
