"""Kernels print, in all their languages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")

COLLATZ = """\
kernel loop(%0: i64) {
  %1: i64, %2: i64 = while(0: i64, %0, counters=(0,)) {
    (%3: i64, %4: i64)
    %5: bool = ne(%4, 1: i64)
    yield %5
  } {
    (%6: i64, %7: i64)
    %8: i64 = and(%7, 1: i64)
    %9: bool = eq(%8, 0: i64)
    %10: i64 = ashr(%7, 1: i64)
    %11: bool = beyond(%7, 3074457345617909077: i64)
    overflow(%11, wraps=True)
    %12: i64 = mul(%7, 3: i64)
    %13: i64 = add(%12, 1: i64)
    %14: i64 = select(%9, %10, %13)
    %15: i64 = add(%6, 1: i64)
    yield %15, %14
  }
  yield %1
}
"""
LEAN = """\
kernel loop(%0: f64[5]&, %1: i64) {
  %2: bool = beyond(%1, 1073741824: i64)
  %3: bool = not(%2)
  %4: bool = le(%1, 5: i64)
  %5: i64 = add(%1, 1: i64)
  %6: bool = lt(%5, 0: i64)
  %7: i64 = select(%6, 0: i64, %5)
  %8: i64 = sdiv(%7, 2: i64)
  %9: bool = and(%3, %4)
  %10: i64 = if(%9) {
    for(%8, counters=()) {
      (%11: i64)
      %12: i64 = mul(%11, 2: i64, fits=True)
      %13: i64 = add(0: i64, %12, fits=True)
      store(%0, 0.0: f64, %13)
      %14: i64 = add(%13, 2: i64)
      yield
    }
    %15: i64 = mul(%8, 2: i64, fits=True)
    %16: i64 = add(0: i64, %15, fits=True)
    yield %16
  } {
    %17: i64 = while(0: i64, counters=(0,)) {
      (%18: i64)
      %19: bool = lt(%18, %1)
      yield %19
    } {
      (%20: i64)
      %21: i64 = place(%20, 5: i64, natural=False)
      store(%0, 0.0: f64, %21)
      %22: i64 = add(%20, 2: i64)
      yield %22
    }
    yield %17
  }
  yield %0
}
"""


@ag.function
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@ag.function
def first_row_above(x, limit, n):
    i = 0
    while i < n and np.median(x[i]) < limit:
        i += 1
    return i


def test_kernel_is_printed_in_three_languages() -> None:
    text = str(collatz.kernels(np.int64(7)))
    assert text.startswith(COLLATZ)
    assert "define ptr @entry(ptr" in text
    assert "; machine code" in text
    assert "ret" in text.split("; machine code")[1]


def test_loop_whose_indices_are_in_range_has_a_lean_version() -> None:
    def cleared(x, n):
        i = 0
        while i < n:
            x[i] = 0.0
            i += 2
        return x

    text = str(ag.function(cleared).kernels(np.ones(5), np.int64(3)))
    assert text.startswith(LEAN)


def test_loop_that_stays_in_python_is_listed_with_the_reason() -> None:
    args = np.ones((3, 2)), np.float64(1), np.int64(3)
    text = str(first_row_above.kernels(*args))
    assert text.startswith("not native: median of f64[2]\n")
    assert "test_printing.py" in text
    assert first_row_above(*args) == 0


def test_plan_without_loops_has_nothing_native() -> None:
    turned = ag.function(lambda x: x[::-1])
    assert turned.kernels(np.ones(2)) == "there is nothing native in this plan"


@pytest.mark.parametrize(
    ("function", "x", "reason"),
    [
        (lambda x: x * 2, np.ones(2), "multiply by itself, which NumPy does as well"),
        (lambda x: x * 2 + 1, np.ones(2, complex), "multiply of c128[2], int to c128[2]"),
        (
            lambda x: np.max(x, axis=0),
            np.ones((2, 3)),
            "max over such axes, or of so few or so many elements",
        ),
    ],
)
def test_operation_that_is_left_to_numpy_is_listed_with_the_reason(
    function: Any, x: Any, reason: str
) -> None:
    text = ag.function(function).kernels(x)
    assert text.startswith(f"not native: {reason}\n")
    assert "test_printing.py" in text


def test_backend_without_machine_code_has_nothing_native() -> None:
    staged = ag.function(collatz.python_function, backend="numpy")
    assert staged.kernels(np.int64(7)) == "there is nothing native in this plan"
