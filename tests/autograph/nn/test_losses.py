"""Losses against formulas of NumPy's, eagerly and staged, in both floats."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn, tf
from tests.autograph.nn.same import FLOATS, drawn, tolerance

losses = nn.losses
Y = np.array([[0.0, 1.0, 0.0], [0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
Z = drawn((4, 3), seed=1) * 3
P = np.exp(Z) / np.exp(Z).sum(-1, keepdims=True)
B = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
C = np.array([1, 2, 0, 2])
ONES = np.array([1.0, 2.0, 0.5, 0.0])


def sigmoid(z: Any) -> Any:
    return 1 / (1 + np.exp(-z))


def unit(x: Any) -> Any:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


CASES: dict[str, tuple[Callable[..., Any], Any, Any, Any]] = {
    "mean_squared_error": (losses.mean_squared_error, Y, Z, ((Y - Z) ** 2).mean(-1)),
    "mean_absolute_error": (losses.mean_absolute_error, Y, Z, np.abs(Y - Z).mean(-1)),
    "percentage": (
        losses.mean_absolute_percentage_error,
        Y + 1,
        Z,
        100 * np.abs((Y + 1 - Z) / (Y + 1)).mean(-1),
    ),
    "logarithmic": (
        losses.mean_squared_logarithmic_error,
        Y,
        P,
        ((np.log1p(np.maximum(Y, 1e-7)) - np.log1p(P)) ** 2).mean(-1),
    ),
    "huber": (
        lambda y, p: losses.huber(y, p, delta=2.0),
        Y,
        Z,
        np.where(abs(Y - Z) <= 2, (Y - Z) ** 2 / 2, 2 * abs(Y - Z) - 2).mean(-1),
    ),
    "log_cosh": (losses.log_cosh, Y, Z, np.log(np.cosh(Y - Z)).mean(-1)),
    "binary of logits": (
        lambda y, p: losses.binary_crossentropy(y, p, from_logits=True),
        B,
        Z,
        -(B * np.log(sigmoid(Z)) + (1 - B) * np.log(sigmoid(-Z))).mean(-1),
    ),
    "binary, smoothed": (
        lambda y, p: losses.binary_crossentropy(y, p, label_smoothing=0.1),
        B,
        P,
        -((B * 0.9 + 0.05) * np.log(P) + (0.95 - B * 0.9) * np.log(1 - P)).mean(-1),
    ),
    "categorical": (losses.categorical_crossentropy, Y, P * 2, -(Y * np.log(P)).sum(-1)),
    "categorical of logits": (
        lambda y, p: losses.categorical_crossentropy(y, p, from_logits=True, label_smoothing=0.3),
        Y,
        Z,
        -((Y * 0.7 + 0.1) * np.log(P)).sum(-1),
    ),
    "sparse": (losses.sparse_categorical_crossentropy, C, P, -np.log(P[range(4), C])),
    "sparse of logits": (
        lambda y, p: losses.sparse_categorical_crossentropy(
            y[:, None], p, from_logits=True, ignore_class=0
        ),
        C,
        Z,
        -np.log(P[range(4), C]) * (C != 0),
    ),
    "kl_divergence": (
        losses.kl_divergence,
        P,
        P[::-1],
        (P * np.log(P / P[::-1])).sum(-1),
    ),
    "poisson": (losses.poisson, B, P, (P - B * np.log(P + 1e-7)).mean(-1)),
    "hinge": (losses.hinge, B, Z, np.maximum(1 - (2 * B - 1) * Z, 0).mean(-1)),
    "squared_hinge": (
        losses.squared_hinge,
        B,
        Z,
        (np.maximum(1 - (2 * B - 1) * Z, 0) ** 2).mean(-1),
    ),
    "categorical_hinge": (
        losses.categorical_hinge,
        B,
        Z,
        np.maximum(np.max((1 - B) * Z, -1) - np.sum(B * Z, -1) + 1, 0),
    ),
    "binary, focal": (
        lambda y, z: losses.binary_focal_crossentropy(y, z, True, 0.3, 1.5, from_logits=True),
        B,
        Z,
        np.mean(
            np.where(B == 1, 0.3, 0.7)
            * np.where(B == 1, sigmoid(-Z), sigmoid(Z)) ** 1.5
            * -np.log(np.where(B == 1, sigmoid(Z), sigmoid(-Z))),
            -1,
        ),
    ),
    "categorical, focal": (
        lambda y, z: losses.categorical_focal_crossentropy(y, z, from_logits=True),
        Y,
        Z,
        -np.sum(0.25 * (1 - P) ** 2 * Y * np.log(P), -1),
    ),
    "dice": (
        lambda y, p: losses.dice(y, p, axis=-1),
        B,
        P,
        1 - 2 * (B * P).sum(-1) / ((B + P).sum(-1) + 1e-7),
    ),
    "tversky": (
        lambda y, p: losses.tversky(y, p, 0.3, 0.8, axis=-1),
        B,
        P,
        1 - (B * P).sum(-1) / ((0.3 * B + 0.8 * P - 0.1 * B * P).sum(-1) + 1e-7),
    ),
    "cosine_similarity": (losses.cosine_similarity, Y, Z, -(unit(Y) * unit(Z)).sum(-1)),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", CASES)
def test_loss_is_its_formula(case: str, dtype: Any) -> None:
    function, y_true, y_pred, expected = CASES[case]
    y_pred = y_pred.astype(dtype)
    for found in (function(y_true, y_pred), ag.function(function)(y_true, y_pred)):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, **tolerance(dtype))


@pytest.mark.parametrize("case", [x for x in CASES if "hinge" not in x and x != "percentage"])
def test_gradients_are_those_of_small_steps(case: str) -> None:
    function, y_true, y_pred, _ = CASES[case]
    found = ag.grad(lambda p: np.sum(function(y_true, p)))(y_pred)
    step = drawn(y_pred.shape, seed=2) * 1e-6
    change = np.sum(function(y_true, y_pred + step) - function(y_true, y_pred - step))
    np.testing.assert_allclose(2 * np.sum(found * step), change, rtol=1e-4)


def test_losses_are_reduced() -> None:
    of_samples = ((Y - Z) ** 2).mean(-1)
    makes = losses.MeanSquaredError
    np.testing.assert_allclose(makes()(Y, Z), of_samples.mean())
    np.testing.assert_allclose(makes("sum")(Y, Z), of_samples.sum())
    np.testing.assert_allclose(makes(None)(Y, Z, ONES[:, None]), of_samples * ONES)
    np.testing.assert_allclose(makes()(Y, Z, ONES), (of_samples * ONES).mean())
    weighted = makes("mean_with_sample_weight")(Y, Z, ONES)
    np.testing.assert_allclose(weighted, np.average(of_samples, weights=ONES))
    with pytest.raises(ValueError, match=r"the reduction of a loss is one of .*, not 'all'"):
        makes("all")


def test_losses_are_found_by_name() -> None:
    for name in ("mse", "mean_squared_error", "MeanSquaredError"):
        assert isinstance(losses.get(name), losses.MeanSquaredError)
    for name in losses.CLASSES:
        assert losses.get(name).name in losses.FUNCTIONS
    with pytest.raises(ValueError, match="no loss 'mean_square_error'; did you mean"):
        losses.get("mean_square_error")


def test_an_axis_of_one_may_be_left_out_and_nothing_is_broadcast() -> None:
    column = Z[:, :1]
    assert losses.mean_squared_error(Z[:, 0], column).tolist() == [0, 0, 0, 0]
    assert losses.mean_squared_error(column, Z[:, 0]) == 0
    with pytest.raises(ag.ShapeError, match=r"given f64\[3\] and f64\[4, 3\]"):
        losses.mean_squared_error(Y[0], Z)
    with pytest.raises(ag.ShapeError, match=r"given f64\[4, 3\] and f64\[4, 3\]"):
        losses.sparse_categorical_crossentropy(Y, Z)


@pytest.mark.parametrize("number", [-1, 3])
def test_a_class_that_is_none_is_an_error(number: int) -> None:
    loss = ag.function(losses.sparse_categorical_crossentropy)
    with pytest.raises(IndexError, match=r"a label of .* is none of the 3 classes from 0 on"):
        loss(np.array([0, 1, 2, number]), P)


def test_ctc_is_the_sum_of_all_ways_to_spell() -> None:
    rng = np.random.default_rng(0)
    logits, label_length = rng.normal(size=(4, 3, 3)), np.array([2, 1, 0])
    labels, steps = np.array([[1, 1], [2, 0], [2, 2]]), np.array([4, 3, 2])

    def by_ways(logits, blank):
        logs = logits - np.log(np.sum(np.exp(logits), axis=-1, keepdims=True))
        found = []
        for k, row in enumerate(labels):
            total, wanted = 0.0, [*row[: label_length[k]]]
            for way in itertools.product(range(3), repeat=int(steps[k])):
                if [key for key, _ in itertools.groupby(way) if key != blank] == wanted:
                    total += np.exp(sum(logs[t, k, c] for t, c in enumerate(way)))
            found.append(-np.log(total))
        return np.array(found)

    loss = ag.function(lambda x: ag.nn.ctc_loss(labels, x, label_length, steps))
    np.testing.assert_allclose(loss(logits), by_ways(logits, 0), rtol=1e-12)
    step = 1e-6 * rng.normal(size=logits.shape)
    expected = np.sum(by_ways(logits + step, 0) - by_ways(logits - step, 0)) / 2
    gradient = ag.grad(lambda x: np.sum(loss(x)))(logits)
    np.testing.assert_allclose(np.sum(gradient * step), expected, rtol=1e-6)
    none = ag.nn.ctc_loss(np.array([[1, 1]]), logits[:2, :1], np.array([2]), np.array([2]))
    np.testing.assert_array_equal(none, [np.inf])  # the same twice needs three steps
    turned = tf.nn.ctc_loss(labels, np.swapaxes(logits, 0, 1), label_length, steps, False)
    np.testing.assert_allclose(turned, loss(logits), rtol=1e-6)
    given = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 0, 1], [3, 2])
    moved = np.roll(logits, -1, axis=-1)  # the last class says nothing
    np.testing.assert_allclose(tf.nn.ctc_loss(given, moved, None, steps), loss(logits), rtol=1e-6)
