"""Metrics: what they count over batches, in loops of graphs and outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn
from tests.autograph.nn.same import drawn

metrics = nn.metrics
P = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
C = np.array([1, 1, 2, 0])
ONE_HOT = np.eye(3)[C]
B = np.array([[1.0], [0.0], [1.0], [1.0]])
Q = np.array([[0.9], [0.6], [0.3], [0.8]])
W = np.array([1.0, 2.0, 3.0, 4.0])

CASES: dict[str, tuple[Callable[[], Any], Any, Any, Any]] = {
    "Accuracy": (metrics.Accuracy, C, np.array([1, 0, 2, 0]), [1, 0, 1, 1]),
    "BinaryAccuracy": (metrics.BinaryAccuracy, B, Q, [1, 0, 0, 1]),
    "CategoricalAccuracy": (metrics.CategoricalAccuracy, ONE_HOT, P, [1, 0, 1, 1]),
    "SparseCategoricalAccuracy": (metrics.SparseCategoricalAccuracy, C[:, None], P, [1, 0, 1, 1]),
    "top": (lambda: metrics.SparseTopKCategoricalAccuracy(2), C, P, [1, 0, 1, 1]),
    "MeanSquaredError": (metrics.MeanSquaredError, B, Q, ((B - Q) ** 2)[:, 0]),
    "MeanAbsoluteError": (metrics.MeanAbsoluteError, B, Q, abs(B - Q)[:, 0]),
    "BinaryCrossentropy": (
        metrics.BinaryCrossentropy,
        B,
        Q,
        -np.log(np.where(B == 1, Q, 1 - Q))[:, 0],
    ),
    "CategoricalCrossentropy": (
        metrics.CategoricalCrossentropy,
        ONE_HOT,
        P,
        -np.log(P[range(4), C]),
    ),
    "SparseCategoricalCrossentropy": (
        lambda: metrics.SparseCategoricalCrossentropy(from_logits=True),
        C,
        np.log(P),
        -np.log(P[range(4), C]),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_means_are_of_all_samples_of_all_batches(case: str) -> None:
    make, y_true, y_pred, of_samples = CASES[case]
    metric, of_samples = make(), np.asarray(of_samples, float)
    metric.update_state(y_true[:1], y_pred[:1])
    metric.update_state(y_true[1:], y_pred[1:])
    np.testing.assert_allclose(metric.result(), np.mean(of_samples), rtol=1e-6)
    assert metric.result().dtype == np.float32
    metric.reset_state()
    assert metric.result() == 0
    weighted = ag.function(lambda: metric(y_true, y_pred, sample_weight=W))()
    np.testing.assert_allclose(weighted, np.average(of_samples, weights=W), rtol=1e-6)


def test_a_loop_of_batches_is_one_graph() -> None:
    metric, x = metrics.Mean(dtype="float64"), drawn((3, 4))

    @ag.function
    def total(x):
        metric.reset_state()
        for row in x:
            metric.update_state(row)
        return metric.result()

    for _ in range(2):
        np.testing.assert_allclose(total(x), np.mean(x))
    assert total.trace_count == 1
    assert [v.name for v in metric.variables] == [f"{metric.name}/total", f"{metric.name}/count"]


def test_others_count_otherwise() -> None:
    np.testing.assert_allclose(metrics.Sum()(P, sample_weight=W), np.sum(P * W[:, None]), rtol=1e-6)
    root = metrics.RootMeanSquaredError()(B, Q)
    np.testing.assert_allclose(root, np.sqrt(np.mean((B - Q) ** 2)), rtol=1e-6)
    np.testing.assert_allclose(metrics.Precision()(B, Q), 2 / 3, rtol=1e-6)
    np.testing.assert_allclose(metrics.Recall(thresholds=0.7)(B, Q), 2 / 3, rtol=1e-6)
    assert metrics.Recall().result() == 0


def test_metrics_are_found_by_name() -> None:
    for name in metrics.CLASSES:
        assert type(metrics.get(name)).__name__ == name
    assert metrics.get("sparse_categorical_accuracy").name == "sparse_categorical_accuracy"
    with pytest.raises(ag.ShapeError, match="sparse_categorical_accuracy is of what is expected"):
        metrics.SparseCategoricalAccuracy()(ONE_HOT, P)
