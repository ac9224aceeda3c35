"""What raises in plain Python raises in a staged function, though nobody uses the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf


def an_index(v, n):
    v[n]
    return v[0]


def an_index_that_is_overwritten(v, n):
    y = v[n]
    y = v[0]
    return y


def an_index_in_a_loop(v, n):
    rounds = 0
    for k in range(n):
        v[k]
        rounds += 1
    return rounds


def an_index_in_a_branch(v, n):
    if v[0] < 1:
        y = v[n]
    return v


def state_of_a_loop(v, n):
    last = 0.0
    for k in range(n):
        last = v[k]
    del last
    return n


def a_quotient_of_python(v, n):
    k = len(v) // (int(n) - 9)
    k = 3
    return k


def one_before_what_fails_while_tracing(v, n):
    v[:2][3] = v[n]


def a_matrix(v, n):
    np.linalg.inv(np.outer(v, v) * 0)
    return n


@pytest.mark.parametrize(
    "function",
    [
        an_index,
        an_index_that_is_overwritten,
        an_index_in_a_loop,
        an_index_in_a_branch,
        state_of_a_loop,
        a_quotient_of_python,
        one_before_what_fails_while_tracing,
        a_matrix,
    ],
)
def test_errors_of_unused_values_are_raised(function: Callable[..., Any]) -> None:
    given = np.arange(4.0), np.int64(9)
    with pytest.raises(Exception) as expected:  # noqa: PT011  (the class is compared)
        function(*given)
    with pytest.raises(type(expected.value)) as found:
        ag.function(function)(*given)
    assert found.value.args == expected.value.args


def test_what_cannot_raise_is_dropped() -> None:
    @ag.function
    def f(v, w):
        v[1:] + v[:-1]
        v[v > w] * 2
        return v

    text = f.graph(np.arange(4.0), np.arange(4.0))
    assert "add" not in text
    assert "multiply" not in text


def test_tensorflows_rule_drops_it() -> None:
    @tf.function
    def f(v):
        tf.gather(v, [7])
        return v

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [1, 2]
