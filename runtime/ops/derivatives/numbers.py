"""Rules of functions of numbers, element by element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.graph.traits import Application, Derivative
from runtime.ops.derivatives.constructors import (
    conjugated,
    is_complex,
    linear,
    of_one,
    partials,
    total,
)
from runtime.ops.derivatives.indexing_rules import op_of


def _quotient_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    (_, y), (z,), (s, t) = call.operands, call.results, tangents
    return [total([None if s is None else s / y, None if t is None else -(z * t) / y])]


def _quotient_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    (_, y), (z,) = call.operands, call.results
    g = cotangents[0] / y
    return [g, -(g * z) if call.wanted[1] else None]


def power_of_base(z: Any, x: Any, y: Any) -> Any:
    """The partial derivative of a power by its base; zero for the exponent zero."""
    if isinstance(y, int | float):
        return int(y) if y in (0, 1) else y * x if y == 2 else y * x ** (y - 1)
    return np.where(y == 0, 0, y * x ** np.where(y == 0, 1, y - 1))


def power_of_exponent(z: Any, x: Any, y: Any) -> Any:
    """The partial derivative of a power by its exponent; zero for the base zero."""
    return z * np.log(np.where(x == 0, 1, x))


def _where_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    _, s, t = tangents
    if s is None and t is None:
        return [None]
    return [np.where(call.operands[0], 0 if s is None else s, 0 if t is None else t)]


def _where_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    condition, (g,) = call.operands[0], cotangents
    _, first, second = call.wanted
    if isinstance(g, int | float):  # a known one of all elements, beside which 0 would be integers
        g = call.results[0].dtype.type(g)
    return [
        None,
        np.where(condition, g, 0) if first else None,
        np.where(condition, 0, g) if second else None,
    ]


def _conjugates(call: Application, given: Sequence[Any]) -> list[Any]:
    return [conjugated(given[0])]


def _chosen(call: Application, given: Sequence[Any]) -> list[Any]:
    (x, y), (z,) = call.operands, call.results
    pairs = zip((x, y), given, strict=True)
    return [
        None if g is None else np.where(a == z, np.where(x == y, g / 2, g), 0) for a, g in pairs
    ]


OF_CHOSEN = Derivative(
    lambda call, tangents: [total(_chosen(call, tangents))],
    lambda call, cotangents: _chosen(call, [cotangents[0] if x else None for x in call.wanted]),
    is_elementwise=True,
)
"""The derivative of what chooses one of two numbers: of equal ones, each has half."""


def _is_above(x: Any, y: Any) -> Any:
    """Return 1 where the first number is greater, one half where both are equal, else 0."""
    return np.where(x == y, 0.5, np.where(x > y, 1.0, 0.0))


def _clipped_shares(z: Any, x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
    """Return the partial derivatives of `minimum(maximum(x, low), high)`."""
    above, below = _is_above(x, low), _is_above(high, np.maximum(x, low))
    return below * above, below * (1 - above), 1 - below


def _of_sign(t: Any, y: Any, x: Any) -> Any:
    """Return the tangent of `z / abs(z)`; the sign of a real number goes in steps."""
    if not is_complex(x):
        return None
    moved = t / np.where(x == 0, 1, np.abs(x))
    return np.where(x == 0, 0, moved - y * np.real(conjugated(y) * moved))


def _of_sinc(y: Any, x: Any) -> Any:
    """Return the derivative of `sin(pi x) / (pi x)`: near zero, that of its series."""
    is_near = np.abs(x) < 0.3
    square = (np.pi * np.where(is_near, x, 0)) ** 2
    series = 0.0
    for k in range(10, 0, -1):
        series = (-1) ** k * 2 * k / float(math.factorial(2 * k + 1)) + square * series
    far = np.where(is_near, 1, x)
    return np.where(is_near, series * np.pi * np.pi * x, (np.cos(np.pi * x) - y) / far)


def _parts_back(apply: Any, g: Any, x: Any, part: Any) -> list[Any]:
    return [apply(op_of("set_real"), (g, 0)), np.real(g)]


def _imaginary_parts_back(apply: Any, g: Any, x: Any, part: Any) -> list[Any]:
    return [apply(op_of("set_imag"), (g, 0)), -np.imag(g)]


def _angle(y: Any, x: Any, deg: bool) -> Any:
    if not is_complex(x):
        return 0
    return (-180j / np.pi if deg else -1j) / x


QUOTIENT = Derivative(_quotient_jvp, _quotient_vjp, True)
CLIPPED = partials(
    lambda z, x, low, high: _clipped_shares(z, x, low, high)[0],
    lambda z, x, low, high: _clipped_shares(z, x, low, high)[1],
    lambda z, x, low, high: _clipped_shares(z, x, low, high)[2],
)
"""The derivative of `minimum(maximum(x, low), high)`."""
SIGN = of_one(_of_sign)
SINC = partials(_of_sinc)
ANGLE = partials(_angle)
SET_REAL = linear(_parts_back, 2)
SET_IMAG = linear(_imaginary_parts_back, 2)
HYPOTENUSE = partials(
    lambda z, x, y: x / np.where(z == 0, 1, z), lambda z, x, y: y / np.where(z == 0, 1, z)
)
POWER = partials(power_of_base, power_of_exponent)
CHOICE = Derivative(_where_jvp, _where_vjp, True)
CONJUGATE = Derivative(_conjugates, _conjugates, True)
