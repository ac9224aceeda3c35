"""Choices between numbers: the greater, the smaller, one within bounds, one by a test.

Comes in: numbers, and what writes instructions. Goes out: results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runtime.kernels.kernel import Operand, Policy, UnsupportedError, kind_of

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars


def maximum(s: Scalars, x: Operand, y: Operand) -> Operand:
    """Return the greater number; NaN if one is NaN; of equal ones the second, as processors do."""
    return _extreme(s, s.greater(x, y), x, y)


def minimum(s: Scalars, x: Operand, y: Operand) -> Operand:
    """Return the smaller number; NaN if one is NaN; of equal ones the second."""
    return _extreme(s, s.less(x, y), x, y)


def _extreme(s: Scalars, test: Operand, x: Operand, y: Operand) -> Operand:
    found = s.select(test, x, y)
    return s.select(s.is_nan(x), x, found) if kind_of(x).kind == "f" else found


def where(s: Scalars, test: Operand, x: Operand, y: Operand) -> Operand:
    """Return x where a number is true, else y, in the dtype of both; of elements."""
    _need_elements(s)
    dtype = np.result_type(kind_of(x), kind_of(y))
    return s.select(s.truth(test), s.convert(x, dtype), s.convert(y, dtype))


def clip(s: Scalars, x: Operand, low: Operand, high: Operand) -> Operand:
    """Return x, but not less than one number nor greater than another; of elements."""
    _need_elements(s)
    dtype = np.result_type(*map(kind_of, (x, low, high)))
    x, low, high = (s.convert(each, dtype) for each in (x, low, high))
    return minimum(s, maximum(s, x, low), high)


def _need_elements(s: Scalars) -> None:
    if s.policy is not Policy.ELEMENT:
        raise UnsupportedError("a choice between whole arrays")
