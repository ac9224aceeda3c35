"""NPBench's kernels, unchanged: python3 tools/dev.py bench npbench FOLDER [NAME ...].

FOLDER holds a checkout of spcl/npbench, which is no part of this repository. Each kernel runs in a
process of its own, on arguments of size S: as it is, staged, and as written for Numba where that is
installed. What is returned, and what the arguments hold afterwards, is compared with plain NumPy's.

    kernel | results | first call | Numba's | plain | staged | times NumPy | times Numba

The results are `exact`, or how far from plain NumPy's by the largest number there, or the error.
First calls find nothing on disk, and are by the clock. After them machine code is waited for; the
least of up to sixty calls in turns counts. Speeds are plain NumPy's and Numba's times divided by
ours: above 1 we are faster. Beside NumPy times are a processor's (all threads together), beside
Numba, whose loops are parallel, by the clock. Kernels that are given numbers of Python only are
constants of their graphs.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import autograph as ag
from runtime import kernels, trees
from tools.bench.timing import duration, table

PRESET = "S"
LIMIT = 300
"""Seconds that a kernel may take in all."""
CALLS, SECONDS, LEAST = 60, 6, 12
"""How often each is called, and for how many seconds all of them, at most; how often at least."""
HEAD = (
    *("kernel", "results", "first call", "Numba's", "plain", "staged"),
    *("times NumPy", "times Numba"),
)
PAIRS = {"NumPy": ("plain", "staged"), "Numba": ("numba clock", "staged clock")}


def main(arguments: Sequence[str]) -> int:
    """Measure kernels and print their table; the exit status tells whether all are right."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    folder, *names = arguments
    known = sorted(path.stem for path in Path(folder, "bench_info").glob("*.json"))
    found = [(name, _in_a_process(folder, name)) for name in names or known]
    print(table(HEAD, [_row(name, x) for name, x in found]))
    for column, (peer, ours) in PAIRS.items():
        ratios = [x[peer] / x[ours] for _, x in found if peer in x]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            print(f"\n{len(ratios)} kernels beside {column}: {mean:.2f}, least {min(ratios):.2f}")
    return int(any(x["results"] != "exact" for _, x in found))


def _row(name: str, x: dict[str, Any]) -> list[str]:
    kept = ("first", "numba first", "plain", "staged")
    times = [duration(x[k]) if k in x else "" for k in kept]
    ratios = [f"{x[a] / x[b]:.2f}" if a in x else "" for a, b in PAIRS.values()]
    return [name, x["results"], *times, *ratios]


def _in_a_process(folder: str, name: str) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, folder, name]
    cold = {**os.environ, "AUTOGRAPH_CACHE_DIR": "", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, check=False, env=cold
        )
    except subprocess.TimeoutExpired:
        return {"results": f"over {LIMIT} s"}
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return {"results": (done.stderr.splitlines() or ["no output"])[-1][:120]}
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def measured(folder: str, name: str) -> dict[str, Any]:
    """Return the times in seconds and the verdict on one kernel."""
    sys.path.insert(0, folder)
    info = json.loads(Path(folder, "bench_info", f"{name}.json").read_text())["benchmark"]
    module = f"npbench.benchmarks.{info['relative_path'].replace('/', '.')}.{info['module_name']}"
    given = _arguments(importlib.import_module(module), info)
    plain = getattr(importlib.import_module(f"{module}_numpy"), info["func_name"])
    staged = ag.function(plain)
    calls: dict[str, Callable[..., Any]] = {"plain": plain, "staged": staged}
    found: dict[str, Any] = {"first": _timed(staged, given)[0]}
    found["results"] = _verdict(_outcome(plain, given), _outcome(staged, given))
    numba = _for_numba(module, info["func_name"])
    first = None if numba is None else _first_of_numba(numba, plain, given)
    if numba is not None and first is not None:
        found["numba first"], calls["numba"] = first, numba
    kernels.background.wait()
    samples: dict[str, list[tuple[float, float]]] = {key: [] for key in calls}
    end = time.perf_counter() + SECONDS
    for k in range(CALLS):
        if k < LEAST or time.perf_counter() < end:
            for key, call in calls.items():
                samples[key].append(_timed(call, given))
    for key, times in samples.items():
        found[f"{key} clock"], found[key] = (min(x) for x in zip(*times, strict=True))
    return found


def _timed(call: Callable[..., Any], given: Sequence[Any]) -> tuple[float, float]:
    """Return the seconds of a call by the clock, and of the processor."""
    arguments = _copies(given)
    clock, processor = time.perf_counter(), time.process_time()
    call(*arguments)
    return time.perf_counter() - clock, time.process_time() - processor


def _arguments(module: Any, info: dict[str, Any]) -> list[Any]:
    values: dict[str, Any] = dict(info["parameters"][PRESET])
    start = info.get("init", {})
    if start:
        initialize = getattr(module, start["func_name"])
        made = initialize(*(values[x] for x in start["input_args"]))
        names = start["output_args"]
        values.update(zip(names, made if len(names) > 1 else [made], strict=True))
    return [values[x] for x in info["input_args"]]


def _copies(given: Sequence[Any]) -> list[Any]:
    return [copy.deepcopy(x) for x in given]


def _outcome(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    arguments = _copies(given)
    return function(*arguments), [x for x in arguments if isinstance(x, np.ndarray)]


def _verdict(expected: Any, found: Any) -> str:
    pairs = [trees.flatten(x)[0] for x in (expected, found)]
    if len(pairs[0]) != len(pairs[1]):
        return "differs"
    far = [_distance(np.asarray(x), np.asarray(y)) for x, y in zip(*pairs, strict=True)]
    worst = max(far, default=0.0)
    return "exact" if worst == 0 else "differs" if worst > 1e-3 else f"{worst:.0e} off"


def _distance(x: Any, y: Any) -> float:
    if x.shape != y.shape or x.dtype != y.dtype:
        return float("inf")
    if x.dtype.kind not in "fc" or np.array_equal(x, y, equal_nan=True):
        return 0.0 if np.array_equal(x, y, equal_nan=x.dtype.kind in "fc") else float("inf")
    return float(np.max(np.abs(x - y)) / np.max(np.abs(x)))


def _first_of_numba(
    numba: Callable[..., Any], plain: Callable[..., Any], given: list[Any]
) -> float | None:
    """Return the seconds of a first call, if it compiles, and gives what plain NumPy gives."""
    start = time.perf_counter()
    try:
        found = _outcome(numba, given)
    except Exception as error:  # of many classes; such a kernel has no figure for Numba
        print(f"Numba: {error}"[:200], file=sys.stderr)
        return None
    seconds = time.perf_counter() - start
    return None if _verdict(_outcome(plain, given), found) == "differs" else seconds


def _for_numba(module: str, name: str) -> Callable[..., Any] | None:
    """Return the kernel as NPBench writes it for Numba, compiled in parallel where it can be."""
    for form in ("np", "n"):
        try:
            kernel = getattr(importlib.import_module(f"{module}_numba_{form}"), name, None)
        except ImportError:
            continue
        return kernel if callable(kernel) and not inspect.isfunction(kernel) else None
    return None


if __name__ == "__main__":
    print(json.dumps(measured(*sys.argv[1:])))
