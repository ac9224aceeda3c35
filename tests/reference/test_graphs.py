"""Graphs as data, optimisation, and the eager switch (A.7 of the behaviours)."""

from __future__ import annotations

import pytest

from autograph import tf


@pytest.fixture(autouse=True)
def _staged_again():
    yield
    tf.config.run_functions_eagerly(False)


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
