"""Shifts of integers, by numbers of bits that may be negative or large.

Comes in: numbers, and what writes instructions. Goes out: results. Python raises for negative ones
and has room for all bits; NumPy shifts everything out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.kernels.kernel import BOOL, Operand, Policy, kind_of

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars


def left_shift(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x << y."""
    dtype, bits = kind_of(x), kind_of(x).itemsize * 8
    room = bits - 1 if s.policy is Policy.PYTHON else bits
    inside = s.emit("ult", [y, s.like(room, y)], BOOL)
    safe = s.select(inside, y, s.like(0, y))
    found = s.emit("shl", [x, safe], dtype)
    if s.policy is Policy.PYTHON:
        s.stop_if(s.emit("not", [inside], BOOL))
        s.stop_if(s.not_equal(s.emit("ashr", [found, safe], dtype), x))
        return found
    return s.select(inside, found, s.like(0, x))


def right_shift(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x >> y."""
    dtype, most = kind_of(x), kind_of(x).itemsize * 8 - 1
    if s.policy is Policy.PYTHON:
        s.stop_if(s.less(y, s.like(0, y)))
    inside = s.emit("ule", [y, s.like(most, y)], BOOL)
    if dtype.kind == "u":
        safe = s.select(inside, y, s.like(0, y))
        found = s.emit("lshr", [x, safe], dtype)
        return s.select(inside, found, s.like(0, x))
    return s.emit("ashr", [x, s.select(inside, y, s.like(most, y))], dtype)
