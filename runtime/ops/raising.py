"""What operators raise when a graph runs, by their operands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.dtypes import as_dtype, is_string
from runtime.graph.traits import Error, has_axes, raises, raises_of_operands, raises_of_ranges
from runtime.spec import TensorSpec


def _all_weak(specs: Sequence[TensorSpec]) -> bool:
    return all(spec.weak for spec in specs)


def is_float(specs: Sequence[TensorSpec]) -> bool:
    """Tell whether a number is none that is whole."""
    return specs[0].dtype.kind not in "biu"


def divides(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """Return what a division raises: that of Python's numbers."""
    if not _all_weak(specs):
        return raises_of_operands(specs, attrs)
    example = (specs[0].dtype.type(1).item(), specs[1].dtype.type(0).item())
    return (Error("ZeroDivisionError", (1,), bool, example),)


def power_raises(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """Return what powers raise: those of integers, for exponents below zero."""
    if all(spec.weak or spec.dtype.kind in "iu" for spec in specs):
        return (Error("ValueError"), *raises_of_ranges(specs, attrs))
    return raises_of_operands(specs, attrs)


def shift_raises(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """Return what shifts raise: those of Python\'s numbers, by numbers below zero."""
    errors = (Error("ValueError"), Error("OverflowError"))
    return errors if _all_weak(specs) else raises_of_operands(specs, attrs)


_POWERS = raises("ZeroDivisionError", "ValueError", "OverflowError")


def pow_raises(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """Return what the operator `**` raises."""
    return _POWERS(specs, attrs) if _all_weak(specs) else power_raises(specs, attrs)


_TO_INT = (
    Error("ValueError", example=(math.nan,)),
    Error("OverflowError", example=(math.inf,)),
)


def to_int_raises(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """Return what conversions to integers raise: those of NaN and infinity."""
    return _TO_INT if is_float(specs) or has_axes(specs) else ()


def cast_raises(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """Return what conversions raise: texts that are no numbers, integers that are large."""
    (x,) = specs
    if is_string(x.dtype):
        return (Error("ValueError"),)
    is_narrow = x.weak and x.dtype.kind == "i" and as_dtype(attrs["dtype"]).kind in "iu"
    return (Error("OverflowError"),) if is_narrow else ()
