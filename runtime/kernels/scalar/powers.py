"""Powers, which NumPy has short cuts for, and products with known factors.

Comes in: numbers, and what writes instructions. Goes out: results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runtime.kernels.kernel import BOOL, Literal, Operand, Policy, UnsupportedError, kind_of
from runtime.kernels.scalar import fast_maths
from runtime.kernels.scalar.fast_maths import MOST_FACTORS

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars

ROOM = 2**20
"""So far from the largest integers are products with known factors."""


def power(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x ** y, of floats; the square of Python's integers, too."""
    dtype = kind_of(x)
    if s.policy is Policy.ELEMENT:
        return _of_elements(s, x, y)
    if dtype.kind == "i" and s.policy is Policy.PYTHON:
        if isinstance(y, Literal) and y.value == 2:
            return s.multiply(x, x)
        raise UnsupportedError("a power of integers")
    if dtype.kind != "f":
        raise UnsupportedError("a power of integers")
    found = s.emit("pow", [x, y], dtype)
    s.stop_if(s.emit("not", [s.is_finite(found)], BOOL))
    if s.policy is Policy.PYTHON:
        s.stop_if(s.emit("not", [s.less(s.like(0.0, x), x)], BOOL))
        s.stop_if(s.equal(found, s.like(0.0, x)))
    return found


def _of_elements(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x ** y of arrays, where y may be one number."""
    if y in s.uniform:
        raise UnsupportedError("a power whose exponent is known at run time")
    if not isinstance(y, Literal) or kind_of(x).kind != "f":
        return s.loop(np.power, x, y, kinds="f")
    if y.value == 2:
        return s.multiply(x, x)
    if s.fast and float(y.value).is_integer() and 1 < abs(y.value) <= MOST_FACTORS:
        return fast_maths.power(s, x, int(y.value))
    if y.value in (-1, 0, 0.5, 1):
        raise UnsupportedError(f"the power {y.value}")
    return s.loop(np.power, x, y, kinds="f")


def square(s: Scalars, x: Operand) -> Operand:
    """x * x, where nobody hears of integers that overflow."""
    inline = kind_of(x).kind == "f" or s.policy is Policy.ELEMENT
    return s.multiply(x, x) if inline else s.loop(np.square, x)


def times(s: Scalars, x: Operand, factor: Operand) -> Operand:
    """Return a product with a known factor: that it fits is seen from the other one."""
    assert isinstance(factor, Literal)
    dtype = kind_of(x)
    if abs(factor.value) > 1:
        room = ROOM if dtype.itemsize == 8 else 0
        limit = int((np.iinfo(dtype).max - room) // abs(int(factor.value)))
        s.overflow_if(s.emit("beyond", [x, s.like(limit, x)], BOOL))
    elif factor.value == -1:
        s.overflow_if(s.equal(x, s.like(np.iinfo(dtype).min, x)))
    found = s.emit("mul", [x, factor], dtype)
    if dtype.itemsize == 8 and abs(factor.value) > 1:
        s.roomy.add(found)
    return found
