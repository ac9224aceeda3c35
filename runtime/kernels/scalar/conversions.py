"""Numbers in other dtypes, where that needs a test.

Comes in: numbers, and what writes instructions. Goes out: results. A number that the other dtype
does not hold leaves the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.kernel import BOOL, FLOAT, Literal, Operand, UnsupportedError, kind_of

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars

EXACT = 2**53
"""Integers up to this size, and quotients of them, are what doubles make of them."""


def exact_float(s: Scalars, x: Operand) -> Operand:
    """Return a Python integer as a float of the same value."""
    if isinstance(x, Literal):
        if abs(x.value) > EXACT:
            raise UnsupportedError(f"the integer {x.value} as a float")
        return Literal(FLOAT, float(x.value))
    s.stop_if(s.emit("beyond", [x, s.like(EXACT, x)], BOOL))
    return s.convert(x, FLOAT)


def fit(s: Scalars, x: Operand, dtype: DType) -> Operand:
    """Return a Python number in a dtype; leave when that does not hold it."""
    found = s.convert(x, dtype)
    if dtype.kind in "iu" and kind_of(x).kind == "i" and not isinstance(x, Literal):
        if dtype.kind == "u":
            s.stop_if(s.less(x, s.like(0, x)))
        if dtype.itemsize < kind_of(x).itemsize:
            s.stop_if(s.not_equal(s.convert(found, kind_of(x)), x))
    return found


def truncate(s: Scalars, x: Operand, dtype: DType) -> Operand:
    """Return a float as an integer, rounded towards zero; leave when it does not fit."""
    info = np.iinfo(dtype)
    low, high = float(info.min), float(info.max)
    if dtype.itemsize == 8 or kind_of(x).itemsize < 8:  # the limits are no floats of this size
        low, high = low * 0.5, high * 0.5
    above = s.less_equal(s.like(low, x), x)
    inside = s.both(above, s.less_equal(x, s.like(high, x)))
    s.stop_if(s.emit("not", [inside], BOOL))
    return s.emit("convert", [x], dtype)
