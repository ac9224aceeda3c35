"""How tracing, compiling and running grow with the number of ops: a chain of them, unrolled."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph
from autograph.function.trace import trace
from runtime.lower.compile import compile_graph
from runtime.spec import spec_of
from tools.bench.timing import duration, once, side_by_side, table

SIZES = (1_000, 10_000, 30_000)


def chain(x0: Any, count: int) -> Any:
    """Do `count` elementwise ops, one after the other."""
    x = x0
    for _ in autograph.hint(range(count // 4), mode="python"):
        y = x * 0.5
        y = y + x0
        y = np.maximum(y, -1.0)
        x = np.tanh(y)
    return x


def measure(count: int) -> list[float]:
    """Return seconds: of a trace, of compiling it, of a run, and of NumPy's run."""
    x = np.random.default_rng(118).normal(size=(16, 16)).astype(np.float32)
    staged = autograph.function(chain)
    spec = spec_of(x)
    converted = staged.converted

    def traced() -> Any:
        def fill(symbols: Any) -> Any:
            return (*symbols, count), {}

        return trace(lambda: converted, [spec], ["x0"], fill).graph

    graph = traced()
    tracing = min(once(traced) for _ in range(3))
    compiling = once(lambda: compile_graph(graph))
    run = compile_graph(graph).function
    running = side_by_side({"ours": lambda: run(x), "numpy": lambda: chain(x, count)}, rounds=3)
    return [tracing, compiling, running["ours"], running["numpy"]]


def report() -> str:
    """Return the table: the times of each size, and in brackets those of one op."""
    head = ["ops", "trace", "compile", "run", "NumPy"]
    rows = []
    for count in SIZES:
        cells = [f"{duration(t)} ({duration(t / count)})" for t in measure(count)]
        rows.append([f"{count:,}", *cells])
    return table(head, rows)
