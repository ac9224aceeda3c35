"""What a call of a staged function costs that has been traced before."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np

import autograph
from tools.bench.timing import duration, side_by_side, table


def add(a: Any, b: Any) -> Any:
    """Add two arrays."""
    return a + b


def add10(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, j: Any) -> Any:
    """Add ten arrays."""
    return a + b + c + d + e + f + g + h + i + j


def measure(function: Any, count: int) -> dict[str, float]:
    """Return seconds of a call on small arrays, by system."""
    draw = np.random.default_rng(101)
    arrays = [draw.normal(size=(2, 2)).astype(np.float32) for _ in range(count)]
    staged = autograph.function(function)
    works = {"NumPy": lambda: function(*arrays), "staged": lambda: staged(*arrays)}
    if importlib.util.find_spec("jax") is not None:
        jax = importlib.import_module("jax")
        jitted, own = jax.jit(function), [jax.numpy.asarray(x) for x in arrays]
        works["JAX"] = lambda: jitted(*own).block_until_ready()
        works["JAX, NumPy in and out"] = lambda: np.asarray(jitted(*arrays))
    return side_by_side(works, rounds=15)


def report() -> str:
    """Return the table."""
    rows = []
    for what, function, count in (("add(a, b)", add, 2), ("ten arguments", add10, 10)):
        times = measure(function, count)
        for system, seconds in times.items():
            ratio = f"{seconds / times['staged']:.2f}"
            rows.append([what, system, duration(seconds), ratio])
    text = table(["call on [2, 2]", "system", "time", "time / staged"], rows)
    if len(rows) > 4:
        return text
    return f"{text}\n(JAX is not installed here; with it, its jit is measured as well.)"
