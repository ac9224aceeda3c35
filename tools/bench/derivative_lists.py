"""Lists and stencils of plain Python whose derivatives are compared with JAX's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tools.bench.derivative_loops import of_another, put


def running(x: Any) -> Any:
    """Return a recurrence that is kept in a list."""
    found = [x[0]]
    for v in x[1:]:
        found.append(found[-1] * 0.5 + v * v)
    return np.sum(np.stack(found) ** 2)


def filtered(x: Any) -> Any:
    """Return a sum over what a list was given now and then."""
    found = []
    for v in x:
        if v > 0.8:
            found.append(v * v)  # noqa: PERF401  (a list that grows is meant)
    total = x[0] * 0.0
    for v in found:
        total = total + v * 0.5 + v * v
    return total


def stack_machine(x: Any) -> Any:
    """Return what a stack holds that numbers are pushed to and popped from."""
    s = [x[0], x[1]]
    for v in x[2:]:
        if v > 1.0:
            s.append(v * s[-1])
        elif len(s) > 1:
            a = s.pop()
            s[-1] = s[-1] * 0.5 + a * v
    return s[-1] * s[0]


def written_list(x: Any) -> Any:
    """Return what a list of a known length holds after two loops."""
    found = [x[0] * 0.0] * 64
    for k in range(64):
        found[k] = x[k] * x[63 - k]
    for k in range(1, 64):
        found[k] = found[k] + found[k - 1] * 0.3
    return found[63] + found[10]


def heat(x: Any) -> Any:
    """Return the heat of a rod, of new arrays."""
    u = x
    for _ in range(50):
        inner = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = np.concatenate([u[:1], inner, u[-1:]])
    return np.sum(u * u)


def heat_written(x: Any) -> Any:
    """Return the heat of a rod, of slices that are written."""
    u = x
    for _ in range(50):
        u = put(u, slice(1, -1), u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]))
    return np.sum(u * u)


def heat_of_points(x: Any) -> Any:
    """Return the heat of a rod, point by point."""
    u = x
    for _ in range(5):
        w = u
        for i in range(1, 63):
            u = put(u, i, w[i] + 0.1 * (w[i + 1] - 2.0 * w[i] + w[i - 1]))
    return np.sum(u * u)


def plate(x: Any) -> Any:
    """Return Jacobi's iteration on a square."""
    u, inner = x.reshape(8, 8), (slice(1, -1), slice(1, -1))
    for _ in range(30):
        u = put(u, inner, 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))
    return np.sum(u * u)


def ring(x: Any) -> Any:
    """Return the heat of a ring of 1,024 points, by rolled arrays."""
    y = np.concatenate([x] * 16)
    for _ in range(30):
        y = y + 0.1 * (np.roll(y, 1) - 2.0 * y + np.roll(y, -1))
    return np.sum(y * y)


FUNCTIONS: Sequence[Any] = (
    *(running, filtered, stack_machine, written_list),
    *(heat, heat_written, heat_of_points, plate, ring),
)


def made_of(numpy: Any, write: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return the same functions of another NumPy, and of another way to write into arrays."""
    return of_another(FUNCTIONS, globals(), numpy, write)
