"""Reductions of whole arrays and of columns are part of kernels, with NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from runtime.kernels.arrays.layout import HAS_LONG_SUMS
from runtime.kernels.jit import is_available
from tests.autograph.function.test_native_rows import kernel_of, results
from tests.runtime.lower.same import all_same

pytestmark = [
    pytest.mark.skipif(not is_available(), reason="there is no llvmlite here"),
    pytest.mark.skipif(not HAS_LONG_SUMS, reason="this NumPy sums in parts"),
]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled when they are called first."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)


def totals(x):
    y = x * 2 - 1
    return np.sum(y), np.mean(y * y, keepdims=True), np.max(y), np.min(x - 3), np.any(y > 4), y


def columns(x):
    y = x * x
    return (
        np.sum(y, axis=-2),
        np.mean(y, axis=-2, keepdims=True) + 1,
        np.max(x, axis=-2),
        np.min(y, axis=-2),
        np.all(y > 0.01, axis=-2),
        np.exp(-y),
    )


def leading(x):
    y = x * 2
    return np.sqrt(np.sum(y * y, axis=(0, 1)))


def check(function: Any, shapes: Any, dtype: Any, sizes: int) -> None:
    """Compare a kernel that serves all sizes with NumPy, and see that it computes."""
    spec = ag.TensorSpec([None] * sizes, dtype)
    staged = ag.function(function, input_signature=[spec])
    rng = np.random.default_rng(1)
    for shape in shapes:
        x = (rng.standard_normal(shape) * 3).astype(dtype)
        x.flat[0] = -0.0
        for given in (x, np.repeat(x, 2, axis=-1)[..., ::2], x.T.copy().T):
            assert all_same(results(staged(given)), results(function(given))), shape
        assert kernel_of(staged, x)(x) is not None, shape


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whole_arrays_are_reduced_as_numpy_does(dtype: Any) -> None:
    check(totals, [(3, 5), (2, 64), (9, 455), (17, 241), (40, 1023), (33, 3001)], dtype, 2)
    check(leading, [(2, 3, 19), (3, 2, 1100), (40, 30, 16)], dtype, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_are_reduced_as_numpy_does(dtype: Any) -> None:
    check(columns, [(1, 16), (5, 17), (200, 20), (3, 1024), (7, 2500)], dtype, 2)
    check(columns, [(2, 3, 19), (3, 20, 33), (4, 2, 1200)], dtype, 3)


@pytest.mark.parametrize("size", [16385, 16400, 20_003, 70_000])
def test_long_vectors_are_summed_as_numpy_does(size: int) -> None:
    x = np.random.default_rng(1).standard_normal(size).astype(np.float32)

    def length(x):
        return np.sqrt(np.sum(x * x)), np.sum(x)

    assert all_same(results(ag.function(length)(x)), results(length(x)))
    assert "over 0 to 0" in ag.function(length).kernels(x)


def test_integers_and_truth_values_are_reduced() -> None:
    def of_integers(x):
        y = x + 1
        return np.sum(y), np.max(y), np.sum(y, axis=None, keepdims=True), np.any(x > 99)

    def of_columns(x):
        y = x + 1
        return np.sum(y, axis=0), np.max(y, axis=0), np.any(y > 99, axis=0)

    for name in ("int8", "uint8", "int64"):
        x = np.random.default_rng(1).integers(0, 100, (30, 40)).astype(name)
        for function in (of_integers, of_columns):
            assert all_same(results(ag.function(function)(x)), results(function(x)))


@pytest.mark.parametrize("function", [totals, columns])
def test_odd_numbers_are_reduced_as_numpy_does(function: Any) -> None:
    staged = ag.function(function)
    x = np.full((40, 20), -0.0, np.float32)
    assert all_same(results(staged(x)), results(function(x)))
    x[3, 4], x[7, :], x[9, 9], x[11, 11] = np.nan, 0.0, np.inf, -np.inf
    with np.errstate(all="ignore"):
        assert all_same(results(staged(x)), results(function(x)))
    with pytest.warns(RuntimeWarning, match="overflow encountered"):
        staged(np.full((40, 20), 3e38, np.float32))
    for empty in (np.zeros((0, 3), np.float32), np.zeros((3, 0), np.float32)):
        with (
            pytest.warns(RuntimeWarning),
            pytest.raises(ValueError, match="zero-size array to reduction operation maximum"),
        ):
            ag.function(totals)(empty)


def test_elements_of_what_was_reduced_are_a_kernel_of_their_own() -> None:
    def centred(x):
        y = x * 2
        return y - np.mean(y, axis=0), y

    def scaled(x):
        y = x * 2
        return y / np.sum(y)

    x = np.random.default_rng(1).standard_normal((50, 30)).astype(np.float32)
    for function, axes in ((centred, "0 to 0"), (scaled, "0 to 1")):
        staged = ag.function(function)
        assert all_same(results(staged(x)), results(function(x)))
        assert f"in [_, _] over {axes}" in staged.kernels(x)


def test_threads_and_fast_mode_reduce_long_rows() -> None:
    def both(x):
        y = x * x
        return np.sum(y), np.sum(y, axis=0), np.max(y)

    x = np.random.default_rng(1).standard_normal((500, 2100))
    exact, fast = ag.function(both), ag.function(both, fast=True)
    try:
        for count in (1, 5):
            ag.set_threads(count)
            assert all_same(results(exact(x)), results(both(x)))
            for found, wanted in zip(fast(x), both(x), strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-13)
    finally:
        ag.set_threads(None)
