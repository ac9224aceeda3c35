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
  %2: i64 = add(%0, 2305843009213693952: i64)
  %3: bool = ugt(%2, 4611686018427387904: i64)
  stop(%3)
  %4: i64, %5: i64 = while(%0, %1, counters=(0,)) {
    (%6: i64, %7: i64)
    %8: bool = ne(%7, 1: i64)
    yield %8
  } {
    (%9: i64, %10: i64)
    %11: i64 = and(%10, 1: i64)
    %12: bool = eq(%11, 0: i64)
    %13: i64 = ashr(%10, 1: i64)
    %14: i64 = add(%10, 3074457345617909077: i64)
    %15: bool = ugt(%14, 6148914691235818154: i64)
    overflow(%15, wraps=True)
    %16: i64 = mul(%10, 3: i64)
    %17: i64 = add(%16, 1: i64)
    %18: i64 = select(%12, %13, %17)
    %19: i64 = add(%9, 1: i64)
    yield %19, %18
  }
  yield %4
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
