"""Derivatives beside JAX's: 197 functions, control flow among them, where JAX is installed.

    python3 tools/dev.py bench derivatives

Compared are value and gradient; the difference is the largest one, relative to the largest element.
Times are of one call, in turns, the best of five: of the value and of both, here and by JAX's `jit`
with 64 bits. JAX runs the functions with control flow operation by operation, for it cannot compile
loops and branches of plain Python; so their times are not compared.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph
from autograph.function.native_call import OFTEN
from tools.bench.derivative_loops import put
from tools.bench.derivative_samples import Function, World, added, samples
from tools.bench.timing import side_by_side, table

GROUPS_OF_LOOPS = ("control flow", "lists and stencils")
WORST = 12


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of a function.

    Args:
        name: of it.
        difference: of the gradients, relative; None where there is no JAX.
        times: seconds of `value`, `both`, and `jax value`, `jax both`.
    """

    name: str
    difference: float | None
    times: dict[str, float]

    @property
    def ratio(self) -> float:
        """The time of value and gradient over that of the value."""
        return self.times["both"] / self.times["value"]


def worlds() -> tuple[World, World | None]:
    """Return NumPy's, and JAX's where it is installed."""
    special = importlib.import_module("scipy.special")
    ours = World(np, special, put, added)
    if importlib.util.find_spec("jax") is None:
        return ours, None
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    theirs = World(
        importlib.import_module("jax.numpy"),
        importlib.import_module("jax.scipy.special"),
        lambda array, key, value: array.at[key].set(value),
        lambda array, key, value: array.at[key].add(value),
    )
    return ours, theirs


def compare(name: str, function: Function, other: Function | None, x: Any, jits: bool) -> Found:
    """Compare one function with that of JAX."""
    value, both = autograph.function(function), autograph.value_and_grad(function)
    works: dict[str, Callable[[], object]] = {"value": lambda: value(x), "both": lambda: both(x)}
    difference = None
    if other is not None:
        jax = importlib.import_module("jax")
        given = jax.numpy.asarray(x)
        difference = _difference(both(x), jax.value_and_grad(other)(given))
        if jits:
            compiled, derived = jax.jit(other), jax.jit(jax.value_and_grad(other))
            works["jax value"] = lambda: compiled(given).block_until_ready()
            works["jax both"] = lambda: jax.block_until_ready(derived(given))
    for work in works.values():
        settle(work)
    return Found(name, difference, side_by_side(works, rounds=5, choose=min))


def settle(work: Callable[[], object]) -> None:
    """Call until calls are native, if that takes no more than some seconds."""
    end = time.perf_counter() + 3
    for _ in range(OFTEN + 100):
        work()
        if time.perf_counter() > end:
            return


def _difference(found: tuple[Any, Any], expected: tuple[Any, Any]) -> float:
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(found, expected, strict=True)]
    return max(float(np.max(np.abs(a - b)) / (np.max(np.abs(b)) or 1.0)) for a, b in pairs)


def report() -> str:
    """Return the tables: of the groups, and of the functions whose gradients cost most."""
    ours, theirs = worlds()
    mine, others = samples(ours), None if theirs is None else samples(theirs)
    found: dict[str, list[Found]] = {}
    for group, functions in mine.items():
        for name, (function, x) in functions.items():
            other = None if others is None else others[group][name][0]
            one = compare(name, function, other, x, group not in GROUPS_OF_LOOPS)
            found.setdefault(group, []).append(one)
    rows = [_row(group, parts) for group, parts in found.items()]
    rows.append(_row("all", [x for parts in found.values() for x in parts]))
    dear = sorted((x for parts in found.values() for x in parts), key=lambda x: -x.ratio)[:WORST]
    head = ["functions", "how many", "largest difference", *_HEAD]
    costs = [[x.name, f"{x.ratio:.1f}", _share(x)] for x in dear]
    return "\n\n".join(
        [
            table(head, rows),
            "those whose gradients cost most:",
            table(["function", "both / value", "both / JAX's"], costs),
        ]
    )


_HEAD = ("both / value", "most", "JAX's both / value", "both / JAX's both")


def _row(group: str, parts: Sequence[Found]) -> list[str]:
    known = [x.difference for x in parts if x.difference is not None]
    timed = [x.times for x in parts if "jax both" in x.times]
    ratios = [x.ratio for x in parts]
    return [
        group,
        str(len(parts)),
        f"{max(known):.1e}" if known else "",
        f"{statistics.median(ratios):.2f}",
        f"{max(ratios):.1f}",
        f"{statistics.median(t['jax both'] / t['jax value'] for t in timed):.2f}" if timed else "",
        f"{_geometric([t['both'] / t['jax both'] for t in timed]):.2f}" if timed else "",
    ]


def _share(one: Found) -> str:
    times = one.times
    return f"{times['both'] / times['jax both']:.2f}" if "jax both" in times else ""


def _geometric(numbers: Sequence[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, numbers)))
