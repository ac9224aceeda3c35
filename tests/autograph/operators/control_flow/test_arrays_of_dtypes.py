"""An array that a branch or a loop leaves has the dtype that plain Python gives it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def described(x: Any) -> Any:
    """Return what can be told of a result, its class and dtype included."""
    if isinstance(x, tuple | list):
        return type(x), [described(y) for y in x]
    return type(x), getattr(x, "dtype", None), np.asarray(x).tolist()


def quotient(x, y, n):
    z = x if n > 0 else y
    return z // z, z + y


def asks(x, y, n):
    z = x if n > 0 else y
    if z.dtype == np.int64:
        return z // 2, z.dtype, np.zeros_like(z)
    return z / 2, z.itemsize, z.mean(), np.full(2, z[0])


def items(x, y, n):
    z = x if n > 0 else y
    total = 0
    for v in z:
        total = total + v
    return total, z[::2], z[z > 1], np.where(z > 1, z, 0), z @ y


def halves(x, y, n):
    w = x
    for _ in range(n):
        w = w * 0.5 + y
        if w.sum() > 100:
            break
    return w, w * np.float32(0.1)


def by_test(x, y, n):
    w = x
    while n > 0:
        w = w + np.float64(0.1)
        n -= 1
    return w


def grows(x, y, n):
    w = np.zeros(3, int)
    for k in range(n):
        w = w + (x if k % 2 else y)
    return w, [w, (w + 1,)]


def writes(x, y, n):
    w = y.copy()
    if n > 0:
        w = x * 1
    w[0] = 2.5
    w -= 1
    return w


@pytest.mark.parametrize("n", [np.int64(0), np.int64(1), np.int64(3)])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.array([3, 1, 2]), np.array([2.5, 1.5, 0.5])),
        (np.array([100, 20, 1], np.uint8), np.array([1, 0, 300])),
        (np.array([0.1, 2.0, 3.0], np.float32), np.array([0.1, 2.0, 3.0])),
    ],
)
@pytest.mark.parametrize(
    "f", [quotient, asks, items, halves, by_test, grows, writes], ids=lambda f: f.__name__
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_arrays_keep_the_dtype_of_python(f: Callable[..., Any], x: Any, y: Any, n: Any) -> None:
    assert described(ag.function(f)(x, y, n)) == described(f(x, y, n))


def array_or_number(x, y, n):
    z = x
    if n > 0:
        z = x + 1
    return z, type(z), z + 1


def of_no_dimensions(x, y, n):
    z = np.array(y) if n > 0 else np.array(1)
    return z, z.dtype, type(z)


def after_rounds(x, y, n):
    z = x
    for _ in range(n):
        z = z + y
    return z, type(z)


@pytest.mark.parametrize("n", [np.int64(0), np.int64(1), np.int64(3)])
@pytest.mark.parametrize(
    "f", [array_or_number, of_no_dimensions, after_rounds], ids=lambda f: f.__name__
)
def test_an_array_of_no_dimensions_is_no_number(f: Callable[..., Any], n: Any) -> None:
    x, y = np.array(3), np.float32(0.5)
    assert described(ag.function(f)(x, y, n)) == described(f(x, y, n))
