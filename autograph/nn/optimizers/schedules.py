"""Rates that follow the number of steps: functions of it, for an optimiser's `learning_rate`.

Names, formulas and defaults are Keras'. A schedule is any function of the number of steps before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.nn.configured import Configured

Schedule = Callable[[Any], Any]


class LearningRateSchedule(Configured):
    """A schedule of one's own: a class with a method `__call__(step)`.

    >>> class Falling(LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 1 / (step + 1)
    >>> Falling()(3)
    0.25
    """

    def __call__(self, step: Any) -> Any:
        """Return the rate of the step after so many."""
        raise NotImplementedError(f"{type(self).__name__} needs a method __call__(step)")


class ExponentialDecay(Configured):
    """`initial_learning_rate * decay_rate ** (step / decay_steps)`.

    Args:
        initial_learning_rate: the first rate.
        decay_steps: after so many steps the rate is `decay_rate` times as large.
        decay_rate: how much is left of it then.
        staircase: whether it falls at multiples of `decay_steps` only.

    >>> ExponentialDecay(1.0, 10, 0.5)(20)
    np.float64(0.25)
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase = decay_rate, staircase

    def __call__(self, step: Any) -> Any:
        return self.initial_learning_rate * np.power(self.decay_rate, self._periods(step))

    def _periods(self, step: Any) -> Any:
        periods = np.true_divide(step, self.decay_steps)
        return np.floor(periods) if self.staircase else periods


class InverseTimeDecay(ExponentialDecay):
    """`initial_learning_rate / (1 + decay_rate * step / decay_steps)`; arguments as there."""

    def __call__(self, step: Any) -> Any:
        return self.initial_learning_rate / (1 + self.decay_rate * self._periods(step))


class PiecewiseConstantDecay(Configured):
    """One rate up to each boundary, that one included, and one after the last.

    >>> [float(PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.1])(k)) for k in (10, 11, 21)]
    [1.0, 0.5, 0.1]
    """

    def __init__(self, boundaries: Sequence[float], values: Sequence[float]) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                f"there is one rate more than boundaries, and {len(values)} rates and "
                f"{len(boundaries)} boundaries were given"
            )
        self.boundaries, self.values = np.asarray(boundaries), np.asarray(values, np.float64)

    def __call__(self, step: Any) -> Any:
        return self.values[np.searchsorted(self.boundaries, step)]


class PolynomialDecay(Configured):
    """From one rate to another, along a power of how many steps are left.

    Args:
        initial_learning_rate: the first rate.
        decay_steps: after so many steps it is the last one.
        end_learning_rate: the last rate.
        power: 1 for a straight line.
        cycle: whether `decay_steps` is doubled, tripled, ... when it is reached.

    >>> PolynomialDecay(1.0, 10, end_learning_rate=0.0)(5)
    np.float64(0.5)
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power, self.cycle = end_learning_rate, power, cycle

    def __call__(self, step: Any) -> Any:
        periods = np.true_divide(step, self.decay_steps)
        if self.cycle:
            part = periods / np.maximum(np.ceil(periods), 1.0)
        else:
            part = np.minimum(periods, 1.0)
        fall = self.initial_learning_rate - self.end_learning_rate
        return fall * np.power(1 - part, self.power) + self.end_learning_rate


class CosineDecay(Configured):
    """Half a cosine from one rate down to a part of it (Loshchilov and Hutter, 2016).

    Args:
        initial_learning_rate: the first rate, from which it is warmed up.
        decay_steps: how many steps it falls.
        alpha: which part is left.
        warmup_target: the rate at the end of warming up, from which it falls; none by default.
        warmup_steps: how many steps it is warmed up.

    >>> [float(CosineDecay(0.0, 10, warmup_target=1.0, warmup_steps=4)(k)) for k in (0, 2, 4, 14)]
    [0.0, 0.5, 1.0, 0.0]
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        alpha: float = 0.0,
        warmup_target: float | None = None,
        warmup_steps: float = 0,
    ) -> None:
        self.initial_learning_rate, self.decay_steps, self.alpha = (
            initial_learning_rate,
            decay_steps,
            alpha,
        )
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def __call__(self, step: Any) -> Any:
        first, top = self.initial_learning_rate, self.warmup_target
        if top is None:
            return self._fallen(first, step)
        rising = first + (top - first) * np.true_divide(step, max(self.warmup_steps, 1))
        return np.where(
            step < self.warmup_steps, rising, self._fallen(top, step - self.warmup_steps)
        )[()]

    def _fallen(self, rate: float, step: Any) -> Any:
        part = np.clip(np.true_divide(step, self.decay_steps), 0.0, 1.0)
        return rate * ((1 - self.alpha) * 0.5 * (1 + np.cos(math.pi * part)) + self.alpha)


class CosineDecayRestarts(Configured):
    """Half cosines from one rate down to a part of it, one after the other (the same paper).

    Args:
        initial_learning_rate: the first rate.
        first_decay_steps: how many steps the first one takes.
        t_mul: how many times as many steps the next one takes.
        m_mul: what part of the rate the next one begins with.
        alpha: which part is left at the end of each.

    >>> [float(CosineDecayRestarts(1.0, 4)(k)) for k in (0, 2, 4, 8)]
    [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(
        self,
        initial_learning_rate: float,
        first_decay_steps: float,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
    ) -> None:
        self.initial_learning_rate, self.first_decay_steps = (
            initial_learning_rate,
            first_decay_steps,
        )
        self.t_mul, self.m_mul, self.alpha = t_mul, m_mul, alpha

    def __call__(self, step: Any) -> Any:
        done, longer = np.true_divide(step, self.first_decay_steps), self.t_mul
        if longer == 1:
            restarts = np.floor(done)
            part = done - restarts
        else:
            restarts = np.floor(np.log(1 - done * (1 - longer)) / math.log(longer))
            part = (done - (1 - longer**restarts) / (1 - longer)) / longer**restarts
        fallen = 0.5 * self.m_mul**restarts * (1 + np.cos(math.pi * part))
        return self.initial_learning_rate * ((1 - self.alpha) * fallen + self.alpha)


class LinearWarmup(Configured):
    """A rate, or schedule, that begins after steps in which it rises from 0 along a line.

    >>> [float(LinearWarmup(0.5, 10)(k)) for k in (0, 5, 10, 100)]
    [0.0, 0.25, 0.5, 0.5]
    """

    def __init__(self, learning_rate: float | Schedule, warmup_steps: int) -> None:
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def __call__(self, step: Any) -> Any:
        rate = self.learning_rate
        if callable(rate):
            rate = rate(np.maximum(step - self.warmup_steps, 0))
        return rate * np.minimum(np.true_divide(step, self.warmup_steps), 1.0)


__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "LinearWarmup",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
]
