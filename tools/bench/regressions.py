"""Whether something has become slower: ratios of times beside those that are stored.

Each workload is measured in turns with another way to do the same: plain Python with NumPy, or a
staged function with other settings. The ratio of both hardly depends on the machine. What is more
than `MARGIN` times the stored one (`ratios.json`) is a regression, and ends this with status 1:

    python -m tools.bench regressions            compare
    python -m tools.bench regressions --store    measure, and store what is found

A machine that others use may show one that is none: such a workload is measured three times.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import autograph as ag
from tools.bench import array_samples as arrays
from tools.bench import loop_samples as loops
from tools.bench.timing import duration, side_by_side, table

STORED = Path(__file__).with_name("ratios.json")
MARGIN = 3.0
"""How many times the stored ratio is taken for noise, and for the difference between machines."""
TRIES = 3
WARM_UP = 0.3
"""For so many seconds something is called before it is measured: kernels are compiled then."""
Works = dict[str, Callable[[], object]]


def drawn(*shape: int) -> Any:
    """Return float32 numbers of a normal distribution."""
    return np.random.default_rng(7).normal(size=shape).astype(np.float32)


def beside_plain(function: Any, *args: Any) -> Works:
    """Return a staged function, and the plain one."""
    staged = ag.function(function)
    return {"staged": lambda: staged(*args), "plain": lambda: function(*args)}


def in_fast_mode(function: Any, *args: Any) -> Works:
    """Return a staged function in fast mode, and in exact mode."""
    fast, exact = ag.function(function, fast=True), ag.function(function)
    return {"fast": lambda: fast(*args), "exact": lambda: exact(*args)}


def with_threads(function: Any, *args: Any) -> Works:
    """Return a staged function with two threads, and with one."""
    staged = ag.function(function)

    def run(count: int) -> None:
        before = ag.get_threads()
        ag.set_threads(count)
        staged(*args)
        ag.set_threads(before)

    return {"two threads": lambda: run(2), "one": lambda: run(1)}


def first_call(function: Any, *args: Any) -> Works:
    """Return the first call of a staged function, and the calls of the plain one."""
    return {"first call": lambda: ag.function(function)(*args), "plain": lambda: function(*args)}


def workloads() -> Mapping[str, Works]:
    """Return what is measured, by name; of two ways, the first is the one that is watched."""
    given = loops.workloads()
    board = np.random.default_rng(116).integers(0, 2, (256, 256)).astype(np.uint8)
    plane = np.meshgrid(np.linspace(-2, 0.6, 128), np.linspace(-1.3, 1.3, 128))
    small, rows, long = drawn(2, 2), drawn(1024, 512), drawn(1_000_000)
    recurrent = [drawn(32, 64, 50), np.zeros((32, 64), np.float32), drawn(50, 64), drawn(64, 64)]
    recurrent += [drawn(64), np.full(32, 64), np.int64(64)]
    prices = [np.abs(drawn(100_000)) + np.float32(1)] * 3
    watched = [
        "collatz_total_1k",
        "gcd_fib",
        "newton_sqrt",
        "bubble_200",
        "sieve_100k",
        "edit_distance_200",
    ]
    return {
        **{name: beside_plain(given[name][0], *given[name][1]) for name in watched},
        "add2": beside_plain(arrays.add2, small, small),
        "add10": beside_plain(arrays.add10, *[small] * 10),
        "gelu": beside_plain(arrays.gelu, drawn(100_000)),
        "black_scholes": beside_plain(arrays.black_scholes, *prices),
        "softmax": beside_plain(arrays.softmax, rows),
        "layernorm": beside_plain(arrays.layernorm, rows, rows[0], rows[1]),
        "logsumexp": beside_plain(arrays.logsumexp, rows),
        "meanvar": beside_plain(arrays.meanvar, rows),
        "argmax": beside_plain(arrays.argmax, rows),
        "attention": beside_plain(arrays.attention, *[drawn(4, 8, 64, 64)] * 3),
        "rnn": beside_plain(arrays.rnn, *recurrent),
        "mandelbrot": beside_plain(arrays.mandelbrot, *(x.astype(np.float32) for x in plane)),
        "logistic": beside_plain(arrays.logistic, np.abs(long[:100_000]) / 8, np.int64(50)),
        "cube_roots": beside_plain(arrays.cube_roots, 1 + np.abs(long[:10_000]), np.float64(1e-5)),
        "life": beside_plain(arrays.life, board, np.int64(20)),
        "life, fast": in_fast_mode(arrays.life, board, np.int64(20)),
        "gelu, fast": in_fast_mode(arrays.gelu, long),
        "life, threads": with_threads(arrays.life, board, np.int64(20)),
        "gelu, threads": with_threads(arrays.gelu, long),
        "softmax, threads": with_threads(arrays.softmax, rows),
        "gelu, first call": first_call(arrays.gelu, long),
        "bubble_200, first call": first_call(*_flat(given["bubble_200"])),
    }


def _flat(workload: tuple[Any, tuple[Any, ...]]) -> tuple[Any, ...]:
    return workload[0], *workload[1]


def measure(works: Works, rounds: int = 5) -> tuple[float, float]:
    """Return the best times of two ways to do something."""
    with np.errstate(all="ignore"):
        for work in works.values():
            end = time.perf_counter() + WARM_UP
            while time.perf_counter() < end:
                work()
        first, second = side_by_side(works, rounds, choose=min).values()
    return first, second


def compare(
    known: Mapping[str, float], found: Mapping[str, Works]
) -> tuple[list[list[str]], list[str]]:
    """Return the rows of the table, and the names of what has become slower.

    Args:
        known: the stored ratios.
        found: what is measured; what has no stored ratio is no regression.
    """
    rows, slower = [], []
    for name, works in found.items():
        limit = known.get(name, float("inf")) * MARGIN
        for _ in range(TRIES):
            times = measure(works)
            ratio = times[0] / times[1]
            if ratio <= limit:
                break
        else:
            slower.append(name)
        cells = [f"{known[name]:.3g}" if name in known else "", "slower" if name in slower else ""]
        rows.append([name, " / ".join(works), *map(duration, times), f"{ratio:.3g}", *cells])
    return rows, slower


def main(arguments: list[str]) -> int:
    """Compare with the stored ratios, or store new ones; return the exit status."""
    known = {} if "--store" in arguments else json.loads(STORED.read_text())
    rows, slower = compare(known, workloads())
    print(table(["workload", "what", "first", "second", "ratio", "stored", ""], rows))
    if "--store" in arguments:
        STORED.write_text(json.dumps({row[0]: float(row[4]) for row in rows}, indent=2) + "\n")
    if slower:
        print(f"\nMore than {MARGIN:g} times the stored ratio: {', '.join(slower)}.")
    return 1 if slower else 0
