"""All prefixes of a sequence."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph.staging.associative_scan import associative_scan
from runtime.errors import ShapeError


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 8, 13])
def test_gives_the_prefixes(count, reverse):
    xs = np.arange(count) * 7 % 11
    step = -1 if reverse else 1
    expected = np.cumsum(xs[::step])[::step]

    def scan(xs):
        return associative_scan(lambda a, b: a + b, xs, reverse=reverse)

    assert np.array_equal(scan(xs), expected)
    assert np.array_equal(ag.function(scan)(xs), expected)


def test_matrices_are_not_exchanged():
    """Products of matrices are associative, not commutative."""
    xs = np.random.default_rng(0).integers(-3, 4, (6, 2, 2))
    found = associative_scan(lambda a, b: a @ b, xs)
    expected = xs[0]
    for k in range(1, 6):
        expected = expected @ xs[k]
        assert np.array_equal(found[k], expected)
    backwards = associative_scan(lambda a, b: a @ b, xs, reverse=True)
    assert np.array_equal(backwards[4], xs[4] @ xs[5])


def test_structures_of_arrays():
    """A recurrence x = a x + b as pairs."""
    a, b = np.array([2.0, 3.0, 4.0]), np.array([1.0, 1.0, 1.0])
    combine = lambda f, g: (f[0] * g[0], g[0] * f[1] + g[1])  # noqa: E731
    assert associative_scan(combine, (a, b))[1].tolist() == [1.0, 4.0, 17.0]


def test_the_number_of_steps_grows_with_the_logarithm():
    f = ag.function(lambda xs: associative_scan(lambda a, b: a + b, xs))
    sizes = [str(f.graph(np.arange(n))).count("add") for n in (16, 32, 64)]
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0] == 2


def test_misuse_is_refused():
    with pytest.raises(ShapeError, match="must return the structure that it is given"):
        associative_scan(lambda a, b: (a, b), np.arange(3))
    spec = ag.TensorSpec([None])
    f = ag.function(lambda xs: associative_scan(np.add, xs), input_signature=[spec])
    with pytest.raises(ShapeError, match=r"ag.scan goes over arrays of any length"):
        f(np.arange(3.0))
