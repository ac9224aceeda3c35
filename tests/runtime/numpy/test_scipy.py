"""SciPy's functions, called by name in staged functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import StagedValueError
from tests.numpy_surface.judging import same

pytest.importorskip("scipy")

from scipy import interpolate, linalg, ndimage, optimize, signal, sparse, spatial, stats
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


CALLS = {
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


def test_a_sparse_matrix_from_outside_that_changes_is_traced_again() -> None:
    matrix = sparse.csr_array(np.eye(3))
    function = ag.function(lambda x: matrix.sum() * x)
    assert function(np.ones(2)).tolist() == [3.0, 3.0]
    matrix.data[:] = 5.0
    assert function(np.ones(2)).tolist() == [15.0, 15.0]


def test_a_function_of_the_users_is_refused_by_name() -> None:
    def cost(x: Any) -> Any:
        return (x**2).sum()

    with pytest.raises(StagedValueError, match=r"scipy.optimize.minimize .*cost, which"):
        ag.function(lambda x: optimize.minimize(cost, x).x)(np.ones(2))
