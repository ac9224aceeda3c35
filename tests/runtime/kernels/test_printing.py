"""Kernels print, in all their languages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.machine import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")

COLLATZ = """\
kernel loop(%0: i64, %1: i64) {
  %2: bool = beyond(%0, 2305843009213693952: i64)
  stop(%2)
  %3: i64, %4: i64 = while(%0, %1, counters=(0,)) {
    (%5: i64, %6: i64)
    %7: bool = ne(%6, 1: i64)
    yield %7
  } {
    (%8: i64, %9: i64)
    %10: i64 = and(%9, 1: i64)
    %11: bool = eq(%10, 0: i64)
    %12: i64 = ashr(%9, 1: i64)
    %13: bool = beyond(%9, 3074457345617909077: i64)
    overflow(%13, wraps=True)
    %14: i64 = mul(%9, 3: i64)
    %15: i64 = add(%14, 1: i64)
    %16: i64 = select(%11, %12, %15)
    %17: i64 = add(%8, 1: i64)
    yield %17, %16
  }
  yield %3
}
"""
LEAN = """\
kernel loop(%0: i64, %1: f64[5]!, %2: i64) {
  %3: bool = beyond(%0, 2305843009213693952: i64)
  stop(%3)
  %4: bool = beyond(%0, 1073741824: i64)
  %5: bool = not(%4)
  %6: bool = beyond(%2, 1073741824: i64)
  %7: bool = not(%6)
  %8: bool = le(0: i64, %0)
  %9: bool = le(%2, 5: i64)
  %10: i64 = add(%2, -1: i64)
  %11: i64 = sub(%10, %0)
  %12: i64 = ashr(%11, 1: i64)
  %13: i64 = add(%12, 1: i64)
  %14: bool = lt(%13, 0: i64)
  %15: i64 = select(%14, 0: i64, %13)
  %16: bool = and(%8, %5)
  %17: bool = and(%16, %7)
  %18: bool = and(%17, %9)
  %19: i64, %20: f64[5] = if(%18) {
    %21: f64[5] = for(%15, %1, counters=()) {
      (%22: i64, %23: f64[5])
      %24: i64 = mul(%22, 2: i64, fits=True)
      %25: i64 = add(%0, %24, fits=True)
      store(%23, 0.0: f64, %25)
      %26: i64 = add(%25, 2: i64)
      yield %23
    }
    %27: i64 = mul(%15, 2: i64, fits=True)
    %28: i64 = add(%0, %27, fits=True)
    yield %28, %21
  } {
    %29: i64, %30: f64[5] = while(%0, %1, counters=(0,)) {
      (%31: i64, %32: f64[5])
      %33: bool = lt(%31, %2)
      yield %33
    } {
      (%34: i64, %35: f64[5])
      %36: i64 = place(%34, 5: i64, natural=False)
      store(%35, 0.0: f64, %36)
      %37: i64 = add(%34, 2: i64)
      yield %37, %35
    }
    yield %29, %30
  }
  yield %20
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
    while i < n and np.sum(x[i]) < limit:
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
    assert text.startswith("not native: parts of an array\n")
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
