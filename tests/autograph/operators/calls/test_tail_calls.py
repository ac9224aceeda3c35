"""Functions that call themselves last are loops, where a staged condition ends them."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


@ag.function
def power(x, n, found=1):
    if n == 0:
        return found
    elif n % 2 == 0:
        return power(x * x, n // 2, found)
    else:
        return power(x, n - 1, found * x)


def search(xs, key, low, high):
    if low > high:
        return -1
    middle = (low + high) // 2
    if xs[middle] == key:
        return middle
    if xs[middle] < key:
        return search(xs, key, middle + 1, high)
    return search(xs, key, low, middle - 1)


def calls_another(a, b):
    return gcd(a, b) + gcd(b, a + 1)


def factorial(n, found=1):
    if n <= 1:
        return found
    return factorial(n - 1, found * n)


def collatz(n, steps):
    match n % 2:
        case _ if n == 1:
            return steps
        case 0:
            return collatz(n // 2, steps + 1)
        case _:
            return collatz(3 * n + 1, steps + 1)


def swapped(a, b, n):
    if n == 0:
        return a, b
    return swapped(b, a, n - 1)


def in_expressions(n, steps):
    if n < 0:
        return steps
    return steps if n == 0 else in_expressions(n - 1, steps + 2) if n > 5 else steps * 3


def all_positive(xs, i):
    return i >= len(xs) or (xs[i] > 0 and all_positive(xs, i + 1))


def falls(n):
    return n and falls(n - 1)


CASES = [
    (in_expressions, np.int64(12), 0),
    (in_expressions, np.int64(0), np.int64(4)),
    (all_positive, np.array([1, 2, 3]), np.int64(0)),
    (all_positive, np.array([1, -2, 3]), np.int64(0)),
    (falls, np.int64(2000)),
    (gcd, np.int64(48), np.int64(18)),
    (gcd, np.int64(7), np.int64(0)),
    (power, np.int64(3), np.int64(13)),
    (search, np.arange(100) * 2, np.int64(58), 0, 99),
    (search, np.arange(100) * 2, np.int64(57), 0, 99),
    (calls_another, np.int64(48), np.int64(18)),
    (factorial, np.int64(10)),
    (collatz, np.int64(27), 0),
    (swapped, np.int64(1), np.int64(2), np.int64(5)),
]


@pytest.mark.parametrize(("function", *["arguments"]), [(f, a) for f, *a in CASES])
def test_they_mean_the_same(function, arguments):
    plain = getattr(function, "python_function", function)
    staged = ag.function(plain)
    if function is falls:  # deeper than Python goes
        assert staged(*arguments) == 0
    else:
        assert staged(*arguments) == plain(*arguments)
    assert " call(" not in str(staged.graph(*arguments))


def test_a_name_that_means_another_function_is_called():
    def f(n):
        if n <= 0:
            return 0
        return f(n - 1)

    first, f = f, lambda n: n * 10
    assert ag.function(first)(np.int64(5)) == first(np.int64(5)) == 40
