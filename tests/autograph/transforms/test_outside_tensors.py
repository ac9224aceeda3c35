"""Tensors that a staged function reads, and is not given: tapes go back to them, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf

X = tf.constant([3.0, 1.0])
ONE = tf.constant([1.0, 1.0])
WAYS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "function": (lambda f: ag.function(f)(X), 16),
    "tf.function": (lambda f: tf.function(f)(X), 16),
    "grad": (lambda f: tf.reduce_sum(ag.grad(f)(X)), 8),
    "value_and_grad": (lambda f: ag.value_and_grad(f)(X)[0], 16),
    "jvp": (lambda f: ag.jvp(f, (X,), (ONE,))[1], 8),
    "vjp": (lambda f: tf.reduce_sum(ag.vjp(f, X)[1](tf.constant(1.0))[0]), 8),
    "linearize": (lambda f: ag.linearize(f, X)[1](ONE), 8),
    "hvp": (lambda f: tf.reduce_sum(ag.hvp(lambda x: f(x * x), (X,), (ONE,))), 16),
    "vmap": (lambda f: ag.vmap(f)(X[None])[0], 16),
    "checkpoint": (lambda f: ag.checkpoint(f)(X), 16),
    "a function in a function": (lambda f: tf.function(lambda x: tf.function(f)(x) + 1)(X), 16),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_tape_goes_back_to_what_a_function_has_from_outside(way: str) -> None:
    run, slope = WAYS[way]
    v = tf.Variable([2.0, 2.0])
    with tf.GradientTape() as tape:
        w = v * 1.0  # a tensor that follows a variable
        target = run(lambda x: tf.reduce_sum(w[0] * w * x))
    found = np.sum(tape.gradient(target, v).numpy())
    assert found == pytest.approx(slope, rel=1e-6)


def test_a_function_that_was_traced_before_is_traced_once_more_for_tapes() -> None:
    w = tf.constant(2.0)
    staged = ag.function(lambda x: w * w * x)
    for _ in range(3):
        staged(X)
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = staged(X)
        assert tape.gradient(y, w).numpy() == 16.0
    assert staged.trace_count == 2


def test_a_staged_tape_watches_a_tensor_from_outside() -> None:
    w = tf.constant(2.0)

    @tf.function
    def twice(x: Any, n: Any) -> Any:
        total = tf.zeros(())
        for _ in tf.range(n):
            with tf.GradientTape() as outer:
                outer.watch(w)
                with tf.GradientTape() as inner:
                    inner.watch(w)
                    y = tf.reduce_sum(w**3 * x)
                slope = inner.gradient(y, w)
            total += slope + outer.gradient(slope, w)
        return total

    assert twice(X, tf.constant(2)).numpy() == 2 * (3 * 4 + 6 * 2) * 4
