"""Arrays with gaps are copied for loops that only read elements of them, and for no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.lower import packed_arrays

A = np.random.default_rng(3).normal(size=(12, 9))
X = np.arange(60) % 7


def squares(a: Any) -> Any:
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * a[i, j]
    return total


def counted(x: Any) -> Any:
    found = np.zeros(7, int)
    for v in x:
        found[v] += 1
    return found


def row_by_row(a: Any) -> Any:
    most = 0.0
    for row in a:
        for v in row:
            most = max(most, v)
    return most


def moved(x: Any) -> Any:
    y = np.zeros_like(x)
    for k in range(1, len(x)):
        y[k] = x[k] - x[k - 1] + y[k - 1]
    return y


def best_row(a: Any) -> Any:
    best = a[0]
    for k in range(1, len(a)):
        if a[k, 0] > best[0]:
            best = a[k]
    return best


def sums(a: Any) -> Any:
    found = np.zeros(len(a))
    for k in range(len(a)):
        found[k] = a[k].sum()
    return found


def written(a: Any) -> Any:
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] += a[i - 1, j]
    return a


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return whether kernels were given copies, for each call that gave up."""
    told: list[bool] = []
    own = packed_arrays.packed

    def packed(*given: Any) -> Any:
        found = own(*given)
        told.append(found is not None)
        return found

    monkeypatch.setattr("runtime.lower.emit_python.packed", packed)
    return told


@pytest.mark.parametrize(
    ("function", "x", "are_copied"),
    [
        (squares, A, True),
        (counted, X, True),
        (row_by_row, A, True),
        (moved, X, True),
        (best_row, A, False),
        (sums, A, False),
        (written, A, False),
    ],
)
def test_only_where_elements_are_read_are_arrays_copied(
    function: Any, x: Any, are_copied: bool, copied: list[bool]
) -> None:
    staged = ag.function(function)
    for each in (x, x[::2], x[::-1], x.T, x[..., ::3], x[:1]):
        own, other = np.repeat(each, 2, 0)[::2], np.repeat(each, 2, 0)[::2]
        assert np.array_equal(function(own), staged(other))
        assert np.array_equal(own, other)
        assert np.array_equal(function(each.copy("F")), staged(each.copy("F")))
    assert any(copied) == are_copied


def first_above(x: Any, n: Any) -> Any:
    k = 0
    while x[k] < n:
        k += 1
    return k


def test_large_arrays_are_not_copied_where_few_rounds_may_read_them(copied: list[bool]) -> None:
    staged, n = ag.function(first_above), np.float64(50)
    assert staged(np.arange(4000.0)[::2], n) == staged(np.arange(40000.0)[::2], n) == 25
    assert copied == [True, False]
