"""Division with Python's meaning, which NumPy shares.

Comes in: numbers, and what writes instructions. Goes out: results. A division by zero leaves the
kernel, as do quotients that do not fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runtime.kernels.kernel import BOOL, Literal, Operand, Policy, UnsupportedError, kind_of

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars


def floor_divide(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x // y."""
    if kind_of(x).kind == "f":
        if s.policy is Policy.ELEMENT:
            return s.loop(np.floor_divide, x, y)
        return _float_divmod(s, x, y)[0]
    _check_divisor(s, x, y)
    if kind_of(x).kind == "u":
        return s.emit("udiv", [x, y], kind_of(x))
    shift = _power_of_two(y)
    if shift is not None:
        return s.emit("ashr", [x, s.like(shift, x)], kind_of(x))
    if not isinstance(y, Literal) or y.value == -1:
        least = s.equal(x, s.like(np.iinfo(kind_of(x)).min, x))
        s.stop_if(s.both(least, s.equal(y, s.like(-1, y))))
    quotient = s.emit("sdiv", [x, y], kind_of(x))
    wrong = s.convert(_has_wrong_sign(s, s.emit("srem", [x, y], kind_of(x)), y), kind_of(x))
    return s.emit("sub", [quotient, wrong], kind_of(x))


def remainder(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x % y, with the sign of y."""
    dtype = kind_of(x)
    if dtype.kind == "f":
        if s.policy is Policy.ELEMENT:
            return s.loop(np.remainder, x, y)
        return _float_divmod(s, x, y)[1]
    _check_divisor(s, x, y)
    if dtype.kind == "u":
        return s.emit("urem", [x, y], dtype)
    shift = _power_of_two(y)
    if shift is not None:
        return s.emit("and", [x, s.like(2**shift - 1, x)], dtype)
    if not isinstance(y, Literal) or y.value == -1:
        # The least integer divided by -1 traps; every integer divided by 1 leaves nothing, too.
        y = s.select(s.equal(y, s.like(-1, y)), s.like(1, y), y)
    rest = s.emit("srem", [x, y], dtype)
    missing = s.select(_has_wrong_sign(s, rest, y), y, s.like(0, y))
    return s.emit("add", [rest, missing], dtype)


def _check_divisor(s: Scalars, x: Operand, y: Operand) -> None:
    if kind_of(x).kind == "b":
        raise UnsupportedError("arithmetic on numpy.bool")
    s.stop_if(s.equal(y, s.like(0, y)))


def _has_wrong_sign(s: Scalars, rest: Operand, y: Operand) -> Operand:
    """Tell whether a remainder that was rounded towards zero has the wrong sign."""
    signs = s.emit("xor", [rest, y], kind_of(y))
    differ = s.less(signs, s.like(0, y))
    return s.both(differ, s.not_equal(rest, s.like(0, y)))


def _float_divmod(s: Scalars, x: Operand, y: Operand) -> tuple[Operand, Operand]:
    """Return quotient and remainder as both Python and NumPy compute them from `fmod`."""
    dtype, zero = kind_of(x), s.like(0.0, x)
    s.stop_if(s.emit("not", [s.both(s.is_finite(x), s.is_finite(y))], BOOL))
    s.stop_if(s.equal(y, zero))
    rest = s.emit("c_call", [x, y], dtype, name="fmod")
    quotient: Operand = s.emit("fdiv", [s.emit("fsub", [x, rest], dtype), y], dtype)
    differ = s.emit("xor", [s.less(y, zero), s.less(rest, zero)], BOOL)
    wrong = s.both(differ, s.not_equal(rest, zero))
    missing = s.select(wrong, y, zero)
    signed = s.emit("copysign", [zero, y], dtype)
    is_zero = s.equal(rest, zero)
    remainder = s.select(is_zero, signed, s.emit("fadd", [rest, missing], dtype))
    less_one = s.emit("fsub", [quotient, s.like(1.0, x)], dtype)
    quotient = s.select(wrong, less_one, quotient)
    floor: Operand = s.emit("floor", [quotient], dtype)
    above = s.greater(s.emit("fsub", [quotient, floor], dtype), s.like(0.5, x))
    floor = s.select(above, s.emit("fadd", [floor, s.like(1.0, x)], dtype), floor)
    ratio = s.emit("fdiv", [x, y], dtype)
    nothing = s.emit("copysign", [zero, ratio], dtype)
    return s.select(s.equal(quotient, zero), nothing, floor), remainder


def _power_of_two(y: Operand) -> int | None:
    """Return which power of two an operand is known to be, or None."""
    if isinstance(y, Literal) and y.value > 0 and not int(y.value) & (int(y.value) - 1):
        return int(y.value).bit_length() - 1
    return None
