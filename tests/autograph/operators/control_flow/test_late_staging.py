"""Loops of Python that meet a staged value after many rounds are staged from there."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag


def test_a_loop_that_meets_a_staged_value_later_is_staged_from_there() -> None:
    def late(x: Any) -> Any:
        total = 0
        for k in range(1500):
            if k == 1000:
                total = x
            if total > 10:
                total = total - 1
            total += 1
        return total

    for value in (np.int64(3), np.int64(50)):
        assert ag.function(late)(value) == late(value)


def test_a_while_loop_that_meets_a_staged_value_later_is_staged_from_there() -> None:
    def late(x: Any) -> Any:
        k = total = 0
        while total < 4000:
            k += 1
            total += 1
            if k == 1000:
                total = total + x
        return k, total

    for value in (np.int64(3), np.int64(1500)):
        assert ag.function(late)(value) == late(value)


def test_a_break_that_is_staged_late_ends_the_loop() -> None:
    def late(x: Any) -> Any:
        for k in range(700):
            if k > 600 and x < k:
                break
        return k

    for value in (np.int64(0), np.int64(650), np.int64(5000)):
        assert ag.function(late)(value) == late(value)
