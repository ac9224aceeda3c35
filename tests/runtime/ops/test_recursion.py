"""Functions of a graph that call themselves: what is checked, and what running them gives."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.errors import GraphFormatError
from runtime.graph.interpret import interpret
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify
from runtime.lower.compile import compile_graph

SUMS = """graph(%n: int, %x: f64[2]) {
  %0: f64[2], %1: int = call(%n, %x, function='run') {
    (%k: int, %y: f64[2])
    %2: bool = truth(%k)
    %3: f64[2], %4: int = cond(%2, %k, %y) {
      (%k_1: int, %y_1: f64[2])
      %5: int = constant(value=1)
      %6: int = subtract(%k_1, %5)
      %7: f64[2], %8: int = call_again(%6, %y_1, function='run', results=('f64[2]', 'int'))
      %9: f64[2] = add(%7, %y_1)
      %10: int = add(%8, %5)
      return %9, %10
    } {
      (%k_2: int, %y_2: f64[2])
      return %y_2, %k_2
    }
    return %3, %4
  }
  return %0, %1
}
"""


def test_the_interpreter_and_the_program_agree():
    graph, x = read_graph(SUMS), np.array([1.0, 2.0])
    verify(graph)
    assert print_graph(graph) == SUMS.rstrip()
    expected = interpret(graph, [3, x], np)
    np.testing.assert_equal(expected, (x * 4, 3))
    for backend in ("numpy", "native"):
        program = compile_graph(graph, backend=backend)
        np.testing.assert_equal(program.run(3, x), expected)
        found, _ = program.run(0, x)
        assert not np.may_share_memory(found, x)


def test_a_plan_shows_the_function():
    plan = str(compile_graph(read_graph(SUMS)).plan)
    assert "  run plan(k, y) {" in plan
    assert "call_again(" in plan


def test_a_call_without_end_says_how_deep_it_was():
    program = compile_graph(read_graph(SUMS))
    with pytest.raises(RecursionError, match=r"^run called itself \d+ times .* limit is \d+"):
        program.run(-1, np.zeros(2))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("call_again(%6, %y_1,", "call_again(%6,", "run has 2 parameters and is given 1"),
        ("call_again(%6, %y_1,", "call_again(%y_1, %y_1,", "parameter 0 of run is int, not"),
        ("'f64[2]', 'int')", "'f64[2]',)", "results"),
        ("'f64[2]', 'int')", "'f64[3]', 'int')", r"f64\[3\]"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(old, new, message):
    assert old in SUMS
    with pytest.raises(GraphFormatError, match=message):
        verify(read_graph(SUMS.replace(old, new)))
