"""Derivatives of the ufuncs of `scipy.special`: both modes, twice, against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import autograph as ag
from runtime.ops.derivatives.scipy import ONE, SEVERAL

GIVEN = {"ndtri": 0.3, "erfinv": 0.3, "erfcinv": 0.3, "boxcox": 1.4}
ORDERS = ("gammainc", "gammaincc", "jv", "yv", "iv", "kv", "betainc")
EDGES = {"i1": 0.5, "i1e": 0.5, "j1": 0.5, "ellipk": np.pi / 8, "ellipe": -np.pi / 8}


def places() -> list[tuple[str, int]]:
    """Return the functions, and the arguments of each that it has derivatives by."""
    names = [x for x in (*ONE, *SEVERAL) if hasattr(special, x)]
    counts = {x: getattr(special, x).nin for x in names}
    return [
        (x, k) for x in names for k in range(counts[x]) if x not in ORDERS or k == counts[x] - 1
    ]


@pytest.mark.parametrize(("name", "at"), places())
def test_functions_of_scipy_have_their_derivatives(name: str, at: int) -> None:
    ufunc = getattr(special, name)
    x = np.array([GIVEN.get(name, 0.62), 0.43])
    others = [np.float64(0.8 + k) for k in range(ufunc.nin - 1)]
    given = [*others[:at], x, *others[at:]]

    def called(y: np.ndarray) -> np.ndarray:
        return ufunc(*given[:at], y, *given[at + 1 :])

    def slope(y: np.ndarray) -> np.ndarray:
        return ag.grad(lambda z: np.sum(called(z)))(y)

    by = 1e-6
    found = slope(x)
    wanted = (called(x + by) - called(x - by)) / (2 * by)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    second = ag.jvp(slope, (x,), (np.ones(2),))[1]
    np.testing.assert_allclose(second, (slope(x + by) - slope(x - by)) / (2 * by), rtol=1e-5)


@pytest.mark.parametrize("name", EDGES)
def test_limits_at_zero_are_derivatives(name: str) -> None:
    ufunc = getattr(special, name)
    assert ag.grad(lambda x: ufunc(x))(np.float64(0.0)) == pytest.approx(EDGES[name])


def test_what_has_no_closed_form_is_refused() -> None:
    with pytest.raises(ag.DerivativeError, match="none in closed form"):
        ag.grad(lambda a: special.gammainc(a, 2.0))(1.5)


@pytest.mark.parametrize("x", [0.3, 1.0, 7.5, -0.7, -3.2])
def test_digamma_and_its_derivative_are_those_of_scipy(x: float) -> None:
    assert ag.grad(lambda y: special.gammaln(y))(x) == pytest.approx(special.digamma(x), rel=1e-12)
    assert ag.grad(lambda y: special.psi(y))(x) == pytest.approx(special.polygamma(1, x), rel=1e-12)
