"""Draws of NumPy's generators in native loops: its numbers, and streams are left where it does."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def floats(rng: Any, n: Any) -> Any:
    total, v = 0.0, np.zeros(3)
    for _ in range(n):
        total += rng.normal() + rng.normal(1.0, 2.5) * rng.random() - rng.standard_exponential()
        v = v + rng.normal(scale=0.5, size=3) - rng.exponential(0.7, 3)
        if rng.uniform(-1, 3) > rng.standard_normal():
            total *= 0.5
    return total, v


def integers(rng: Any, n: Any) -> Any:
    total, v = np.int64(0), np.zeros(2, np.int64)
    for i in range(n):
        total = total // 2 + rng.integers(6) - rng.integers(-5, 2**40) + rng.integers(i, i + 3)
        v = v // 2 + rng.integers(0, 2**60, 2) - rng.integers(0, 2**32, 2)
    return total, v


def given_up(rng: Any, n: Any) -> Any:
    total = np.int64(2**62)
    for _ in range(n):
        total = total + total + rng.integers(9)
    return (total,)


def _streams() -> list[Any]:
    streams = [np.random.Generator(kind(7)) for kind in (np.random.PCG64, np.random.MT19937)]
    for rng in streams:
        rng.integers(5)  # half of a number is kept
    return streams


@pytest.mark.parametrize("function", [floats, integers, given_up])
def test_native_loops_draw_what_numpy_draws(function: Any) -> None:
    for wanted, found in zip(_streams(), _streams(), strict=True):
        staged = ag.function(function)
        for n in (0, 40):
            with np.errstate(over="warn" if function is given_up else "raise"):
                with pytest.warns(RuntimeWarning) if function is given_up and n else nullcontext():
                    expected = function(wanted, np.int64(n))
                with pytest.warns(RuntimeWarning) if function is given_up and n else nullcontext():
                    outcome = staged(found, np.int64(n))
            assert all(map(same, outcome, expected))
            assert str(found.bit_generator.state) == str(wanted.bit_generator.state)
        assert not staged.get_concrete_function(found, np.int64(40)).executable.plan.refused


def test_other_draws_stay_with_numpy() -> None:
    def drawn(rng: Any, n: Any) -> Any:
        total = 0.0
        for _ in range(n):
            total += rng.gamma(2.0) + rng.normal(0, float("inf")) * 0
        return total

    first, second = _streams()[0], _streams()[0]
    with np.errstate(all="ignore"):
        assert same(ag.function(drawn)(second, np.int64(3)), drawn(first, np.int64(3)))
    assert first.random() == second.random()


def test_a_stream_that_is_not_put_back_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from runtime.kernels import load

    monkeypatch.setattr(load, "_drawing", lambda function, streams: function)
    with pytest.raises(AssertionError):
        test_native_loops_draw_what_numpy_draws(given_up)
