"""The examples, plain and staged, on inputs large enough to take a while."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from copy import deepcopy
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


def _beam_search(module: Any) -> tuple[Any, ...]:
    return module.model(words=10_000), np.int64(0), 5, np.int64(20)


def _in_graph_training(module: Any) -> tuple[Any, ...]:
    return tuple(module.arguments(steps=20, count=4000))


def _lbfgs(module: Any) -> tuple[Any, ...]:
    return tuple(module.arguments())


def _maml(module: Any) -> tuple[Any, ...]:
    return tuple(module.arguments(steps=2))


def _seq2seq(module: Any) -> tuple[Any, ...]:
    return *module.arguments(), False


def _seq2seq_training(module: Any) -> tuple[Any, ...]:
    return *module.arguments(), True, np.int64(1), np.float32(0.1)


def _tree_lstm(module: Any) -> tuple[Any, ...]:
    return tuple(module.arguments())


def _tree_lstm_training(module: Any) -> tuple[Any, ...]:
    return *module.arguments(sentences=5), 0.05


INPUTS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "newton.newton_sqrt": _newton,
    "collatz.longest_collatz": _collatz,
    "mandelbrot.mandelbrot": _mandelbrot,
    "masked_rnn.masked_rnn": _masked_rnn,
    "life.life": _life,
    "bubble_sort.bubble_sort": _bubble_sort,
    "kmeans.kmeans": _kmeans,
    "beam_search.beam_search": _beam_search,
    "in_graph_training.train": _in_graph_training,
    "lbfgs.minimise": _lbfgs,
    "maml.meta_train": _maml,
    "seq2seq.evaluate": _seq2seq,
    "seq2seq.train": _seq2seq_training,
    "tree_lstm.evaluate": _tree_lstm,
    "tree_lstm.train": _tree_lstm_training,
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
        function(*deepcopy(arguments))
    return side_by_side(
        {
            "plain": lambda: function.python_function(*deepcopy(arguments)),
            "staged": lambda: function(*deepcopy(arguments)),
        },
        rounds=5,
    )


def report() -> str:
    """Return the table."""
    rows = []
    for name in INPUTS:
        times = measure(name)
        ratio = times["plain"] / times["staged"]
        rows.append(
            [
                name,
                *map(duration, (times["plain"], times["staged"])),
                f"{ratio:.2f}",
            ]
        )
    return table(["example", "plain", "staged", "plain / staged"], rows)
