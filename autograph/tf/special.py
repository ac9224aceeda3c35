"""Special functions by SciPy: `bessel_i0` to `bessel_y1`, `dawsn`, `expint`, `spence`.

Some are in `tf.math`, too, beside others that are only there. They have SciPy's derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import runtime.numpy as rnp
from autograph.tf.absent import missing_from
from autograph.tf.tensors import takes

BESSEL = {
    f"bessel_{name}": (name, 1, f"the Bessel function `{name}`")
    for name in ("i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1")
}
OTHERS = {
    "dawsn": ("dawsn", 1, "Dawson's integral"),
    "expint": ("expi", 1, "the exponential integral"),
    "spence": ("spence", 1, "Spence's integral, the dilogarithm of `1 - x`"),
}
OF_MATH = {
    "igamma": ("gammainc", 2, "the regularised lower incomplete gamma function of `a` and `x`"),
    "igammac": ("gammaincc", 2, "the regularised upper incomplete gamma function of `a` and `x`"),
    "betainc": ("betainc", 3, "the regularised incomplete beta function of `a`, `b` and `x`"),
}
"""The function of SciPy, how many tensors it takes, and what it gives."""


def _of_scipy(name: str, function: str, count: int, what: str) -> Callable[..., Any]:
    def public(*given: Any) -> Any:
        return getattr(import_module("scipy.special"), function)(*given)

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return {what}, for each element."
    return takes(count)(public)


@takes(2)
def zeta(x: Any, q: Any) -> Any:
    """Return the Hurwitz zeta function: the sum of `(q + n) ** -x`."""
    return import_module("scipy.special").zeta(x, q)


@takes(2)
def polygamma(a: Any, x: Any) -> Any:
    """Return the derivative of `digamma` at `x` of order `a`, a whole number."""
    of = import_module("scipy.special")
    order = rnp.maximum(a, 1)
    sign = rnp.where(order % 2 == 0, -1, 1).astype(x.dtype)
    return rnp.where(a == 0, of.digamma(x), sign * of.gamma(order + 1) * of.zeta(order + 1, x))


globals().update({k: _of_scipy(k, *x) for k, x in (BESSEL | OTHERS | OF_MATH).items()})
__all__ = [*BESSEL, *OTHERS]  # noqa: PLE0604  (the names stand in tables)
__getattr__ = missing_from("tf.math.special", BESSEL | OTHERS)
