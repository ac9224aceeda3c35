"""Arrays that change places in the rounds of a loop, and are written in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def ping_pong(u, v, n):
    for _ in range(n):
        v[1:] = u[:-1] + 1
        u, v = v, u
    return u, v


def by_another_name(u, v, n):
    while n > 0:
        v[1:] = u[:-1] + 1
        other = u
        u = v
        v = other
        n -= 1
    return u, v


def three_levels(u, v, n):
    w = u * v
    for i in range(n):
        w[i % 4] = u[i % 3] - v[0]
        u, v, w = v, w, u
    return u, v, w


def element_by_element(u, v, n):
    for t in range(n):
        for i in range(1, len(u)):
            v[i] = u[i - 1] + t
        u, v = v, u
        if u[1] > 3:
            break
    return u


def leaves_the_array(u, v, n):
    for i in range(n):
        v[i] = u[i - 1] + 1
        u, v = v, u
    return u


def under_a_condition(u, v, n):
    u, v = u.copy(), v.copy()
    for i in range(n):
        v[i % 3] += u[0]
        if v[i % 3] > 2:
            u, v = v, u
        u[1] -= 0.5
    return u, v


def by_a_function(u, v, n):
    u, v = u.copy(), v.copy()

    def step():
        nonlocal u, v
        v[1:] = u[:-1] + 1
        u, v = v, u

    for _ in range(n):
        step()
    return u, v


def read_afterwards(u, v, n):
    first = u
    for _ in range(n):
        v[1:] = u[:-1] + 1
        u, v = v, u
    return first + 1, u


def one_is_the_other(u, v, n):
    v = u
    for _ in range(n):
        v[0] = u[1] + 1
        u, v = v, u
    return u


def read_in_the_loop(u, v, n):
    first, total = u, 0.0
    for _ in range(n):
        v[0] = u[1] + 1
        total += first[0]
        u, v = v, u
    return total


def both_get_one(u, v, n):
    u, v = u.copy(), v.copy()
    for _ in range(n):
        v[0] += 1.0
        u[1] += v[0]
        u, v = v, v
    return u


PROGRAMS: list[Callable[..., Any]] = [
    ping_pong,
    by_another_name,
    three_levels,
    element_by_element,
    leaves_the_array,
    under_a_condition,
    by_a_function,
    read_afterwards,
    one_is_the_other,
    read_in_the_loop,
    both_get_one,
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_what_is_returned_and_written_is_as_in_plain_python(function: Any) -> None:
    staged = ag.function(function)
    for rounds in (0, 3, 4, 7):
        plain, found = ([np.arange(5.0), np.sin(np.arange(5.0))] for _ in range(2))
        try:
            expected, error = function(*plain, np.int64(rounds)), None
        except IndexError as raised:
            error = str(raised)
        if error is None:
            np.testing.assert_equal(staged(*found, np.int64(rounds)), expected)
        else:
            with pytest.raises(IndexError, match=error):
                staged(*found, np.int64(rounds))
        np.testing.assert_equal(found, plain)


def test_rounds_write_in_place() -> None:
    given = np.arange(5.0), np.ones(5), np.int64(3)
    plan = str(ag.function(ping_pong).get_concrete_function(*given).plan)
    assert "write update" in plan
    assert plan.split("def run", maxsplit=1)[0].count(" = copy ") == 2  # before the loop
