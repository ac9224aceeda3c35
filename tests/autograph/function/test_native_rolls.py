"""Rolled arrays are read where they are by kernels over arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled when they are called first."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)


def life(g):
    a = g + np.roll(g, 1, 0) + np.roll(g, -1, 0)
    n = a + np.roll(a, 1, 1) + np.roll(a, -1, 1) - g
    return ((n == 3) | ((n == 2) & (g == 1))).astype(np.uint8)


def laplace(x):
    return np.roll(x, 1, -1) + np.roll(x, -1, -1) + np.roll(x, 1, 0) + np.roll(x, -1, 0) - 4 * x


def kept(x):
    y = np.roll(x, 5, 0)
    return y, y * 2, np.roll(y + 1, 3, -1) * x


def in_rows(x):
    return np.roll(x, 2, -1) / np.sum(np.roll(x, 1, -1) * x, -1, keepdims=True)


def kernel_of(staged: Any, *args: Any) -> str:
    return str(staged.kernels(*args)).partition("\n")[0]


def results(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


SHAPES = [(1, 1), (3, 2), (64, 64), (7, 130), (2, 5000), (3, 4, 5)]


@pytest.mark.parametrize("function", [life, laplace, kept, in_rows])
@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_rolls_are_those_of_numpy(function: Any, dtype: str) -> None:
    staged = ag.function(function)
    for shape in SHAPES:
        x = np.random.default_rng(1).integers(1, 5, shape).astype(dtype)
        for given in (x, np.repeat(x, 2, axis=-1)[..., ::2]):
            assert all_same(results(staged(given)), results(function(given))), shape


@pytest.mark.parametrize("shift", [0, 1, -1, 6, 7, 8, -7, 100, -100])
def test_shifts_go_around_the_ends(shift: int) -> None:
    def moved(x):
        return np.roll(x, shift) * 2 + x

    for size in (1, 2, 7, 100, 5000):
        x = np.arange(size, dtype=np.float32)
        staged = ag.function(moved)
        assert all_same([staged(x)], [moved(x)])
        assert f"= roll(0, ({shift},))" in kernel_of(staged, x)


def test_array_that_is_made_by_a_kernel_is_rolled_by_the_next() -> None:
    x = np.zeros((4, 5), np.uint8)
    text = str(ag.function(life).kernels(x))
    assert "%1: u8[_, _] = roll(0, (1, 0)), %2: u8[_, _] = roll(0, (-1, 0))" in text
    assert "%2: u8[_, _] = roll(0, (0, 1)), %3: u8[_, _] = roll(0, (0, -1))" in text


def test_rolls_of_arrays_without_elements() -> None:
    for shape in ((0, 3), (3, 0)):
        x = np.zeros(shape)
        assert all_same([ag.function(laplace)(x)], [laplace(x)])


def test_sizes_that_are_known_at_run_time_only() -> None:
    staged = ag.function(laplace, input_signature=[ag.TensorSpec([None, None], np.float64)])
    for shape in SHAPES[:5]:
        x = np.random.default_rng(1).standard_normal(shape)
        assert all_same([staged(x)], [laplace(x)])


def test_shift_that_is_known_at_run_time_only_is_left_to_numpy() -> None:
    def moved(x, k):
        return np.roll(x, k, 0) * 2 + x

    x = np.arange(12.0).reshape(3, 4)
    staged = ag.function(moved)
    for k in (1, 2, -5):
        assert all_same([staged(x, np.int64(k))], [moved(x, k)])
    assert "roll" not in kernel_of(staged, x, np.int64(1))


def test_columns_first_are_left_to_numpy() -> None:
    x = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    found = ag.function(laplace)(x)
    assert all_same([found], [laplace(x)])
    assert found.flags.f_contiguous == laplace(x).flags.f_contiguous
