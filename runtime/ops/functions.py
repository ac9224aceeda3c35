"""Functions of numbers, element by element: NumPy's ufuncs that no Python operator stands for."""

from __future__ import annotations

import importlib
import sys
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.dtypes import resolve_ufunc
from runtime.errors import DtypeError
from runtime.graph.opdef import OpDef, op
from runtime.ops.rules import (
    broadcast,
    core_shape,
    numpy_kernel,
    same,
    trial,
    ufunc_op,
)
from runtime.ops.samples import binary, calls, each, floats, unary
from runtime.spec import Shape, TensorSpec, make_spec

# fmt: off
exp = ufunc_op("exp(x)", doc="Exponential, element by element.", samples=unary())
exp2 = ufunc_op("exp2(x)", doc="Two raised to the number, element by element.", samples=unary())
expm1 = ufunc_op(
    "expm1(x)", doc="Exponential less one, exact near zero, element by element.", samples=unary())
log = ufunc_op("log(x)", doc="Natural logarithm, element by element.", samples=unary())
log2 = ufunc_op("log2(x)", doc="Logarithm to the base two, element by element.", samples=unary())
log10 = ufunc_op("log10(x)", doc="Logarithm to the base ten, element by element.", samples=unary())
log1p = ufunc_op(
    "log1p(x)", doc="Logarithm of one more than the number, exact near zero.", samples=unary())
sqrt = ufunc_op("sqrt(x)", doc="Square root, element by element.", samples=unary(),
    scalar=lambda s, x: s.sqrt(x))
cbrt = ufunc_op("cbrt(x)", doc="Cube root, element by element.", samples=floats())
square = ufunc_op("square(x)", doc="Square, element by element.", samples=unary("iufc"),
    scalar=lambda s, x: s.square(x))
reciprocal = ufunc_op(
    "reciprocal(x)", doc="One divided by the number, element by element.", samples=unary("fc"))
sin = ufunc_op("sin(x)", doc="Sine of an angle in radians, element by element.", samples=unary())
cos = ufunc_op("cos(x)", doc="Cosine of an angle in radians, element by element.", samples=unary())
tan = ufunc_op("tan(x)", doc="Tangent of an angle in radians, element by element.", samples=unary())
arcsin = ufunc_op(
    "arcsin(x)", doc="Angle in radians whose sine is the number.", samples=unary(low=-1, high=1))
arccos = ufunc_op(
    "arccos(x)", doc="Angle in radians whose cosine is the number.", samples=unary(low=-1, high=1))
arctan = ufunc_op(
    "arctan(x)", doc="Angle in radians whose tangent is the number.", samples=unary())
sinh = ufunc_op("sinh(x)", doc="Hyperbolic sine, element by element.", samples=unary())
cosh = ufunc_op("cosh(x)", doc="Hyperbolic cosine, element by element.", samples=unary())
tanh = ufunc_op("tanh(x)", doc="Hyperbolic tangent, element by element.", samples=unary())
arcsinh = ufunc_op(
    "arcsinh(x)", doc="Inverse of the hyperbolic sine, element by element.", samples=unary())
arccosh = ufunc_op(
    "arccosh(x)", doc="Inverse of the hyperbolic cosine, element by element.",
    samples=unary(low=1, high=3))
arctanh = ufunc_op(
    "arctanh(x)", doc="Inverse of the hyperbolic tangent, element by element.",
    samples=unary(low=-1, high=1))
arctan2 = ufunc_op(
    "arctan2(x, y)", doc="Angle of the point (y, x) in radians, in its quadrant.",
    samples=binary("biuf"))
hypot = ufunc_op(
    "hypot(x, y)", doc="Length of the hypotenuse over two legs, element by element.",
    samples=binary("biuf"))
degrees = ufunc_op("degrees(x)", doc="Radians as degrees, element by element.", samples=floats())
radians = ufunc_op("radians(x)", doc="Degrees as radians, element by element.", samples=floats())
rad2deg = ufunc_op("rad2deg(x)", doc="Radians as degrees, element by element.", samples=floats())
deg2rad = ufunc_op("deg2rad(x)", doc="Degrees as radians, element by element.", samples=floats())
floor = ufunc_op(
    "floor(x)", doc="Greatest whole number that is not greater, element by element.",
    samples=floats(),
    scalar=lambda s, x: s.rounded("floor", x))
ceil = ufunc_op(
    "ceil(x)", doc="Smallest whole number that is not smaller, element by element.",
    samples=floats(),
    scalar=lambda s, x: s.rounded("ceil", x))
trunc = ufunc_op(
    "trunc(x)", doc="Number without its fraction, element by element.", samples=floats(),
    scalar=lambda s, x: s.rounded("trunc", x))
rint = ufunc_op(
    "rint(x)", doc="Nearest whole number, halves to even, element by element.", samples=unary(),
    scalar=lambda s, x: s.rounded("rint", x))
fabs = ufunc_op("fabs(x)", doc="Absolute value as a float, element by element.", samples=floats())
sign = ufunc_op(
    "sign(x)", doc="-1, 0 or 1 by the sign of the number, element by element.",
    samples=unary("iufc"))
signbit = ufunc_op(
    "signbit(x)", doc="Whether the sign bit is set, which -0.0 has, too.", samples=floats())
conjugate = ufunc_op(
    "conjugate(x)", doc="Complex conjugate, element by element.", samples=unary("iufc"))
isnan = ufunc_op("isnan(x)", doc="Whether a number is NaN, element by element.", samples=unary(),
    scalar=lambda s, x: s.is_nan(x))
isinf = ufunc_op(
    "isinf(x)", doc="Whether a number is infinite, element by element.", samples=unary())
isfinite = ufunc_op(
    "isfinite(x)", doc="Whether a number is neither infinite nor NaN, element by element.",
    samples=unary())
logical_not = ufunc_op(
    "logical_not(x)", doc="Whether a number is zero, element by element.", samples=unary(),
    scalar=lambda s, x: s.not_(x))
logical_and = ufunc_op(
    "logical_and(x, y)", doc="Whether both numbers are true, element by element.",
    samples=binary(), commutative=True,
    scalar=lambda s, x, y: s.both(s.truth(x), s.truth(y)))
logical_or = ufunc_op(
    "logical_or(x, y)", doc="Whether either number is true, element by element.",
    samples=binary(), commutative=True,
    scalar=lambda s, x, y: s.bitwise("or", s.truth(x), s.truth(y)))
logical_xor = ufunc_op(
    "logical_xor(x, y)", doc="Whether one number is true and the other is not.",
    samples=binary(), commutative=True,
    scalar=lambda s, x, y: s.bitwise("xor", s.truth(x), s.truth(y)))
maximum = ufunc_op(
    "maximum(x, y)", doc="The greater number, or NaN if one is NaN, element by element.",
    samples=binary(),
    scalar=lambda s, x, y: s.maximum(x, y))
minimum = ufunc_op(
    "minimum(x, y)", doc="The smaller number, or NaN if one is NaN, element by element.",
    samples=binary(),
    scalar=lambda s, x, y: s.minimum(x, y))
fmax = ufunc_op(
    "fmax(x, y)", doc="The greater number, the other one if one is NaN.", samples=binary())
fmin = ufunc_op(
    "fmin(x, y)", doc="The smaller number, the other one if one is NaN.", samples=binary())
fmod = ufunc_op(
    "fmod(x, y)", doc="Remainder of division with the sign of the dividend.",
    samples=binary("iuf"))
copysign = ufunc_op(
    "copysign(x, y)", doc="The first number with the sign of the second, element by element.",
    samples=binary("biuf"))
nextafter = ufunc_op(
    "nextafter(x, y)", doc="The next float after the first number towards the second.",
    samples=binary("f"))
spacing = ufunc_op(
    "spacing(x)", doc="Distance of a number to the next float, element by element.",
    samples=unary("f"))
logaddexp = ufunc_op(
    "logaddexp(x, y)", doc="Logarithm of the sum of two exponentials, without overflow.",
    samples=binary("biuf"))
logaddexp2 = ufunc_op(
    "logaddexp2(x, y)", doc="Logaddexp to the base two, element by element.",
    samples=binary("biuf"))
heaviside = ufunc_op(
    "heaviside(x, y)", doc="0 below zero, 1 above zero, the second number at zero.",
    samples=binary("biuf"))
float_power = ufunc_op(
    "float_power(x, y)", doc="The first number raised to the second, in double precision.",
    samples=binary("iufc", 0, 3))
ldexp = ufunc_op(
    "ldexp(x, y)", doc="The first number times two raised to the second, element by element.",
    samples=calls("f", lambda some: [
        ((some(3), some(3).astype("int32")), {}), ((some(2, 1), 3), {})]))
gcd = ufunc_op(
    "gcd(x, y)", doc="Greatest common divisor, element by element.", samples=binary("iu"))
lcm = ufunc_op(
    "lcm(x, y)", doc="Least common multiple, element by element.", samples=binary("iu"))
# fmt: on


FOLDERS = ("numpy", "scipy.special")
"""The modules whose ufuncs the ops of any ufunc find by their names."""


@lru_cache(maxsize=1024)
def find_ufunc(name: str) -> np.ufunc:
    """Return the ufunc of a full name, such as `scipy.special.erf`; DtypeError when unknown."""
    folder, _, own = name.rpartition(".")
    found = getattr(importlib.import_module(folder), own, None) if folder in FOLDERS else None
    if not isinstance(found, np.ufunc):
        raise DtypeError(f"{name} is not a ufunc of {' or '.join(FOLDERS)}")
    return found


def full_name(ufunc: np.ufunc) -> str | None:
    """Return the full name under which `find_ufunc` finds a ufunc, or None when it does not."""
    for folder in FOLDERS:
        module = sys.modules.get(folder)
        if module is not None and getattr(module, ufunc.__name__, None) is ufunc:
            return f"{folder}.{ufunc.__name__}"
    return None


def module_ufunc(xp: Any, name: str) -> Any:
    """Return the ufunc in the array module: NumPy's and SciPy's have the same names in CuPy."""
    folder, _, own = name.rpartition(".")
    if xp is np:
        return find_ufunc(name)
    if folder == "numpy":
        return getattr(xp, own)
    return getattr(importlib.import_module(f"cupyx.{folder}"), own)


def _any_spec(*x: TensorSpec, name: str) -> TensorSpec:
    (spec,) = _many_spec(*x, name=name)
    return spec


def _many_spec(*x: TensorSpec, name: str) -> tuple[TensorSpec, ...]:
    ufunc = find_ufunc(name)
    if len(x) != ufunc.nin:
        raise DtypeError(f"{name} takes {ufunc.nin} operands, not {len(x)}")
    shape = core_shape(ufunc.signature, x) if ufunc.signature else broadcast(*x)
    found = resolve_ufunc(ufunc, *(spec.promotable for spec in x))
    return tuple(make_spec(dtype, shape) for dtype in found)


any_ufunc = op(
    "ufunc(*x, name)",
    doc="The ufunc of the given full name, such as `scipy.special.erf`.",
    spec=_any_spec,
    kernel=lambda xp, *x, name: module_ufunc(xp, name)(*x),
    samples=calls(
        "fc",
        lambda some: [
            ((some(3),), {"name": "scipy.special.expit"}),
            ((some(2, 3), some(4, 2, 3)), {"name": "numpy.vecdot"}),
        ],
    ),
)

many_ufunc = op(
    "ufunc_parts(*x, name)",
    doc="The results of the ufunc of the given full name, such as `numpy.divmod`.",
    spec=_many_spec,
    kernel=lambda xp, *x, name: tuple(module_ufunc(xp, name)(*x)),
    samples=calls(
        "f",
        lambda some: [
            ((some(3), some(2, 3)), {"name": "numpy.divmod"}),
            ((some(3),), {"name": "numpy.modf"}),
            ((some(2, 3),), {"name": "numpy.frexp"}),
        ],
    ),
    multiple=True,
)


def _accumulated(x: TensorSpec, *, name: str, axis: int) -> Shape | None:
    return x.shape


def _accumulate(x: Any, *, name: str, axis: int) -> Any:
    return find_ufunc(name).accumulate(x, axis=axis)


accumulate = op(
    "accumulate(x, /, name, axis=0)",
    doc="The results of applying a ufunc of two operands to ever more elements along an axis.",
    spec=trial(_accumulate, _accumulated),
    kernel=lambda xp, x, name, axis: module_ufunc(xp, name).accumulate(x, axis=axis),
    samples=each("iuf", {"name": "numpy.maximum"}, {"name": "numpy.minimum", "axis": -1}),
)


def _real_part(x: TensorSpec) -> TensorSpec:
    return make_spec(np.zeros((), x.dtype).real.dtype, x.shape)


real = op(
    "real(x)",
    doc="Real part, element by element.",
    spec=_real_part,
    kernel=lambda xp, x: x.real if hasattr(x, "dtype") else np.asarray(x).real[()],
    samples=unary("iufc"),
    functions=(np.real,),
    view="always",
    write=lambda apply, base, new: apply(set_real, (base, new)),
)

imag = op(
    "imag(x)",
    doc="Imaginary part, element by element.",
    spec=_real_part,
    kernel=lambda xp, x: x.imag if hasattr(x, "dtype") else np.asarray(x).imag[()],
    samples=unary("iufc"),
    functions=(np.imag,),
    view="always",
    write=lambda apply, base, new: apply(set_imag, (base, new)),
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
)

set_imag: OpDef = op(
    "set_imag(x, part)",
    doc="The complex numbers with their imaginary part replaced.",
    spec=_complex_only,
    kernel=_set_imag,
    samples=calls("c", lambda some: [((some(3), some(3).real), {})]),
)

angle = op(
    "angle(x, /, deg=False)",
    doc="Angle of a complex number in the plane, in radians or degrees.",
    spec=trial(np.angle, lambda x, **attrs: x.shape),
    kernel=numpy_kernel("angle"),
    samples=each("iufc", {}, {"deg": True}),
    functions=(np.angle,),
)

sinc = op(
    "sinc(x)",
    doc="Sine of pi times the number, divided by that, element by element.",
    spec=trial(np.sinc, lambda x: x.shape),
    kernel=numpy_kernel("sinc"),
    samples=unary("iuf"),
    functions=(np.sinc,),
)

i0 = op(
    "i0(x)",
    doc="Modified Bessel function of the first kind and order zero, element by element.",
    spec=trial(np.i0, lambda x: x.shape),
    kernel=numpy_kernel("i0"),
    samples=each("iuf", {}),
    functions=(np.i0,),
)
