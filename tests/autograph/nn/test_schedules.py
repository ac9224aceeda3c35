"""Schedules against Keras' formulas, and in a loop of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn

schedules = nn.optimizers.schedules
STEPS = np.array([0, 1, 4, 5, 6, 10, 25])

CASES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "exponential": (
        lambda: schedules.ExponentialDecay(2.0, 5, 0.5),
        lambda k: 2 * 0.5 ** (k / 5),
    ),
    "staircase": (
        lambda: schedules.ExponentialDecay(2.0, 5, 0.5, staircase=True),
        lambda k: 2 * 0.5 ** (k // 5),
    ),
    "inverse": (lambda: schedules.InverseTimeDecay(2.0, 5, 3.0), lambda k: 2 / (1 + 3 * k / 5)),
    "piecewise": (
        lambda: schedules.PiecewiseConstantDecay([4, 6], [1.0, 0.5, 0.1]),
        lambda k: np.where(k <= 4, 1.0, np.where(k <= 6, 0.5, 0.1)),
    ),
    "polynomial": (
        lambda: schedules.PolynomialDecay(1.0, 6, 0.1, power=2.0),
        lambda k: 0.9 * (1 - np.minimum(k, 6) / 6) ** 2 + 0.1,
    ),
    "cycle": (
        lambda: schedules.PolynomialDecay(1.0, 6, 0.1, cycle=True),
        lambda k: 0.9 * (1 - k / (6 * np.maximum(np.ceil(k / 6), 1))) + 0.1,
    ),
    "cosine": (
        lambda: schedules.CosineDecay(2.0, 10, alpha=0.1),
        lambda k: 2 * (0.9 * (1 + np.cos(np.pi * np.minimum(k, 10) / 10)) / 2 + 0.1),
    ),
    "warmed cosine": (
        lambda: schedules.CosineDecay(0.5, 10, warmup_target=2.0, warmup_steps=5),
        lambda k: np.where(
            k < 5, 0.5 + 1.5 * k / 5, 1 + np.cos(np.pi * np.clip((k - 5) / 10, 0, 1))
        ),
    ),
    "restarts": (
        lambda: schedules.CosineDecayRestarts(2.0, 4, t_mul=1.0, m_mul=0.5, alpha=0.1),
        lambda k: 2 * (0.9 * 0.5 ** (k // 4) * (1 + np.cos(np.pi * (k % 4) / 4)) / 2 + 0.1),
    ),
    "warm-up": (
        lambda: schedules.LinearWarmup(schedules.ExponentialDecay(1.0, 5, 0.5), 5),
        lambda k: np.minimum(k / 5, 1) * 0.5 ** (np.maximum(k - 5, 0) / 5),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_rates_are_those_of_the_formula(case: str) -> None:
    make, formula = CASES[case]
    schedule = make()
    expected = formula(STEPS.astype(float))
    np.testing.assert_allclose([schedule(k) for k in STEPS], expected)
    staged = ag.function(lambda k: schedule(k))
    np.testing.assert_allclose([staged(k) for k in STEPS], expected)


def test_an_optimiser_follows_a_schedule_in_a_graph() -> None:
    v = ag.Variable(0.0)
    optimizer = nn.optimizers.SGD(schedules.PiecewiseConstantDecay([1], [1.0, 0.25]))

    @ag.function
    def train(steps):
        for _ in range(steps):
            optimizer.apply([np.float64(-1.0)], [v])

    train(np.int64(4))
    assert float(v) == 2.5


def test_rates_and_boundaries_belong_together() -> None:
    with pytest.raises(ValueError, match="2 rates and 2 boundaries were given"):
        schedules.PiecewiseConstantDecay([1, 2], [1.0, 2.0])
