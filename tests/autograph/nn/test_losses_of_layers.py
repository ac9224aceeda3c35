"""Regularisers, constraints, and losses that layers add: Keras' numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn, tf

X = np.ones((4, 3), np.float32)
RULES = [
    (nn.regularizers.L1(0.5), [[1.0, -2.0]], 1.5),
    (nn.regularizers.get("l2"), [[1.0, -2.0]], 0.05),
    (nn.regularizers.l1_l2(0.5, 0.1), [[1.0, -2.0]], 2.0),
    (nn.constraints.get("non_neg"), [1.0, -2.0], [1.0, 0.0]),
    (nn.constraints.get("unit_norm"), [[3.0], [4.0]], [[0.6], [0.8]]),
    (nn.constraints.MaxNorm(1.0, axis=1), [[3.0, 4.0], [0.3, 0.4]], [[0.6, 0.8], [0.3, 0.4]]),
    (nn.constraints.MinMaxNorm(1.0, 2.0), [[0.3], [0.4]], [[0.6], [0.8]]),
]


@pytest.mark.parametrize(("rule", "given", "expected"), RULES)
def test_rules_give_keras_numbers(rule: Any, given: Any, expected: Any) -> None:
    x = np.array(given)
    np.testing.assert_allclose(rule(x), expected, rtol=1e-6)
    np.testing.assert_array_equal(ag.function(rule)(x), rule(x))


def test_losses_are_those_of_the_last_call() -> None:
    options = {"activity_regularizer": "l2", "kernel_regularizer": nn.regularizers.L1(0.1)}
    inner = nn.Dense(2, kernel_initializer="ones", **options)
    model = nn.Sequential([inner, nn.Dense(1)])
    for _ in range(2):
        model(X)
        for found in (inner.losses, model.losses):
            np.testing.assert_allclose(found, [0.18, 0.6], rtol=1e-6)  # as Keras gives

    @ag.function
    def staged(x: Any) -> Any:
        model(x)
        return model.losses

    np.testing.assert_allclose(staged(X), [0.18, 0.6], rtol=1e-6)
    assert len(model.losses) == 1  # what a graph added is not here
    assert next(iter(nn.variables(model))) == "layers[0].kernel"


def test_steps_are_brought_back_by_constraints() -> None:
    layer = nn.Dense(1, kernel_initializer="ones", kernel_constraint="non_neg")
    layer(X)
    nn.optimizers.SGD(1.0).minimize(lambda: np.sum(layer(X)), nn.parameters(layer))
    np.testing.assert_array_equal(layer.kernel.value(), np.zeros((3, 1)))


def test_a_model_is_trained_on_what_its_layers_add() -> None:
    class Added(tf.keras.layers.Layer):
        def call(self, x):
            self.add_loss(0.5 * tf.reduce_mean(x))
            return x

    ones = {"kernel_initializer": "ones"}
    model = tf.keras.Sequential([Added(), tf.keras.layers.Dense(1, **ones)])
    model.compile("sgd", "mse", metrics=["mae"])
    assert model.evaluate(X, np.zeros((4, 1)), verbose=0) == [9.5, 3.0]  # as Keras gives
    recurrent = nn.LSTM(2, recurrent_regularizer="l2", bias_constraint=nn.constraints.NonNeg())
    recurrent(X[:, None])
    assert len(recurrent.losses) == 1


def test_a_rule_of_no_variable_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"kernal_regularizer .* it has bias, kernel"):
        nn.Dense(1, kernal_regularizer="l2")(X)
    with pytest.raises(TypeError, match="'d' has no argument 'unitz'"):
        nn.Dense(1, name="d", unitz=3)
    with pytest.raises(ValueError, match="no regularizer 'l3'"):
        nn.Dense(1, kernel_regularizer="l3")
