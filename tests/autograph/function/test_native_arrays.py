"""Loops over elements of arrays that run as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import all_same
from tools.bench.loop_samples import bubble

needs_llvm = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
TEN = np.int64(10)


def sorted_in_place(a, n):
    for i in range(n - 1):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]


def sieve(n):
    found = np.ones(50, bool)
    i = 2
    while i * i < n:
        if found[i]:
            j = i * i
            while j < n:
                found[j] = False
                j += i
        i += 1
    return found


def edit_distance(a, b, n, m):
    d = np.zeros((12, 12), np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


def neighbours(g, n):
    out = g.copy()
    for i in range(n):
        for j in range(n):
            out[i, j] = g[(i + 1) % n, j] + g[i - 1, j] + g[i, j - 1] + g[i, (j + 1) % n]
    return out


def smoothed(g, n, rounds):
    new = g.copy()
    while rounds > 0:
        for i in range(1, n - 1):
            new[i] = (g[i - 1] + g[i + 1]) * 0.5
        for i in range(n):
            g[i] = new[i]
        rounds -= 1
    return new


def prefix_sums(x, n):
    total = x[0] * 0
    sums = np.zeros_like(x)
    for i in range(n):
        total = total + x[i]
        sums[i] = total
    return sums


def positive_total(x):
    total = 0.0
    for value in x:
        if value > 0:
            total += value
    return total


TABLE = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])


def chased(start, rounds):
    k = start
    while rounds > 0:
        k = TABLE[k]
        rounds -= 1
    return k


def first_at(x, v, n):
    found = -1
    for i in range(n):
        if x[i] == v:
            found = i
            break
    return found


def cast_writes(x, y, n):
    x = x.copy()
    for i in range(n):
        x[i] = y[i]
        x[-i - 1] = 3
    return x


def only_in_one_arm(x, n):
    y = np.zeros_like(x)
    for i in range(n):
        y[i] = x[i] * 2
        if i > 3:
            y[i - 4] = 0.5
    return y, x


RNG = np.random.default_rng(3)
X, G = RNG.standard_normal(10), RNG.integers(0, 9, (10, 10))
A, B = np.array([1, 2, 3, 4, 5, 6, 7, 8]), np.array([2, 3, 9, 5, 6, 6])
CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (bubble, (X, TEN)),
    (bubble, (X.astype("float32"), TEN)),
    (bubble, (np.array([3, 1, 2, 250, 7], np.uint8), np.int64(5))),
    (bubble, (np.array([], float), np.int64(0))),
    (bubble, (np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 1e-320]), np.int64(6))),
    (sieve, (np.int64(50),)),
    (edit_distance, (A, B, np.int64(8), np.int64(6))),
    (neighbours, (G, TEN)),
    (neighbours, (G.astype("int16"), TEN)),
    (smoothed, (X, TEN, np.int64(5))),
    (smoothed, (X, TEN, np.int64(0))),
    (smoothed, (X.astype("float32"), TEN, np.int64(4))),
    (prefix_sums, (X, TEN)),
    (prefix_sums, (np.arange(10, dtype="int32"), TEN)),
    (positive_total, (X,)),
    (chased, (np.int64(2), np.int64(7))),
    (first_at, (X, X[6], TEN)),
    (first_at, (X, np.float64(9), TEN)),
    (cast_writes, (X.astype("float32"), X, TEN)),
    (cast_writes, (np.zeros(10, np.int8), np.arange(10) * 7, TEN)),
    (cast_writes, (np.zeros(10, np.int8), X * 5, TEN)),
    (cast_writes, (np.zeros(10, bool), X, TEN)),
    (only_in_one_arm, (X, TEN)),
]
IDS = [f"{f.__name__}-{k}" for k, (f, _) in enumerate(CASES)]


def results(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def fresh(args: tuple[Any, ...]) -> list[Any]:
    return [x.copy() if isinstance(x, np.ndarray) else x for x in args]


@pytest.mark.parametrize(("function", "args"), CASES, ids=IDS)
def test_elements_are_those_of_plain_python(function: Any, args: tuple[Any, ...]) -> None:
    plain = fresh(args)
    wanted = results(function(*plain))
    for backend in ("native", "numpy"):
        given = fresh(args)
        found = results(ag.function(function, backend=backend)(*given))
        assert all_same(found, wanted)
        assert all_same(given, plain)


@needs_llvm
@pytest.mark.parametrize(("function", "args"), CASES, ids=IDS)
def test_loop_over_elements_is_native(function: Any, args: tuple[Any, ...]) -> None:
    staged = ag.function(function)
    assert " = native(" in staged.plan(*fresh(args))


@pytest.mark.parametrize("make", [np.asfortranarray, lambda x: x[::-1], lambda x: x[:, ::-1]])
def test_arrays_in_another_order_give_the_same(make: Any) -> None:
    g = make(G)
    assert all_same([ag.function(neighbours)(g, TEN)], [neighbours(g, TEN)])


def test_array_that_is_written_is_the_callers() -> None:
    x, y = X.copy(), X.copy()
    ag.function(sorted_in_place)(x, TEN)
    sorted_in_place(y, TEN)
    assert all_same([x], [y])


def test_results_are_fresh_and_arguments_unchanged() -> None:
    staged = ag.function(bubble)
    x = X.copy()
    first, second = staged(x, TEN), staged(x, TEN)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, x)
    assert all_same([x], [X])


def test_index_out_of_range_raises_and_leaves_the_argument_alone() -> None:
    def shifted(x, n):
        for i in range(n):
            x[i + 1] = x[i] + 1.0
        return x

    x, y = X.copy(), X.copy()
    assert all_same([ag.function(shifted)(x, np.int64(9))], [shifted(y, np.int64(9))])
    kept = x.copy()
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 10"):
        ag.function(shifted)(x, TEN)
    assert all_same([x], [kept])


@needs_llvm
def test_loop_that_stops_starts_again_from_the_same_arrays() -> None:
    @ag.function
    def growing(x, n):
        x = x.copy()
        for i in range(n):
            x[0] = x[0] + 1
            x[1] = int(x[1]) * 3
        return x

    with pytest.raises(OverflowError, match=r"too large|too big|out of bounds"):
        growing(np.array([0, 1]), np.int64(60))
    assert list(growing(np.array([0, 1]), np.int64(39))) == [39, 3**39]


def test_warning_of_a_write_is_that_of_numpy() -> None:
    @ag.function
    def narrowed(x, y, n):
        x = x.copy()
        for i in range(n):
            x[i] = y[i]
        return x

    x, y = np.zeros(3, np.float32), np.array([1.0, 1e300, 2.0])
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        found = narrowed(x, y, np.int64(3))
    assert list(found) == [1.0, np.inf, 2.0]


@needs_llvm
def test_large_array_is_not_copied_in_each_round_of_a_python_loop() -> None:
    def marked(x, rounds):
        x = x.copy()
        while rounds > 0:
            print(rounds)
            for i in range(rounds):
                x[i] = 1.0
            rounds -= 1
        return x

    staged = ag.function(marked)
    assert " = native(" in staged.plan(np.zeros(100), np.int64(2))
    assert " = native(" not in staged.plan(np.zeros(100_000), np.int64(2))


def from_apart(p, c, f, out, far):
    """Read columns, a diagonal and flags that lie apart, and write in a row."""
    for i in range(len(out)):
        x = p[i, 0] - c[1, 2]
        y = p[i, 2] - c[i, i]
        out[i] = x * x + y
        far[i] = f[i, 1] != (x < y)
    return out, far


@needs_llvm
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_what_lies_apart_is_read_side_by_side(dtype):
    rng, f = np.random.default_rng(3), ag.function(from_apart)
    for n in (3, 16, 70):
        p, c = (rng.integers(-9, 9, (n, m)).astype(dtype) for m in (3, n))
        flags, out = rng.random((n, 2)) < 0.5, np.zeros(n, dtype)
        given = p, c, flags, out, np.zeros(n, bool)
        assert all_same(f(*[x.copy() for x in given]), from_apart(*[x.copy() for x in given]))
    kernel = str(f.get_concrete_function(*given).plan)
    assert "native" in kernel
