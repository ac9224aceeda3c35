"""Rules of the ufuncs of `scipy.special`, by their names there.

The formulas are those of Abramowitz and Stegun. By orders and degrees of functions nothing is
written: such derivatives have no closed form, and are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import log, pi, sqrt
from typing import Any

import numpy as np

from runtime.graph.traits import UNWRITTEN, Derivative, NotThere
from runtime.ops.derivatives.constructors import NoDerivativeError, partials
from runtime.ops.derivatives.special_rules import trigamma

ROOT_PI, ROOT_TWO_PI = sqrt(pi), sqrt(2 * pi)
Rule = Callable[..., Any]


def _of(name: str, *x: Any) -> Any:
    """Apply another function of SciPy, which is there where one of them is differentiated."""
    return getattr(import_module("scipy.special"), name)(*x)


def _unknown(*given: Any) -> Any:
    raise NoDerivativeError("by this argument it has none in closed form")


def _over(y: Any, x: Any, at_zero: float) -> Any:
    """Return `y / x`, which has a limit at zero."""
    return np.where(x == 0, at_zero, y / np.where(x == 0, 1, x))


def _bell(x: Any) -> Any:
    """Return the density of the normal distribution."""
    return np.exp(-0.5 * x * x) / ROOT_TWO_PI


def _order(first: float, second: float, name: str) -> Derivative:
    """Return the derivative of a Bessel function, by those of the next orders."""
    return partials(
        _unknown, lambda y, v, x: first * _of(name, v - 1, x) + second * _of(name, v + 1, x)
    )


def _boxcox_power(y: Any, x: Any, power: Any) -> Any:
    logs, safe = np.log(x), np.where(power == 0, 1, power)
    found = (x**power * (power * logs - 1) + 1) / (safe * safe)
    return np.where(power == 0, 0.5 * logs * logs, found)


def _pseudo_huber(y: Any, delta: Any, r: Any) -> Any:
    return np.sqrt(1 + (r / delta) ** 2)


ONE: dict[str, Rule] = {
    "erf": lambda y, x: 2 / ROOT_PI * np.exp(-x * x),
    "erfc": lambda y, x: -2 / ROOT_PI * np.exp(-x * x),
    "erfcx": lambda y, x: 2 * x * y - 2 / ROOT_PI,
    "erfi": lambda y, x: 2 / ROOT_PI * np.exp(x * x),
    "erfinv": lambda y, x: ROOT_PI / 2 * np.exp(y * y),
    "erfcinv": lambda y, x: -ROOT_PI / 2 * np.exp(y * y),
    "dawsn": lambda y, x: 1 - 2 * x * y,
    "ndtr": lambda y, x: _bell(x),
    "log_ndtr": lambda y, x: np.exp(-0.5 * x * x - y) / ROOT_TWO_PI,
    "ndtri": lambda y, x: 1 / _bell(y),
    "expit": lambda y, x: y * (1 - y),
    "logit": lambda y, x: 1 / (x * (1 - x)),
    "log_expit": lambda y, x: _of("expit", -x),
    "gammaln": lambda y, x: _of("psi", x),
    "gamma": lambda y, x: y * _of("psi", x),
    "rgamma": lambda y, x: -y * _of("psi", x),
    "psi": lambda y, x: trigamma(x),
    "i0": lambda y, x: _of("i1", x),
    "i1": lambda y, x: _of("i0", x) - _over(y, x, 0.5),
    "i0e": lambda y, x: _of("i1e", x) - np.sign(x) * y,
    "i1e": lambda y, x: _of("i0e", x) - np.sign(x) * y - _over(y, x, 0.5),
    "k0": lambda y, x: -_of("k1", x),
    "k1": lambda y, x: -_of("k0", x) - y / x,
    "k0e": lambda y, x: y - _of("k1e", x),
    "k1e": lambda y, x: y - _of("k0e", x) - y / x,
    "j0": lambda y, x: -_of("j1", x),
    "j1": lambda y, x: _of("j0", x) - _over(y, x, 0.5),
    "y0": lambda y, x: -_of("y1", x),
    "y1": lambda y, x: _of("y0", x) - y / x,
    "cbrt": lambda y, x: 1 / (3 * y * y),
    "exp2": lambda y, x: y * log(2.0),
    "exp10": lambda y, x: y * log(10.0),
    "expm1": lambda y, x: y + 1,
    "log1p": lambda y, x: 1 / (1 + x),
    "cosm1": lambda y, x: -np.sin(x),
    "entr": lambda y, x: -np.log(x) - 1,
    "expi": lambda y, x: np.exp(x) / x,
    "exp1": lambda y, x: -np.exp(-x) / x,
    "spence": lambda y, x: np.where(x == 1, -1, np.log(x) / np.where(x == 1, 1, 1 - x)),
    "ellipk": lambda y, x: _over(_of("ellipe", x) / (1 - x) - y, 2 * x, pi / 8),
    "ellipe": lambda y, x: _over(y - _of("ellipk", x), 2 * x, -pi / 8),
}
SEVERAL: dict[str, Derivative] = {
    "xlogy": partials(lambda z, x, y: np.log(y), lambda z, x, y: x / y),
    "xlog1py": partials(lambda z, x, y: np.log1p(y), lambda z, x, y: x / (1 + y)),
    "rel_entr": partials(lambda z, x, y: np.log(x / y) + 1, lambda z, x, y: -x / y),
    "kl_div": partials(lambda z, x, y: np.log(x / y), lambda z, x, y: 1 - x / y),
    "beta": partials(
        lambda z, x, y: z * (_of("psi", x) - _of("psi", x + y)),
        lambda z, x, y: z * (_of("psi", y) - _of("psi", x + y)),
    ),
    "betaln": partials(
        lambda z, x, y: _of("psi", x) - _of("psi", x + y),
        lambda z, x, y: _of("psi", y) - _of("psi", x + y),
    ),
    "huber": partials(
        lambda z, delta, r: np.where(np.abs(r) <= delta, 0, np.abs(r) - delta),
        lambda z, delta, r: np.clip(r, -delta, delta),
    ),
    "pseudo_huber": partials(
        lambda z, d, r: 2 * d * (_pseudo_huber(z, d, r) - 1) - r * r / (d * _pseudo_huber(z, d, r)),
        lambda z, d, r: r / _pseudo_huber(z, d, r),
    ),
    "_zeta": partials(_unknown, lambda z, x, q: -x * _of("zeta", x + 1, q)),
    "gammainc": partials(
        _unknown, lambda z, a, x: np.exp((a - 1) * np.log(x) - x - _of("gammaln", a))
    ),
    "gammaincc": partials(
        _unknown, lambda z, a, x: -np.exp((a - 1) * np.log(x) - x - _of("gammaln", a))
    ),
    "betainc": partials(
        _unknown,
        _unknown,
        lambda z, a, b, x: np.exp(
            (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - _of("betaln", a, b)
        ),
    ),
    "boxcox": partials(lambda y, x, power: x ** (power - 1), _boxcox_power),
    "boxcox1p": partials(
        lambda y, x, power: (1 + x) ** (power - 1), lambda y, x, p: _boxcox_power(y, 1 + x, p)
    ),
    "jv": _order(0.5, -0.5, "jv"),
    "yv": _order(0.5, -0.5, "yv"),
    "iv": _order(0.5, 0.5, "iv"),
    "kv": _order(-0.5, -0.5, "kv"),
}


def derivative_of(name: str) -> Derivative | NotThere:
    """Return the derivative of a ufunc of `scipy.special`, by the name of its op."""
    own = name.removeprefix("scipy_special_")
    if own == name:
        return UNWRITTEN
    return partials(ONE[own]) if own in ONE else SEVERAL.get(own, UNWRITTEN)
