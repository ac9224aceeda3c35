"""Loops and branches over staged values mean what they mean in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag


def absolute(x):
    if x > 0:
        return x
    return -x


def countdown(n):
    rounds = 0
    while n > 0:
        n -= 1
        rounds += 1
    return n, rounds


def sum_of_positive(xs):
    total = 0.0
    for x in xs:
        if x <= 0:
            continue
        total += x
    return total


def first_above(xs, limit):
    found = -1.0
    for x in xs:
        if x > limit:
            found = x
            break
    return found


def position_above(xs, limit):
    for i in range(len(xs)):
        if xs[i] > limit:
            return i
    return -1


def nested_return(grid, wanted):
    for row in grid:
        for x in row:
            if x == wanted:
                return x * 10
    return -1.0


def for_else(xs, limit):
    for x in xs:
        if x > limit:
            result = x
            break
    else:
        result = -1.0
    return result


def while_else(n, stop_at):
    steps = 0
    while n > 0:
        if n == stop_at:
            break
        n = n - 1
        steps += 1
    else:
        steps = -steps
    return steps


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def chained(x):
    return 1 if 0 < x <= 10 else 0


def logical(x, y):
    return (x > 0 and y > 0) or not (x < y)


def range_with_step(n):
    total = 0
    for i in range(n, 0, -2):
        total += i * i
    return total


def staged_step(start, stop, step):
    total = 0
    for i in range(start, stop, step):
        total = total * 3 + i
    return total


def write_items(x):
    for i in range(x.shape[0]):
        if x[i] < 0:
            x[i] = 0.0
    return x


def fill(n):
    out = np.zeros(5)
    for i in range(n):
        out[i] = i * i
    return out


def alias(x):
    y = x
    y[0] = 7.0
    z = x[1:]
    z += 1.0
    return x.sum()


def branch_writes(x):
    y = np.zeros(3)
    if x > 0:
        y[0] = x
    else:
        y[1] = -x
    return y


def loop_swaps(a, b, n):
    for _ in range(n):
        a, b = b, a + b
    return a, b


class Pair(NamedTuple):
    low: Any
    high: Any


@dataclass
class Box:
    value: Any
    count: Any


def structures(x, n):
    pair = Pair(x, x)
    box = Box(x, 0)
    state = {"a": x, "b": [x, x]}
    i = 0
    while i < n:
        pair = Pair(pair.low - 1, pair.high + 1)
        box = Box(box.value * 2, box.count + 1)
        state = {"a": state["a"] + 1, "b": [state["b"][1], state["b"][0] + i]}
        i += 1
    return pair, box, state


def break_out_of_while_true(x):
    rounds = 0
    while True:
        x = x / 2
        rounds += 1
        if x < 1:
            break
    return x, rounds


def break_in_python_loop(x):
    total = 0
    for i in range(10):
        total += i
        if total > x:
            break
    return total


def enumerate_and_zip(xs, ys):
    total = 0.0
    for i, (x, y) in enumerate(zip(xs, ys, strict=False)):
        total += i * x - y
    return total


def last_item(xs):
    for x in xs:
        pass
    return x


def widening(xs):
    total = 0
    for x in xs:
        total = total + x
    return total


def inner_function(x):
    def half(value):
        if value > 1:
            return half(value / 2) if isinstance(value, str) else value / 2
        return value

    return half(x) + half(x * 4)


def items_of_a_list(i):
    values = [10, 20, 30]
    return values[i]


def write_in_nested_loops(xs, rounds):
    for _ in range(rounds):
        for i in range(len(xs) - 1 + 0 * rounds):
            if xs[i] > xs[i + 1]:
                xs[i], xs[i + 1] = xs[i + 1], xs[i]


def walrus(x):
    while (y := x * 2) < 100:
        x = y
    return x, y


def walrus_with_break(x, limit):
    rounds = 0
    while (y := x * 2) < 100:
        x = y
        rounds += 1
        if rounds > limit:
            break
    return x, y, rounds


def bound_for_the_round(x):
    while (y := x * 2) > 1:
        x = x - 0.1 * y
    return x


def bound_for_the_round_with_return(x, limit):
    while (y := x * 2) > 1 and (z := y - 1) > 0.01:
        x = x - 0.1 * y * z / (1 + z)
        if x < limit:
            return x, False
    return x, True


def bound_in_a_loop_in_a_loop(x, n):
    total = 0.0
    for _ in range(n):
        while (y := x * 2) > 1:
            x = x - 0.1 * y
            if y > 30:
                continue
            total += y
    return x, total * 1.0


def last_index(xs, limit):
    for k in range(len(xs)):
        if xs[k] > limit:
            break
    return k


def only_in_one_branch(x, c):
    if c > 0:
        y, z = x * 2, (x, x + 1)
    if c > 0:
        return y + z[1]
    return x


def swapped_before_it_is_set(x, n):
    for _ in range(3):
        while n > 5:
            y = x
            n -= 1
        x, y = y, x
    return x


def from_a_staged_start(x, n):
    for i in range(n, 8):
        x = x * i
    return x


def deleted_in_a_loop(x, n):
    y = x
    for i in range(n):
        if i == 1:
            del y
        else:
            y = x + i
    return y


CASES = [
    (bound_for_the_round, [(np.float64(k),) for k in (0.2, 5, 40)]),
    (bound_for_the_round_with_return, [(np.float64(5), np.float64(k)) for k in (-3, 2, 9)]),
    (bound_in_a_loop_in_a_loop, [(np.float64(40), np.int64(k)) for k in (1, 3)]),
    (last_index, [(np.array([1.0, 5.0]), np.float64(k)) for k in (0, 3, 9)]),
    (only_in_one_branch, [(np.float64(3), np.int64(k)) for k in (1, -1)]),
    (from_a_staged_start, [(np.float32(1), np.int64(5)), (np.float32(2), np.int8(9))]),
    (deleted_in_a_loop, [(np.float64(3), np.int64(k)) for k in (0, 1, 3)]),
    (walrus, [(np.float64(1),), (np.float64(200),)]),
    (walrus_with_break, [(np.float64(1), np.int64(k)) for k in (0, 3, 50)]),
    (absolute, [(np.float64(3),), (np.float64(-3),)]),
    (countdown, [(np.int64(5),), (np.int64(0),), (np.int64(-3),)]),
    (sum_of_positive, [(np.array([1.0, -2.0, 3.0]),), (np.array([]),), (np.array([-1.0]),)]),
    (first_above, [(np.array([1.0, 5.0, 7.0]), 4.0), (np.array([1.0]), 4.0)]),
    (position_above, [(np.array([1.0, 5.0, 7.0]), 4.0), (np.array([1.0]), 4.0)]),
    (nested_return, [(np.arange(6.0).reshape(2, 3), np.float64(k)) for k in (0, 4, 9)]),
    (for_else, [(np.array([1.0, 5.0, 7.0]), 4.0), (np.array([1.0]), 4.0)]),
    (while_else, [(np.int64(5), np.int64(2)), (np.int64(5), np.int64(9)), (np.int64(0), 1)]),
    (collatz, [(np.int64(27),), (np.int64(1),)]),
    (chained, [(np.float64(k),) for k in (0, 5, 10, 11)]),
    (logical, [(np.float64(x), np.float64(y)) for x in (-1, 1) for y in (-2, 2)]),
    (range_with_step, [(np.int64(7),), (np.int64(0),)]),
    (staged_step, [tuple(map(np.int64, k)) for k in ((0, 9, 4), (9, 0, -4), (3, 3, 1), (0, 8, 4))]),
    (write_items, [(np.array([1.0, -2.0, 3.0, -4.0]),)]),
    (fill, [(np.int64(4),), (np.int64(0),)]),
    (alias, [(np.array([1.0, 2.0, 3.0]),)]),
    (branch_writes, [(np.float64(3),), (np.float64(-3),)]),
    (loop_swaps, [(np.int64(0), np.int64(1), np.int64(10)), (1.5, np.float64(2), np.int64(3))]),
    (structures, [(np.float64(2), np.int64(3)), (np.float64(2), np.int64(0))]),
    (break_out_of_while_true, [(np.float64(100),), (np.float64(0.5),)]),
    (break_in_python_loop, [(np.int64(k),) for k in (-1, 0, 5, 100)]),
    (enumerate_and_zip, [(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))]),
    (last_item, [(np.array([1.0, 2.0, 3.0]),)]),
    (widening, [(np.array([1.5, 2.5]),), (np.array([1, 2], np.int8),)]),
    (inner_function, [(np.float64(0.5),), (np.float64(8),)]),
    (items_of_a_list, [(np.int64(k),) for k in (0, 2, -1)]),
    (write_in_nested_loops, [(np.array([3.0, 1.0, 2.0]), np.int64(k)) for k in (0, 1, 3)]),
]


def copies(arguments):
    return tuple(x.copy() if isinstance(x, np.ndarray) else x for x in arguments)


def assert_same(found, expected):
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        expected, found = list(expected.values()), list(found.values())
    if isinstance(expected, Box):
        expected, found = (expected.value, expected.count), (found.value, found.count)
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for x, y in zip(found, expected, strict=True):
            assert_same(x, y)
        return
    np.testing.assert_array_equal(found, expected)
    assert np.result_type(type(found) if np.isscalar(found) else found) == np.result_type(
        type(expected) if np.isscalar(expected) else expected
    )


@pytest.mark.parametrize(
    ("sample", "arguments"),
    [
        pytest.param(f, args, id=f"{f.__name__}-{k}")
        for f, many in CASES
        for k, args in enumerate(many)
    ],
)
def test_staged_means_what_python_means(sample, arguments):
    mine, theirs = copies(arguments), copies(arguments)
    expected = sample(*theirs)
    staged = ag.function(sample)
    assert_same(staged(*mine), expected)
    assert_same(mine, theirs)
    again = copies(arguments)
    assert_same(staged(*again), expected)
    assert staged.trace_count == 1


@pytest.mark.parametrize(
    ("sample", "arguments", "name"),
    [
        (last_index, (np.array([]), np.float64(1)), "k"),
        (swapped_before_it_is_set, (np.float64(3), np.int64(2)), "y"),
        (deleted_in_a_loop, (np.float64(3), np.int64(2)), "y"),
    ],
)
def test_reading_what_the_path_left_undefined_names_the_variable(sample, arguments, name):
    with pytest.raises(UnboundLocalError):
        sample(*arguments)
    with pytest.raises(UnboundLocalError, match=f"local variable '{name}'"):
        ag.function(sample)(*arguments)


def test_calls_in_a_slice_that_is_written_are_staged():
    def f(x, c):
        x[int(c) :] += 1
        x[: int(c)] = 5
        return x

    np.testing.assert_array_equal(ag.function(f)(np.zeros(3), np.float64(1)), [5, 1, 1])


def test_an_error_of_numpy_in_an_arm_that_does_not_run_is_not_raised():
    def f(x, c):
        if c > 0:
            return x.sum()
        if c > -5:
            return np.sign(x > 0).sum()
        return (x + np.ones(x.shape[0] + 1)).sum()

    assert ag.function(f)(np.ones(4), np.int64(1)) == 4
    with pytest.raises(TypeError, match="sign"):
        ag.function(f)(np.ones(4), np.int64(-1))
    with pytest.raises(ValueError, match="broadcast"):
        ag.function(f)(np.ones(4), np.int64(-9))


def test_a_condition_of_a_loop_may_loop():
    def f(x, n):
        rounds = 0
        while rounds < n and largest(x) < 100:
            x = x * 2
            rounds += 1
        return x, rounds

    def largest(x):
        found = x[0]
        for item in x:
            if item > found:
                found = item
        return found

    argument = np.array([1.0, 7.0, 3.0])
    for mine, theirs in zip(ag.function(f)(argument, np.int64(9)), f(argument, 9), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_range_of_staged_numbers_takes_integers_only():
    def f(x):
        total = 0
        for i in range(x):
            total += i
        return total

    with pytest.raises(TypeError, match=r"object cannot be interpreted as an integer \(f64"):
        ag.function(f)(np.float64(3))


def test_a_staged_range_has_no_items_while_tracing():
    with pytest.raises(TypeError, match=r"write a `for` loop over it, or np\.arange"):
        ag.function(lambda n: frozenset(range(n)))(np.int64(3))


class Source:
    def __init__(self, xs):
        self.xs, self.k = xs, 0

    def take(self):
        self.k += 1
        return self.xs[self.k - 1]


def takes_from_an_iterator(xs, limit):
    items, n = iter(xs), 0
    while (x := next(items, None)) is not None and x < limit:
        n += x
    return n, x


def takes_from_an_object(xs, limit):
    source, n = Source(xs), 0
    while (x := source.take()) < limit:
        n += x
    return n, x, source.k


def takes_from_a_list(xs, limit):
    items, n = list(xs), 0
    while items and (x := items.pop()) < limit:
        n += x
    return n, items


@pytest.mark.parametrize(
    "function", [takes_from_an_iterator, takes_from_an_object, takes_from_a_list]
)
def test_a_condition_that_binds_a_name_may_change_more(function):
    staged = ag.function(function)
    for limit in (5, 3, 1, 0):
        xs = np.array([1, 2, 3, 4, 5, 0])
        assert staged(xs, np.int64(limit)) == function(xs, np.int64(limit))
