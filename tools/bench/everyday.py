"""Everyday programs: what a call costs beside plain Python, and of what the first one consists.

Each program runs in a process of its own, which has compiled something before and finds nothing on
disk. It is given new arguments of the same kind, as programs are that are not benchmarks: the least
of some calls counts for each of them, in turns with plain Python, whose results it must have; the
times of all are added. They are a processor's, and begin when all machine code is there. The first
call is traced (with the conversion of its source), optimised and planned, and made machine code;
what it computes is in the last of these.
"""

from __future__ import annotations

import copy
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import autograph
from runtime import kernels, lower
from tools.bench.everyday_samples import PROGRAMS
from tools.bench.timing import duration, table

GIVEN, CALLS = 12, 5
"""How many arguments there are, and how often a call with each is timed."""
BEFORE = 6
"""After so many calls with other arguments there are all traces, and all machine code is begun."""
PHASES = ("trace", "passes", "machine code")
HEAD = ("program", "plain", "staged", "times plain", "first call", *PHASES)


def report() -> str:
    """Return the table."""
    rows, ratios = [], []
    for program in PROGRAMS:
        found = _in_a_process(program.__name__)
        ratios.append(found["plain"] / found["staged"])
        times = [duration(found[x]) for x in ("plain", "staged")]
        first = [duration(found[x]) for x in ("first", *PHASES)]
        rows.append([program.__name__, *times, f"{ratios[-1]:.2f}", *first])
    mean = statistics.geometric_mean(ratios)
    return f"{table(HEAD, rows)}\n\nThe geometric mean is {mean:.2f} times plain Python's speed."


def _in_a_process(name: str) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, name]
    cold = {**os.environ, "AUTOGRAPH_CACHE_DIR": ""}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=cold, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measured(name: str) -> dict[str, float]:
    """Return the seconds of one program, by what they are spent on."""
    program = next(x for x in PROGRAMS if x.__name__ == name)
    draw = np.random.default_rng(116)
    autograph.function(_warm)(np.arange(9.0), np.int64(9))
    staged = autograph.function(program)
    found = _first(staged, PROGRAMS[program](draw))
    for _ in range(BEFORE):
        staged(*PROGRAMS[program](draw))
    kernels.background.wait()
    calls = {"plain": program, "staged": staged}
    for _ in range(GIVEN):
        given = PROGRAMS[program](draw)
        pairs = [[_timed(x, copy.deepcopy(given)) for x in calls.values()] for _ in range(CALLS)]
        assert len({repr(result) for row in pairs for _, result in row}) == 1, name
        for key, column in zip(calls, zip(*pairs, strict=True), strict=True):
            found[key] = found.get(key, 0) + min(seconds for seconds, _ in column) / GIVEN
    return found


def _warm(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += x[i]
    return total


def _first(staged: Any, given: tuple[Any, ...]) -> dict[str, float]:
    """Return the seconds of a first call, and of its phases."""
    compiling = lower.compile.compile_graph
    spent = []

    def timed(*args: Any, **options: Any) -> Any:
        seconds, found = _timed(partial(compiling, **options), args, time.thread_time)
        spent.append(seconds)
        return found

    start = time.process_time()
    lower.compile.compile_graph = timed
    tracing, _ = _timed(staged.get_concrete_function, copy.deepcopy(given), time.thread_time)
    lower.compile.compile_graph = compiling
    staged(*given)
    whole, passes = time.process_time() - start, sum(spent)
    parts = tracing - passes, passes, whole - tracing
    return {"first": whole, **dict(zip(PHASES, parts, strict=True))}


def _timed(
    call: Callable[..., Any], given: tuple[Any, ...], clock: Callable[[], float] = time.process_time
) -> tuple[float, Any]:
    start = clock()
    found = call(*given)
    return clock() - start, found


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
