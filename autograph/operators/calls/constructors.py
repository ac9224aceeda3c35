"""Classes whose instances are made in ways of their own: exception groups and enumerations."""

from __future__ import annotations

from enum import EnumMeta, Flag
from typing import Any

from autograph import conversion
from autograph.operators import table
from autograph.operators.builtins import decompositions
from runtime.errors import StagedValueError
from runtime.tensor import is_staged
from runtime.texts import StagedText


def make_group(cls: type, /, *args: Any, **kwargs: Any) -> Any:
    """Make an exception group, whose message Python takes apart while tracing."""
    if args and type(args[0]) is StagedText:
        raise StagedValueError(
            f"the message of an {cls.__name__} has staged values in it, and it must be known "
            "while tracing. Give them to the exceptions in the group"
        )
    return cls(*args, **kwargs)


def member_of(cls: EnumMeta, /, *args: Any, **kwargs: Any) -> Any:
    """Return the member of an enumeration that has a value, which may be staged."""
    if len(args) != 1 or kwargs or not (is_staged(args[0]) or type(args[0]) is StagedText):
        return cls(*args, **kwargs)
    if issubclass(cls, Flag):
        raise StagedValueError(f"{cls.__name__}(...) of a staged value: flags join their members")
    recipe: Any = decompositions.member
    return conversion.convert(recipe, table.operators)(cls, *args)
