"""Loops that go backwards do so on every backend, optimised or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runtime.graph.interpret import interpret
from runtime.graph.reader import read_graph
from runtime.kernels import load
from runtime.kernels.kernel import Kernel
from runtime.lower.compile import compile_graph
from runtime.lower.steps import kernels_of
from tests.runtime.lower.same import all_same

HORNER = """
graph(%x: f64[n], %n: int) {
  %0: f64[] = constant(value=f64(0.5))
  %1: f64[] = reduce(%n, %0, %x, carry=1, sequences=1, reverse=True) {
    (%2: int, %3: f64[], %4: f64[])
    %5: f64[] = multiply(%3, %2)
    %6: f64[] = add(%5, %4)
    return %6
  }
  return %1
}
"""
ROWS = """
graph(%x: f64[4, 3], %n: int) {
  %0: f64[3] = constant(value=f64[3]([0.5, 0.25, 2.0]))
  %1: f64[3], %2: f64[4, 3] = reduce(%n, %0, %x, carry=1, sequences=1, length=4, reverse=True) {
    (%3: int, %4: f64[3], %5: f64[3])
    %6: f64[3] = multiply(%4, %5)
    %7: f64[3] = add(%6, %3)
    return %7, %6
  }
  return %1, %2
}
"""
GROWING = """
graph(%x: f64[m], %n: int) {
  %0: f64[k] = reduce(%n, %x, carry=0, sequences=0, reverse=True) {
    (%1: int, %2: f64[m])
    %3: f64[m] = multiply(%2, %1)
    return %3
  }
  return %0
}
""".replace("%0: f64[k]", "%0: f64[k, m]")
GRAPHS = {"horner": HORNER, "rows": ROWS, "growing": GROWING}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile kernels for the first call."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)
    monkeypatch.setattr(load, "LONG", 0)


def arguments(name: str, n: int) -> tuple[Any, ...]:
    x = np.random.default_rng(1).normal(size=(4, 3) if name == "rows" else 4)
    return x, n


@pytest.mark.parametrize("optimised", [False, True])
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("name", "n"), [("horner", 4), ("horner", 0), ("rows", 4), ("growing", 3)])
def test_a_reversed_loop_gives_what_the_interpreter_gives(name, n, backend, optimised):
    graph = read_graph(GRAPHS[name])
    given = arguments(name, n)
    found = compile_graph(graph, backend=backend, optimised=optimised).run(*given)
    assert all_same(found, interpret(graph, given, np))


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_reversed_loop_of_few_rounds_is_unrolled_from_the_last_one(backend):
    graph = read_graph(
        ROWS.replace(", %n: int", "")
        .replace("reduce(%n", "reduce(%8")
        .replace("  %0: f64[3]", "  %8: int = constant(value=4)\n  %0: f64[3]")
    )
    (x, _) = arguments("rows", 4)
    executable = compile_graph(graph, backend=backend)
    assert "for" not in executable.source.split()
    assert all_same(executable.run(x), interpret(graph, [x], np))


def test_a_reversed_loop_over_numbers_is_machine_code():
    executable = compile_graph(read_graph(HORNER), backend="native")
    (kernel,) = kernels_of(executable.plan.block)
    assert isinstance(kernel, Kernel)


def test_a_plan_says_that_a_loop_goes_backwards():
    assert "in reversed n {" in str(compile_graph(read_graph(HORNER)).plan)
