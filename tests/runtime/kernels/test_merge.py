"""Loops over the same space become one where no round needs what another one writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def used_twice(x: Any, y: Any, n: Any) -> Any:
    for k in range(1, n):
        gap = 0.5 * (x[1:, k] - x[:-1, k])
        y[k, :] = gap * gap
        y[k] = y[k] - gap * y[k - 1]
    return y


def of_the_round_before(x: Any, y: Any, n: Any) -> Any:
    for k in range(1, n):
        gap = x[k, 1:] + 1.0
        y[k, 1:] = gap[1:] * gap[:-1]
        y[k, :-1] = y[k, 1:] - gap[:-1]
    return y


def shifted_rows(x: Any, y: Any, n: Any) -> Any:
    for _ in range(n):
        gap = 0.5 * x[1:5, :6]
        y[1:5] = gap[::-1] + gap
        y[:4] = y[1:5] * gap
    return y


def of_the_same_array(x: Any, y: Any, n: Any) -> Any:
    for k in range(2, n):
        y[k] = y[k - 1] + x[k, 1:]
        y[k - 1] = y[k - 2] * y[k]
        y[k - 2] = y[k] * x[0, k]
    return y


@pytest.mark.parametrize(
    ("function", "loops"),
    [(used_twice, 3), (of_the_round_before, 4), (shifted_rows, 7), (of_the_same_array, 3)],
)
def test_loops_are_merged_where_rounds_need_only_their_own(
    function: Callable[..., Any], loops: int
) -> None:
    x, y = np.sin(np.arange(49.0)).reshape(7, 7), np.cos(np.arange(36.0)).reshape(6, 6)
    staged, n = ag.function(function), np.int64(5)
    assert np.array_equal(staged(x, y.copy(), n), function(x, y.copy(), n))
    text = str(staged.kernels(x, y, n)).partition("; LLVM")[0]
    assert text.count("for(") == loops
