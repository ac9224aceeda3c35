"""Arguments that are written are written where they are, by one kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.concrete import MOST_FAILURES
from autograph.function.native_call import OFTEN
from runtime.kernels.jit import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def add_to(x: Any, y: Any, n: Any) -> Any:
    """Add x to y; return the number of additions, and y."""
    count = 0
    for i in range(n):
        y[i] = y[i] + 2.0 * x[i]
        count += 1
    return count, y


def fill(y: Any, n: Any) -> None:
    for i in range(n):
        y[i] = i


staged = ag.function(add_to)


def given(size: int = 5) -> tuple[Any, Any, Any]:
    return np.arange(float(size)), np.ones(size), np.int64(5)


def test_an_argument_is_written_where_it_is_and_returned_itself():
    x, y, n = given()
    count, found = staged(x, y, n)
    assert found is y
    assert count == 5
    assert y.tolist() == [1, 3, 5, 7, 9]
    assert "f64[5]&" in staged.kernels(x, y, n)


def test_calls_by_a_record_write_too_and_return_none():
    function = ag.function(fill)
    y = np.zeros(3)
    for _ in range(OFTEN + 2):
        y[:] = -1
        assert function(y, np.int64(3)) is None
        assert y.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        function(np.broadcast_to(0.0, 3), np.int64(3))
    y = np.zeros(6)[::2]
    function(y, np.int64(2))
    assert y.tolist() == [0, 1, 0]


def test_a_kernel_that_gives_up_leaves_it_to_the_steps_to_write():
    x, y, n = given()
    y[3] = x[3] = 1e308
    with pytest.warns(RuntimeWarning, match="overflow encountered in scalar") as found:
        staged(x, y, n)
    assert len(found) == 1
    assert y.tolist() == [1, 3, 5, np.inf, 9]
    y[3] = 1e308
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        staged(x, y, n)
    assert y.tolist() == [1, 5, 9, 1e308, 9]  # as far as plain Python comes
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        staged(np.ones(9), y, np.int64(6))


def test_arguments_that_share_memory_are_written_by_another_trace():
    x = np.zeros(9)
    staged(x[:5], x[4:], np.int64(5))
    staged(x[:4], x[4:8], np.int64(4))


def sorted_and_sums(x: Any, n: Any) -> Any:
    """Sort a copy by insertion; return it, and running sums in another one."""
    sums, x = x.copy(), x.copy()
    for i in range(1, n):
        sums[i] = sums[i - 1] + sums[i]
    for i in range(1, n):
        j = i
        while j > 0 and x[j - 1] > x[j]:
            x[j - 1], x[j] = x[j], x[j - 1]
            j -= 1
    return x, n - 1


def test_copies_that_the_program_takes_are_the_only_ones():
    function = ag.function(sorted_and_sums)
    x, n = np.array([3.0, 1.0, 2.0]), np.int64(3)
    for _ in range(3):
        found, _ = function(x, n)
        assert found.tolist() == [1, 2, 3]
        assert x.tolist() == [3, 1, 2]
        assert not np.shares_memory(found, x)
    assert function(x[::2], np.int64(2))[0].tolist() == [2, 3]
    assert str(function.kernels(x, n)).partition("; LLVM")[0].count("= array(3: i64") == 2


def test_a_kernel_that_always_gives_up_is_left_alone():
    function = ag.function(fill)
    y = np.zeros(6)[::2]
    for n in range(MOST_FAILURES + 3):
        function(y, np.int64(n % 4))
    assert y.tolist() == [0, 1, 2]
    y = np.zeros(3)
    function(y, np.int64(3))
    assert y.tolist() == [0, 1, 2]
