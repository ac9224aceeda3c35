"""Arrays that NumPy makes while a function is traced: known, until something staged is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

LINE = np.array([3.0, 1.0, 2.0])


def of_classes(x: Any) -> Any:
    v = np.ndarray((2, 3), dtype=x.dtype)
    w = np.zeros(3, order="F")
    v[0], w[1], v[1] = x, x[2], 4
    return v, w


def a_copy(x: Any) -> Any:
    v = LINE.copy()
    for each in x:
        if each > 0:
            v[0] += each
    return v


def several(x: Any) -> Any:
    a, b = np.meshgrid([1, 2], [3, 4])
    grid = np.fromfunction(lambda i, j: i * j, (2, 2))
    a[0, 0], grid[1] = x[1], x[0]
    return a, b, grid


def what_was_given(x: Any) -> Any:
    return np.asarray(LINE) is LINE, np.ascontiguousarray(LINE) is LINE


def the_same_array(x: Any) -> Any:
    v = np.zeros(3)
    w, u = np.asarray(v), np.ascontiguousarray(v)
    w[0] = 5
    if x[0] > 1:
        u[1] = 3
    return v, w, u, w is v, np.array(v) is v


def a_view_in_an_arm(x: Any) -> Any:
    v = np.zeros((2, 2))
    if x[0] > 5:
        v[0] += 1
        row = v[1]
        row[1] = 7
        v.T[0].fill(3)
    return v


def a_view_in_a_round(x: Any) -> Any:
    v = np.zeros((2, 2))
    for _ in x:
        np.add(v[0], 1, out=v[0])
        for row in v:
            row += 1
    while x[0] < 5:
        v[:, 1] *= 2
        x = x + 1
    return v


FUNCTIONS = [of_classes, a_copy, several, what_was_given, the_same_array]
FUNCTIONS += [a_view_in_an_arm, a_view_in_a_round]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_written_is_what_plain_python_writes(function: Callable[[Any], Any]) -> None:
    staged = ag.function(function)
    for x in (np.array([0.0, 2.0, -1.0]), np.array([6.0, 0.0, 1.0])):
        np.testing.assert_equal(staged(x), function(x))
    assert LINE.tolist() == [3, 1, 2]


def test_what_np_empty_finds_in_memory_is_no_part_of_a_graph() -> None:
    def made(x: Any) -> Any:
        y = np.empty((2, 3))
        y[0] = x
        z = np.empty_like(y, dtype="int32")
        z[1] = 2
        assert np.empty(2, object)[0] is None
        return y, z

    junk = [np.full((2, 3), 7.5) for _ in range(50)]
    del junk
    y, z = ag.function(made)(np.float64(3.0))
    assert y.tolist() == [[3.0] * 3, [0.0] * 3]
    assert z.tolist() == [[0] * 3, [2] * 3]
