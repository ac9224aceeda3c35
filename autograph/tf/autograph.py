"""`tf.autograph`: the source that is made of a function, and what is converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.conversion import to_code as code_of
from autograph.logs import set_verbosity, trace
from autograph.operators.converting import convert, do_not_convert
from autograph.tf.absent import missing_from
from autograph.tf.functions import Function

__all__ = ["convert", "do_not_convert", "set_verbosity", "to_code", "to_graph", "trace"]


def to_code(entity: Any, recursive: bool = True, **others: Any) -> str:
    """Return the source that a function is rewritten to."""
    function = entity._staged.python_function if isinstance(entity, Function) else entity
    return code_of(function)


def to_graph(entity: Callable[..., Any], recursive: bool = True, **others: Any) -> Any:
    """Return a function with its control flow rewritten."""
    return convert(entity, recursive=recursive)


__getattr__ = missing_from("autograph.tf.autograph", globals())
