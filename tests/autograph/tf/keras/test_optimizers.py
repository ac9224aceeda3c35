"""Keras' optimisers: rules of one's own, steps of several calls, means of variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph import tf
from autograph.tf import keras

ops, optimizers = keras.ops, keras.optimizers
GRADIENTS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
START = np.float32([1.0, -2.0, 0.5])


class Momentum(optimizers.Optimizer):
    def __init__(self, learning_rate: Any = 0.1, momentum: float = 0.9, **options: Any) -> None:
        super().__init__(learning_rate=learning_rate, **options)
        self.momentum = momentum

    def build(self, variables: Any) -> None:
        if not self.built:
            super().build(variables)
            self.kept, self.other = self.add_optimizer_variables(variables, ["kept", "other"])
            self.count = self.add_variable((), name="count")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        m = self.kept[self._get_variable_index(variable)]
        rate = ops.cast(learning_rate, variable.dtype)
        m.assign(self.momentum * m - rate * gradient)
        self.assign_add(variable, m)
        self.assign_add(self.count, 1.0)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "momentum": self.momentum}


class Slower(optimizers.Adam):
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        super().update_step(gradient * 2, variable, learning_rate / 2)


def stepped(optimizer: Any, is_staged: bool, calls: int = 6) -> np.ndarray:
    """Return what a variable holds after calls with `GRADIENTS`."""
    v = tf.Variable(START)

    def step(gradient: Any) -> None:
        optimizer.apply_gradients([(gradient, v)])

    step = tf.function(step) if is_staged else step
    for k in range(calls):
        step(tf.constant(GRADIENTS[k]))
    return v.numpy()


@pytest.mark.parametrize("is_staged", [False, True])
def test_a_rule_of_ones_own_keeps_variables_and_changes_others(is_staged: bool) -> None:
    own = Momentum(0.2, 0.8, clipnorm=0.5, weight_decay=0.1)
    expected = stepped(
        optimizers.SGD(0.2, 0.8, clipnorm=0.5, weight_decay=0.1), is_staged=is_staged
    )
    np.testing.assert_allclose(stepped(own, is_staged), expected, rtol=1e-6)
    assert (float(own.count), len(own.variables), int(own.iterations)) == (6.0, 5, 6)
    again = Momentum.from_config(own.get_config())
    stepped(again, is_staged)
    store: dict[str, Any] = {}
    own.save_own_variables(store)
    again.load_own_variables(store)
    np.testing.assert_array_equal(again.kept[0].numpy(), own.kept[0].numpy())


def test_a_rule_that_extends_another_one_may_change_gradient_and_rate() -> None:
    expected = START.astype(np.float64)
    m = v = 0.0
    for k, g in enumerate(GRADIENTS.astype(np.float64) * 2, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        rate = 0.05 * np.sqrt(1 - 0.999**k) / (1 - 0.9**k)
        expected = expected - rate * m / (np.sqrt(v) + 1e-7)
    np.testing.assert_allclose(stepped(Slower(0.1), is_staged=True), expected, rtol=1e-4)


@pytest.mark.parametrize("is_staged", [False, True])
def test_several_calls_make_one_step_by_the_mean_of_their_gradients(is_staged: bool) -> None:
    optimizer = optimizers.SGD(0.5, momentum=0.5, clipnorm=0.3, gradient_accumulation_steps=3)
    expected, m = START, 0.0
    for mean in GRADIENTS.reshape(2, 3, 3).mean(axis=1):
        m = 0.5 * m - 0.5 * mean * min(1.0, 0.3 / np.linalg.norm(mean))
        expected = expected + m
    np.testing.assert_allclose(stepped(optimizer, is_staged), expected, rtol=1e-5)
    assert int(optimizer.iterations) == 2


@pytest.mark.parametrize("is_staged", [False, True])
def test_means_of_variables_are_kept_and_assigned(is_staged: bool) -> None:
    held = [START - 0.5 * GRADIENTS[: k + 1].sum(axis=0) for k in range(4)]
    mean = held[0]
    for x in held[1:]:
        mean = 0.75 * mean + 0.25 * x
    optimizer = optimizers.SGD(0.5, use_ema=True, ema_momentum=0.75)
    np.testing.assert_allclose(stepped(optimizer, is_staged, 4), held[-1], rtol=1e-5)
    often = optimizers.SGD(0.5, use_ema=True, ema_momentum=0.75, ema_overwrite_frequency=4)
    np.testing.assert_allclose(stepped(often, is_staged, 4), mean, rtol=1e-5)


def test_fit_ends_with_the_means_of_variables() -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, use_bias=False)])
    model.compile(optimizers.SGD(0.1, use_ema=True, ema_momentum=1.0), "mse")
    x, y = GRADIENTS, GRADIENTS.sum(axis=1)
    model.fit(x, y, batch_size=6, shuffle=False, verbose=0)
    first = model.get_weights()[0]
    model.fit(x, y, batch_size=3, epochs=2, shuffle=False, verbose=0)
    np.testing.assert_array_equal(model.get_weights()[0], first)


def test_some_variables_may_be_left_out_and_keep_their_weight() -> None:
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="bias")
    optimizer = optimizers.SGD(0.5, momentum=0.5, weight_decay=1.0, loss_scale_factor=4.0)
    optimizer.exclude_from_weight_decay(var_names=["bias"])
    optimizer.build([a, b])
    assert float(optimizer.scale_loss(tf.constant(2.0))) == 8.0
    optimizer.apply([tf.constant(4.0), tf.constant(4.0)])
    optimizer.apply_gradients([(tf.constant(4.0), b)])
    assert (a.numpy(), b.numpy()) == (0.0, -0.25)


REFUSED = [
    ({"ema_momentum": 2}, "ema_momentum is between 0 and 1"),
    ({"gradient_accumulation_steps": 1}, "gradient_accumulation_steps is a number from 2 on"),
    ({"ema_overwrite_frequency": 0.5}, "ema_overwrite_frequency is a number from 1 on"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_is_not_possible_is_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        optimizers.SGD(**options)
