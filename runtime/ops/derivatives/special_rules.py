"""Rules of special functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.ops.derivatives.constructors import partials

ROOT_PI = math.sqrt(math.pi)
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730)
"""The numbers of Bernoulli of even places, from the second on."""


def digamma(x: Any) -> Any:
    """Return the derivative of the logarithm of the gamma function.

    The asymptotic series (Abramowitz and Stegun, 6.3.18) after ten steps up; by reflection for
    negative numbers.
    """
    is_low = x < 0.5
    at = np.where(is_low, 1 - x, x)
    steps = sum(1 / (at + k) for k in range(10))
    far = at + 10
    square = 1 / (far * far)
    series = 0.0
    for k, number in reversed([*enumerate(BERNOULLI, 1)]):
        series = square * (number / (2 * k) + series)
    found = np.log(far) - 0.5 / far - series - steps
    turned = np.where(is_low, np.pi / np.tan(np.pi * np.where(is_low, x, 0.25)), 0)
    return found - turned


def trigamma(x: Any) -> Any:
    """Return the derivative of `digamma`, in the same way (Abramowitz and Stegun, 6.4.12)."""
    is_low = x < 0.5
    at = np.where(is_low, 1 - x, x)
    steps = sum(1 / ((at + k) * (at + k)) for k in range(10))
    far = at + 10
    square = 1 / (far * far)
    series = 0.0
    for number in reversed(BERNOULLI):
        series = square * (number + series)
    found = (1 + 0.5 / far + series) / far + steps
    return np.where(is_low, (np.pi / np.sin(np.pi * np.where(is_low, x, 0.5))) ** 2 - found, found)


ERF = partials(lambda y, x: 2 / ROOT_PI * np.exp(-x * x))
ERFC = partials(lambda y, x: -2 / ROOT_PI * np.exp(-x * x))
LOG_GAMMA = partials(lambda y, x: digamma(x))
