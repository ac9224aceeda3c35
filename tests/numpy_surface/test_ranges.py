"""Ranges whose bounds are staged, given to NumPy and SciPy and as indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.numpy_surface.judging import same


def _given(x: Any, n: Any) -> Any:
    return np.array(range(n)), np.mean(range(1, n)), np.isin(range(n), x), np.sum([range(n), x[:n]])


def _indices(x: Any, n: Any) -> Any:
    x, m = x.copy(), np.zeros((5, 5))
    x[range(n)] = 7
    x[range(1, n, 2)] += n
    m[range(n), range(n)] = 1
    return x, x[range(n)], x[range(n)[1:]], m


@pytest.mark.parametrize("n", [3, 2, 5])
def test_a_range_is_the_array_that_numpy_makes_of_it(n: int) -> None:
    x = np.arange(5.0)
    assert same(_given(x, np.int64(n)), ag.function(_given)(x, np.int64(n)))


@pytest.mark.parametrize("n", [3, 0, 5])
def test_a_range_is_an_index(n: int) -> None:
    x = np.arange(5.0)
    assert same(_indices(x, np.int64(n)), ag.function(_indices)(x, np.int64(n)))


def test_scipy_is_given_an_array() -> None:
    ndimage = pytest.importorskip("scipy.ndimage")

    def sizes(image: Any) -> Any:
        labels, n = ndimage.label(image > image.mean())
        return n, ndimage.sum(image, labels, range(1, n + 1))

    for seed in range(3):
        image = np.random.default_rng(seed).random((9, 9))
        assert same(sizes(image), ag.function(sizes)(image))
