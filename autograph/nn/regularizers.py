"""Regularisers: terms of the loss that make what variables hold small, by Keras' names.

A regulariser is a function of an array that gives one number. A layer says which of its variables
has one, `kernel_regularizer="l2"`, and `layer.losses` has the terms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.nn.configured import Configured
from autograph.nn.names import find

Regularizer = Callable[[Any], Any]


class L1L2(Configured):
    """The sum of absolute values times `l1`, and that of squares times `l2`.

    >>> L1L2(0.5, 0.1)(np.array([1.0, -2.0]))
    np.float64(2.0)
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = float(l1), float(l2)

    def __call__(self, x: Any) -> Any:
        total = self.l1 * np.sum(np.abs(x)) if self.l1 else np.zeros((), x.dtype)
        return total + self.l2 * np.sum(x * x) if self.l2 else total


class L1(L1L2):
    """The sum of absolute values, times `l1`."""

    def __init__(self, l1: float = 0.01) -> None:
        super().__init__(l1=l1)


class L2(L1L2):
    """The sum of squares, times `l2`."""

    def __init__(self, l2: float = 0.01) -> None:
        super().__init__(l2=l2)


l1, l2, l1_l2 = L1, L2, L1L2
__all__ = ["L1", "L2", "L1L2", "get", "l1", "l1_l2", "l2"]


def get(identifier: Any) -> Any:
    """Return a regulariser by its name, or the function that is given; None is none."""
    known = ("L1", "L2", "L1L2", "l1", "l2", "l1_l2")
    found = None if identifier is None else find(identifier, globals(), known, "regularizer")
    return found() if isinstance(found, type) else found
