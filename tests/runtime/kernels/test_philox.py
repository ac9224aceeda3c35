"""Random numbers that kernels make of a key are those of NumPy's generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from tests.runtime.lower.same import same

X = np.linspace(0.1, 3, 101 * 37).reshape(101, 37)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile kernels for the first call."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)
    monkeypatch.setattr(load, "LONG", 0)


def drawn(*shape: int, **more: Any) -> Callable[..., Any]:
    return lambda key: ag.random.uniform_of(key, shape, **more)


def inside(key: Any) -> Any:
    a, b = ag.random.split(key)
    x, y = (ag.random.uniform_of(k, 300_001, -1, 1) for k in (a, b))
    return 4 * np.mean((x * x + y * y < 1).astype(np.float64))


def dropped(key: Any, x: Any) -> Any:
    return np.where(ag.random.uniform_of(key, x.shape) < 0.25, 0, x / 0.75)


def row_sums(key: Any, x: Any) -> Any:
    return np.sum(ag.random.uniform_of(key, x.shape) * x, axis=1)


def column_sums(key: Any, x: Any) -> Any:
    return np.sum(ag.random.uniform_of(key, x.shape) * x, axis=0)


def is_native(staged: Any, *given: Any) -> bool:
    return " = draw(" in str(staged.kernels(*given))


@pytest.mark.parametrize(
    "function",
    [
        drawn(2),
        drawn(7, 5, low=-2.0, high=3),
        drawn(2051, dtype="float32", high=1e30),
        inside,
    ],
)
def test_uniform_numbers_are_numpys(function: Any) -> None:
    staged = ag.function(function)
    for seed in (0, 12345):
        key = ag.random.key(seed)
        assert same(staged(key), ag.function(function, backend="numpy")(key))
    assert is_native(staged, key)


@pytest.mark.parametrize("function", [dropped, row_sums, column_sums])
def test_arrays_and_random_numbers_meet_in_one_kernel(function: Any) -> None:
    staged, plain = ag.function(function), ag.function(function, backend="numpy")
    for x in (X, X.T, X[:, ::2], X[:1]):
        assert same(staged(ag.random.key(3), x), plain(ag.random.key(3), x))
    assert is_native(staged, ag.random.key(3), X)


def test_numbers_are_those_of_a_philox_generator() -> None:
    key = np.array([2**64 - 1, 7], np.uint64)
    expected = np.random.Generator(np.random.Philox(key=key)).random(1001)
    assert same(ag.function(drawn(1001))(key), expected)


@pytest.mark.parametrize(
    "function",
    [drawn(5, 1), drawn(), lambda key: ag.random.normal_of(key, 9), drawn(4, low=2.0, high=1.0)],
)
def test_other_numbers_are_left_to_numpy(function: Any) -> None:
    staged, key = ag.function(function), ag.random.key(1)
    assert not is_native(staged, key)
    try:
        expected = ag.function(function, backend="numpy")(key)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:20]):
            staged(key)
    else:
        assert same(staged(key), expected)
