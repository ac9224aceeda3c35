"""Loops whose lean version runs where indices are in range do as plain Python does in any case."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import all_same

Outcome = tuple[Any, ...]


def shifted(x, y, n, k):
    for i in range(n):
        y[i] = x[i + k] + x[i]
    return y


def every_other(x, y, n, k):
    i = k
    while i < n:
        y[i] = y[i] + x[i]
        i += 2
    return y, i


def downwards(x, y, n, k):
    i = n - 1
    while i >= k:
        y[i] = x[i] * 2.0
        i = i - 1
    return y, i


def strided(x, y, n, k):
    i = np.int64(0)
    while i < n:
        y[i] = x[i] - 1.0
        i = i + k
    return y, i


def flat(x, y, n, k):
    for i in range(n):
        for j in range(k):
            y[i * k + j] = x[j] + x[i]
    return y


def inserted(x, y, n, k):
    for i in range(1, n):
        key = y[i]
        j = i - k
        while j >= 0 and y[j] > key:
            y[j + 1] = y[j]
            j -= 1
        y[j + 1] = key
    return y


def kept(x, y, n, k):
    found = np.int64(0)
    for i in range(n):
        if x[i] > 0.0:
            y[found] = x[i]
            found += k
    return y, found


def neighbours(x, y, n, k):
    for i in range(n):
        total = x[i]
        if i > 0:
            total = total + x[i - 1]
        if i + k < n:
            total = total + x[i + k]
        y[i] = total
    return y


def met(x, y, n, k):
    i, j = k, n - 1
    while i < j:
        if x[i] + x[j] > 0.0:
            j -= 1
            y[i] = x[j]
        else:
            i += 1
            y[j] = x[i]
    return y, i, j


def binned(x, y, n, k):
    places = np.array([0, 3, 255, 7, 1, 3, 3], np.uint8)
    for i in range(n):
        y[places[i] % 8 + k] = x[i]
    return y


def halved(x, y, n, k):
    for i in range(n):
        y[(i + k) // 2] = x[(i & 3) + k]
    return y


def summed(x, y, n, k):
    total, i = np.int64(0), 0
    while i <= n:
        total += i * k
        i += 1
    return total, i


def triangle(x, y, n, k):
    for i in range(n):
        for j in range(k, i):
            y[j] = y[j] + x[i - j]
    return y


FUNCTIONS = [
    shifted, every_other, downwards, strided, flat, inserted, kept, neighbours, met, binned,
    halved, summed, triangle,
]  # fmt: skip
X = np.array([1.5, -2.0, np.nan, 0.0, 3.0, -0.0, 7.0])
SIZES = [
    (5, 0), (7, 1), (6, 1), (5, 2), (0, 0), (0, 5), (-3, 1), (7, 3), (8, 0), (9, 1), (3, -1),
    (7, -1), (7, -7), (7, -8), (2, 3), (1, 1), (4, 2**40), (5, -(2**40)),
]  # fmt: skip
"""Rounds, and steps or distances; with some of them indices are negative, or out of range."""


def outcome(function: Any, *args: Any) -> Outcome:
    """Return what a call gives or raises, in which line, and what it leaves in its arguments."""
    own = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            found = function(*own)
        except (IndexError, OverflowError) as error:
            lines = [x.lineno for x in traceback.extract_tb(error.__traceback__)]
            return type(error), str(error), lines[-1]
    return *(found if isinstance(found, tuple) else (found,)), own[1]


@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_any_size_and_step_gives_what_plain_python_gives(function: Any, backend: str) -> None:
    staged = ag.function(function, backend=backend)
    for n, k in SIZES:
        if function is strided and k <= 0:
            continue
        args = X, np.arange(7.0)[::-1].copy(), np.int64(n), np.int64(k)
        found, wanted = outcome(staged, *args), outcome(function, *args)
        assert all_same(found, wanted), (n, k)
    assert staged.trace_count == 1


@pytest.mark.parametrize("function", [shifted, neighbours, inserted], ids=lambda f: f.__name__)
def test_sizes_that_are_open_are_asked_for_before_the_loop(function: Any) -> None:
    array, number = ag.TensorSpec([None], np.float64), ag.TensorSpec([], np.int64)
    staged = ag.function(function, input_signature=[array, array, number, number])
    for n, k in SIZES:
        for x, y in [(X, np.arange(7.0)), (X[:3].copy(), np.arange(9.0)), (X[:0].copy(), X)]:
            args = x, y, np.int64(n), np.int64(k)
            assert all_same(outcome(staged, *args), outcome(function, *args)), (n, k)


@pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
def test_lean_loops_over_arrays_of_open_sizes_test_no_index() -> None:
    array, number = ag.TensorSpec([None], np.float64), ag.TensorSpec([], np.int64)
    staged = ag.function(shifted, input_signature=[array, array, number, number])
    text = staged.kernels(X, X, np.int64(3), np.int64(1)).partition("; LLVM")[0]
    guard, lean, rest = text.split(" for(")
    assert "= size(" in guard
    assert "place(" not in lean
    assert rest.count("place(") == 3


def scrambled(x, n, m):
    for _ in range(m):
        for k in range(n):
            x = x * 6364136223846793005 + k
        x = x ^ 5
    return x


def test_overflows_that_are_not_noted_any_more_wrap_as_before() -> None:
    staged = ag.function(scrambled)
    many = np.int64(1), np.int64(9_000), np.int64(2)
    with np.errstate(over="ignore"):
        assert staged(*many) == scrambled(*many)
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert staged(*many) == 6816919680981117873
    few = np.int64(3), np.int64(0), np.int64(2)
    assert staged(*few) == scrambled(*few) == 3


def scaled_into(x, y, z, n):
    for i in range(n):
        y[i] = 2.0 * x[i + 1] - y[i]
        z[i] = y[i] > i


def summed_into(x, n):
    for i in range(n):
        x[i] = x[i] + x[n - 1]


def shifted_by_one(x, n):
    for i in range(n):
        x[i + 1] = x[i] * 3 + i


def row_into(x, k, n):
    for j in range(n):
        x[k, j] = x[k, j] - (x[k, j] & 6) + j


def row_sums(x, y, z, n):
    for j in range(n):
        z[1, j] = x[j] + y[j]


SIDE_BY_SIDE = [
    (scaled_into, (np.arange(40.0), np.ones(39), np.zeros(39, bool)), True),
    (scaled_into, (np.arange(40, dtype="f4"), np.ones(39, "f4"), np.zeros(39, bool)), True),
    (row_into, (np.arange(78).reshape(2, 39), np.int64(1)), True),
    (summed_into, (np.arange(39),), False),
    (shifted_by_one, (np.arange(40),), False),
]


@pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
@pytest.mark.parametrize(("function", "given", "is_side_by_side"), SIDE_BY_SIDE)
def test_rounds_that_need_nothing_of_one_another_go_side_by_side(function, given, is_side_by_side):
    staged = ag.function(function)
    for n in map(np.int64, (0, 7, 8, 39)):
        ours, theirs = ([x.copy() for x in given] for _ in range(2))
        function(*theirs, n)
        staged(*ours, n)
        assert all(map(np.array_equal, ours, theirs)), n
    assert ("\nside" in staged.kernels(*given, n)) is is_side_by_side


@pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
def test_rounds_side_by_side_tell_of_overflows_and_flags():
    staged = ag.function(row_sums)
    for size, dtype in ((30, int), (17, "u1"), (20, float)):
        x = np.zeros(size, dtype)
        y, z = x.copy(), np.zeros((2, size), dtype)
        x[9] = y[9] = np.finfo(dtype).max if dtype is float else np.iinfo(dtype).max
        with pytest.warns(RuntimeWarning, match="overflow encountered in scalar add"):
            staged(x, y, z, np.int64(size))
        y[9] = 0
        staged(x, y, z, np.int64(size))
        assert z[1, 9] == x[9]


def two_sums(x, y, n):
    s = t = 0
    for i in range(n):
        s = s + x[i]
        t = t + (x[i] ^ y[i])
    return s, t


def doubled(x, n):
    s = 1
    for i in range(n):
        s = s + s
    return s + x[0]


@pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
def test_integers_are_summed_side_by_side_unless_sums_may_overflow_on_the_way():
    staged, large = ag.function(two_sums), np.iinfo(int).max
    x = np.arange(-7, 30)
    y = x * x
    for n in map(np.int64, (0, 7, 8, 37)):
        assert staged(x, y, n) == two_sums(x, y, n)
    assert "\nside" in staged.kernels(x, y, n)
    for place, value in ((0, large), (20, -large - 1), (36, large), (5, 2**41)):
        x = np.arange(-7, 30)
        x[place] = value
        assert all_same(outcome(staged, x, y, n), outcome(two_sums, x, y, n))
    x[:3] = large - 9, 60, -large
    with pytest.warns(RuntimeWarning, match="overflow"):
        staged(x, y, n)
    n = np.int64(20)
    assert ag.function(doubled)(y, n) == doubled(y, n)
