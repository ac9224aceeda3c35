"""Functions that call themselves are functions of a kernel: what is lent them, and comes back."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.interpret import interpret
from runtime.graph.reader import read_graph
from runtime.kernels.jit import is_available
from runtime.kernels.kernel import Kernel
from runtime.kernels.kernel_interpreter import interpret as interpret_kernel
from runtime.kernels.kernel_verifier import verify
from runtime.kernels.load import load_now
from runtime.lower.compile import compile_graph
from runtime.lower.plan import Native

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")

FUNCTION = """graph(%n: int, %x: f64[3]) {
  %0: f64[3], %1: f64[] = call(%n, %x, function='run') {
    (%k: int, %y: f64[3])
    %2: bool = truth(%k)
    %3: f64[3], %4: f64[] = cond(%2, %k, %y) {
      (%k_1: int, %y_1: f64[3])
      %5: int = constant(value=1)
      %6: int = subtract(%k_1, %5)
      %7: float = constant(value=0.5)
      %8: f64[] = index(%y_1, key='1')
      %9: f64[] = add(%8, %7)
      %10: f64[3] = update(%y_1, %9, key='0')
      BODY
    } {
      (%k_2: int, %y_2: f64[3])
      %90: f64[] = index(%y_2, key='0')
      %91: f64[3] = update(%y_2, %90, key='1')
      return %91, %90
    }
    return %3, %4
  }
  return %0, %1
}
"""
"""A function that writes an array, calls itself, and goes on with `BODY`."""
CALL = "f64[3], %12: f64[] = call_again(%6, %10, function='run', results=('f64[3]', 'f64[]'))"
BODIES = {
    "an array that is used no more is lent": f"""
      %11: {CALL}
      return %11, %12""",
    "an array that is used afterwards is copied": f"""
      %11: {CALL}
      %13: f64[] = index(%10, key='1')
      %14: f64[] = add(%12, %13)
      return %11, %14""",
    "what was computed of it before is kept": f"""
      %13: f64[3] = add(%10, %7)
      %11: {CALL}
      %14: f64[] = index(%13, key='1')
      %15: f64[] = add(%12, %14)
      return %11, %15""",
    "a copy is given back where the array is": f"""
      %11: {CALL}
      %13: f64[3] = update(%11, %12, key='2')
      %14: f64[] = index(%11, key='2')
      %15: f64[] = add(%12, %14)
      return %13, %15""",
    "two calls, one after the other": """
      %11: f64[3], %12: f64[] = call_again(%6, %10, function='run', results=('f64[3]', 'f64[]'))
      %13: f64[3], %14: f64[] = call_again(%6, %11, function='run', results=('f64[3]', 'f64[]'))
      %15: f64[] = add(%12, %14)
      return %13, %15""",
    "the same array for both calls": """
      %11: f64[3], %12: f64[] = call_again(%6, %10, function='run', results=('f64[3]', 'f64[]'))
      %13: f64[3], %14: f64[] = call_again(%6, %10, function='run', results=('f64[3]', 'f64[]'))
      %15: f64[] = add(%12, %14)
      return %13, %15""",
    "an array of known numbers": """
      %13: f64[3] = constant(value=f64[3]([1.0, 2.0, 4.0]))
      %11: f64[3], %12: f64[] = call_again(%6, %10, function='run', results=('f64[3]', 'f64[]'))
      %14: f64[] = index(%13, %6, key='?')
      %15: f64[] = add(%12, %14)
      return %11, %15""",
}


def kernel_of(text: str) -> Kernel:
    """Return the one kernel of a graph."""
    (step,) = compile_graph(read_graph(text), backend="native").plan.block
    assert isinstance(step, Native)
    assert isinstance(step.kernel, Kernel)
    return step.kernel


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_arrays_are_what_the_interpreter_says(name: str, n: int) -> None:
    text, x = FUNCTION.replace("BODY", BODIES[name].strip()), np.array([0.5, 2.0, -3.0])
    expected = interpret(read_graph(text), [n, x.copy()], np)
    kernel = kernel_of(text)
    verify(kernel)
    given = [n, x, *kernel.constants]
    np.testing.assert_equal(interpret_kernel(kernel, given), expected)
    np.testing.assert_equal(load_now(kernel)(*given), expected)
    np.testing.assert_equal(x, [0.5, 2.0, -3.0])
    np.testing.assert_equal(compile_graph(read_graph(text), backend="native").run(n, x), expected)


def test_an_array_that_is_used_no_more_is_not_copied() -> None:
    kernel = kernel_of(FUNCTION.replace("BODY", BODIES["an array that is used no more is lent"]))
    assert "array(" not in str(kernel)
    assert "call_again(" in str(kernel)
    assert "array(" in str(
        kernel_of(FUNCTION.replace("BODY", BODIES["the same array for both calls"]))
    )


def orders(n: Any) -> Any:
    """All orders of some numbers, by a search whose list grows in a loop of the function."""
    found, path, used = [], [], [False] * 5

    def go() -> None:
        if len(path) == n:
            total = 0
            for x in path:
                total = total * 10 + x
            found.append(total)
            return
        for k in range(n):
            if not used[k]:
                used[k] = True
                path.append(k)
                go()
                path.pop()
                used[k] = False

    go()
    return found


def test_lists_grow_in_loops_of_functions() -> None:
    staged = ag.function(orders)
    assert "call_again(" in str(staged.kernels(np.int64(3)))
    for n in (0, 1, 3, 5):
        assert staged(np.int64(n)) == orders(n)


COUNT = """graph(%n: i64[]) {
  %0: i64[] = call(%n, function='count') {
    (%k: i64[])
    %1: bool = truth(%k)
    %2: i64[] = cond(%1, %k) {
      (%k_1: i64[])
      %3: int = constant(value=1)
      %4: i64[] = subtract(%k_1, %3)
      %5: i64[] = call_again(%4, function='count', results=('i64[]',))
      %6: i64[] = add(%5, %3)
      return %6
    } {
      (%k_2: i64[])
      return %k_2
    }
    return %2
  }
  return %0
}
"""


def deep_limit() -> int:
    """Return how deep calls may be here."""
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return sys.getrecursionlimit() - depth


def test_calls_are_as_deep_as_pythons_may_be() -> None:
    run = load_now(kernel_of(COUNT))
    near = deep_limit()
    assert run(np.int64(near - 20)) == near - 20
    assert run(np.int64(near + 20)) is None
    before = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(before + 3000)
        assert run(np.int64(near + 2000)) == near + 2000
        sys.setrecursionlimit(10**6)
        assert run(np.int64(10**5)) is None  # the stack ends before
    finally:
        sys.setrecursionlimit(before)


def test_a_thread_with_a_stack_of_its_own_size_leaves_deep_calls_to_python() -> None:
    run, found = load_now(kernel_of(COUNT)), list[Any]()
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(
            target=lambda: found.extend([run(np.int64(9)), run(np.int64(500))])
        )
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [9, None]
