"""Metrics and losses: Keras' formulas, over several batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph import tf

metrics = tf.keras.metrics
ROWS = [[0.1, 0.6, 0.3], [0.5, 0.2, 0.3], [0.2, 0.3, 0.5], [0.4, 0.5, 0.1]]
CASES = [
    ("BinaryAccuracy", [[1], [0], [1]], [[0.9], [0.6], [0.2]], None, 1 / 3),
    ("BinaryAccuracy", [[1], [0], [1]], [[0.9], [0.6], [0.2]], [2, 1, 1], 0.5),
    ("SparseCategoricalAccuracy", [1, 0, 0, 1], ROWS, None, 0.75),
    ("SparseCategoricalAccuracy", [[1], [0], [0], [1]], ROWS, [1, 1, 2, 0], 0.5),
    ("CategoricalAccuracy", [[0, 1, 0], [0, 0, 1]], ROWS[:2], None, 0.5),
    ("Accuracy", [1, 2, 3], [1, 2, 4], None, 2 / 3),
    ("MeanSquaredError", [[1.0], [2.0]], [[2.0], [4.0]], [1, 3], 13 / 4),
    ("RootMeanSquaredError", [[1.0], [2.0]], [[2.0], [4.0]], None, np.sqrt(2.5)),
    ("CosineSimilarity", [[0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]], None, 0.5),
    ("LogCoshError", [[1.0]], [[3.0]], None, np.log(np.cosh(2.0))),
    ("PearsonCorrelation", [[0.0, 1.0, 0.5]], [[3.0, 5.0, 4.0]], None, 1.0),
    ("SquaredHinge", [[1.0, -1.0]], [[0.5, 0.0]], None, 0.625),
    ("R2Score", [[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]], None, 4 / 7),
    ("BinaryIoU", [0, 1, 1, 0, 0], [0.1, 0.6, 0.4, 0.2, 0.8], [1, 1, 1, 2, 0], (3 / 4 + 1 / 2) / 2),
    ("Precision", [0, 1, 1, 1], [1, 0, 1, 1], None, 2 / 3),
    ("Recall", [0, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 0], 1.0),
    ("TruePositives", [0, 1, 1, 1], [1, 0, 1, 1], None, 2),
    ("FalseNegatives", [0, 1, 1, 1], [1, 0, 1, 1], None, 1),
]


@pytest.mark.parametrize(("name", "y_true", "y_pred", "weight", "expected"), CASES)
def test_a_metric_gathers_over_batches(
    name: str, y_true: Any, y_pred: Any, weight: Any, expected: float
) -> None:
    metric = getattr(metrics, name)()
    for rows in (slice(0, 2), slice(2, None)):
        if len(y_true[rows]):
            given = None if weight is None else weight[rows]
            metric.update_state(y_true[rows], y_pred[rows], given)
    assert metric.result().dtype == np.float32
    np.testing.assert_allclose(metric.result().numpy(), expected, rtol=1e-6)
    metric.reset_state()
    assert float(metric.result().numpy()) == 0


def test_several_thresholds_give_a_result_each() -> None:
    metric = metrics.Recall(thresholds=[0.3, 0.7])
    for _ in range(2):
        tf.function(metric.update_state)([[0.0], [1.0], [1.0]], [[0.9], [0.6], [0.8]], [1, 1, 3])
    np.testing.assert_allclose(metric.result().numpy(), [1.0, 0.75])


def test_intersections_over_unions_are_of_classes_that_occur() -> None:
    y_true, y_pred = [0, 1, 2, 3, 3, 7], [0, 1, 1, 3, 2, 0]
    for ignored, expected in ((None, (1 + 1 / 2 + 0 + 1 / 2) / 4), (1, (1 + 0 + 0 + 1 / 2) / 4)):
        metric = metrics.MeanIoU(4, ignore_class=ignored)
        np.testing.assert_allclose(metric(y_true, y_pred).numpy(), expected, rtol=1e-6)
    rows = np.eye(4)[[0, 1, 2]]
    for metric in (metrics.OneHotIoU(4, [0, 1]), metrics.OneHotMeanIoU(4)):
        np.testing.assert_allclose(tf.function(metric)(rows, rows).numpy(), 1, rtol=1e-6)


@pytest.mark.parametrize("average", [None, "macro", "micro", "weighted"])
def test_scores_of_classes_become_one(average: Any) -> None:
    y_true = np.float32([[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]])
    y_pred = np.float32([[0.9, 0.3, 0], [0.4, 0.6, 0.8], [0.6, 0.7, 0.2], [0.1, 0.6, 0.9]])
    metric = metrics.F1Score(average, threshold=0.5)
    update = tf.function(metric.update_state)
    for rows in (slice(0, 1), slice(1, 4)):
        update(y_true[rows], y_pred[rows])
    hits, said, are = (x.sum(0) for x in (y_true * (y_pred > 0.5), y_pred > 0.5, y_true))
    if average == "micro":
        hits, said, are = hits.sum(), said.sum(), are.sum()
    wanted = 2 * hits / (said + are)
    wanted = np.average(wanted, weights=are) if average == "weighted" else wanted
    wanted = wanted.mean() if average == "macro" else wanted
    np.testing.assert_allclose(metric.result().numpy(), wanted, rtol=1e-5)


def test_a_class_among_the_likeliest() -> None:
    found = metrics.sparse_top_k_categorical_accuracy([1, 2, 0, 2], np.array(ROWS), 2)
    assert np.asarray(found).tolist() == [1, 1, 0, 0]
    assert metrics.SparseTopKCategoricalAccuracy(k=1).options == {"k": 1}


def test_names_are_found() -> None:
    assert metrics.get("acc").name == "acc"
    assert metrics.get("rmse").name == "rmse"
    assert metrics.get(lambda y_true, y_pred: y_true).name == "<lambda>"
    assert tf.keras.losses.get("mse")([[1.0]], [[3.0]]).numpy() == 4
    assert isinstance(tf.keras.optimizers.get("rmsprop"), tf.keras.optimizers.RMSprop)
    assert tf.keras.activations.get("relu")([-1.0, 2.0]).numpy().tolist() == [0, 2]


def test_a_loss_gives_a_tensor_and_takes_weights() -> None:
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = np.array([[1.0, 2.0], [0.5, 0.1]], np.float32)
    rows = np.log(np.exp(logits).sum(1)) - logits[[0, 1], [1, 0]]
    np.testing.assert_allclose(loss([1, 0], logits).numpy(), rows.mean(), rtol=1e-6)
    np.testing.assert_allclose(loss([1, 0], logits, [2, 0]).numpy(), rows[0], rtol=1e-6)


def test_classes_become_rows() -> None:
    rows = tf.keras.utils.to_categorical([[0], [2]], 3)
    assert rows.tolist() == [[1, 0, 0], [0, 0, 1]]
    with pytest.raises(ValueError, match="numbers from 0 to 1, and there are 0 to 2"):
        tf.keras.utils.to_categorical([0, 2], 2)


def curve() -> tuple[Any, Any, Any]:
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 60)
    said = np.clip(truth * 0.3 + draw.random(60) * 0.7, 0, 1).astype(np.float32)
    return truth, said, draw.random(60).astype(np.float32)


@pytest.mark.parametrize(
    ("kind", "method", "expected"),  # what Keras 3.15 gives
    [
        ("ROC", "interpolation", 0.8480660319328308),
        ("ROC", "minoring", 0.8151519298553467),
        ("ROC", "majoring", 0.8809801340103149),
        ("PR", "interpolation", 0.8814184665679932),
        ("PR", "minoring", 0.7237633466720581),
        ("PR", "majoring", 0.8980317115783691),
    ],
)
def test_areas_under_curves_are_those_of_keras(kind: str, method: str, expected: float) -> None:
    truth, said, weight = curve()
    found = metrics.AUC(num_thresholds=12, curve=kind, summation_method=method)
    for part in (slice(0, 25), slice(25, None)):
        found.update_state(truth[part], said[part], sample_weight=weight[part])
    np.testing.assert_allclose(found.result().numpy(), expected, rtol=1e-6)


def test_the_area_at_all_thresholds_is_that_of_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    truth, said, weight = curve()
    levels = np.sort(said)
    found = metrics.AUC(thresholds=list((levels[1:] + levels[:-1]) / 2))
    found.update_state(truth, said, sample_weight=weight)
    expected = sklearn.roc_auc_score(truth, said, sample_weight=weight)
    np.testing.assert_allclose(found.result().numpy(), expected, rtol=1e-6)
    logits = metrics.AUC(from_logits=True)
    logits.update_state(truth, np.log(said + 1e-3) - np.log(1 - said + 1e-3))
    plain = metrics.AUC()
    plain.update_state(truth, (said + 1e-3) / (1 + 2e-3))
    np.testing.assert_allclose(logits.result().numpy(), plain.result().numpy(), atol=2e-3)
    with pytest.raises(ValueError, match="the curve of AUC is 'ROC' or 'PR'"):
        metrics.AUC(curve="roc")
    assert isinstance(metrics.get("AUC"), metrics.AUC)
