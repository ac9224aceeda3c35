"""What a function that calls itself takes and returns has the class that plain Python gives it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def total(n):
    if n <= 0:
        return 0
    return n + total(n - 1)


def half_of_one(n):
    if n <= 0:
        return 1
    return 0.5 * half_of_one(n - 1)


def down(n, found, width):
    if n <= 0:
        return found, width, type(found).__name__
    other = down(n - 1, found + n, width * 0.5)
    return other[0], width, other[2]


def goes_down(n):
    return down(n, 0, np.float32(1))


def counts(n):
    count = 0

    def visit(k):
        nonlocal count
        if k <= 1:
            return 1
        count += k
        return visit(k - 1) + visit(k - 2)

    return visit(n), count


def divides(n):
    return 10 // (total(n) + 0)


@pytest.mark.parametrize("n", [np.int64(0), np.int64(1), np.int64(3), np.int8(2), np.float64(2)])
@pytest.mark.parametrize(
    "f", [total, half_of_one, goes_down, counts, divides], ids=lambda f: f.__name__
)
def test_calls_keep_the_class_of_python(f: Callable[..., Any], n: Any) -> None:
    try:
        expected = f(n)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            ag.function(f)(n)
        return
    found = ag.function(f)(n)
    assert (type(found), repr(found)) == (type(expected), repr(expected))
