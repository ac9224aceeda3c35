"""Reductions, parts of tables, scatters, masks, random numbers: with and without kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag
from tools.bench.timing import duration, side_by_side, table

Case = tuple[Any, tuple[Any, ...]]


def mean_square(x: Any, y: Any) -> Any:
    """Return the mean square distance of two arrays."""
    d = x - y
    return np.mean(d * d)


def by_columns(x: Any, y: Any) -> Any:
    """Sum products over the first axis."""
    return np.sum(x * y, axis=0)


def by_middle(x: Any, y: Any) -> Any:
    """Sum products over the middle one of three axes."""
    return np.sum(x * y, axis=1)


def best_class(x: Any) -> Any:
    """Return where the greatest of some exponentials is in each row."""
    return np.argmax(np.exp(x - np.max(x, axis=-1, keepdims=True)), axis=-1)


def scaled_parts(x: Any, places: Any) -> Any:
    """Look up rows of a table, and scale them."""
    return x[places] * 8 + 1


def last_of_each(x: Any, places: Any, y: Any) -> Any:
    """Put numbers to given places."""
    found = np.zeros_like(x)
    found[places] = y * y
    return found


def sum_of_each(x: Any, places: Any, y: Any) -> Any:
    """Add numbers at given places."""
    found = np.zeros_like(x)
    np.add.at(found, places, y * y)
    return found


def halves_of_signs(x: Any, y: Any) -> Any:
    """Compute something else where numbers are greater."""
    z, m = np.zeros_like(x), x > y
    z[m] = np.log(x[m] + 9)
    z[~m] = y[~m] * 2 + 1
    return z


def pi(key: Any) -> Any:
    """Estimate pi by random points."""
    x, y = (ag.random.uniform_of(k, 1_000_000) for k in ag.random.split(key))
    return 4 * np.mean((x * x + y * y < 1).astype(np.float64))


def cases() -> dict[str, Case]:
    """Return the functions and what they are called with, by what is shown."""
    rng = np.random.default_rng(1)

    def pair(*shape: int) -> tuple[Any, Any]:
        x, y = rng.standard_normal((2, *shape)).astype(np.float32)
        return x, y

    pairs: list[tuple[Any, list[tuple[int, ...]]]] = [
        (mean_square, [(1000,), (100, 100), (1000, 1000)]),
        (by_columns, [(200, 20), (128, 512), (1000, 1000)]),
        (halves_of_signs, [(1000,), (300, 1000)]),
        (by_middle, [(20, 50, 100), (64, 500, 64)]),
    ]
    found: dict[str, Case] = {
        f"{function.__name__} {shape}": (function, pair(*shape))
        for function, shapes in pairs
        for shape in shapes
    }
    found["best_class (1000, 1000)"] = best_class, pair(1000, 1000)[:1]
    places = rng.integers(0, 5000, 20_000)
    found["scaled_parts (5000, 64), 20,000 places"] = scaled_parts, (pair(5000, 64)[0], places)
    places = rng.integers(0, 1000, 100_000)
    given = pair(1000)[0], places, pair(100_000)[0]
    for function in (last_of_each, sum_of_each):
        found[f"{function.__name__} (1000,), 100,000 places"] = function, given
    found["pi by 1,000,000 points"] = pi, (ag.random.key(1),)
    return found


def measure(function: Any, given: tuple[Any, ...]) -> dict[str, float]:
    """Return the seconds of a call with and without kernels."""
    native, plain = ag.function(function), ag.function(function, backend="numpy")
    for _ in range(100):
        native(*given)
    works = {"numpy": lambda: plain(*given), "native": lambda: native(*given)}
    return side_by_side(works, rounds=15, choose=min)


def report() -> str:
    """Return the table."""
    rows = []
    for name, (function, given) in cases().items():
        times = measure(function, given)
        ratio = times["native"] / times["numpy"]
        shown = map(duration, (times["numpy"], times["native"]))
        rows.append([name, *shown, f"{ratio:.2f}"])
    return table(["work", "without kernels", "staged", "staged / without"], rows)
