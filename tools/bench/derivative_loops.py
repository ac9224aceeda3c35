"""Loops, branches and recursion of plain Python whose derivatives are compared with JAX's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np


def put(array: Any, key: Any, value: Any) -> Any:
    """Return an array with something written into it."""
    array = array.copy()
    array[key] = value
    return array


def newton(x: Any) -> Any:
    """Return a root by Newton's method."""
    a, y = x[0] * 9.0, x[0]
    while np.abs(y * y - a) > 1e-10:
        y = 0.5 * (y + a / y)
    return y


def halving(x: Any) -> Any:
    """Return a number that is made smaller until it is small."""
    y = np.sum(x * x)
    while y > 1.0:
        y = y * x[1] * 0.4
    return y


def nested_while(x: Any) -> Any:
    """Return a loop of unknown length in another."""
    total, k = x[0] * 0.0, 0
    while k < 5:
        y = x[k] * 4.0
        while y > 1.0:
            y = y * 0.7 * x[k + 1] / (1.0 + x[k + 1])
        total = total + y * x[k]
        k = k + 1
    return total


def sines(x: Any) -> Any:
    """Return sines of sines."""
    s = x[0]
    for _ in range(60):
        s = np.sin(s) * x[1] + x[2]
    return s


def horner(x: Any) -> Any:
    """Return a polynomial by Horner's rule."""
    y = x[0] * 0.0
    for c in x:
        y = y * 0.9 * x[1] + c
    return y


def branches(x: Any) -> Any:
    """Return branches on the elements."""
    s = x[0] * 0.0
    for v in x:
        if v > 1.2:
            s = s + v * v
        elif v > 0.7:
            s = s - np.sin(v) * s
        else:
            s = s * v
    return s


def early(x: Any) -> Any:
    """Return a return from within a loop."""
    s = x[0]
    for v in x:
        if s > 20.0:
            return s * v
        s = s + v * v
    return -s


def broken(x: Any) -> Any:
    """Return a loop that is broken."""
    s = x[0]
    for k in range(64):
        s = s + x[k] * s * 0.1
        if s > 5.0:
            break
    return s * s


def skipping(x: Any) -> Any:
    """Return a loop that goes on with the next element."""
    s = x[0] * 0.0
    for v in x:
        if v < 1.0:
            continue
        s = s * 0.5 + v**3
    return s


def recurrence(x: Any) -> Any:
    """Return a recurrence that writes its elements."""
    y = x
    for k in range(2, 64):
        y = put(y, k, y[k - 1] * 0.5 + np.sin(y[k - 2]) * x[k])
    return np.sum(y * y)


def prefix(x: Any) -> Any:
    """Return sums that are written."""
    y = x * 0.0
    for k in range(63):
        y = put(y, k + 1, y[k] + x[k] * x[k + 1])
    return np.sum(y**2)


def logistic(x: Any) -> Any:
    """Return the logistic map."""
    y = x[0] * 0.3
    for k in range(40):
        y = 3.6 * y * (1.0 - y) * (0.9 + 0.01 * x[k])
    return y


def layers(x: Any) -> Any:
    """Return products with a matrix, again and again."""
    w, h = x.reshape(8, 8) * 0.2, x[:8]
    for _ in range(20):
        h = np.tanh(w @ h)
    return np.sum(h * h)


def ode(x: Any) -> Any:
    """Return an equation that is integrated by Heun's method."""
    y, t, h = x[0], 0.0, 0.1
    while t < 2.0:
        k1 = -y * x[1] + np.sin(t) * x[2]
        k2 = -(y + h * k1) * x[1] + np.sin(t + h) * x[2]
        y = y + 0.5 * h * (k1 + k2)
        t = t + h
    return y


def ball(x: Any) -> Any:
    """Return a ball that bounces."""
    y, v, t = x[0] * 3.0, x[1] * 0.0, 0.0
    while t < 1.5:
        v = v - 9.81 * 0.01
        y = y + v * 0.01
        if y < 0.0:
            y, v = -y, -v * 0.5 * x[2]
        t = t + 0.01
    return y + v


def power_method(x: Any) -> Any:
    """Return the largest eigenvalue by the power method."""
    m, v = x.reshape(8, 8), x[:8]
    for _ in range(15):
        v = m @ v
        v = v / np.linalg.norm(v)
    return v @ m @ v


def bubble(x: Any) -> Any:
    """Return a few numbers, sorted by exchanges."""
    y = x[:6]
    for k in range(5):
        for j in range(5 - k):
            if y[j] > y[j + 1]:
                a, b = y[j], y[j + 1]
                y = put(put(y, j, b), j + 1, a)
    return np.sum(y * np.arange(6.0))


def recursion(x: Any, depth: int = 6) -> Any:
    """Return sines by recursion."""
    if depth == 0:
        return np.sum(x)
    return np.sin(recursion(x * x[0], depth - 1)) + x[depth]


def rows(x: Any) -> Any:
    """Return maxima and minima of rows."""
    total = x[0] * 0.0
    for row in x.reshape(8, 8):
        total = total * 0.5 + np.max(row) * np.min(row)
    return total


def collected(x: Any) -> Any:
    """Return products that are collected in a list."""
    found = []
    for k in range(10):
        found.append(x[k] * x[k + 1])  # noqa: PERF401  (a list that grows is meant)
    return np.sum(np.stack(found) ** 2)


def soft_minimum(x: Any) -> Any:
    """Return an array that is made smaller until all of it is small."""
    y = x
    while np.max(y) > 0.5:
        y = np.where(y > 0.5, y * 0.8, y)
    return np.sum(y * x)


def bisection(x: Any) -> Any:
    """Return a root by bisection."""
    low, high = x[0] * 0.0, x[0] * 4.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        if middle * middle * middle < 2.0 * x[1]:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high) * x[2]


FUNCTIONS: Sequence[Any] = (
    *(newton, halving, nested_while, sines, horner, branches, early, broken, skipping),
    *(recurrence, prefix, logistic, layers, ode, ball, power_method, bubble, recursion, rows),
    *(collected, soft_minimum, bisection),
)


def of_another(
    functions: Sequence[FunctionType], names: dict[str, Any], numpy: Any, write: Callable[..., Any]
) -> dict[str, Callable[..., Any]]:
    """Return functions of a module's names, but for NumPy and the way to write into arrays."""
    own: dict[str, Any] = {**names, "np": numpy, "put": write}
    for x in functions:
        own[x.__name__] = FunctionType(x.__code__, own, x.__name__, x.__defaults__)
    return {f"{x.__name__} in Python": own[x.__name__] for x in functions}


def made_of(numpy: Any, write: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return the same functions of another NumPy, and of another way to write into arrays."""
    return of_another(FUNCTIONS, globals(), numpy, write)
