"""Exponentials, logarithms and hyperbolic tangents of elements, where speed was asked for.

Comes in: a number, and what writes instructions. Goes out: the result, in a few machine
instructions instead of a call of NumPy's inner loop. The methods, and the coefficients for float32,
are those of Cephes (S. Moshier, `expf.c`, `logf.c`, `tanh.c`); the logarithm of float64 is that of
fdlibm (`e_log.c`), the hyperbolic tangent of float32 that of Eigen (`ptanh_float`). How far results
are from the right ones is measured by `tools.bench.accuracy`. NaN, infinities, zeros and their
signs come out as NumPy has them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.kernel import Literal, Operand, kind_of

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars

SINGLE = np.dtype(np.float32)


class _Format:
    """What is to be known of a float's bits.

    Args:
        integer: the integer of the same size.
        digits: the bits after the point.
        bias: of the exponent.
        half: the bits of the square root of 1/2.
    """

    def __init__(self, integer: Any, digits: int, bias: int, half: int) -> None:
        self.integer = np.dtype(integer)
        self.digits = digits
        self.bias = bias
        self.half = half
        self.whole = 1.5 * 2.0**digits
        """A number that is so large that adding it rounds to a whole number."""


_FORMATS = {
    4: _Format(np.int32, 23, 127, 0x3F3504F3),
    8: _Format(np.int64, 52, 1023, 0x3FE6A09E667F3BCD),
}
_LN2 = {
    4: (0.693145751953125, 1.42860682030941723212e-6),
    8: (6.93147180559890330187e-01, 5.49792301870837115524e-14),
}
_LIMITS = {4: (-104.0, 89.0), 8: (-746.0, 710.0)}
"""Below and above, exponentials are zero and infinite."""
_EXP = {
    4: (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5),
    8: tuple(1.0 / math.factorial(k) for k in range(13, 1, -1)),
}
_LOG_SINGLE = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LOG_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
_LOG_ODD = (
    1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01,
    6.666666666666735130e-01,
)  # fmt: skip
_TANH_SINGLE = (
    -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-8,
    1.48572235717979e-5, 6.37261928875436e-4, 4.89352455891786e-3,
)  # fmt: skip
_TANH_SINGLE_BELOW = (
    1.19825839466702e-6, 1.18534705686654e-4, 2.26843463243900e-3, 4.89352518554385e-3,
)  # fmt: skip
_TANH_SINGLE_SMALL, _TANH_SINGLE_END, _TANH_SINGLE_ONE = 4e-4, 7.90531110763549805, 9.0
"""Up to here tanh(x) is x; up to here the polynomials are used; from here on it is 1."""
_TANH_ABOVE = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
_TANH_BELOW = (1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)
_TANH_SMALL, _TANH_LARGE = 0.625, 20.0
"""Up to here polynomials are used; from here on tanh(x) is 1."""
MOST_FACTORS = 16
"""Powers up to this one are products."""


def exp(s: Scalars, x: Operand) -> Operand:
    """The exponential: 2**k times a polynomial of what is left."""
    low, high = (_of(x, limit) for limit in _LIMITS[kind_of(x).itemsize])
    x = s.select(s.less(high, x), high, x)
    x = s.select(s.less(x, low), low, x)
    power, whole = _reduced_exp(s, x)
    if kind_of(x) == SINGLE and s.target.has_scale:
        return s.emit("scale", [power, s.convert(whole, SINGLE)], SINGLE)
    half = s.emit("ashr", [whole, Literal(kind_of(whole), 1)], kind_of(whole))
    rest = s.emit("sub", [whole, half], kind_of(whole))
    return s.multiply(s.multiply(power, _power_of_two(s, half)), _power_of_two(s, rest))


def _reduced_exp(s: Scalars, x: Operand) -> tuple[Operand, Operand]:
    """Return p and k, with p * 2**k for the exponential of a number within limits."""
    dtype = kind_of(x)
    form, (high, low) = _FORMATS[dtype.itemsize], _LN2[dtype.itemsize]
    shifted = _fma(s, x, _of(x, 1 / math.log(2)), _of(x, form.whole))
    number = s.subtract(shifted, _of(x, form.whole))
    r = _fma(s, number, _of(x, -high), x)
    r = _fma(s, number, _of(x, -low), r)
    found = _fma(s, _polynomial(s, r, _EXP[dtype.itemsize]), s.multiply(r, r), r)
    (zero,) = np.array([form.whole], dtype).view(form.integer)
    whole = s.emit("sub", [_bits(s, shifted), Literal(form.integer, int(zero))], form.integer)
    return s.add(found, _of(x, 1.0)), whole


def _power_of_two(s: Scalars, k: Operand) -> Operand:
    """Return 2**k as a float."""
    form = _FORMATS[kind_of(k).itemsize]
    biased = s.emit("add", [k, Literal(form.integer, form.bias)], form.integer)
    bits = s.emit("shl", [biased, Literal(form.integer, form.digits)], form.integer)
    return s.emit("bits", [bits], np.dtype(f"f{form.integer.itemsize}"))


def log(s: Scalars, x: Operand) -> Operand:
    """The natural logarithm: that of 2**k, and a polynomial of what is left."""
    dtype = kind_of(x)
    form = _FORMATS[dtype.itemsize]
    tiny = s.less(x, _of(x, float(np.finfo(dtype).tiny)))
    scaled = s.select(tiny, s.multiply(x, _of(x, 2.0**form.digits)), x)
    above = s.emit("sub", [_bits(s, scaled), Literal(form.integer, form.half)], form.integer)
    k = s.emit("ashr", [above, Literal(form.integer, form.digits)], form.integer)
    digits = s.emit("and", [above, Literal(form.integer, 2**form.digits - 1)], form.integer)
    near = s.emit("add", [digits, Literal(form.integer, form.half)], form.integer)
    f = s.subtract(s.emit("bits", [near], dtype), _of(x, 1.0))
    number = s.convert(k, dtype)
    number = s.select(tiny, s.subtract(number, _of(x, float(form.digits))), number)
    found = (_log_single if dtype == SINGLE else _log_double)(s, f, number)
    found = s.select(s.less(x, _of(x, math.inf)), found, x)
    found = s.select(s.equal(x, _of(x, 0.0)), _of(x, -math.inf), found)
    return s.select(s.less(x, _of(x, 0.0)), _of(x, math.nan), found)


def _log_single(s: Scalars, f: Operand, k: Operand) -> Operand:
    """Return log(1 + f) + k * log(2)."""
    z = s.multiply(f, f)
    y = s.multiply(s.multiply(f, z), _polynomial(s, f, _LOG_SINGLE))
    y = _fma(s, k, _of(f, -2.12194440e-4), y)
    y = _fma(s, _of(f, -0.5), z, y)
    return _fma(s, k, _of(f, 0.693359375), s.add(f, y))


def _log_double(s: Scalars, f: Operand, k: Operand) -> Operand:
    """Return log(1 + f) + k * log(2)."""
    t = s.divide(f, s.add(_of(f, 2.0), f))
    z = s.multiply(t, t)
    w = s.multiply(z, z)
    even = s.multiply(w, _polynomial(s, w, _LOG_EVEN))
    rest = _fma(s, z, _polynomial(s, w, _LOG_ODD), even)
    half = s.multiply(_of(f, 0.5), s.multiply(f, f))
    low = _fma(s, t, s.add(half, rest), s.multiply(k, _of(f, 1.90821492927058770002e-10)))
    found = s.subtract(s.subtract(half, low), f)
    return s.subtract(s.multiply(k, _of(f, 6.93147180369123816490e-01)), found)


def tanh(s: Scalars, x: Operand) -> Operand:
    """The hyperbolic tangent."""
    return _tanh_single(s, x) if kind_of(x) == SINGLE else _tanh_double(s, x)


def _tanh_single(s: Scalars, x: Operand) -> Operand:
    """Return the hyperbolic tangent: an odd polynomial over an even one."""
    end, start = _of(x, _TANH_SINGLE_END), _of(x, -_TANH_SINGLE_END)
    near = s.select(s.less(end, x), end, x)
    near = s.select(s.less(near, start), start, near)
    z = s.multiply(near, near)
    above = s.multiply(near, _polynomial(s, z, _TANH_SINGLE))
    found = s.divide(above, _polynomial(s, z, _TANH_SINGLE_BELOW))
    size, one = s.emit("fabs", [x], SINGLE), _of(x, 1.0)
    found = s.select(
        s.less(_of(x, _TANH_SINGLE_ONE), size), s.emit("copysign", [one, x], SINGLE), found
    )
    return s.select(s.less(size, _of(x, _TANH_SINGLE_SMALL)), x, found)


def _tanh_double(s: Scalars, x: Operand) -> Operand:
    """Return the hyperbolic tangent: near zero by polynomials, else by the exponential."""
    dtype = kind_of(x)
    size = s.emit("fabs", [x], dtype)
    z = s.multiply(x, x)
    ratio = s.divide(_polynomial(s, z, _TANH_ABOVE), _polynomial(s, z, _TANH_BELOW))
    near = _fma(s, s.multiply(size, z), ratio, size)
    limit = _of(x, _TANH_LARGE)
    doubled = s.multiply(s.select(s.less(limit, size), limit, size), _of(x, 2.0))
    power, k = _reduced_exp(s, doubled)
    power = s.multiply(power, _power_of_two(s, k))
    one = _of(x, 1.0)
    far = s.subtract(one, s.divide(_of(x, 2.0), s.add(power, one)))
    found = s.select(s.less(_of(x, _TANH_SMALL), size), far, near)
    return s.emit("copysign", [found, x], dtype)


def power(s: Scalars, x: Operand, exponent: int) -> Operand:
    """A power with a small whole exponent: a product of squares."""
    found: Operand | None = None
    square, left = x, abs(exponent)
    while left:
        if left & 1:
            found = square if found is None else s.multiply(found, square)
        left >>= 1
        if left:
            square = s.multiply(square, square)
    assert found is not None
    return found if exponent > 0 else s.divide(_of(x, 1.0), found)


FUNCTIONS: Mapping[str, Callable[[Scalars, Operand], Operand]] = {
    "exp": exp, "log": log, "tanh": tanh,
}  # fmt: skip
"""By the names of NumPy's ufuncs."""


def _of(x: Operand, value: float) -> Literal:
    """Return a number of the dtype of another one."""
    dtype = kind_of(x)
    return Literal(dtype, float(np.float32(value)) if dtype == SINGLE else value)


def _bits(s: Scalars, x: Operand) -> Operand:
    """Return the bits of a float as an integer."""
    return s.emit("bits", [x], _FORMATS[kind_of(x).itemsize].integer)


def _fma(s: Scalars, x: Operand, y: Operand, z: Operand) -> Operand:
    """Return x * y + z, rounded once."""
    return s.emit("fma", [x, y, z], kind_of(x))


def _polynomial(s: Scalars, x: Operand, coefficients: Sequence[float]) -> Operand:
    """Return a polynomial by Horner's rule; the coefficient of the highest power comes first."""
    found: Operand = _of(x, coefficients[0])
    for value in coefficients[1:]:
        found = _fma(s, found, x, _of(x, value))
    return found


def has_fast(ufunc: np.ufunc, dtype: DType) -> bool:
    """Tell whether there is such a function."""
    return ufunc.__name__ in FUNCTIONS and dtype.kind == "f" and dtype.itemsize in _FORMATS
