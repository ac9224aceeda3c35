"""How long the rewriting of a function takes."""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

from autograph import conversion, operators
from autograph.source.code_cache import VARIABLE
from tools.bench.timing import duration, once, table

# Thirty lines with what functions of this kind have: loops, branches, jumps, logic, calls.
SOURCE = """\
def search(function, low, high, limit, tolerance):
    left, right = function(low), function(high)
    if left * right > 0:
        return None
    rounds, best = 0, low
    history = []
    while rounds < limit and abs(high - low) > tolerance:
        middle = (low + high) / 2
        value = function(middle)
        history.append(value)
        if value == 0:
            best = middle
            break
        if left * value < 0:
            high, right = middle, value
        elif right * value < 0:
            low, left = middle, value
        else:
            continue
        best = middle if abs(value) < abs(left) else low
        rounds += 1
    total = 0.0
    for value in history:
        if not value > 0:
            continue
        total += value
    if rounds == limit or total < 0:
        print("not converged after", rounds, "rounds")
        best = None
    return best, total
"""


def measure(repeats: int = 25) -> dict[str, float]:
    """Return the median seconds of one conversion, by how much of it was done before.

    Each function has a file and a code object of its own. A second process is one whose code
    objects are compiled again, while the folder of stored code is that of the first.
    """
    with tempfile.TemporaryDirectory() as folder, _environment(VARIABLE, folder):
        files = [Path(folder, f"search_{number}.py") for number in range(repeats + 1)]
        for file in files:
            file.write_text(SOURCE, encoding="utf-8")
        first, second = (list(map(_function, files)) for _ in range(2))
        with _environment(VARIABLE, ""):
            cold = _median(map(_function, files))
        return {
            "without stored code": cold,
            "to be stored": _median(first),
            "again, in the same process": _median(first),
            "in a second process": _median(second),
        }


def _median(functions: Iterable[FunctionType]) -> float:
    """Return the time of one conversion; the first one is not counted."""
    warm_up, *others = functions
    conversion.convert(warm_up, operators)
    times = [once(partial(conversion.convert, function, operators)) for function in others]
    return statistics.median(times)


def _function(file: Path) -> FunctionType:
    namespace: dict[str, Any] = {}
    exec(compile(SOURCE, str(file), "exec", dont_inherit=True), namespace)
    function = namespace["search"]
    assert isinstance(function, FunctionType)
    return function


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def report() -> str:
    """Return the table."""
    lines = len(SOURCE.splitlines())
    rows = [[name, duration(seconds)] for name, seconds in measure().items()]
    return table([f"converting a function of {lines} lines", "time"], rows)
