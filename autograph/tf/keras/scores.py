"""`FBetaScore`, `F1Score` and `R2Score`: numbers for each output, and how they become one."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn.loss_functions import EPSILON
from autograph.operators.calls.init_scope import outside
from autograph.tf.keras.gathering import Metric
from autograph.tf.tensors import convert_to_tensor
from runtime.errors import ShapeError
from runtime.state.variable import Variable


class _OfOutputs(Metric):
    """What is gathered for each output, in variables that the first batch makes."""

    kept: tuple[str, ...] = ()

    @outside
    def _begin(self, y_true: Any, y_pred: Any) -> None:
        shapes = [tuple(x.shape) for x in (y_true, y_pred)]
        if any(len(x) != 2 or not isinstance(x[1], int) for x in shapes):
            raise ShapeError(
                f"{self.name} is of arrays [batch, outputs], and was given {shapes[0]}, {shapes[1]}"
            )
        for name in self.kept:
            if not hasattr(self, name):
                setattr(self, name, self.add_weight(shapes[1][1:], name=name, dtype="float64"))

    def _taken(self, y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """Return what is expected and predicted, and weights, as columns of `float64`."""
        y_true, y_pred = (convert_to_tensor(x).astype(np.float64) for x in (y_true, y_pred))
        self._begin(y_true, y_pred)
        weight = np.ones(()) if sample_weight is None else convert_to_tensor(sample_weight)
        weight = weight.astype(np.float64)
        weight = weight[:, None] if len(weight.shape) == 1 else weight
        return y_true, y_pred, np.broadcast_to(weight, y_true.shape)


class FBetaScore(_OfOutputs):
    """The mean of precision and recall, of which the latter counts `beta` times as much.

    Args:
        average: None for one number for each class; `"micro"` for one of all of them together,
            `"macro"` for their mean, `"weighted"` for their mean by how often each is true.
        beta: see there.
        threshold: above which a probability says that a class is meant; by default it is the
            largest one of each row.
        name, dtype: of the metric.

    >>> found = FBetaScore()
    >>> found.update_state([[1, 0], [1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]])
    >>> (3 * found.result().numpy()).round(3).tolist()
    [2.0, 2.0]
    """

    kept = ("hits", "alarms", "missed", "truths")
    hits: Variable
    alarms: Variable
    missed: Variable
    truths: Variable

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name, dtype)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(f"average is None, 'micro', 'macro' or 'weighted', not {average!r}")
        if beta <= 0 or not (threshold is None or 0 < threshold <= 1):
            raise ValueError(
                "beta is above 0, and threshold above 0 and 1 at most; "
                f"they are {beta} and {threshold}"
            )
        self.average, self.beta, self.threshold = average, beta, threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count the samples of a batch."""
        y_true, y_pred, weight = self._taken(y_true, y_pred, sample_weight)
        if self.threshold is None:
            largest = np.max(y_pred, axis=-1, keepdims=True)
            is_said = (y_pred >= largest) & (np.abs(y_pred) > 1e-9)
        else:
            is_said = y_pred > self.threshold
        said = is_said.astype(np.float64) * weight
        self.hits.assign_add(np.sum(said * y_true, axis=0))
        self.alarms.assign_add(np.sum(said * (1 - y_true), axis=0))
        self.missed.assign_add(np.sum((weight - said) * y_true, axis=0))
        self.truths.assign_add(np.sum(weight * y_true, axis=0))

    def result(self) -> Any:
        """Return the score, or the scores."""
        hits, alarms, missed = self.hits.read(), self.alarms.read(), self.missed.read()
        if self.average == "micro":
            hits, alarms, missed = (np.sum(x) for x in (hits, alarms, missed))
        precision, recall = hits / (hits + alarms + EPSILON), hits / (hits + missed + EPSILON)
        square = self.beta**2
        score = (1 + square) * precision * recall / (square * precision + recall + EPSILON)
        if self.average == "weighted":
            truths = self.truths.read()
            score = np.sum(score * truths / (np.sum(truths) + EPSILON))
        elif self.average is not None:
            score = np.mean(score)
        return score.astype(self.dtype)


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall: `FBetaScore` with a `beta` of 1.

    Args:
        average, threshold: as for `FBetaScore`.
        name, dtype: of the metric.
    """

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)


class R2Score(_OfOutputs):
    """Which part of the variance of what is expected is told by what is predicted.

    Args:
        class_aggregation: `"uniform_average"` of the outputs, `"variance_weighted_average"`, or
            None for one number for each.
        name, dtype: of the metric.

    >>> found = R2Score()
    >>> found.update_state([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])
    >>> round(float(found.result().numpy()), 4)
    0.5714
    """

    kept = ("total", "squares", "errors", "count")
    total: Variable
    squares: Variable
    errors: Variable
    count: Variable

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name, dtype)
        if class_aggregation not in (None, "uniform_average", "variance_weighted_average"):
            raise ValueError(
                "class_aggregation is None, 'uniform_average' or 'variance_weighted_average', not "
                f"{class_aggregation!r}"
            )
        self.class_aggregation = class_aggregation

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the samples of a batch."""
        y_true, y_pred, weight = self._taken(y_true, y_pred, sample_weight)
        self.total.assign_add(np.sum(y_true * weight, axis=0))
        self.squares.assign_add(np.sum(y_true * y_true * weight, axis=0))
        self.errors.assign_add(np.sum((y_true - y_pred) ** 2 * weight, axis=0))
        self.count.assign_add(np.sum(weight, axis=0))

    def result(self) -> Any:
        """Return the part, or the parts."""
        total, count = self.total.read(), self.count.read()
        variance = self.squares - total * total / np.where(count == 0, 1, count)
        score: Any = np.where(
            variance == 0, 0.0, 1 - self.errors / np.where(variance == 0, 1, variance)
        )
        if self.class_aggregation == "uniform_average":
            score = np.mean(score)
        elif self.class_aggregation is not None:
            score = np.sum(score * variance) / np.sum(variance)
        return score.astype(self.dtype)
