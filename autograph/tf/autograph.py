"""`tf.autograph`: the source that is made of a function, and what is converted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from types import FrameType
from typing import Any

from autograph.conversion import to_code as code_of
from autograph.logs import set_verbosity, trace
from autograph.operators.calls.converting import convert, do_not_convert
from autograph.staging.strictness import declare
from autograph.tf.absent import Names, missing_from
from autograph.tf.functions import Function
from runtime.lower.tracebacks import export
from runtime.spec import TensorSpec

__all__ = [
    "convert",
    "do_not_convert",
    "experimental",
    "set_verbosity",
    "to_code",
    "to_graph",
    "trace",
]


def to_code(entity: Any, recursive: bool = True, **others: Any) -> str:
    """Return the source that a function is rewritten to."""
    function = entity._staged.python_function if isinstance(entity, Function) else entity
    return code_of(function)


def to_graph(entity: Callable[..., Any], recursive: bool = True, **others: Any) -> Any:
    """Return a function with its control flow rewritten."""
    return convert(entity, recursive=recursive)


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = (),
) -> None:
    """Say in the body of a staged loop which shapes its variables have from round to round.

    Args:
        parallel_iterations, swap_memory: are TensorFlow's, and not used.
        maximum_iterations: is not there; write a condition, or `ag.hint` with `max_iterations`.
        shape_invariants: pairs of a variable and its shape, with None for what changes.
    """
    if maximum_iterations is not None:
        raise NotImplementedError(
            "set_loop_options has no maximum_iterations here; write a condition of the loop"
        )
    for variable, shape in shape_invariants:
        spec = TensorSpec(shape)
        if spec.shape is not None:
            declare(dict.fromkeys(_names_of(variable), spec.shape))


def _names_of(value: Any) -> list[str]:
    """Return the names that a value has in the user's function, which called this library."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        names = [name for name, found in frame.f_locals.items() if found is value]
        if names and frame.f_globals.get("__name__", "").partition(".")[0] not in OWN:
            return names
        frame = frame.f_back
    return []


OWN = frozenset({"autograph", "runtime"})
"""The packages whose functions are none of the user's."""


class Feature(Enum):
    """What TensorFlow lets a user leave out; here everything is converted."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


export(__name__)
experimental = Names(
    "`do_not_convert`, `set_loop_options`, and `Feature`.",
    Feature=Feature,
    do_not_convert=do_not_convert,
    set_loop_options=set_loop_options,
)

__getattr__ = missing_from("autograph.tf.autograph", globals())
