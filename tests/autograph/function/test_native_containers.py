"""Loops with lists and sets are machine code that copies no array in each round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


def sort(xs):
    xs = xs.copy()
    stack = [(0, len(xs) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot, i, j = xs[(low + high) // 2], low, high
        while i <= j:
            while xs[i] < pivot:
                i += 1
            while xs[j] > pivot:
                j -= 1
            if i <= j:
                xs[i], xs[j] = xs[j], xs[i]
                i, j = i + 1, j - 1
        stack.append((low, j))
        stack.append((i, high))
    return xs


def distance(a, b):
    before = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        now = [i] + [0] * len(b)
        for j in range(1, len(b) + 1):
            differs = 0 if a[i - 1] == b[j - 1] else 1
            now[j] = min(before[j] + 1, now[j - 1] + 1, before[j - 1] + differs)
        before = now
    return before[-1]


def test_a_loop_inside_of_another_writes_the_array_that_both_have() -> None:
    staged = ag.function(sort)
    x = np.random.default_rng(0).integers(0, 1000, 300)
    assert staged(x).tolist() == sorted(x)
    kernels = str(staged.kernels(x)).split("\nkernel ")
    lines = next(k for k in kernels if "i64[300]" in k).partition("; LLVM")[0].splitlines()
    made = [line for line in lines if "= array(300: i64" in line]
    assert made
    assert not any(line.startswith(" " * 4) for line in made)  # in a loop


def test_a_list_with_a_single_staged_item_is_made_in_a_native_loop() -> None:
    staged = ag.function(distance)
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 4, 40), rng.integers(0, 4, 50)
    assert "not native" not in str(staged.kernels(a, b))
    assert staged(a, b) == distance(a, b)


def algebra(xs, ys):
    a, b = set(), set()
    for x in xs:
        a.add(x)
    for y in ys:
        b.add(y)
    both, either, only, one = a & b, a | b, a - b, a ^ b
    c = a | b
    c -= b
    c |= both
    c.update(ys)
    c.difference_update(xs)
    return sorted(both), sorted(either), sorted(only), sorted(one), sorted(c), a <= b, a == b


def merge_sort(x):
    if len(x) <= 1:
        return x
    a, b = merge_sort(x[: len(x) // 2]), merge_sort(x[len(x) // 2 :])
    found, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            found.append(a[i])
            i += 1
        else:
            found.append(b[j])
            j += 1
    return found + a[i:] + b[j:]


def test_a_function_that_hands_parts_of_lists_on_is_native() -> None:
    staged = ag.function(merge_sort)
    for n in (120, 333, 121):
        x = np.random.default_rng(n).integers(0, 1000, n).tolist()
        assert staged(x) == sorted(x)
    assert "not native" not in str(staged.kernels(x))


def repeated(x, n):
    kinds = [None if x > 1 else x] * n, [(x, x > 1)] * n, [[x, 1]] * n, [np.ones(2) * x] * n
    return kinds, [x] * (n - 2), [x + 0.5] * n, n * [True], [x, 1] * n


def test_a_list_of_one_item_several_times_is_as_plain_python_has_it() -> None:
    staged = ag.function(repeated)
    for x, n in ((1, 3), (2, 0), (5, -1), (0, 1), (7, 5)):
        given = np.int64(x), np.int64(n)
        assert repr(staged(*given)) == repr(repeated(*given))


def test_a_list_of_one_item_several_times_is_made_in_a_native_loop() -> None:
    staged = ag.function(distance)
    rng = np.random.default_rng(2)
    a, b = (rng.integers(0, 4, n).tolist() for n in (120, 130))
    assert staged(a, b) == distance(a, b)
    assert "not native" not in str(staged.kernels(a, b))


def shared(xs, ys):
    a, b = set(), set()
    for x in xs:
        a.add(x)
    for y in ys:
        b.add(y)
    return len(a & b), a <= b


@pytest.mark.parametrize(("function", "dtype"), [(algebra, "int64"), (shared, "float64")])
def test_set_algebra_looks_items_up_in_tables(function: Any, dtype: str) -> None:
    staged = ag.function(function)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        xs, ys = (rng.integers(0, 12, n).astype(dtype) for n in (10, 15))
        assert repr(staged(xs, ys)) == repr(function(xs, ys))


def order(xs, ys, reverse):
    pairs = []
    for x, y in zip(xs, ys, strict=True):
        pairs.append((x, y))
    pairs.sort(reverse=reverse)
    return sorted(pairs, key=lambda pair: -pair[0]), pairs


@pytest.mark.parametrize("reverse", [False, True])
def test_sorted_keeps_the_order_of_what_is_equal(reverse: bool) -> None:
    staged = ag.function(order)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        xs: Any = rng.integers(0, 4, 20)
        ys = rng.choice([0.0, -0.0, 1.5], 20)
        assert repr(staged(xs, ys, reverse)) == repr(order(xs, ys, reverse))


def pairs_apart(xs, k):
    seen, pairs = set(), set()
    for x in xs:
        if x - k in seen:
            pairs.add((x - k, x))
        if x + k in seen:
            pairs.add((x, x + k))
        seen.add(x)
    return len(pairs), sum(a for a, _ in pairs)


def queens(n):
    def place(row, columns, left, right):
        if row == n:
            return 1
        count = 0
        for c in range(n):
            if c in columns or row - c in left or row + c in right:
                continue
            columns.add(c)
            left.add(row - c)
            right.add(row + c)
            count += place(row + 1, columns, left, right)
            columns.remove(c)
            left.remove(row - c)
            right.remove(row + c)
        return count

    return place(0, set(), set(), set())


@pytest.mark.parametrize(
    ("function", "args"),
    [(pairs_apart, (np.arange(40) * 7 % 31, 3)), (queens, (np.int64(6),))],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_loops_with_several_sets_are_native(function: Any, args: Any) -> None:
    staged = ag.function(function)
    assert staged(*args) == function(*args)
    assert "not native" not in staged.kernels(*args)
