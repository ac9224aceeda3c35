"""Metrics: what is counted over batches, in variables. Names, formulas and defaults are Keras'.

metric.update_state(y_true, y_pred)     for each batch, in or outside of staged functions
metric.result()
metric.reset_state()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.nn import loss_functions as losses
from autograph.nn.layer import converted
from autograph.nn.names import counted, find, in_snake_case
from autograph.operators.calls.init_scope import outside
from runtime.dtypes import as_dtype
from runtime.state.variable import Variable


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return for each element whether it is what was expected."""
    y_true, y_pred = losses.paired(y_true, y_pred, "accuracy")
    return y_true == y_pred


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Return for each sample which part of its probabilities is on the side of the threshold."""
    y_true, y_pred = losses.paired(y_true, y_pred, "binary_accuracy")
    return np.mean(y_true == (y_pred > threshold), axis=-1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return for each sample whether the likeliest class is the expected one.

    >>> categorical_accuracy(np.array([[0.0, 1.0]]), np.array([[0.2, 0.8]]))
    array([ True])
    """
    y_true, y_pred = losses.paired(y_true, y_pred, "categorical_accuracy")
    return np.argmax(y_true, axis=-1) == np.argmax(y_pred, axis=-1)


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return for each sample whether the likeliest class is the one of the number.

    >>> sparse_categorical_accuracy(np.array([1, 0]), np.array([[0.2, 0.8], [0.3, 0.7]]))
    array([ True, False])
    """
    numbers = losses.classes(y_true, y_pred, "sparse_categorical_accuracy")
    return numbers == np.argmax(y_pred, axis=-1)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Return for each sample whether fewer than `k` classes are likelier than the expected one."""
    numbers = losses.classes(y_true, y_pred, "sparse_top_k_categorical_accuracy")
    chosen = np.take_along_axis(y_pred, numbers[..., None], -1)
    return np.sum(y_pred > chosen, axis=-1) < k


class Metric:
    """What all metrics share: variables that batches add to.

    A metric of one's own makes variables by `add_variable` in `__init__`, and defines
    `update_state` and `result`.

    Args:
        name: by default that of the class, counted.
        dtype: of its variables.
    """

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        self.name = counted(in_snake_case(type(self).__name__)) if name is None else name
        self.dtype = as_dtype("float32" if dtype is None else dtype)

    update_state: Callable[..., None]
    result: Callable[[], Any]

    @outside
    def add_variable(self, name: str) -> Variable:
        """Return a new variable that holds 0."""
        return Variable(np.zeros((), self.dtype), name=f"{self.name}/{name}", trainable=False)

    @property
    def variables(self) -> list[Variable]:
        """The variables of the metric."""
        return [x for x in vars(self).values() if isinstance(x, Variable)]

    def reset_state(self) -> None:
        """Forget all batches."""
        for variable in self.variables:
            variable.assign(np.zeros((), self.dtype))

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.update_state(*args, **options)
        return self.result()


class Sum(Metric):
    """The sum of values.

    >>> metric = Sum()
    >>> metric([1.0, 2.0]), metric(4.0)
    (np.float32(3.0), np.float32(7.0))
    """

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_variable("total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add the sum of values, weighted if there are weights."""
        values, _ = _weighted(values, sample_weight, self.dtype)
        self.total.assign_add(np.sum(values))

    def result(self) -> Any:
        """Return the sum."""
        return self.total.read()


class Averaged(Metric):
    """What metrics share that are means of something."""

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_variable("total")
        self.count = self.add_variable("count")

    def add(self, values: Any, weight: Any) -> None:
        """Add values, weighted if there are weights."""
        values, weights = _weighted(values, weight, self.dtype)
        self.total.assign_add(np.sum(values))
        self.count.assign_add(np.sum(weights))

    def mean(self) -> Any:
        """Return the mean of all that was added; 0 of nothing."""
        return _quotient(self.total.read(), self.count.read())


class Mean(Averaged):
    """The mean of values, weighted if there are weights; 0 of none.

    >>> metric = Mean()
    >>> metric.update_state(np.array([1.0, 2.0]))
    >>> metric.update_state(6.0)
    >>> metric.result()
    np.float32(3.0)
    """

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add values, weighted if there are weights."""
        self.add(values, sample_weight)

    def result(self) -> Any:
        """Return the mean."""
        return self.mean()


def _quotient(x: Any, y: Any) -> Any:
    """Return `x / y`, and 0 where `y` is 0."""
    return np.where(y == 0, 0, x / np.where(y == 0, 1, y))[()]


def _weighted(values: Any, weight: Any, dtype: Any) -> tuple[Any, Any]:
    """Return values times their weights, and the weights, both of one shape."""
    values = converted(values, dtype)
    if weight is None:
        return values, np.ones_like(values)
    weight = losses.aligned(weight, values)
    return values * weight, np.broadcast_to(weight, values.shape)


class MeanMetricWrapper(Averaged):
    """The mean of a function of what is expected and what is predicted.

    Args:
        function: of `y_true` and `y_pred`; gives one number for each sample.
        name: by default that of the function.
        dtype: of its variables.
        options: arguments of the function.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(function.__name__ if name is None else name, dtype)
        self.function, self.options = function, options

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the samples of a batch."""
        self.add(self.function(y_true, y_pred, **self.options), sample_weight)

    def result(self) -> Any:
        """Return the mean."""
        return self.mean()


class Accuracy(MeanMetricWrapper):
    """How often what is predicted is what is expected."""

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(accuracy, name, dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """How often a probability is on the right side of a threshold."""

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """How often the likeliest class is the expected one, of `[batch, classes]`."""

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """How often the likeliest class is that of the expected number.

    >>> metric = SparseCategoricalAccuracy()
    >>> metric(np.array([1, 0]), np.array([[0.2, 0.8], [0.3, 0.7]]))
    np.float32(0.5)
    """

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the expected class is among the `k` likeliest."""

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: Any = None,
    ) -> None:
        super().__init__(sparse_top_k_categorical_accuracy, name, dtype, k=k)


class MeanSquaredError(MeanMetricWrapper):
    """The mean squared error."""

    def __init__(self, name: str | None = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_squared_error, name, dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean absolute error."""

    def __init__(self, name: str | None = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_absolute_error, name, dtype)


class RootMeanSquaredError(Averaged):
    """The root of the mean squared error."""

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the samples of a batch."""
        y_true, y_pred = losses.paired(y_true, y_pred, "root_mean_squared_error")
        self.add(np.square(y_true - y_pred), sample_weight)

    def result(self) -> Any:
        """Return the root of the mean."""
        return np.sqrt(self.mean())


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean cross-entropy of truth values and probabilities, or logits."""

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
    ) -> None:
        super().__init__(losses.binary_crossentropy, name, dtype, from_logits=from_logits)


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross-entropy of two distributions, the second of which may be logits."""

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
    ) -> None:
        super().__init__(losses.categorical_crossentropy, name, dtype, from_logits=from_logits)


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross-entropy of classes and distributions, or logits."""

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
    ) -> None:
        function = losses.sparse_categorical_crossentropy
        super().__init__(function, name, dtype, from_logits=from_logits)


class _Found(Metric):
    """What share of something is true positives."""

    def __init__(self, thresholds: float = 0.5, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.thresholds = thresholds
        self.true_positives = self.add_variable("true_positives")
        self.others = self.add_variable("others")

    wrong: Callable[[Any, Any], Any]
    """`(expected, found) -> ` which elements count as others."""

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the samples of a batch."""
        y_true, y_pred = losses.paired(y_true, y_pred, self.name)
        expected, found = y_true > self.thresholds, y_pred > self.thresholds
        hits, _ = _weighted(expected & found, sample_weight, self.dtype)
        others, _ = _weighted(self.wrong(expected, found), sample_weight, self.dtype)
        self.true_positives.assign_add(np.sum(hits))
        self.others.assign_add(np.sum(others))

    def result(self) -> Any:
        """Return the share; 0 of nothing."""
        hits = self.true_positives.read()
        return _quotient(hits, hits + self.others.read())


class Precision(_Found):
    """Which part of what is found is expected.

    >>> Precision()(np.array([0, 1, 1, 1]), np.array([1.0, 0.0, 1.0, 1.0])).round(3)
    np.float32(0.667)
    """

    def wrong(self, expected: Any, found: Any) -> Any:
        return found & ~expected


class Recall(_Found):
    """Which part of what is expected is found."""

    def wrong(self, expected: Any, found: Any) -> Any:
        return expected & ~found


CLASSES = (
    *("Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy"),
    *("CategoricalCrossentropy", "Mean", "MeanAbsoluteError", "MeanSquaredError", "Precision"),
    *("Recall", "RootMeanSquaredError", "SparseCategoricalAccuracy"),
    *("SparseCategoricalCrossentropy", "SparseTopKCategoricalAccuracy", "Sum"),
)
FUNCTIONS = (
    *("accuracy", "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy"),
    "sparse_top_k_categorical_accuracy",
)
__all__ = ["MeanMetricWrapper", "Metric", *CLASSES, *FUNCTIONS]  # noqa: PLE0604  (in tables)
_SHORT = {"mse": "MeanSquaredError", "mae": "MeanAbsoluteError"}


def get(metric: Any) -> Any:
    """Return a metric by its name (`mse`, `sparse_categorical_accuracy`), or what is given."""
    found = find(metric, globals(), CLASSES, "metric", _SHORT)
    return found() if isinstance(found, type) else found
