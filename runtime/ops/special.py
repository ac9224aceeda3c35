"""Special functions, which NumPy does not have: those of the C library, one number at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from runtime.backends import on_host
from runtime.dtypes import DType
from runtime.errors import DtypeError
from runtime.graph.opdef import OpDef, op
from runtime.graph.traits import raises
from runtime.ops.derivatives import special_rules as rules
from runtime.ops.derivatives.constructors import partials
from runtime.ops.derivatives.special_rules import ERF, ERFC, LOG_GAMMA
from runtime.ops.families import ARRAYS
from runtime.ops.samples import unary
from runtime.spec import TensorSpec, make_spec


def _need_floats(dtype: DType) -> None:
    if dtype.kind != "f":
        raise DtypeError(f"special functions are those of floats, not of {dtype}; convert it first")


def _spec(x: TensorSpec) -> TensorSpec:
    _need_floats(x.dtype)
    return make_spec(x.dtype, x.shape)


def _special(
    name: str, doc: str, function: Callable[[float], float], elsewhere: str, **own: Any
) -> OpDef:
    """Define the op of a function of numbers, which other arrays' modules have in `special`."""
    of_each = np.frompyfunc(function, 1, 1)

    def kernel(xp: Any, x: Any) -> Any:
        if xp is not np and hasattr(xp, "special"):
            _need_floats(x.dtype)
            return getattr(xp.special, elsewhere)(x.astype(np.float64)).astype(x.dtype)
        host = np.asarray(on_host(x))
        _need_floats(host.dtype)
        found = np.asarray(of_each(host.astype(np.float64))).astype(host.dtype)
        return xp.asarray(found)[()]

    return op(
        f"{name}(x)", doc=doc, spec=_spec, kernel=kernel, samples=unary("f"), family=ARRAYS, **own
    )


def _log_gamma(x: float) -> float:
    """Return `math.lgamma(x)`, and infinity where it has a pole."""
    return math.inf if x <= 0 and x.is_integer() else math.lgamma(x)


erf = _special("erf", "Error function, element by element.", math.erf, "erf", derivative=ERF)
erfc = _special(
    "erfc", "One less the error function, element by element.", math.erfc, "erfc", derivative=ERFC
)
lgamma = _special(
    "lgamma",
    "Logarithm of the gamma function, element by element.",
    _log_gamma,
    "gammaln",
    raises=raises("OverflowError"),
    derivative=LOG_GAMMA,
)


def _digamma(x: float) -> float:
    """Return the derivative of `math.lgamma` (`special_rules.digamma`), and NaN at its poles."""
    if x < 0.5:
        is_pole = math.isinf(x) or x == math.floor(x)
        return math.nan if is_pole else _digamma(1 - x) - math.pi / math.tan(math.pi * x)
    far, series = x + 10, 0.0
    square = 1 / (far * far)
    for k, number in reversed([*enumerate(rules.BERNOULLI, 1)]):
        series = square * (number / (2 * k) + series)
    return math.log(far) - 0.5 / far - series - sum(1 / (x + k) for k in range(10))


digamma = _special(
    "digamma",
    "Derivative of the logarithm of the gamma function, element by element.",
    _digamma,
    "digamma",
    derivative=partials(lambda y, x: rules.trigamma(x)),
)


def _error_inverse(size: float, rest: float) -> float:
    """Return the number whose error function is `size`, which is 1 less `rest`.

    It is the normal quantile, and two of Newton's steps. Source: M. Wichura, The percentage points
    of the normal distribution, AS 241.
    """
    if not rest > 0:
        return math.inf if rest == 0 else math.nan
    y = -NormalDist().inv_cdf(max(rest / 2, math.ulp(0))) * math.sqrt(0.5)
    for _ in range(2 if y * y < 700 else 0):  # beyond, the slope is no float
        error = math.erf(y) - size if size < 0.5 else rest - math.erfc(y)
        y -= error * math.exp(y * y) * rules.ROOT_PI / 2
    return y


def _erfinv(x: float) -> float:
    return math.copysign(_error_inverse(abs(x), 1 - abs(x)), x)


def _erfcinv(x: float) -> float:
    return _error_inverse(1 - x, x) if x <= 1 else -_error_inverse(x - 1, 2 - x)


erfinv = _special(
    "erfinv",
    "Inverse of the error function, element by element.",
    _erfinv,
    "erfinv",
    derivative=partials(lambda y, x: rules.ROOT_PI / 2 * np.exp(y * y)),
)
erfcinv = _special(
    "erfcinv",
    "Inverse of one less the error function, element by element.",
    _erfcinv,
    "erfcinv",
    derivative=partials(lambda y, x: -rules.ROOT_PI / 2 * np.exp(y * y)),
)
ndtri = _special(
    "ndtri",
    "Normal quantiles: below which number a share of the normal distribution lies.",
    lambda x: 0.0 - math.sqrt(2) * _erfcinv(2 * x),
    "ndtri",
    derivative=partials(lambda y, x: math.sqrt(2) * rules.ROOT_PI * np.exp(y * y / 2)),
)
