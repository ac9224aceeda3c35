"""Loops of numbers and over elements: plain Python, staged with and without machine code, Numba.

The workloads are those of scalar loops and of bubble sort in the project's list of benchmarks, and
two more over arrays. Numba is measured where it is installed. Its integers wrap silently, and it
does not test indices; staged loops do as Python does. So that plain Python and NumPy wrap as well,
overflow is ignored. The best of nine rounds counts, for the calls are short.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import autograph
from tools.bench.loop_samples import workloads
from tools.bench.timing import duration, side_by_side, table

SLOW = 0.02
"""Plain Python that takes longer than this is timed once."""


def staged(function: Any, backend: str) -> Any:
    """Return a staged function."""
    return autograph.function(function, backend=backend)


def native_numbers(args: tuple[Any, ...]) -> list[Any]:
    """Return arguments as Numba takes them fastest: Python's numbers."""
    return [x.item() if isinstance(x, np.generic) else x for x in args]


def measure(function: Any, args: tuple[Any, ...]) -> tuple[dict[str, float], float]:
    """Return seconds of a call by system, and of the first staged call."""
    native = staged(function, "native")
    start = time.perf_counter()
    native(*args)
    first = time.perf_counter() - start
    works: dict[str, Callable[[], object]] = {"staged": lambda: native(*args)}
    if importlib.util.find_spec("numba") is not None:
        compiled = importlib.import_module("numba").njit(function)
        given = native_numbers(args)
        works["Numba"] = lambda: compiled(*given)
    times = side_by_side(works, choose=min)
    slow = staged(function, "numpy")
    for name, work in (
        ("plain", lambda: function(*args)),
        ("no machine code", lambda: slow(*args)),
    ):
        times |= by_turns(name, work)
    return times, first


def by_turns(name: str, work: Callable[[], object]) -> Mapping[str, float]:
    """Return the seconds of a call: of one only when that takes long."""
    work()
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    return {name: seconds} if seconds > SLOW else side_by_side({name: work}, rounds=3, choose=min)


def report() -> str:
    """Return the table."""
    systems = ("plain", "no machine code", "staged", "Numba")
    rows = []
    with np.errstate(over="ignore"):
        for name, (function, args) in workloads().items():
            times, first = measure(function, args)
            ratio = f"{times['staged'] / times['Numba']:.2f}" if "Numba" in times else ""
            cells = [duration(times[x]) if x in times else "" for x in systems]
            rows.append([name, *cells, ratio, duration(first)])
    return table(["workload", *systems, "staged / Numba", "first staged call"], rows)
