"""Fast mode: within its bounds, and right about what is no usual number."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from runtime.kernels.jit import is_available
from runtime.kernels.scalar.fast_maths import FUNCTIONS, MOST_FACTORS
from runtime.kernels.target import host_target
from tools.bench.accuracy import BOUNDS, OTHERS, arguments, errors, fast_function

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")

DTYPES = ("float32", "float64")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled when they are called first."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)


def bound(name: str, dtype: str) -> float:
    return BOUNDS.get((name, dtype), OTHERS)


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def staged_fast(function: Any) -> Any:
    return ag.function(function, fast=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_within_the_bound(name: str, dtype: str) -> None:
    assert errors(name, dtype, arguments(dtype, 1 << 16, 7)).max() <= bound(name, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_odd_numbers_come_out_as_numpy_has_them(name: str, dtype: str) -> None:
    info = np.finfo(dtype)
    edge = math.log(float(info.max))
    odd = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1.0, info.max, -info.max, info.tiny]
    odd += [info.smallest_subnormal, -info.smallest_subnormal, edge * 1.001, -edge * 1.2, -edge]
    x = np.array(odd * 3, dtype)
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x)
    found = fast_function(name, dtype)(x)
    usual = np.isfinite(wanted) & (wanted != 0)
    assert np.array_equal(found[~usual], wanted[~usual], equal_nan=True)
    number = ~np.isnan(wanted)
    assert np.array_equal(np.signbit(found[number]), np.signbit(wanted[number]))
    distance = np.abs(found[usual] - wanted[usual]) / np.spacing(np.abs(wanted[usual]))
    assert distance.max() <= bound(name, dtype) + 1


@pytest.mark.parametrize("size", [1, 3, 8, 15, 16, 17, 63, 64, 100, 1000, 4097, 16384])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_are_near_the_right_ones(size: int, dtype: str) -> None:
    def total(x: Any) -> Any:
        return np.sum(x, -1), np.sum(x * 2 + 1, -1), np.max(x, -1), np.min(x * 2, -1)

    x = np.random.default_rng(size).standard_normal((3, size)).astype(dtype)
    sums, shifted, top, low = staged_fast(total)(x)
    eps = float(np.finfo(dtype).eps)
    bound = (size / 16 + 8) * eps
    for row, one, two in zip(x.astype(float), sums, shifted, strict=True):
        assert abs(float(one) - math.fsum(row)) <= bound * math.fsum(abs(row))
        other = row * 2 + 1
        assert abs(float(two) - math.fsum(other)) <= bound * math.fsum(abs(other))
    assert np.array_equal(top, x.max(-1))
    assert np.array_equal(low, (x * 2).min(-1))


def test_nan_and_infinity_in_rows() -> None:
    def ends(x: Any) -> Any:
        return np.max(x * 2, -1), np.min(x * 2, -1), np.sum(x * 2, -1), np.mean(x * 2, -1)

    x = np.random.default_rng(1).standard_normal((5, 40))
    x[0, 3], x[1, 5], x[2, 39], x[3, 0], x[3, 1] = np.nan, np.inf, -np.inf, np.inf, -np.inf
    with np.errstate(all="ignore"):
        wanted = ends(x)
    for found, right in zip(staged_fast(ends)(x), wanted, strict=True):
        assert np.allclose(found, right, rtol=1e-12, atol=0, equal_nan=True)


@pytest.mark.parametrize("shape", [(1, 7), (5, 17), (200, 10), (33, 1024), (2, 3, 50), (4, 129)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax_is_near_the_exact_one(shape: tuple[int, ...], dtype: str) -> None:
    x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    staged = staged_fast(softmax)
    eps = float(np.finfo(dtype).eps)
    for given in (x, np.repeat(x, 2, axis=-1)[..., ::2]):
        assert np.allclose(staged(given), softmax(given), rtol=16 * eps, atol=0)


@pytest.mark.parametrize("exponent", [2, 3, 7, -2, -3, MOST_FACTORS])
def test_small_whole_powers_are_products(exponent: int) -> None:
    def power(x: Any) -> Any:
        return (x + 0) ** exponent

    x = np.random.default_rng(1).uniform(0.5, 2, 1000)
    found = staged_fast(power)
    assert np.allclose(found(x), power(x), rtol=abs(exponent) * 2.0**-52, atol=0)
    assert "loop(" not in found.kernels(x)


@pytest.mark.skipif(
    "sin" not in host_target().vector_functions, reason="there is no vector library"
)
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sines_are_those_of_the_vector_library(name: str) -> None:
    def wave(x: Any) -> Any:
        return getattr(np, name)(x) * 2

    x = np.random.default_rng(1).uniform(-100, 100, (37, 41))
    x[0, :4] = 0, np.inf, -np.inf, np.nan
    staged = staged_fast(wave)
    assert f"vector(%0, name={name})" in staged.kernels(x)
    with np.errstate(all="ignore"):
        right = 2 * getattr(np, name)(x.astype(np.longdouble))
    error = np.abs(staged(x) - right) / np.spacing(np.abs(right).astype(float))
    assert np.array_equal(np.isnan(error), ~np.isfinite(x))
    assert np.nanmax(error) <= 4
    assert "loop(%0, ufunc" in ag.function(wave).kernels(x)


def test_products_and_sums_are_contracted() -> None:
    def rest(x: Any, y: Any) -> Any:
        return x * x - y

    x = np.full(100, 1 + 2.0**-30)
    assert np.all(staged_fast(rest)(x, x * x) == 2.0**-60)
    assert np.all(ag.function(rest)(x, x * x) == 0)


def test_nothing_is_reported() -> None:
    x = np.array([[-1.0, 0.0, 1.0, np.nan]] * 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = staged_fast(lambda x: np.log(x) * x / (x - x))(x)
    assert np.isnan(found).all()
    with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
        ag.function(lambda x: np.sqrt(x) + 1)(x)


def test_integers_are_exact_and_tests_still_leave_the_kernel() -> None:
    def remainders(x: Any, y: Any) -> Any:
        return (x * 3) % y + (x // y)

    x, y = np.arange(-50, 50), np.arange(1, 101)
    staged = staged_fast(remainders)
    assert np.array_equal(staged(x, y), remainders(x, y))
    y[3] = 0
    with np.errstate(all="ignore"):
        assert np.array_equal(staged(x, y), remainders(x, y))


def test_option_is_seen_in_the_kernel_and_off_by_default() -> None:
    x = np.ones((2, 3), np.float32)
    assert staged_fast(softmax).kernels(x).startswith("fast map chain(")
    assert ag.function(softmax).kernels(x).startswith("map chain(")
    plain = ag.function(softmax, backend="numpy", fast=True)
    assert plain.kernels(x) == "there is nothing native in this plan"


def test_long_chains_of_exponentials_are_one_kernel() -> None:
    def often(x: Any) -> Any:
        for _ in range(40):
            x = np.exp(-x) * 1.5
        return x - np.max(x, -1, keepdims=True)

    x = np.random.default_rng(1).random((5, 40)).astype(np.float32)
    np.testing.assert_allclose(staged_fast(often)(x), often(x), atol=1e-5)
