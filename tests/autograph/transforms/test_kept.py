"""What loops keep for going back: what is read of large arrays, and states of changing sizes."""

from __future__ import annotations

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


@pytest.mark.parametrize("rounds", [0, 1, 7, 25])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_states_change_their_sizes(function: Callable[..., Any], rounds: int) -> None:
    n = np.int64(rounds)
    found = ag.grad(function)(X, n)
    np.testing.assert_allclose(found, differences(lambda x: function(x, n), X), rtol=1e-5)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_states_that_change_their_sizes_have_second_derivatives(
    function: Callable[..., Any],
) -> None:
    n = np.int64(5)
    found = ag.hessian(function)(X, n)
    for k, row in enumerate(found):
        along = differences(lambda x, k=k: ag.grad(function)(x, n)[k], X)
        np.testing.assert_allclose(row, along, rtol=2e-5, atol=1e-6)


def test_states_that_change_their_sizes_go_back_under_a_checkpoint_and_in_batches() -> None:
    n = np.int64(20)
    expected = ag.grad(all_of_a_list)(X, n)
    np.testing.assert_allclose(ag.grad(ag.checkpoint(all_of_a_list))(X, n), expected)
    rows, counts = np.stack([X, X * 0.5]), np.array([20, 3])
    found = ag.vmap(ag.grad(all_of_a_list))(rows, counts)
    np.testing.assert_allclose(found[0], expected)
    np.testing.assert_allclose(found[1], ag.grad(all_of_a_list)(rows[1], counts[1]))


def test_what_goes_back_is_a_valid_graph() -> None:
    """Kept lengths are Python's numbers again."""
    for function in FUNCTIONS:
        concrete = ag.function(ag.grad(function)).get_concrete_function(X, np.int64(5))
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
    found = ag.grad(lambda x: np.sum(ag.grad(smoothed)(x, n) * X))(X)
    along = differences(lambda x: np.sum(ag.grad(smoothed)(x, n) * X), X)
    np.testing.assert_allclose(found, along, rtol=1e-5)
