"""What an arm or a body raises while it is traced, raised when the graph runs it.

Comes in: an exception. Goes out: whether plain Python would raise it there as well, if the code ran
at all, and a node that does so.
"""

from __future__ import annotations

from runtime import mode
from runtime.dispatch import as_value
from runtime.errors import DtypeError, ShapeError
from runtime.graph.builder import Builder
from runtime.graph.location import error_location
from runtime.graph.opdef import REGISTRY
from runtime.ops.effects import EXCEPTIONS, literal


def is_of_the_program(builder: Builder, error: Exception) -> bool:
    """Tell whether an error is one that the code would raise in plain Python, if it ran at all."""
    kind = type(error)
    if kind.__module__ == "builtins":
        return kind.__name__ in EXCEPTIONS and not _is_explained(builder, error)
    return isinstance(error, DtypeError | ShapeError) or kind.__module__.startswith("numpy")


def _is_explained(builder: Builder, error: Exception) -> bool:
    """Tell whether a variable is undefined because a graph cannot hold what it holds."""
    return isinstance(error, NameError) and any(f"'{x}'" in str(error) for x in builder.undefined)


def emit_failure(error: Exception) -> None:
    """Add a node that raises the error to the graph that is being built."""
    builder = mode.current()
    assert builder is not None
    text = error.args[0] if len(error.args) == 1 else error  # str() of a KeyError adds quotes
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
    name = next(kind for kind in kinds if kind in EXCEPTIONS)
    attrs = {"error": name, "message": literal(str(text))}
    builder.emit(
        REGISTRY["check"], [as_value(builder, False)], attrs, location=error_location(error)
    )
