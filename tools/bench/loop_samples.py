"""Loops of numbers and over elements of arrays, as people write them."""

from __future__ import annotations

from typing import Any

import numpy as np


def collatz(n: Any) -> Any:
    """Count the steps to one."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def collatz_total(m: Any) -> Any:
    """Count the steps to one of all numbers up to one."""
    total = 0
    for i in range(1, m + 1):
        n = i
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            total += 1
    return total


def gcd(a: Any, b: Any) -> Any:
    """Find the greatest common divisor, and count the divisions."""
    steps = 0
    while b != 0:
        a, b = b, a % b
        steps += 1
    return a, steps


def countdown(x: Any) -> Any:
    """Count down to zero."""
    while x > 0:
        x -= 1
    return x


def lcg(x: Any, n: Any) -> Any:
    """Draw random numbers, in arithmetic that wraps."""
    for _ in range(n):
        x = x * 6364136223846793005 + 1442695040888963407
    return x


def newton_sqrt(x: Any) -> Any:
    """Find a square root."""
    y = x
    while abs(y * y - x) > 1e-12 * x:
        y = 0.5 * (y + x / y)
    return y


def bubble(a: Any, n: Any) -> Any:
    """Sort by exchanging neighbours."""
    a = a.copy()
    for i in range(n - 1):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


def sieve(found: Any, n: Any) -> Any:
    """Find primes; `found` holds ones."""
    found = found.copy()
    i = 2
    while i * i < n:
        if found[i]:
            j = i * i
            while j < n:
                found[j] = False
                j += i
        i += 1
    return found


def edit_distance(d: Any, a: Any, b: Any, n: Any) -> Any:
    """Count the edits between two texts of one length; `d` is a table of zeros."""
    d = d.copy()
    for i in range(n + 1):
        d[i, 0] = i
        d[0, i] = i
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, n]


def workloads() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return functions with their arguments, by name."""
    draw = np.random.default_rng(117)
    number, fibonacci = np.int64, (np.int64(2880067194370816120), np.int64(1779979416004714189))
    a, b = draw.integers(0, 4, 200), draw.integers(0, 4, 200)
    return {
        "collatz_one": (collatz, (number(837799),)),
        "collatz_total_1k": (collatz_total, (number(1000),)),
        "collatz_total_20k": (collatz_total, (number(20000),)),
        "gcd_fib": (gcd, fibonacci),
        "countdown_1m": (countdown, (number(1_000_000),)),
        "lcg_1m": (lcg, (number(12345), number(1_000_000))),
        "newton_sqrt": (newton_sqrt, (np.float64(123456789.0),)),
        "bubble_200": (bubble, (draw.normal(size=200).astype("float32"), number(200))),
        "bubble_1000": (bubble, (draw.normal(size=1000).astype("float32"), number(1000))),
        "sieve_100k": (sieve, (np.ones(100_000, bool), number(100_000))),
        "edit_distance_200": (edit_distance, (np.zeros((201, 201), int), a, b, number(200))),
    }
