"""`strict=True` gives errors where other functions widen, of the types that Python users expect."""

from __future__ import annotations

import threading
from contextlib import suppress

import numpy as np
import pytest

import autograph as ag


def one_branch(x):
    if x > 0:
        y = x
    return y


def no_value_before(n):
    for i in range(n):
        x = i
    return x


def late_break(x):
    while True:
        x = x - 1
        if x < 0:
            break
    return x


def late_break_for(x):
    total = 0.0
    for k in range(10):
        if k == x:
            break
        total = total + k
    return total


def changes_dtype(x):
    y = np.float32(x)
    while np.sum(y) < 10:
        y = np.float64(y) + 1
    return y


def grows(x):
    while np.sum(x) < 10:
        x = np.concatenate([x, x[:1] + 1])
    return x


def given_in_a_with(n, lock):
    total = 0
    for i in range(n):
        with lock:
            y = i * 2
            z = y + 1
        total = total + y + z
    return total


def read_after_a_with(n, lock):
    for i in range(n):
        with lock:
            y = i
    return y


ROWS = [
    (one_branch, np.float64(3), ValueError, "'y' must also be initialized in the other branch"),
    (no_value_before, np.int64(3), ValueError, "'x' must be defined before the loop"),
    (late_break, np.float64(3), TypeError, "this `while` began as a loop of Python's"),
    (late_break_for, np.float64(3), NotImplementedError, "this `for` began as a loop of Python's"),
    (
        changes_dtype,
        np.float64(3),
        TypeError,
        "'y' has dtype float32 before the loop, but dtype float64 after one iteration",
    ),
    (
        grows,
        np.ones(2),
        ValueError,
        "'x' has shape (2,) before the loop, but shape (3,) after one iteration. If that is meant, "
        "declare it: ag.hint(..., shape_invariants={'x': (None,)})",
    ),
]


@pytest.mark.parametrize(("sample", "argument", "kind", "message"), ROWS)
def test_strict_it_is_an_error(sample, argument, kind, message):
    np.testing.assert_array_equal(ag.function(sample)(argument), sample(argument))
    with pytest.raises(kind) as caught:
        ag.function(sample, strict=True)(argument)
    assert message in str(caught.value)


@pytest.mark.parametrize(("sample", "argument", "kind", "message"), ROWS)
def test_strictness_reaches_what_is_called(sample, argument, kind, message):
    def outer(x):
        return sample(x)

    with pytest.raises(kind) as caught:
        ag.function(strict=True)(outer)(argument)
    assert message in str(caught.value)


def test_what_a_with_gives_a_value_in_each_round_needs_none_before():
    lock, n = threading.Lock(), np.int64(4)
    staged = ag.function(lambda n: given_in_a_with(n, lock), strict=True)
    assert staged(n) == given_in_a_with(n, lock) == 28
    assert ag.function(lambda n: given_in_a_with(n, suppress(ValueError)), strict=True)(n) == 28
    with pytest.raises(ValueError, match="'y' must be defined before the loop"):
        ag.function(lambda n: read_after_a_with(n, lock), strict=True)(n)


def test_a_strict_function_is_strict_in_one_that_is_not():
    inner = ag.function(one_branch, strict=True)
    with pytest.raises(ValueError, match="'y' must also be initialized"):
        ag.function(lambda x: inner(x) + 1)(np.float64(3))
    assert ag.function(one_branch)(np.float64(3)) == 3


def test_strict_methods_are_strict():
    class Model:
        @ag.function(strict=True)
        def run(self, x):
            return one_branch(x)

    with pytest.raises(ValueError, match="'y' must also be initialized"):
        Model().run(np.float64(3))


def declared(x):
    while ag.hint(np.sum(x) < 10, shape_invariants={"x": (None,)}):
        x = np.concatenate([x, x[:1] + 1])
    return x


def test_a_declared_shape_may_change():
    expected = declared(np.ones(2))
    for strict in (False, True):
        found = ag.function(declared, strict=strict)(np.ones(2))
        np.testing.assert_array_equal(found, expected)


def test_declared_shapes_are_of_one_loop():
    @ag.function(strict=True)
    def f(x):
        for _ in ag.hint(range(int(x[0])), shape_invariants={"x": (None,)}):
            while np.sum(x) < 10:
                x = np.concatenate([x, x[:1] + 1])
        return x

    with pytest.raises(ValueError, match=r"'x' has shape \(.*\) before the loop, but shape"):
        f(np.ones(2))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            {"y": (None,)},
            "shape_invariants names 'y', which this loop does not assign: it assigns x",
        ),
        ({"x": (None, 2)}, "gives x the shape (None, 2), and it is f64[2] before the loop"),
        ({"x": (2,)}, "gives x the shape (2,), and it is f64[2] before the loop and f64[3] after"),
    ],
)
def test_wrong_shapes_are_refused(shapes, message):
    @ag.function
    def f(x):
        while ag.hint(np.sum(x) < 10, shape_invariants=shapes):
            x = np.concatenate([x, x[:1] + 1])
        return x

    with pytest.raises(ag.LoopStateError) as caught:
        f(np.ones(2))
    assert message in str(caught.value)


def test_shapes_are_checked_in_plain_python():
    with pytest.raises(ValueError, match="shape_invariants gives names a shape each, such as"):
        ag.hint(3, shape_invariants=[1])
