"""Functions of numbers, element by element: NumPy's ufuncs that no Python operator stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.errors import DtypeError
from runtime.graph.opdef import OpDef, op
from runtime.graph.traits import NOT_DIFFERENTIABLE, NotThere
from runtime.ops.batch_rules import elementwise
from runtime.ops.derivatives.constructors import is_complex, partials
from runtime.ops.derivatives.numbers import (
    ANGLE,
    CONJUGATE,
    HYPOTENUSE,
    OF_CHOSEN,
    POWER,
    SET_IMAG,
    SET_REAL,
    SIGN,
    SINC,
)
from runtime.ops.families import ARRAYS, DISCRETE, MOVED, VIEW
from runtime.ops.samples import binary, calls, each, floats, unary
from runtime.ops.spec_rules import (
    numpys,
    same,
    ufunc_op,
)
from runtime.spec import TensorSpec, make_spec

NO_FIRST_ORDER = NotThere(
    "it is the function of order one, which NumPy does not have; scipy.special.i0 has one"
)


def _in_place_product(xp: Any, x: Any, y: Any) -> Any:
    found = xp.array(x)
    found *= y
    return found


def _part(power: Any, z: Any, x: Any, y: Any) -> Any:
    """Return one's part of a sum of powers; what is infinite is shared by those that make it."""
    is_infinite = np.isinf(z)
    part = power(np.where(is_infinite, 0, x) - np.where(is_infinite, 0, z))
    return np.where(is_infinite & (x == y), 0.5, np.where(is_infinite & (x != z), 0, part))


LN2, LN10 = float(np.log(2)), float(np.log(10))


# fmt: off
exp = ufunc_op("exp(x)", doc="Exponential, element by element.", samples=unary(), cost=3,
    derivative=partials(lambda y, x: y))
exp2 = ufunc_op("exp2(x)", doc="Two raised to the number, element by element.", samples=unary(),
    cost=3,
    derivative=partials(lambda y, x: y * LN2))
expm1 = ufunc_op(
    "expm1(x)", doc="Exponential less one, exact near zero, element by element.", samples=unary(),
    cost=3,
    derivative=partials(lambda y, x: y + 1))
log = ufunc_op("log(x)", doc="Natural logarithm, element by element.", samples=unary(), cost=3,
    derivative=partials(lambda y, x: 1 / x))
log2 = ufunc_op("log2(x)", doc="Logarithm to the base two, element by element.", samples=unary(),
    cost=3,
    derivative=partials(lambda y, x: 1 / (x * LN2)))
log10 = ufunc_op("log10(x)", doc="Logarithm to the base ten, element by element.", samples=unary(),
    cost=3,
    derivative=partials(lambda y, x: 1 / (x * LN10)))
log1p = ufunc_op(
    "log1p(x)", doc="Logarithm of one more than the number, exact near zero.", samples=unary(),
    cost=3,
    derivative=partials(lambda y, x: 1 / (1 + x)))
sqrt = ufunc_op("sqrt(x)", doc="Square root, element by element.", samples=unary(),
    scalar=lambda s, x: s.sqrt(x), cost=3,
    derivative=partials(lambda y, x: 0.5 / y))
cbrt = ufunc_op("cbrt(x)", doc="Cube root, element by element.", samples=floats(), cost=3,
    derivative=partials(lambda y, x: 1 / (3 * y * y)))
square = ufunc_op("square(x)", doc="Square, element by element.", samples=unary("iufc"),
    scalar=lambda s, x: s.square(x),
    derivative=partials(lambda y, x: 2 * x))
product_in_place = op(
    "product_in_place(x, y)",
    doc="""What `x *= y` makes of a complex number that is alone in its array.

    NumPy's loop for arrays that lie on each other rounds once more than that for two arrays.""",
    spec=lambda x, y: same(x),
    kernel=_in_place_product,
    samples=calls("c", lambda some: [((some(1), some(1)), {}), ((some(1, 1), 2.5), {})]),
    family=ARRAYS,
    derivative=partials(lambda z, x, y: y, lambda z, x, y: x))
reciprocal = ufunc_op(
    "reciprocal(x)", doc="One divided by the number, element by element.", samples=unary("fc"),
    cost=3,
    derivative=partials(lambda y, x: -y * y))
sin = ufunc_op("sin(x)", doc="Sine of an angle in radians, element by element.", samples=unary(),
    cost=20,
    derivative=partials(lambda y, x: np.cos(x)))
cos = ufunc_op("cos(x)", doc="Cosine of an angle in radians, element by element.", samples=unary(),
    cost=20,
    derivative=partials(lambda y, x: -np.sin(x)))
tan = ufunc_op("tan(x)", doc="Tangent of an angle in radians, element by element.", samples=unary(),
    cost=4,
    derivative=partials(lambda y, x: 1 + y * y))
arcsin = ufunc_op(
    "arcsin(x)", doc="Angle in radians whose sine is the number.", samples=unary(low=-1, high=1),
    cost=4,
    derivative=partials(lambda y, x: 1 / np.sqrt(1 - x * x)))
arccos = ufunc_op(
    "arccos(x)", doc="Angle in radians whose cosine is the number.", samples=unary(low=-1, high=1),
    cost=4,
    derivative=partials(lambda y, x: -1 / np.sqrt(1 - x * x)))
arctan = ufunc_op(
    "arctan(x)", doc="Angle in radians whose tangent is the number.", samples=unary(), cost=4,
    derivative=partials(lambda y, x: 1 / (1 + x * x)))
sinh = ufunc_op("sinh(x)", doc="Hyperbolic sine, element by element.", samples=unary(), cost=3,
    derivative=partials(lambda y, x: np.cosh(x)))
cosh = ufunc_op("cosh(x)", doc="Hyperbolic cosine, element by element.", samples=unary(), cost=3,
    derivative=partials(lambda y, x: np.sinh(x)))
tanh = ufunc_op("tanh(x)", doc="Hyperbolic tangent, element by element.", samples=unary(), cost=5,
    derivative=partials(lambda y, x: 1 - y * y))
arcsinh = ufunc_op(
    "arcsinh(x)", doc="Inverse of the hyperbolic sine, element by element.", samples=unary(),
    cost=6,
    derivative=partials(lambda y, x: 1 / np.sqrt(x * x + 1)))
arccosh = ufunc_op(
    "arccosh(x)", doc="Inverse of the hyperbolic cosine, element by element.",
    samples=unary(low=1, high=3), cost=11,
    derivative=partials(lambda y, x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))))
arctanh = ufunc_op(
    "arctanh(x)", doc="Inverse of the hyperbolic tangent, element by element.",
    samples=unary(low=-1, high=1), cost=4,
    derivative=partials(lambda y, x: 1 / (1 - x * x)))
arctan2 = ufunc_op(
    "arctan2(x, y)", doc="Angle of the point (y, x) in radians, in its quadrant.",
    samples=binary("biuf"), cost=6,
    derivative=partials(lambda z, x, y: y / (x * x + y * y), lambda z, x, y: -x / (x * x + y * y)))
hypot = ufunc_op(
    "hypot(x, y)", doc="Length of the hypotenuse over two legs, element by element.",
    samples=binary("biuf"), cost=16,
    derivative=HYPOTENUSE)
degrees = ufunc_op("degrees(x)", doc="Radians as degrees, element by element.", samples=floats(),
    cost=4,
    derivative=partials(lambda y, x: 180 / np.pi))
radians = ufunc_op("radians(x)", doc="Degrees as radians, element by element.", samples=floats(),
    cost=4,
    derivative=partials(lambda y, x: np.pi / 180))
rad2deg = ufunc_op("rad2deg(x)", doc="Radians as degrees, element by element.", samples=floats(),
    cost=6,
    derivative=partials(lambda y, x: 180 / np.pi))
deg2rad = ufunc_op("deg2rad(x)", doc="Degrees as radians, element by element.", samples=floats(),
    cost=4,
    derivative=partials(lambda y, x: np.pi / 180))
floor = ufunc_op(
    "floor(x)", doc="Greatest whole number that is not greater, element by element.",
    samples=floats(),
    scalar=lambda s, x: s.rounded("floor", x), warns=False,
    derivative=NOT_DIFFERENTIABLE)
ceil = ufunc_op(
    "ceil(x)", doc="Smallest whole number that is not smaller, element by element.",
    samples=floats(),
    scalar=lambda s, x: s.rounded("ceil", x), warns=False,
    derivative=NOT_DIFFERENTIABLE)
trunc = ufunc_op(
    "trunc(x)", doc="Number without its fraction, element by element.", samples=floats(),
    scalar=lambda s, x: s.rounded("trunc", x), warns=False,
    derivative=NOT_DIFFERENTIABLE)
rint = ufunc_op(
    "rint(x)", doc="Nearest whole number, halves to even, element by element.", samples=unary(),
    scalar=lambda s, x: s.rounded("rint", x), warns=False,
    derivative=NOT_DIFFERENTIABLE)
fabs = ufunc_op("fabs(x)", doc="Absolute value as a float, element by element.", samples=floats(),
    cost=4,
    derivative=partials(lambda y, x: np.sign(x)))
sign = ufunc_op(
    "sign(x)", doc="-1, 0 or 1 by the sign of the number, element by element.",
    samples=unary("iufc"), cost=2,
    derivative=SIGN)
signbit = ufunc_op(
    "signbit(x)", doc="Whether the sign bit is set, which -0.0 has, too.", samples=floats(),
    family=DISCRETE)
conjugate = ufunc_op(
    "conjugate(x)", doc="Complex conjugate, element by element.", samples=unary("iufc"),
    scalar=lambda s, x: s.conjugate(x), warns=False,
    derivative=CONJUGATE)
isnan = ufunc_op("isnan(x)", doc="Whether a number is NaN, element by element.", samples=unary(),
    scalar=lambda s, x: s.is_nan(x), family=DISCRETE)
isinf = ufunc_op(
    "isinf(x)", doc="Whether a number is infinite, element by element.", samples=unary(),
    family=DISCRETE)
isfinite = ufunc_op(
    "isfinite(x)", doc="Whether a number is neither infinite nor NaN, element by element.",
    samples=unary(), family=DISCRETE)
logical_not = ufunc_op(
    "logical_not(x)", doc="Whether a number is zero, element by element.", samples=unary(),
    scalar=lambda s, x: s.not_(x), family=DISCRETE, cost=2)
logical_and = ufunc_op(
    "logical_and(x, y)", doc="Whether both numbers are true, element by element.",
    samples=binary(), commutative=True,
    scalar=lambda s, x, y: s.both(s.truth(x), s.truth(y)), family=DISCRETE, cost=3)
logical_or = ufunc_op(
    "logical_or(x, y)", doc="Whether either number is true, element by element.",
    samples=binary(), commutative=True,
    scalar=lambda s, x, y: s.bitwise("or", s.truth(x), s.truth(y)), family=DISCRETE, cost=3)
logical_xor = ufunc_op(
    "logical_xor(x, y)", doc="Whether one number is true and the other is not.",
    samples=binary(), commutative=True,
    scalar=lambda s, x, y: s.bitwise("xor", s.truth(x), s.truth(y)), family=DISCRETE, cost=3)
maximum = ufunc_op(
    "maximum(x, y)", doc="The greater number, or NaN if one is NaN, element by element.",
    samples=binary(),
    scalar=lambda s, x, y: s.maximum(x, y),
    derivative=OF_CHOSEN)
minimum = ufunc_op(
    "minimum(x, y)", doc="The smaller number, or NaN if one is NaN, element by element.",
    samples=binary(),
    scalar=lambda s, x, y: s.minimum(x, y),
    derivative=OF_CHOSEN)
fmax = ufunc_op(
    "fmax(x, y)", doc="The greater number, the other one if one is NaN.", samples=binary(),
    derivative=OF_CHOSEN)
fmin = ufunc_op(
    "fmin(x, y)", doc="The smaller number, the other one if one is NaN.", samples=binary(),
    derivative=OF_CHOSEN)
fmod = ufunc_op(
    "fmod(x, y)", doc="Remainder of division with the sign of the dividend.",
    samples=binary("iuf"), cost=11,
    derivative=partials(1, lambda z, x, y: -np.trunc(x / y)))
copysign = ufunc_op(
    "copysign(x, y)", doc="The first number with the sign of the second, element by element.",
    samples=binary("biuf"), warns=False, cost=2,
    derivative=partials(lambda z, x, y: np.copysign(1, x) * np.copysign(1, z), None))
nextafter = ufunc_op(
    "nextafter(x, y)", doc="The next float after the first number towards the second.",
    samples=binary("f"), cost=10,
    derivative=NOT_DIFFERENTIABLE)
spacing = ufunc_op(
    "spacing(x)", doc="Distance of a number to the next float, element by element.",
    samples=unary("f"), cost=7,
    derivative=NOT_DIFFERENTIABLE)
logaddexp = ufunc_op(
    "logaddexp(x, y)", doc="Logarithm of the sum of two exponentials, without overflow.",
    samples=binary("biuf"), cost=33,
    derivative=partials(
        lambda z, x, y: _part(np.exp, z, x, y), lambda z, x, y: _part(np.exp, z, y, x)
    ))
logaddexp2 = ufunc_op(
    "logaddexp2(x, y)", doc="Logaddexp to the base two, element by element.",
    samples=binary("biuf"), cost=35,
    derivative=partials(
        lambda z, x, y: _part(np.exp2, z, x, y), lambda z, x, y: _part(np.exp2, z, y, x)
    ))
heaviside = ufunc_op(
    "heaviside(x, y)", doc="0 below zero, 1 above zero, the second number at zero.",
    samples=binary("biuf"), cost=6,
    derivative=partials(lambda z, x, y: 0, lambda z, x, y: np.where(x == 0, 1, 0)))
float_power = ufunc_op(
    "float_power(x, y)", doc="The first number raised to the second, in double precision.",
    samples=binary("iufc", 0, 3), cost=25,
    derivative=POWER)
ldexp = ufunc_op(
    "ldexp(x, y)", doc="The first number times two raised to the second, element by element.",
    samples=calls("f", lambda some: [
        ((some(3), some(3).astype("int32")), {}), ((some(2, 1), 3), {})]), cost=11,
    derivative=partials(lambda z, x, y: np.ldexp(1.0, y), None))
gcd = ufunc_op(
    "gcd(x, y)", doc="Greatest common divisor, element by element.", samples=binary("iu"), cost=21,
    derivative=NOT_DIFFERENTIABLE)
bitwise_count = ufunc_op(
    "bitwise_count(x)", doc="How many bits of the absolute value are set, element by element.",
    samples=unary("iu"), family=DISCRETE, cost=2)
lcm = ufunc_op(
    "lcm(x, y)", doc="Least common multiple, element by element.", samples=binary("iu"), cost=26,
    derivative=NOT_DIFFERENTIABLE)
# fmt: on


def _real_part(x: TensorSpec) -> TensorSpec:
    return make_spec(np.zeros((), x.dtype).real.dtype, x.shape)


real = op(
    "real(x)",
    doc="Real part, element by element.",
    spec=_real_part,
    kernel=lambda xp, x: x.real if hasattr(x, "dtype") else np.asarray(x).real[()],
    samples=unary("iufc"),
    functions=(np.real,),
    scalar=lambda s, x: s.real(x),
    write=lambda apply, base, new: apply(set_real, (base, new)),
    family=VIEW,
    derivative=partials(1),
    batching=elementwise,
)

imag = op(
    "imag(x)",
    doc="Imaginary part, element by element.",
    spec=_real_part,
    kernel=lambda xp, x: x.imag if hasattr(x, "dtype") else np.asarray(x).imag[()],
    samples=unary("iufc"),
    functions=(np.imag,),
    scalar=lambda s, x: s.imag(x),
    write=lambda apply, base, new: apply(set_imag, (base, new)),
    family=VIEW,
    derivative=partials(lambda y, x: -1j if is_complex(x) else 0),
    batching=elementwise,
)


def _set_real(xp: Any, x: Any, part: Any) -> Any:
    found = xp.array(x)
    found.real = part
    return found[()]


def _set_imag(xp: Any, x: Any, part: Any) -> Any:
    found = xp.array(x)
    found.imag = part
    return found[()]


def _complex_only(x: TensorSpec, part: TensorSpec) -> TensorSpec:
    if x.dtype.kind != "c":
        raise DtypeError(f"{x} does not have an imaginary part to set")
    return same(x)


set_real: OpDef = op(
    "set_real(x, part)",
    doc="The numbers with their real part replaced.",
    spec=lambda x, part: same(x),
    kernel=_set_real,
    samples=calls("fc", lambda some: [((some(3), some(3).real), {})]),
    family=MOVED,
    derivative=SET_REAL,
)

set_imag: OpDef = op(
    "set_imag(x, part)",
    doc="The complex numbers with their imaginary part replaced.",
    spec=_complex_only,
    kernel=_set_imag,
    samples=calls("c", lambda some: [((some(3), some(3).real), {})]),
    family=MOVED,
    derivative=SET_IMAG,
)

angle = op(
    "angle(x, /, deg=False)",
    doc="Angle of a complex number in the plane, in radians or degrees.",
    **numpys(np.angle, lambda x, **attrs: x.shape),
    samples=each("iufc", {}, {"deg": True}),
    family=ARRAYS,
    derivative=ANGLE,
    batching=elementwise,
)

sinc = op(
    "sinc(x)",
    doc="Sine of pi times the number, divided by that, element by element.",
    **numpys(np.sinc, lambda x: x.shape),
    samples=unary("iuf"),
    family=ARRAYS,
    derivative=SINC,
    batching=elementwise,
)

i0 = op(
    "i0(x)",
    doc="Modified Bessel function of the first kind and order zero, element by element.",
    **numpys(np.i0, lambda x: x.shape),
    samples=each("iuf", {}),
    family=ARRAYS,
    derivative=NO_FIRST_ORDER,
    batching=elementwise,
)
