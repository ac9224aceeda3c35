"""Powers, which NumPy has short cuts for, and products with known factors.

Comes in: numbers, and what writes instructions. Goes out: results.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from runtime.kernels.kernel import BOOL, FLOAT, Literal, Operand, Policy, UnsupportedError, kind_of
from runtime.kernels.scalar import fast_maths
from runtime.kernels.scalar.fast_maths import MOST_FACTORS

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars

EXACT = 2.0**53
"""Whole floats below this size are exact, and so are powers that are."""
ROOM = 2**20
"""So far from the largest integers are products with known factors."""


def power(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x ** y."""
    dtype = kind_of(x)
    if dtype.kind == "c":
        return _of_complex(s, x, y)
    if s.policy is Policy.ELEMENT:
        return _of_elements(s, x, y)
    if dtype.kind != "f":
        return _of_integers(s, x, y)
    found = s.emit("c_call", [x, y], dtype, name="pow")
    s.stop_if(s.not_(s.is_finite(found)))
    is_product = isinstance(y, Literal) and y.value >= 1 and float(y.value).is_integer()
    if s.policy is Policy.PYTHON and not is_product:
        s.stop_if(s.not_(s.less(s.like(0.0, x), x)))
        s.stop_if(s.equal(found, s.like(0.0, x)))
    return found


def _of_complex(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x ** y of NumPy's complex numbers: squares are products, of single zeros without signs."""
    if s.policy is Policy.PYTHON or not isinstance(y, Literal) or y.value != 2:
        raise UnsupportedError("a power of complex numbers")
    found = s.multiply(x, x)
    zero = s.like(0.0, x)
    return found if s.policy is Policy.ELEMENT else s.select(s.equal(x, zero), zero, found)


def _of_integers(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x ** y of single integers: NumPy's wrap, and report nothing."""
    dtype = kind_of(x)
    if dtype.kind == "b":
        raise UnsupportedError("a power of numpy.bool")
    if isinstance(y, Literal) and 0 < y.value <= MOST_FACTORS:
        factors = [x] * int(y.value)
        python = s.policy is Policy.PYTHON
        return reduce(s.multiply if python else lambda a, b: s.emit("mul", [a, b], dtype), factors)
    if dtype.kind == "i":
        s.stop_if(s.less(y, s.like(0, y)))
    if s.policy is not Policy.PYTHON:
        return s.loop(np.power, x, y)
    found = s.emit("c_call", [s.exact_float(x), s.exact_float(y)], FLOAT, name="pow")
    s.stop_if(s.not_(s.less(s.absolute(found), Literal(FLOAT, EXACT))))
    return s.truncate(found, dtype)


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
