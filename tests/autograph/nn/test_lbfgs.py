"""L-BFGS: it finds minima that are known, in one graph and outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import drawn

minimize = nn.optimizers.lbfgs_minimize


def test_a_quadratic_function_of_a_structure_is_minimised() -> None:
    a = drawn((6, 6))
    a, b = a @ a.T + np.eye(6), drawn((6,), seed=1)
    parts = {"first": ag.Variable(np.zeros((2, 2))), "rest": [ag.Variable(np.zeros(2))]}

    def loss() -> Any:
        x = np.concatenate([np.reshape(parts["first"], (4,)), parts["rest"][0]])
        return x @ a @ x / 2 - b @ x

    found = minimize(loss, parts, tolerance=1e-9)
    assert found.converged
    x = [*parts["first"].numpy().ravel(), *parts["rest"][0].numpy()]
    np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-6)
    assert found.num_iterations < 25


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_curved_valley_is_followed_in_one_graph(dtype: Any) -> None:
    x = ag.Variable(np.array([-1.2, 1.0], dtype))
    tolerance = 1e-3 if dtype == np.float32 else 1e-9

    def loss() -> Any:
        return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2

    @ag.function
    def run(limit):
        return minimize(loss, x, max_iterations=limit, tolerance=tolerance)

    few = run(np.int64(3))
    assert (int(few.num_iterations), bool(few.converged)) == (3, False)
    found = run(np.int64(100))
    assert run.trace_count == 1
    assert found.converged
    assert x.dtype == dtype
    np.testing.assert_allclose(x, [1, 1], atol=1e-3 if dtype == np.float32 else 1e-8)
    assert found.num_objective_evaluations < 100


def test_a_network_is_trained() -> None:
    points = drawn((60, 2))
    labels = (points[:, 0] * points[:, 1] > 0).astype(np.int64)
    kernel = nn.initializers.GlorotUniform(seed=1)
    model = nn.Sequential(
        [nn.Dense(8, "tanh", kernel_initializer=kernel), nn.Dense(2, kernel_initializer=kernel)]
    )
    model(points)
    loss_of = nn.losses.SparseCategoricalCrossentropy(from_logits=True)
    found = minimize(lambda: loss_of(labels, model(points)), nn.parameters(model), 5)
    assert found.value < 0.05
    assert np.mean(np.argmax(model(points), 1) == labels) == 1


def test_a_loss_without_a_minimum_ends_and_a_number_is_refused() -> None:
    x = ag.Variable(1.0)
    found = minimize(lambda: np.abs(x) * 1.0, x)
    assert not found.converged or float(x) == 0
    with pytest.raises(TypeError, match=r"changes variables of known shapes, and was given 1\.0"):
        minimize(lambda: x * x, [1.0])
