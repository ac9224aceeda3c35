"""`AUC`: the area under a curve of what is found, over the thresholds of what counts as said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn.loss_functions import paired
from autograph.tf.keras.gathering import Metric, weighted
from autograph.tf.tensors import convert_to_tensor

METHODS = ("interpolation", "minoring", "majoring")


class AUC(Metric):
    """The area under the curve of true positives over false ones, or of precision over recall.

    Args:
        num_thresholds: at how many thresholds, evenly spaced, the curve is known.
        curve: `"ROC"` or `"PR"`.
        summation_method: how the area between two of them is taken: by `"interpolation"`, or with
            the smaller (`"minoring"`) or larger one (`"majoring"`) of both heights.
        name, dtype: of the metric.
        thresholds: some of one's own, between 0 and 1.
        from_logits: whether what is predicted are logits.

    >>> found = AUC(num_thresholds=3)
    >>> found.update_state([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9])
    >>> float(found.result().numpy())
    0.75
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Sequence[float] | None = None,
        from_logits: bool = False,
    ) -> None:
        super().__init__("auc" if name is None else name, dtype)
        if curve not in ("ROC", "PR"):
            raise ValueError(f"the curve of AUC is 'ROC' or 'PR', not {curve!r}")
        if summation_method not in METHODS:
            known = ", ".join(map(repr, METHODS))
            raise ValueError(f"summation_method of AUC is {known}, not {summation_method!r}")
        inner = np.linspace(0, 1, num_thresholds)[1:-1] if thresholds is None else thresholds
        self.curve, self.summation_method, self.from_logits = curve, summation_method, from_logits
        self.thresholds = [-1e-7, *sorted(map(float, inner)), 1 + 1e-7]
        size = (len(self.thresholds),)
        self.hits = self.add_weight(size, name="true_positives", dtype="float64")
        self.alarms = self.add_weight(size, name="false_positives", dtype="float64")
        self.missed = self.add_weight(size, name="false_negatives", dtype="float64")
        self.rejected = self.add_weight(size, name="true_negatives", dtype="float64")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count the samples of a batch on both sides of each threshold."""
        y_true, y_pred = paired(convert_to_tensor(y_true), convert_to_tensor(y_pred), self.name)
        if self.from_logits:
            y_pred = 1 / (1 + np.exp(-y_pred))
        _, weight = weighted(y_pred, sample_weight)
        is_true, weight = np.reshape(y_true > 0.5, -1), np.reshape(weight, -1)
        bounds = np.asarray(self.thresholds, np.float64)
        is_said = np.reshape(y_pred, -1).astype(np.float64) > bounds[:, None]
        of_true, of_false = np.where(is_true, weight, 0.0), np.where(is_true, 0.0, weight)
        self.hits.assign_add(np.sum(np.where(is_said, of_true, 0.0), axis=1))
        self.alarms.assign_add(np.sum(np.where(is_said, of_false, 0.0), axis=1))
        self.missed.assign_add(np.sum(np.where(is_said, 0.0, of_true), axis=1))
        self.rejected.assign_add(np.sum(np.where(is_said, 0.0, of_false), axis=1))

    def result(self) -> Any:
        """Return the area."""
        hits, alarms = self.hits.read(), self.alarms.read()
        missed, rejected = self.missed.read(), self.rejected.read()
        recall = _quotient(hits, hits + missed)
        if self.curve == "PR" and self.summation_method == "interpolation":
            return np.sum(_between(hits, hits + alarms, missed)).astype(self.dtype)
        if self.curve == "ROC":
            x, y = _quotient(alarms, alarms + rejected), recall
        else:
            x, y = recall, _quotient(hits, hits + alarms)
        if self.summation_method == "interpolation":
            heights = (y[:-1] + y[1:]) / 2
        elif self.summation_method == "minoring":
            heights = np.minimum(y[:-1], y[1:])
        else:
            heights = np.maximum(y[:-1], y[1:])
        return np.sum((x[:-1] - x[1:]) * heights).astype(self.dtype)


def _between(hits: Any, said: Any, missed: Any) -> Any:
    """Return areas of precision over recall, between whose points hits follow what is said.

    After Davis and Goadrich (2006).
    """
    more, rest = hits[:-1] - hits[1:], said[1:]
    slope = _quotient(more, np.maximum(said[:-1] - rest, 0))
    is_both = (said[:-1] > 0) & (rest > 0)
    growth = np.where(is_both, _quotient(said[:-1], np.maximum(rest, 0)), 1.0)
    added = slope * (more + (hits[1:] - slope * rest) * np.log(growth))
    return _quotient(added, np.maximum(hits[1:] + missed[1:], 0))


def _quotient(x: Any, y: Any) -> Any:
    return np.where(y == 0, 0.0, x / np.where(y == 0, 1.0, y))
