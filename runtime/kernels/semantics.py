"""What instructions on numbers give, in Python and NumPy.

Comes in: instructions, and the values of their operands: NumPy's numbers, or arrays of them, one
for each element. Goes out: values. What NumPy reports on the way is what a kernel may report.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from runtime.kernels.c_functions import c_function
from runtime.kernels.kernel import Instruction, Printer, kind_of

Value = Any
"""A number of NumPy's, or an array; in kernels over arrays an array is the numbers of elements."""


class UndefinedError(Exception):
    """An instruction has no meaning for its operands; says which one."""


def text(x: Instruction) -> str:
    """Return what is printed of an instruction."""
    return next(Printer().instruction(x))


def _each(function: Callable[..., Any], x: Instruction, *values: Value) -> Value:
    """Return what a function of Python's numbers gives for each element."""
    arrays = np.broadcast_arrays(*values)
    found = np.empty(arrays[0].shape, kind_of(x.results[0]))
    try:
        for place in np.ndindex(found.shape):
            found[place] = function(*(y[place].item() for y in arrays))
    except (ArithmeticError, ValueError):
        raise UndefinedError(text(x)) from None
    return found


def _integer(exact: Callable[..., Any], wrapped: np.ufunc, x: Instruction, *y: Value) -> Value:
    """Integer arithmetic: it wraps, but where it is said to fit."""
    return _each(exact, x, *y) if x.attrs.get("fits") else wrapped(*y)


def _checked(exact: Callable[..., Any], wrapped: np.ufunc, x: Instruction, *y: Value) -> Value:
    """Integer arithmetic that wraps, and whether it did."""
    info = np.iinfo(kind_of(x.results[0]))
    test = Instruction(x.op, x.args, x.results[1:])
    return wrapped(*y), _each(lambda *z: not info.min <= exact(*z) <= info.max, test, *y)


def _quotient(x: int, y: int) -> int:
    """Return a quotient that is rounded towards zero."""
    found = abs(x) // abs(y)
    return -found if (x < 0) != (y < 0) else found


def _shifted(shift: np.ufunc, x: Instruction, y: Value, count: Value) -> Value:
    """Bits that are moved; by less than there are."""
    if np.any((count < 0) | (count >= y.dtype.itemsize * 8)):
        raise UndefinedError(text(x))
    return shift(y, count)


def _unsigned(compare: np.ufunc, x: Instruction, y: Value, z: Value) -> Value:
    """A comparison of integers as if they had no sign."""
    kind = np.dtype(f"u{y.dtype.itemsize}")
    return compare(y.astype(kind), z.astype(kind))


def _convert(x: Instruction, y: Value) -> Value:
    """A number in another dtype; of floats as integers, those that fit."""
    dtype = kind_of(x.results[0])
    if y.dtype.kind == "f" and dtype.kind in "iu":
        return _each(int, x, y)
    return y.astype(dtype)


def _beyond(x: Instruction, y: Value, limit: Value) -> Value:
    return (y < -limit) | (y > limit)


def _scale(x: float, power: float) -> float:
    """Return a product with a power of two, whose exponent is rounded down."""
    return x * power if math.isnan(x * power) else math.ldexp(x, math.floor(power))


def _pair(x: Instruction, re: Value, im: Value) -> Value:
    """A complex number of its parts, also of infinite ones."""
    found = np.empty(np.broadcast_shapes(np.shape(re), np.shape(im)), kind_of(x.results[0]))
    found.real, found.imag = re, im
    return found


def _c(name: str, x: Instruction, *y: Value) -> Value:
    """What a function of the C library gives."""
    suffix = "f" if kind_of(x.results[0]).itemsize == 4 else ""
    return _each(c_function(name + suffix), x, *y)


def _loop(x: Instruction, *y: Value) -> Value:
    """What an inner loop of a ufunc gives."""
    return getattr(np, x.attrs["ufunc"])(*y, signature=x.attrs["types"])


def _plain(function: Callable[..., Any]) -> Callable[..., Value]:
    return lambda x, *y: function(*y)


MEANINGS: Mapping[str, Callable[..., Value]] = {
    "add": partial(_integer, operator.add, np.add),
    "sub": partial(_integer, operator.sub, np.subtract),
    "mul": partial(_integer, operator.mul, np.multiply),
    "add_overflow": partial(_checked, operator.add, np.add),
    "sub_overflow": partial(_checked, operator.sub, np.subtract),
    "mul_overflow": partial(_checked, operator.mul, np.multiply),
    "sdiv": partial(_each, _quotient),
    "udiv": partial(_each, _quotient),
    "srem": partial(_each, lambda x, y: x - y * _quotient(x, y)),
    "urem": partial(_each, operator.mod),
    "and": _plain(np.bitwise_and),
    "or": _plain(np.bitwise_or),
    "xor": _plain(np.bitwise_xor),
    "not": _plain(np.logical_not),
    "shl": partial(_shifted, np.left_shift),
    "ashr": partial(_shifted, np.right_shift),
    "lshr": partial(_shifted, np.right_shift),
    "eq": _plain(np.equal),
    "ne": _plain(np.not_equal),
    "lt": _plain(np.less),
    "le": _plain(np.less_equal),
    "ult": partial(_unsigned, np.less),
    "ule": partial(_unsigned, np.less_equal),
    "beyond": _beyond,
    "select": _plain(np.where),
    "laid": lambda x, y, *like: y,
    "convert": _convert,
    "bits": lambda x, y: np.asarray(y).view(kind_of(x.results[0])),
    "fadd": _plain(np.add),
    "fsub": _plain(np.subtract),
    "fmul": _plain(np.multiply),
    "fdiv": _plain(np.divide),
    "fneg": _plain(np.negative),
    "fabs": _plain(np.absolute),
    "fsqrt": _plain(np.sqrt),
    "floor": _plain(np.floor),
    "ceil": _plain(np.ceil),
    "trunc": _plain(np.trunc),
    "rint": _plain(np.rint),
    "copysign": _plain(np.copysign),
    "c_call": lambda x, *y: _c(x.attrs["name"], x, *y),
    "fma": partial(_c, "fma"),
    "scale": partial(_each, _scale),
    "complex": _pair,
    "real": lambda x, y: y.real,
    "imag": lambda x, y: y.imag,
    "loop": _loop,
    "vector": lambda x, y: getattr(np, x.attrs["name"])(y),
}
"""What instructions on numbers give, whether of one number each or of many elements."""
