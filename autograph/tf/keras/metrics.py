"""`tf.keras.metrics`: means and counts over batches, kept in variables.

A metric is a plain program over variables, as a layer is: it is updated in a staged step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.nn import losses
from autograph.nn.loss_functions import log_cosh, paired
from autograph.nn.names import find, in_snake_case
from autograph.tf.absent import missing_from
from autograph.tf.keras import accuracies
from autograph.tf.keras.areas import AUC  # noqa: F401  (given on)
from autograph.tf.keras.gathering import Metric, ratio, weighted
from autograph.tf.keras.losses import FUNCTIONS as LOSSES
from autograph.tf.keras.losses import OTHER
from autograph.tf.keras.overlaps import (  # noqa: F401  (given on)
    BinaryIoU,
    IoU,
    MeanIoU,
    OneHotIoU,
    OneHotMeanIoU,
)
from autograph.tf.keras.scores import F1Score, FBetaScore, R2Score  # noqa: F401  (given on)
from autograph.tf.tensors import convert_to_tensor, takes


class Sum(Metric):
    """The sum of what it is given.

    >>> total = Sum()
    >>> total.update_state([1.0, 2.0])
    >>> float(total.result().numpy())
    3.0
    """

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_weight(name="total", dtype="float64")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        values, weights = weighted(values, sample_weight)
        self.total.assign_add(np.sum(values * weights))

    def result(self) -> Any:
        return self.total.read().astype(self.dtype)


class Averaged(Metric):
    """A mean of what is gathered, weighted if weights are given."""

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_weight(name="total", dtype="float64")
        self.count = self.add_weight(name="count", dtype="float64")

    def gather(self, values: Any, sample_weight: Any) -> None:
        """Add values, weighted."""
        values, weights = weighted(values, sample_weight)
        self.total.assign_add(np.sum(values * weights))
        self.count.assign_add(np.sum(weights))

    def result(self) -> Any:
        return ratio(self.total, self.count).astype(self.dtype)


class Mean(Averaged):
    """The mean of what it is given, weighted if weights are given.

    >>> mean = Mean()
    >>> mean.update_state([1.0, 2.0, 6.0])
    >>> float(mean.result().numpy())
    3.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        self.gather(values, sample_weight)


class MeanMetricWrapper(Averaged):
    """The mean of a function of what is expected and what is predicted.

    Args:
        fn: of `y_true` and `y_pred`; gives one number for each sample.
        name: of the metric; by default that of the function.
        dtype: of the result.
        options: arguments of the function.
    """

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **options: Any
    ) -> None:
        super().__init__(getattr(fn, "__name__", "metric") if name is None else name, dtype)
        self.function, self.options = fn, options

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
        found = convert_to_tensor(self.function(y_true, y_pred, **self.options))
        self.gather(found, sample_weight)


class RootMeanSquaredError(Averaged):
    """The root of the mean of squared differences."""

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true, y_pred = paired(convert_to_tensor(y_true), convert_to_tensor(y_pred), self.name)
        self.gather(np.square(y_pred - y_true), sample_weight)

    def result(self) -> Any:
        return np.sqrt(ratio(self.total, self.count)).astype(self.dtype)


class _Confusion(Metric):
    """What is counted of truths and probabilities on both sides of a threshold."""

    def __init__(self, thresholds: Any = 0.5, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.threshold = np.squeeze(np.asarray(thresholds, np.float32))
        names = ("true_positives", "false_positives", "false_negatives", "true_negatives")
        self.hits, self.alarms, self.missed, self.rejected = (
            self.add_weight(self.threshold.shape, name=name, dtype="float64") for name in names
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true, y_pred = paired(convert_to_tensor(y_true), convert_to_tensor(y_pred), self.name)
        _, weight = weighted(y_pred, sample_weight)
        is_true, said = np.reshape(y_true > 0.5, -1), np.reshape(y_pred, -1).astype(np.float32)
        is_said = said > self.threshold[..., None]
        rows = (is_true & is_said, ~is_true & is_said, is_true & ~is_said, ~is_true & ~is_said)
        weight = np.reshape(weight, -1)
        counts = (self.hits, self.alarms, self.missed, self.rejected)
        for count, row in zip(counts, rows, strict=True):
            count.assign_add(np.sum(np.where(row, weight, 0.0), axis=-1))


class Precision(_Confusion):
    """Which part of what is said to be true is true.

    >>> found = Precision()
    >>> found.update_state([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.2])
    >>> round(float(found.result().numpy()), 4)
    0.6667
    """

    def result(self) -> Any:
        return _part(self.hits, self.alarms).astype(self.dtype)


class Recall(_Confusion):
    """Which part of what is true is said to be true."""

    def result(self) -> Any:
        return _part(self.hits, self.missed).astype(self.dtype)


class TruePositives(_Confusion):
    """How many are true and said to be."""

    def result(self) -> Any:
        return self.hits.read().astype(self.dtype)


class FalsePositives(_Confusion):
    """How many are said to be true and are not."""

    def result(self) -> Any:
        return self.alarms.read().astype(self.dtype)


class FalseNegatives(_Confusion):
    """How many are true and not said to be."""

    def result(self) -> Any:
        return self.missed.read().astype(self.dtype)


class TrueNegatives(_Confusion):
    """How many are neither true nor said to be."""

    def result(self) -> Any:
        return self.rejected.read().astype(self.dtype)


def _part(one: Any, other: Any) -> Any:
    total = one.read() + other.read()
    return np.where(total == 0, 0.0, one.read() / np.where(total == 0, 1.0, total))


def _of_function(name: str, function: Callable[..., Any]) -> type:
    """Return a class of means of a function, whose arguments are those of the class."""

    def begin(self: Any, *args: Any, name: str | None = None, **options: Any) -> None:
        keys = [key for key in _ARGUMENTS.get(function.__name__, ()) if key not in options]
        options.update(zip(keys, args, strict=False))
        label = function.__name__ if name is None else name
        MeanMetricWrapper.__init__(self, function, label, options.pop("dtype", None), **options)

    doc = f"The mean of `{function.__name__}` over samples."
    return type(name, (MeanMetricWrapper,), {"__init__": begin, "__doc__": doc})


_ARGUMENTS = {
    "binary_accuracy": ("threshold",),
    "top_k_categorical_accuracy": ("k",),
    "sparse_top_k_categorical_accuracy": ("k",),
}


_FUNCTIONS = {
    "Accuracy": accuracies.accuracy,
    "BinaryAccuracy": accuracies.binary_accuracy,
    "CategoricalAccuracy": accuracies.categorical_accuracy,
    "SparseCategoricalAccuracy": accuracies.sparse_categorical_accuracy,
    "TopKCategoricalAccuracy": accuracies.top_k_categorical_accuracy,
    "SparseTopKCategoricalAccuracy": accuracies.sparse_top_k_categorical_accuracy,
    **{name: getattr(losses, in_snake_case(name)) for name in losses.CLASSES},
    "CosineSimilarity": accuracies.cosine_similarity,
    "LogCoshError": log_cosh,
    "PearsonCorrelation": accuracies.pearson_correlation,
}
OF_FUNCTIONS = {name: _of_function(name, found) for name, found in _FUNCTIONS.items()}
globals().update(OF_FUNCTIONS)
OF_SAMPLES = {
    **{key: x for key, x in LOSSES.items() if key not in ("cosine_similarity", "dice", "tversky")},
    **{
        name: takes(2)(getattr(accuracies, name))
        for name in (
            *("binary_accuracy", "categorical_accuracy", "pearson_correlation"),
            *("sparse_categorical_accuracy", "sparse_top_k_categorical_accuracy"),
            "top_k_categorical_accuracy",
        )
    },
}
globals().update(OF_SAMPLES)
for _short, _name in OTHER.items():
    globals().update({_short: LOSSES[_name], _short.upper(): LOSSES[_name]})

__all__ = [  # noqa: PLE0604  (those of functions stand in a table)
    *("AUC", "BinaryIoU", "F1Score", "FBetaScore", "FalseNegatives", "FalsePositives", "IoU"),
    *("Mean", "MeanIoU", "MeanMetricWrapper", "Metric", "OneHotIoU", "OneHotMeanIoU"),
    *("Precision", "R2Score", "Recall", "RootMeanSquaredError", "Sum", "TrueNegatives"),
    "TruePositives",
    *OF_FUNCTIONS,
    *OF_SAMPLES,
    "get",
]
SHORT = {
    "mse": "MeanSquaredError",
    "mae": "MeanAbsoluteError",
    "mape": "MeanAbsolutePercentageError",
    "msle": "MeanSquaredLogarithmicError",
    "rmse": "RootMeanSquaredError",
}
ACCURACIES = ("accuracy", "acc")


def get(identifier: Any) -> Any:
    """Return a metric: of a name, of a function of `y_true` and `y_pred`, or what is given."""
    if isinstance(identifier, Metric):
        return identifier
    if identifier in ACCURACIES:
        return MeanMetricWrapper(accuracies.by_shapes, identifier)
    names = [name for name in __all__ if name[0].isupper()]
    found = find(identifier, globals(), names, "metric", SHORT)
    if isinstance(found, type):
        return found(name=identifier if isinstance(identifier, str) else None)
    return MeanMetricWrapper(found)


__getattr__ = missing_from("autograph.tf.keras.metrics", globals())
