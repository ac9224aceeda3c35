"""How long the rewriting of a function takes."""

from __future__ import annotations

import linecache
import statistics
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from autograph import conversion, operators
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


def measure(repeats: int = 25) -> float:
    """Return the median seconds of one conversion; each converts a function of its own."""
    functions = _fresh_functions()
    conversion.convert(next(functions), operators)
    times = []
    for _, function in zip(range(repeats), functions, strict=False):
        times.append(once(lambda f=function: conversion.convert(f, operators)))  # type: ignore[misc]
    return statistics.median(times)


def _fresh_functions() -> Iterator[FunctionType]:
    """Yield functions of one text, each with a code object and a file name of its own."""
    lines = SOURCE.splitlines(keepends=True)
    number = 0
    while True:
        number += 1
        file = f"<search {number}>"
        linecache.cache[file] = (len(SOURCE), None, lines, file)
        namespace: dict[str, Any] = {}
        exec(compile(SOURCE, file, "exec"), namespace)
        yield namespace["search"]


def report() -> str:
    """Return the table."""
    lines = len(SOURCE.splitlines())
    return table(["converting", "time"], [[f"a function of {lines} lines", duration(measure())]])
