"""Constraints: what variables are brought back to after each step of an optimiser.

A constraint is a function of an array that gives one of its shape. A layer says which of its
variables has one, `kernel_constraint="non_neg"`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.nn.configured import Configured
from autograph.nn.names import find

Constraint = Callable[[Any], Any]
EPSILON = 1e-7


class MaxNorm(Configured):
    """Norms along an axis are `max_value` at most (Srivastava et al., 2014).

    >>> MaxNorm(1.0)(np.array([[3.0, 0.1], [4.0, 0.2]])).round(4)
    array([[0.6, 0.1],
           [0.8, 0.2]])
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, x: Any) -> Any:
        norms = norms_of(x, self.axis)
        return x * (np.clip(norms, 0, self.max_value) / (EPSILON + norms))


class NonNeg(Configured):
    """No element is negative."""

    def __call__(self, x: Any) -> Any:
        return np.maximum(x, 0)


class UnitNorm(Configured):
    """Norms along an axis are 1."""

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, x: Any) -> Any:
        return x / (EPSILON + norms_of(x, self.axis))


class MinMaxNorm(Configured):
    """Norms along an axis come nearer to being between two bounds: by the part `rate` of the way.

    Args:
        min_value, max_value: the bounds.
        rate: 1 for all of the way.
        axis: one, or several.
    """

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, x: Any) -> Any:
        norms = norms_of(x, self.axis)
        wanted = self.rate * np.clip(norms, self.min_value, self.max_value)
        return x * ((wanted + (1 - self.rate) * norms) / (EPSILON + norms))


def norms_of(x: Any, axis: Any) -> Any:
    """Return euclidean norms along one axis or several, which have size 1 afterwards."""
    axis = tuple(axis) if isinstance(axis, list) else axis
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=True))


__all__ = ["MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm", "get"]
SHORT = {"nonneg": "NonNeg", "unitnorm": "UnitNorm", "maxnorm": "MaxNorm"}


def get(identifier: Any) -> Any:
    """Return a constraint by its name, or the function that is given; None is none."""
    known = ("MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm")
    found = None if identifier is None else find(identifier, globals(), known, "constraint", SHORT)
    return found() if isinstance(found, type) else found
