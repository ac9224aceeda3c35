"""Calls of code that is not converted, and takes what stands for a value for the value.

What it raises then, or the text that it makes, says nothing of the value: that is refused.
"""

from __future__ import annotations

from types import BuiltinFunctionType, MethodDescriptorType, MethodWrapperType
from typing import Any

from autograph.operators.calls.conversion_rules import module_of
from autograph.source.build import is_converted
from autograph.staging.deferred_errors import PLACEHOLDERS
from runtime.errors import StagedValueError
from runtime.numpy.staged_call import holds_staged
from runtime.tensor import is_staged
from runtime.texts import StagedText
from runtime.union import Choice

_OURS = ("autograph.", "runtime.")
_ANSWERS = (StopIteration, LookupError, OSError, RecursionError, MemoryError)
_OF_C = (BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, type)


def refuse_error(function: Any, error: Exception, given: Any) -> None:
    """Raise StagedValueError for an error of a function that is not converted.

    Args:
        function: what the program calls.
        error: what it has raised.
        given: its arguments.
    """
    if _is_doubtful(function, error) and holds_staged(given, _is_one):
        raise _refusal(function, f"raised {type(error).__name__}: {error}") from error


def without_placeholders(function: Any, found: Any, given: Any) -> Any:
    """Return what a function gave; StagedValueError for a text of what stands for a value."""
    if type(found) is str and PLACEHOLDERS.search(found) and not _is_of_the_program(given):
        raise _refusal(function, f"gave {found!r}")
    return found


def _is_of_the_program(given: Any) -> bool:
    """Tell whether texts among arguments look like what stands for a value."""
    return holds_staged(given, lambda x: type(x) is str and bool(PLACEHOLDERS.search(x)))


def _is_one(value: Any) -> bool:
    return type(value) in (Choice, StagedText) or is_staged(value)


def _is_doubtful(function: Any, error: Exception) -> bool:
    """Tell whether an error may be about what stands for a value; code of C may raise any."""
    inner = getattr(function, "__func__", function)
    if not callable(inner) or is_converted(inner):
        return False
    if any(module_of(x).startswith(_OURS) for x in (inner, type(inner), type(error))):
        return False
    is_about_classes = isinstance(error, TypeError | AttributeError)
    return is_about_classes or (isinstance(inner, _OF_C) and not isinstance(error, _ANSWERS))


def _refusal(function: Any, did: str) -> StagedValueError:
    name = getattr(function, "__qualname__", type(function).__name__)
    return StagedValueError(
        f"{name}() was given a staged value and {did}. With the value itself it may do otherwise: "
        "call it by ag.py_function, when that is known"
    )
