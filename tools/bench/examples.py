"""The examples, plain and staged, on inputs large enough to take a while."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tools.bench.timing import duration, side_by_side, table


def _newton(_: Any) -> tuple[Any, ...]:
    return np.linspace(1.0, 1e6, 100_000), np.float64(1e-6)


def _collatz(_: Any) -> tuple[Any, ...]:
    return (np.int64(1000),)


def _mandelbrot(module: Any) -> tuple[Any, ...]:
    return module.plane(400, 300), np.int64(50)


def _masked_rnn(module: Any) -> tuple[Any, ...]:
    return tuple(module.arguments(batch=32, steps=64, features=50, units=256))


def _life(_: Any) -> tuple[Any, ...]:
    board = np.random.default_rng(116).integers(0, 2, (256, 256)).astype(np.uint8)
    return board, np.int64(50)


def _bubble_sort(_: Any) -> tuple[Any, ...]:
    return (np.random.default_rng(117).normal(size=100),)


def _kmeans(_: Any) -> tuple[Any, ...]:
    points = np.random.default_rng(1).normal(size=(2000, 64))
    return points, points[:10].copy()


INPUTS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "newton.newton_sqrt": _newton,
    "collatz.longest_collatz": _collatz,
    "mandelbrot.mandelbrot": _mandelbrot,
    "masked_rnn.masked_rnn": _masked_rnn,
    "life.life": _life,
    "bubble_sort.bubble_sort": _bubble_sort,
    "kmeans.kmeans": _kmeans,
}


WARM_UP = 20
"""How often a staged function is called first: its kernels are compiled meanwhile."""


def measure(name: str) -> dict[str, float]:
    """Return the seconds of an example, plain and staged. Arrays are copied for each call."""
    module_name, function_name = name.split(".")
    module = importlib.import_module(f"examples.{module_name}")
    function = getattr(module, function_name)
    arguments = INPUTS[name](module)
    for _ in range(WARM_UP):
        function(*map(_copy, arguments))
    return side_by_side(
        {
            "plain": lambda: function.python_function(*map(_copy, arguments)),
            "staged": lambda: function(*map(_copy, arguments)),
        },
        rounds=5,
    )


def _copy(argument: Any) -> Any:
    return argument.copy()


def report() -> str:
    """Return the table."""
    rows = []
    for name in INPUTS:
        times = measure(name)
        ratio = times["plain"] / times["staged"]
        rows.append(
            [
                name.partition(".")[0],
                *map(duration, (times["plain"], times["staged"])),
                f"{ratio:.2f}",
            ]
        )
    return table(["example", "plain", "staged", "plain / staged"], rows)
