"""Graphs as data, optimisation, and the eager switch (A.7 of the behaviours)."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf


@pytest.fixture(autouse=True)
def _staged_again():
    yield
    tf.config.run_functions_eagerly(False)


def test_constants_are_folded():
    """A-162"""
    f = tf.function(lambda x: x + tf.constant(2) * tf.constant(3))
    text = str(f.graph(tf.constant(1)))
    assert text.count("add(") == 1
    assert text.count("multiply(") == 0
    assert f(tf.constant(1)).numpy() == 7


def test_common_parts_are_computed_once():
    """A-163"""
    f = tf.function(lambda x: tf.sin(x) + tf.sin(x))
    assert str(f.graph(tf.constant(1.0))).count("sin(") == 1


def test_what_nobody_uses_is_not_run():
    """A-165"""

    def unused(x):
        tf.gather(x, [1])
        return x

    with pytest.raises(tf.errors.InvalidArgumentError):
        unused(tf.constant([0.0]))
    assert tf.function(unused)(tf.constant([0.0])).numpy() == [0.0]


def test_the_eager_switch(capsys):
    """A-014, A-098, A-166"""
    calls = []

    @tf.function
    def get_mse(y_true, y_pred):
        calls.append(1)
        tf.print("Calculating")
        return tf.reduce_mean(tf.pow(y_true - y_pred, 2))

    a, b = tf.constant([1, 2, 3, 4]), tf.constant([2, 2, 2, 2])
    for _ in range(3):
        assert get_mse(a, b).numpy() == 1
    assert len(calls) == 1
    tf.config.run_functions_eagerly(True)
    assert tf.config.functions_run_eagerly()
    for _ in range(3):
        assert get_mse(a, b).numpy() == 1
    assert len(calls) == 4
    assert capsys.readouterr().err == "Calculating\n" * 6


def test_checks_are_kept():
    """A-165"""

    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="x must be positive")
        return x

    assert f(tf.constant(1.0)).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must be positive"):
        f(tf.constant(-1.0))


def test_powers_are_equal_eagerly_and_staged():
    """A-171"""

    def power(x, y):
        result = tf.eye(10, dtype=tf.int32)
        for _ in range(y):
            result = tf.matmul(x, result)
        return result

    x = tf.random.uniform([10, 10], -1, 2, tf.int32)
    assert np.array_equal(power(x, 100).numpy(), tf.function(power)(x, 100).numpy())
