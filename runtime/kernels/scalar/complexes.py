"""Complex numbers in arithmetic on their parts, with the bits of Python's and NumPy's.

Comes in: numbers, and what writes instructions. Goes out: results. The parts of what was made here
are remembered, so that a chain of operations needs no pairs between them; those of other numbers
are taken anew each time, as blocks do not see what others have taken.

Products of elements of arrays are fused where NumPy's own loop is (`Target.fuses`): it multiplies
and adds with one rounding. Python's products and quotients that are NaN leave the kernel, as what
they are depends on its version; so do NumPy's quotients by NaN, of which it warns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.kernel import (
    BOOL,
    Literal,
    Operand,
    Policy,
    UnsupportedError,
    Variable,
    kind_of,
    part_of,
)

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars

Parts = tuple[Operand, Operand]


def is_complex(x: Operand) -> bool:
    """Tell whether an operand is a complex number."""
    return isinstance(x.type, np.dtype) and x.type.kind == "c"


def parts(s: Scalars, x: Operand) -> Parts:
    """Return the real and the imaginary part of a number."""
    dtype = part_of(kind_of(x))
    if isinstance(x, Literal):
        return Literal(dtype, x.value.real), Literal(dtype, x.value.imag)
    return s.pairs.get(x) or (s.emit("real", [x], dtype), s.emit("imag", [x], dtype))


def real(s: Scalars, x: Operand) -> Operand:
    """Return the real part of a number."""
    return parts(s, x)[0] if is_complex(x) else x


def imag(s: Scalars, x: Operand) -> Operand:
    """Return the imaginary part of a number."""
    return parts(s, x)[1] if is_complex(x) else s.like(0, x)


def made(s: Scalars, re: Operand, im: Operand) -> Operand:
    """Return the complex number of two parts."""
    found = s.emit("complex", [re, im], np.dtype(f"c{2 * kind_of(re).itemsize}"))
    s.pairs[found] = re, im
    return found


def each(s: Scalars, op: str, *x: Operand) -> Operand:
    """Return a number whose parts an instruction makes of those of others."""
    dtype = part_of(kind_of(x[0]))
    return made(s, *(s.emit(op, own, dtype) for own in zip(*(parts(s, y) for y in x), strict=True)))


def multiply(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x * y."""
    (a, b), (c, d), dtype = parts(s, x), parts(s, y), part_of(kind_of(x))

    def product(x: Operand, y: Operand) -> Variable:
        return s.emit("fmul", [x, y], dtype)

    if s.policy is Policy.ELEMENT and s.target.fuses:
        minus = s.emit("fneg", [product(b, d)], dtype)
        re = s.emit("fma", [a, c, minus], dtype)
        return made(s, re, s.emit("fma", [a, d, product(b, c)], dtype))
    re = s.emit("fsub", [product(a, c), product(b, d)], dtype)
    im = s.emit("fadd", [product(a, d), product(b, c)], dtype)
    return _of_python(s, re, im)


def _of_python(s: Scalars, re: Operand, im: Operand) -> Operand:
    """Return a complex number; leave the kernel where Python's may be another one."""
    if s.policy is Policy.PYTHON:
        s.stop_if(s.bitwise("or", s.is_nan(re), s.is_nan(im)))
    return made(s, re, im)


def divide(s: Scalars, x: Operand, y: Operand) -> Operand:
    """x / y, by the larger part of y (Smith, 1962), as both Python and NumPy do."""
    (a, b), (c, d), python = parts(s, x), parts(s, y), s.policy is Policy.PYTHON
    types = [kind_of(a)] * 2
    sizes = s.absolute(c), s.absolute(d)

    def scaled(ratio: Operand, total: Operand, re: Operand, im: Operand) -> list[Operand]:
        if python:
            return [s.divide(re, total), s.divide(im, total)]
        scale = s.divide(s.like(1.0, total), total)
        return [s.multiply(re, scale), s.multiply(im, scale)]

    def by_real() -> list[Operand]:
        ratio = s.divide(d, c)
        total = s.add(c, s.multiply(d, ratio))
        re, im = s.add(a, s.multiply(b, ratio)), s.subtract(b, s.multiply(a, ratio))
        return scaled(ratio, total, re, im)

    def by_imaginary() -> list[Operand]:
        ratio = s.divide(c, d)
        total = s.add(d, s.multiply(c, ratio))
        re, im = s.add(s.multiply(a, ratio), b), s.subtract(s.multiply(b, ratio), a)
        return scaled(ratio, total, re, im)

    def by_zero() -> list[Operand]:
        return [s.divide(part, size) for part, size in zip((a, b), sizes, strict=True)]

    def by_larger() -> list[Operand]:
        arms = s.block((), by_real), s.block((), by_imaginary)
        return [*s.structured("if", [s.less_equal(sizes[1], sizes[0])], types, arms)]

    is_zero = s.both(*(s.equal(size, s.like(0.0, size)) for size in sizes))
    if python:
        s.stop_if(is_zero)
        return _of_python(s, *by_larger())
    s.stop_if(s.bitwise("or", s.is_nan(c), s.is_nan(d)))
    arms = s.block((), by_zero), s.block((), by_larger)
    return made(s, *s.structured("if", [is_zero], types, arms))


def absolute(s: Scalars, x: Operand) -> Operand:
    """abs(x); that of an element is by another algorithm, which only NumPy has."""
    if s.policy is Policy.ELEMENT:
        raise UnsupportedError("the absolute value of complex elements")
    re, im = parts(s, x)
    found = s.emit("c_call", [re, im], kind_of(re), name="hypot")
    if s.policy is Policy.PYTHON:
        s.stop_if(s.not_(s.is_finite(found)))
    return found


def conjugate(s: Scalars, x: Operand) -> Operand:
    """The number with the other sign of its imaginary part."""
    if not is_complex(x):
        return x
    re, im = parts(s, x)
    return made(s, re, s.negative(im))


def compare(s: Scalars, op: str, x: Operand, y: Operand) -> Operand:
    """x == y, or x != y."""
    if op not in ("eq", "ne"):
        raise UnsupportedError("an order of complex numbers")
    tests = (s.emit(op, own, BOOL) for own in zip(parts(s, x), parts(s, y), strict=True))
    return s.bitwise("and" if op == "eq" else "or", *tests)


def select(s: Scalars, test: Operand, x: Operand, y: Operand) -> Operand:
    """x if the test is true, else y."""
    return made(s, *(s.select(test, *own) for own in zip(parts(s, x), parts(s, y), strict=True)))


def convert(s: Scalars, x: Operand, dtype: DType) -> Operand:
    """Return a number as a complex one."""
    part = part_of(dtype)
    if not is_complex(x):
        re = s.convert(x, part)
        return made(s, re, s.like(0.0, re))
    re, im = (s.convert(own, part) for own in parts(s, x))
    return made(s, re, im)
