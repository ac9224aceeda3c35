"""What loops keep for going back: what is read of large arrays, and states of changing sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.verify import verify
from tests.autograph.transforms.test_gradients import differences


def squares(x: Any, n: int) -> Any:
    items = [x[0]]
    for k in range(n):
        items.append(items[-1] * items[k // 2] * 0.5 + x[k % 3])
    return sum(items)


def all_of_a_list(x: Any, n: int) -> Any:
    items = [x[0]]
    total = x[1]
    for k in range(n):
        items.append(np.sin(items[-1]) + x[k % 3])
        for item in items:
            total = total * 0.9 + item * item
    return total


def until_it_is_large(x: Any, n: int) -> Any:
    rows = [x]
    while np.sum(rows[-1]) < n:
        rows.append(rows[-1] * rows[-1] * 0.3 + rows[len(rows) // 2] + 0.5)
    return np.sum(np.stack(rows) ** 2)


def joined(x: Any, n: int) -> Any:
    y = np.zeros(0)
    for k in range(n):
        y = np.append(np.sin(y), x[k % 3] * np.sum(y) + x[0])
    return np.sum(y * y)


def joined_rows(x: Any, n: int) -> Any:
    y = np.reshape(x, (1, 3))
    for _ in range(n):
        y = np.concatenate([y * y[::-1] * 0.5 + 0.5, np.cos(y[-1:]) * y[:1]])
    return np.sum(y)


def shrinking(x: Any, n: int) -> Any:
    y = np.concatenate([x, x * x, np.sin(x)])
    while y.shape[0] > n:
        y = y[1:] * y[:-1]
    return np.sum(y)


def in_an_arm(x: Any, n: int) -> Any:
    items = [x[0]]
    for k in range(n):
        if items[-1] > 0.8:
            items.append(items[-1] * items[0] * 0.6)
        else:
            items.append(items[-1] * items[-1] + x[k % 3])
    return sum(items)


def beside_what_it_begins_with(x: Any, n: int) -> Any:
    """A state that grows, and one element that it begins with, which is broadcast then."""
    first = x[x > 1]
    y, total = first, 0.0
    for _ in range(n):
        total = total + np.sum(y * first) * 0.1
        y = np.concatenate((y, first * 0.5))
    return total


FUNCTIONS = [
    squares, all_of_a_list, until_it_is_large, joined, joined_rows, shrinking, in_an_arm,
    beside_what_it_begins_with,
]  # fmt: skip
X = np.array([0.7, 1.1, 0.4])


gradient_of = functools.cache(ag.grad)
"""Returns the gradient of a function, which is traced once for all tests."""


@pytest.mark.parametrize("rounds", [0, 1, 7, 25])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_states_change_their_sizes(function: Callable[..., Any], rounds: int) -> None:
    n = np.int64(rounds)
    found = gradient_of(function)(X, n)
    np.testing.assert_allclose(found, differences(lambda x: function(x, n), X), rtol=1e-5)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_states_that_change_their_sizes_have_second_derivatives(
    function: Callable[..., Any],
) -> None:
    n = np.int64(5)
    found, gradient = ag.hessian(function)(X, n), gradient_of(function)
    for k, row in enumerate(found):
        along = differences(lambda x, k=k: gradient(x, n)[k], X)
        np.testing.assert_allclose(row, along, rtol=2e-5, atol=1e-6)


def test_states_that_change_their_sizes_go_back_under_a_checkpoint_and_in_batches() -> None:
    n = np.int64(20)
    gradient = gradient_of(all_of_a_list)
    expected = gradient(X, n)
    np.testing.assert_allclose(ag.grad(ag.checkpoint(all_of_a_list))(X, n), expected)
    rows, counts = np.stack([X, X * 0.5]), np.array([20, 3])
    found = ag.vmap(gradient)(rows, counts)
    np.testing.assert_allclose(found[0], expected)
    np.testing.assert_allclose(found[1], gradient(rows[1], counts[1]))


def test_what_goes_back_is_a_valid_graph() -> None:
    """Kept lengths are Python's numbers again."""
    for function in FUNCTIONS:
        concrete = gradient_of(function).get_concrete_function(X, np.int64(5))
        verify(concrete.traced_graph)


def recurrence(x: Any) -> Any:
    y = x.copy()
    for i in range(2, len(y)):
        y[i] = np.sin(y[i - 1]) * y[i - 2] + x[i]
    return np.sum(y)


def test_a_loop_that_writes_items_keeps_what_it_reads_and_not_the_array() -> None:
    x = np.linspace(0.1, 0.9, 400)
    (kept,) = ag.explain(ag.grad(recurrence), x).kept
    assert (kept.specs, kept.round_bytes) == (("f64[398]",) * 3, 24)
    x = x[:40]
    np.testing.assert_allclose(ag.grad(recurrence)(x), differences(recurrence, x), rtol=1e-6)


def test_a_loop_that_reads_most_of_a_small_array_keeps_the_array() -> None:
    def turned(x: Any, n: int) -> Any:
        y = x * 1.0
        for _ in range(n):
            y[0], y[1] = y[0] * y[1], y[0] - y[2] * y[1]
        return np.sum(y)

    (kept,) = ag.explain(ag.grad(turned), X, np.int64(600)).kept
    assert kept.round_bytes == 24


def decay(x: Any) -> Any:
    y, t = x[0], 0.0
    while t < 1.0:
        y = y - 0.05 * np.sin(y * y) * x[1]
        t = t + 0.05
    return y


def test_numbers_that_take_long_to_make_are_kept() -> None:
    (kept,) = ag.explain(ag.grad(decay), X).kept
    assert kept.round_bytes == 16
    assert "sin(" not in str(ag.grad(decay).graph(X)).split("reverse=True")[1]


def test_a_loop_that_is_counted_computes_what_its_test_needs() -> None:
    counting, going = str(ag.value_and_grad(decay).graph(X)).split("reduce(", 1)
    assert "while_loop" in counting
    assert (counting.count("sin("), going.count("sin(")) == (0, 1)
    found = ag.grad(decay)(X)
    np.testing.assert_allclose(found, differences(decay, X), rtol=1e-6, atol=1e-9)


def smoothed(x: Any, n: int) -> Any:
    for _ in range(n):
        x = np.convolve(x * x, np.array([0.2, 0.5, 0.3]), mode="same")
    return np.sum(x**3)


def test_cotangents_have_the_sizes_that_are_known_of_their_values() -> None:
    n = np.int64(3)  # rules of convolutions give arrays of sizes that are not known
    gradient = ag.grad(smoothed)
    found = ag.grad(lambda x: np.sum(gradient(x, n) * X))(X)
    along = differences(lambda x: np.sum(gradient(x, n) * X), X)
    np.testing.assert_allclose(found, along, rtol=1e-5)


def _graph_of(function: Callable[..., Any], *args: Any) -> str:
    return str(ag.grad(function).graph(*args))


def test_room_that_a_list_makes_is_taken_away_going_back() -> None:
    graph = _graph_of(squares, np.ones(3), np.int64(3))
    assert graph.count("key='0:?'") == 1
    assert "key='?:?'" not in graph


def test_sizes_are_asked_before_an_array_gets_another_one() -> None:
    body = _graph_of(all_of_a_list, np.ones(3), np.int64(3)).split("reduce(")[1]
    assert 0 < body.index("= dim(") < body.index("= concatenate(")


def _smoothed(x: Any) -> Any:
    for _ in range(3):
        x = x.copy()
        x[1:-1] = x[1:-1] + 0.1 * (x[2:] - 2.0 * x[1:-1] + x[:-2])
    return np.sum(x * x)


def _joined(x: Any) -> Any:
    inner = x[1:-1] + 0.1 * (x[2:] - 2.0 * x[1:-1] + x[:-2])
    return np.sum(np.concatenate([x[:1], inner, x[-1:]]) ** 2)


def _turned(x: Any) -> Any:
    return x[1:4] @ x[3:0:-1] + x[2] * np.sum(x[2:3]) + np.sum(x[::2] * x[::2])


def _at(x: Any, i: Any, j: Any) -> Any:
    y = x * 1.0
    y[i] = y[i] * y[i] + y[j]
    return np.sum(y * x[i])


@pytest.mark.parametrize(("function", "updates"), [(_smoothed, 12), (_joined, 2), (_turned, None)])
def test_what_is_read_at_one_place_is_added_there_once(function, updates) -> None:
    x = np.array([0.3, -1.2, 0.7, 2.0, 0.5])
    near = [(function(x + h) - function(x - h)) / 2e-6 for h in np.eye(5) * 1e-6]
    np.testing.assert_allclose(ag.grad(function)(x), near, rtol=1e-7, atol=1e-8)
    assert updates in (None, _graph_of(function, x).count("= update("))


@pytest.mark.parametrize(("i", "j"), [(1, 3), (2, 2), (-1, 4)])
def test_what_is_read_at_places_that_are_known_late_is_added_there(i, j) -> None:
    x, i, j = np.array([0.3, -1.2, 0.7, 2.0, 0.5]), np.int64(i), np.int64(j)
    near = [(_at(x + h, i, j) - _at(x - h, i, j)) / 2e-6 for h in np.eye(5) * 1e-6]
    np.testing.assert_allclose(ag.grad(_at)(x, i, j), near, rtol=1e-7, atol=1e-8)


def pushed_and_popped(x: Any, n: int) -> Any:
    items = [x[0]]
    for k in range(n):
        if k % 3 < 2:
            items.append(items[-1] * x[k % 3] + items[0])
        elif len(items) > 1:
            a = items.pop()
            if a > 0.5:
                items[-1] = items[-1] * a
            items[0] = items[0] * 0.5 + a
    return sum(items) + items[-1]


def chosen_by_arms(x: Any, n: int) -> Any:
    y, total = np.concatenate([x, x, x, x, x, x, x, x]), x[0]
    for k in range(n):
        if total > 1.0:
            y[k] = y[k - 1] * y[k]
            total = total * 0.5 + np.sin(y[k])
        elif k % 2 == 0:
            y[k + 1] = y[k] * x[1]
            total = total + y[k + 1] * y[k]
    return total * y[2]


@pytest.mark.parametrize("function", [pushed_and_popped, chosen_by_arms])
@pytest.mark.parametrize("rounds", [0, 1, 2, 11])
def test_what_arms_read_is_kept_and_not_the_array(function, rounds) -> None:
    x, n = np.array([0.9, -1.2, 0.7]), np.int64(rounds)
    near = [(function(x + h, n) - function(x - h, n)) / 2e-6 for h in np.eye(3) * 1e-6]
    np.testing.assert_allclose(gradient_of(function)(x, n), near, rtol=1e-6, atol=1e-8)
    assert _graph_of(function, x, n).count("= reduce(") == (4 if "popped" in str(function) else 2)


@pytest.mark.parametrize("function", [pushed_and_popped, chosen_by_arms])
def test_what_arms_read_has_second_derivatives_and_batches(function) -> None:
    x, n, t = np.array([0.9, -1.2, 0.7]), np.int64(7), np.array([1.0, 0.5, -0.25])
    gradient = gradient_of(function)
    near = (gradient(x + 1e-6 * t, n) - gradient(x - 1e-6 * t, n)) / 2e-6
    along = ag.jvp(lambda y: gradient(y, n), (x,), (t,))[1]
    np.testing.assert_allclose(along, near, rtol=1e-5, atol=1e-7)
    twice = ag.grad(lambda y: np.sum(gradient(y, n) * t))(x)
    np.testing.assert_allclose(twice, near, rtol=1e-5, atol=1e-7)
    rows = ag.vmap(gradient, in_axes=(0, None))(np.stack([x, -x, x * 0.5]), n)
    expected = [gradient(y, n) for y in (x, -x, x * 0.5)]
    np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=1e-12)


def roots_of_all(x: Any) -> Any:
    total = x[0] * 0.0
    for v in x:
        if v > 0.0:
            y = v
            while abs(y * y - v) > 1e-12:
                y = 0.5 * (y + v / y)
            total = total * 0.9 + np.sin(y)
    return total


def test_a_loop_in_a_round_is_counted_once() -> None:
    x = np.array([0.9, -1.2, 2.7])
    slopes = [0.81 * np.cos(x[0] ** 0.5) / x[0] ** 0.5, 0.0, np.cos(x[2] ** 0.5) / x[2] ** 0.5]
    factor = np.array([0.9 / 0.81, 1.0, 1.0]) * 0.5
    np.testing.assert_allclose(ag.grad(roots_of_all)(x), slopes * factor, rtol=1e-9)
    assert _graph_of(roots_of_all, x).count("= while_loop(") == 1
    t = np.array([1.0, 1.0, -0.5])
    gradient = ag.grad(roots_of_all)
    near = (gradient(x + 1e-6 * t) - gradient(x - 1e-6 * t)) / 2e-6
    np.testing.assert_allclose(ag.hvp(roots_of_all, (x,), (t,)), near, rtol=1e-6, atol=1e-9)
    twice = ag.grad(lambda y: np.sum(gradient(y) * t))(x)
    np.testing.assert_allclose(twice, near, rtol=1e-6, atol=1e-9)
    found = ag.grad(ag.checkpoint(roots_of_all))(x)
    np.testing.assert_allclose(found, gradient(x), rtol=1e-12)
