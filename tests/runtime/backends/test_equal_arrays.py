"""Arrays that are equal before a loop, and that the loop writes, are arrays of their own."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def in_each_round(n):
    a, b = np.zeros(3), np.zeros(3)
    for k in range(n):
        a[k] = 7.0
        b[k] += a[k] - 1.0
    return a, b


def one_of_them(n):
    a, b = np.zeros(3), np.zeros(3)
    for k in range(n):
        if k % 2 == 0:
            a[k] = 7.0
        else:
            b[k] = 5.0
    return a, b


def only_one(n):
    a, b = np.ones(3), np.ones(3)
    k = 0
    while k < n:
        a[k] = b[k] + k
        k += 1
    return a, b


@pytest.mark.parametrize("function", [in_each_round, one_of_them, only_one])
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_each_is_written_for_itself(function, backend, n):
    found = ag.function(function, backend=backend)(np.int64(n))
    assert np.array_equal(found, function(n))
