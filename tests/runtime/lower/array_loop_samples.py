"""Loops over whole arrays, of which each element could make its rounds alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any
Sample = tuple[Callable[..., Any], Callable[[Any], tuple[Any, ...]]]


def numbers(shape: Any, low: float = 0.5, high: float = 3.0, dtype: Any = np.float64) -> Array:
    """Return numbers between two others."""
    return np.random.default_rng(5).uniform(low, high, shape).astype(dtype)


def mandelbrot(cr: Array, ci: Array, most: Any) -> Any:
    """Rounds until no point is left; those that have escaped rest."""
    zr, zi = np.zeros_like(cr + ci), np.zeros_like(cr + ci)
    count = np.zeros_like(zr, np.int32)
    active = zr < 1
    i = 0
    while i < most and np.any(active):
        zr2, zi2 = zr * zr, zi * zi
        active = zr2 + zi2 <= 4
        count = count + active
        zi = np.where(active, 2 * zr * zi + ci, zi)
        zr = np.where(active, zr2 - zi2 + cr, zr)
        i += 1
    return count, active, i


def julia(x: Array, y: Array, most: Any) -> Any:
    """Rounds that go on changing what has escaped; no point knows of the others."""
    i = 0
    while (np.abs(x) + np.abs(y) < 50).any() and i < most:
        x, y = x * x - y * y - 0.8, 2 * x * y + 0.156
        x, y = np.clip(x, -100, 100), np.clip(y, -100, 100)
        i += 1
    return x, y, i


def newton(x: Array, a: Array) -> Any:
    """Each element goes on changing until all are exact enough."""
    while np.max(np.abs(x * x * x - a)) > 1e-9:
        x = x - (x * x * x - a) / (3 * x * x)
    return x


def flicker(x: Array, most: Any) -> Any:
    """Elements that want no more may want more later."""
    i = 0
    while i < most and np.any(x % 7 != 3):
        x = x * 5 + i
        i += 1
    return x, i


def logistic(x: Array, n: Any) -> Any:
    """A known number of rounds."""
    for _ in range(n):
        x = 3.7 * x * (1 - x)
    return x


def euler(x: Array, n: Any) -> Any:
    """Rounds with numbers of their own."""
    t, dt, v = 0.0, 0.01, x * 0
    for i in range(n):
        v = v - dt * (x + t) / (i + 1)
        x = x + dt * v
        t = t + dt
    return x, v, t


def legendre(x: Array, n: Any) -> Any:
    """Arrays that change places."""
    p, q = x * 0 + 1, x
    for k in range(1, n):
        p, q = q, ((2 * k + 1) * x * q - k * p) / (k + 1)
    return p, q


def collatz(n: Array) -> Any:
    """Integers under a mask, until all are done."""
    steps = np.zeros_like(n)
    while not np.all(n == 1):
        going = n != 1
        n = np.where(going, np.where(n % 2 == 0, n // 2, 3 * n + 1), n)
        steps += going
    return n, steps


def escape(x: Array, most: Any) -> Any:
    """A loop that is left as soon as no element goes on."""
    count = np.zeros_like(x, np.int32)
    for _ in range(most):
        x = np.where(x < 4, x * x + 0.26, x)
        inside = x < 4
        count += inside
        if not inside.any():
            break
    return count


def halve(x: Array, a: Array, tolerance: Any) -> Any:
    """A loop that is left as soon as the greatest change is small."""
    while True:
        change = 0.5 * (a / x - x)
        x = x + change
        if np.max(np.abs(change)) < tolerance:
            break
    return x


def settle(x: Array, a: Array, tolerance: Any) -> Any:
    """A loop that carries how much the last round has changed."""
    change = np.inf
    while change > tolerance:
        new = 0.5 * (x + a / x)
        change = np.max(np.abs(new - x))
        x = new
    return x


def grow(x: Array, y: Array) -> Any:
    """Rounds as long as no element is too large."""
    rounds = 0
    while np.all(np.abs(x) < 100):
        x, y = x * 1.25 + 0.01 * y, y - 0.125
        rounds += 1
    return x, y, rounds


def fall(x: Array, most: Any) -> Any:
    """A loop that is left as soon as one element is below zero."""
    i = 0
    for i in range(most):
        x = x - 0.25 * (i + 1)
        if np.any(x < -40):
            break
    return x, i


def drain(x: Array) -> Any:
    """Rounds as long as there are elements to count."""
    rounds = 0
    while np.count_nonzero(x > 1) > 0:
        x = np.where(x > 1, x * 0.75, x * 0.5)
        rounds += 1
    return x, rounds


def horner(x: Array, coefficients: Array) -> Any:
    """A polynomial, whose coefficients are the rows of a loop."""
    y = x * 0
    for c in coefficients:
        y = y * x + c
    return y


def driven(x: Array, force: Array, n: Any) -> Any:
    """Rounds that read numbers of an array."""
    v = x * 0
    for i in range(n):
        v = v + force[i % 3] - 0.125 * x
        x = x + v * force[-1]
    return x, v


SAMPLES: dict[str, Sample] = {
    "mandelbrot": (
        mandelbrot,
        lambda shape: (
            numbers(shape, -2, 0.6, np.float32),
            numbers(shape, 0, 1.3, np.float32),
            np.int64(60),
        ),
    ),
    "julia": (julia, lambda s: (numbers(s, -1.5, 1.5), numbers(s, 0, 0.7), np.int64(70))),
    "newton": (newton, lambda s: (numbers(s), numbers(s) + 1)),
    "flicker": (
        flicker,
        lambda s: (np.arange(np.prod(s), dtype=np.int32).reshape(s), np.int64(40)),
    ),
    "logistic": (logistic, lambda s: (numbers(s, 0, 1), np.int64(50))),
    "euler": (euler, lambda s: (numbers(s), np.int64(30))),
    "legendre": (legendre, lambda s: (numbers(s, -1, 1), np.int64(9))),
    "escape": (escape, lambda s: (numbers(s, 0, 1), np.int64(90))),
    "halve": (halve, lambda s: (numbers(s), numbers(s) + 1, np.float64(1e-3))),
    "settle": (settle, lambda s: (numbers(s), numbers(s) + 1, np.float64(1e-3))),
    "grow": (grow, lambda s: (numbers(s), numbers(s))),
    "fall": (fall, lambda s: (numbers(s), np.int64(90))),
    "drain": (drain, lambda s: (numbers(s, 0, 90),)),
    "horner": (horner, lambda s: (numbers(s), numbers(11, -1, 1))),
    "driven": (driven, lambda s: (numbers(s), numbers(3), np.int64(20))),
    "collatz": (collatz, lambda s: (np.arange(3, np.prod(s) + 3).reshape(s),)),
}
