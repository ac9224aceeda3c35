"""Results that share memory in plain Python share it, and no others do."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import autograph as ag


def constant_after_an_arm(x: Any) -> Any:
    y = x * 2 if x[0] > 0 else np.zeros(3)
    return y, y[1:], x


def constants(x: Any) -> Any:
    y = np.arange(6.0).reshape(2, 3)
    z = np.arange(6.0).reshape(2, 3)
    return y, y.T[1:], y[0], z


def two_constants(x: Any) -> Any:
    y = x * 2 if x[0] > 0 else np.zeros(3)
    z = y if x[0] > 1 else np.ones(3)
    return y, z, z[1:]


def turned_in_rounds(x: Any) -> Any:
    y = np.zeros(3)
    while x[0] > 0:
        y = y[::-1]
        x = x - 1
    return y, y[1:]


@pytest.mark.parametrize("first", [-1.0, 1.0, 2.0])
@pytest.mark.parametrize(
    "program", [constant_after_an_arm, constants, two_constants, turned_in_rounds]
)
def test_writes_into_one_result_are_seen_in_those_that_share_its_memory(
    program: Any, first: float
) -> None:
    staged = ag.function(program)
    for _ in range(3):
        x = np.array([first, 2.0, 3.0])
        ours, plain = staged(x.copy()), program(x.copy())
        for (a, b), (c, d) in zip(combinations(ours, 2), combinations(plain, 2), strict=True):
            assert np.shares_memory(a, b) == np.shares_memory(c, d)
        for number, (a, b) in enumerate(zip(ours, plain, strict=True)):
            a[0] = b[0] = 10.0 + number
        for a, b in zip(ours, plain, strict=True):
            np.testing.assert_array_equal(a, b)
