"""SciPy's functions, called by name in staged functions."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import StagedValueError
from tests.numpy_surface.judging import same

pytest.importorskip("scipy")

from scipy import (
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    stats,
)
from scipy.linalg import blas
from scipy.spatial.transform import Rotation


def _values(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    square = rng.normal(size=(3, 3))
    return (
        rng.normal(size=40),
        np.sort(rng.uniform(0.1, 5.0, 40)),
        rng.normal(size=(8, 8)),
        square @ square.T + 3 * np.eye(3),
    )


def _unpacked(u: Any, v: Any, g: Any, m: Any) -> Any:
    rho, p = stats.spearmanr(u, v)
    return rho * 2, p


CALLS = {
    "a result that is a tuple is unpacked": _unpacked,
    "what a dispatcher calls is called": lambda u, v, g, m: fft.dct(u),
    "what one call gives is tried as it is": lambda u, v, g, m: linalg.lu_solve(
        linalg.lu_factor(m), m[0]
    ),
    "knots belong to a spline": lambda u, v, g, m: interpolate.splint(
        1.0, 2.0, interpolate.splrep(v, u)
    ),
    "fast path of what can be written": lambda u, v, g, m: interpolate.interpn(
        (np.arange(8.0), np.arange(8.0)), g, m[:, :2] % 7
    ),
    "asks that a filter can be written": lambda u, v, g, m: signal.sosfilt(
        signal.butter(2, 0.3, output="sos"), u
    ),
    "static method": lambda u, v, g, m: Rotation.from_rotvec(m[0]).as_matrix(),
    "Fortran": lambda u, v, g, m: blas.ddot(u, v),
    "method as an argument": lambda u, v, g, m: stats.ks_1samp(u, stats.norm.cdf),
    "size that values decide": lambda u, v, g, m: spatial.ConvexHull(g[:, :2]).vertices,
    "object that computes later": lambda u, v, g, m: interpolate.RBFInterpolator(g[:, :2], g[0])(
        g[:2, :2]
    ),
    "another name": lambda u, v, g, m: optimize.line_search(
        optimize.rosen, optimize.rosen_der, u[:3], -optimize.rosen_der(u[:3])
    ),
    "class of the library": lambda u, v, g, m: (sparse.csr_array(m) @ m).sum(axis=0),
    "loop": lambda u, v, g, m: [ndimage.gaussian_filter(g, k) for k in (1, 2)],
    "distribution": lambda u, v, g, m: stats.norm(m[0, 0], 2.0).cdf(u),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_scipy_is_equal_to_the_plain_one(name: str) -> None:
    staged = ag.function(CALLS[name])
    for seed in (0, 1):
        expected, found = CALLS[name](*_values(seed)), staged(*_values(seed))
        assert same(found, expected)


def test_indices_that_are_none_are_not_tried() -> None:
    factors = linalg.lu_factor(_values(0)[3])
    function = ag.function(lambda lu, places, b: linalg.lu_solve((lu, places), b))
    b = np.ones(3)
    assert np.array_equal(function(*factors, b), linalg.lu_solve(factors, b))


def test_what_is_computed_in_a_branch_is_tried_there() -> None:
    def f(s: Any) -> Any:
        return signal.butter(2, 0.1 * s)[0] if s > 0 else np.zeros(3)

    staged = ag.function(f)
    for s in (np.float64(2.0), np.float64(-1.0)):
        assert same(staged(s), f(s))


def test_a_sparse_matrix_from_outside_that_changes_is_traced_again() -> None:
    matrix = sparse.csr_array(np.eye(3))
    function = ag.function(lambda x: matrix.sum() * x)
    assert function(np.ones(2)).tolist() == [3.0, 3.0]
    matrix.data[:] = 5.0
    assert function(np.ones(2)).tolist() == [15.0, 15.0]


FACTOR, SEEN = 2.0, []


def _cost(p: Any, k: float = 1.0) -> Any:
    return ((FACTOR * p - k) ** 2).sum()


def _noted(p: Any) -> Any:
    SEEN.append(p)
    return (p**2).sum()


def _minimum(x: Any, s: Any) -> Any:
    return optimize.minimize(_cost, x, args=(s,)).x


def _closures(x: Any, s: Any) -> Any:
    total, k = x.sum(), 1
    for k in (1, 2):  # what a function reads is what it was then
        total = total + integrate.quad(lambda t: t * s * k, 0.0, 1.0)[0]  # noqa: B023
    return total


def _branching(x: Any, s: Any) -> Any:
    def slope(t: Any, y: Any) -> Any:
        found = np.zeros(3)
        for i in range(3):
            found[i] = -s * y[i] if y[i] > 0.5 else s
        return found

    return integrate.solve_ivp(slope, (0.0, 1.0), x).y[:, -1]


def _in_a_loop(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = optimize.fsolve(partial(_cost_of_each, shift=x), x)
    return x


def _cost_of_each(p: Any, shift: Any) -> Any:
    return p - np.cos(shift)


def _along_axis(x: Any, s: Any) -> Any:
    return np.apply_along_axis(lambda row: row.sum() * s, 0, np.stack([x, x]))


OF_FUNCTIONS = [_minimum, _closures, _branching, _in_a_loop, _along_axis]


@pytest.mark.parametrize("function", OF_FUNCTIONS)
def test_a_function_of_the_users_is_called_when_the_graph_runs(function: Any) -> None:
    staged = ag.function(function)
    for x, n in (([0.3, 0.6, 0.9], 2), ([0.9, 0.1, 0.2], 3)):
        assert same(staged(np.array(x), np.int64(n)), function(np.array(x), np.int64(n)))


def _of_nonlocal(x: Any) -> Any:
    count = 0

    def cost(p: Any) -> Any:
        nonlocal count
        count += 1
        return (p**2).sum()

    return optimize.minimize(cost, x).x, count


REFUSED = {
    "_noted, which calls append": lambda x: optimize.minimize(_noted, x).x,
    "cost, which changes count": _of_nonlocal,
    "lambda>, which calls print": lambda x: optimize.fsolve(lambda p: print(p) or p, x),
    "lambda>, which calls input": lambda x: optimize.fsolve(lambda p: input(), x),
    "lambda>, which uses the module os": lambda x: optimize.fsolve(lambda p: os.getpid(), x),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_function_that_does_more_than_to_compute_is_refused(text: str) -> None:
    with pytest.raises(StagedValueError, match=f"of a staged value is given .*{text}"):
        ag.function(REFUSED[text])(np.ones(2))
    assert SEEN == []
