"""Losses, by Keras' names, formulas and defaults.

A function (`mean_squared_error`) gives one number for each sample: a mean over the last axis. A
class (`MeanSquaredError`) is made once, and called it reduces those to one number.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.nn.configured import Configured
from autograph.nn.layer import converted
from autograph.nn.loss_functions import (
    aligned,
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_hinge,
    cosine_similarity,
    dice,
    hinge,
    huber,
    kl_divergence,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
    tversky,
)
from autograph.nn.names import find


class Loss(Configured):
    """A function of what is expected and what is predicted, and how its numbers become one.

    Args:
        function: of `y_true` and `y_pred`; gives one number for each sample.
        reduction: `"sum_over_batch_size"` (the mean), `"sum"`, `"mean_with_sample_weight"` or None.
        name: of the loss.
        options: arguments of the function.

    It is called with `y_true`, `y_pred`, and by name `sample_weight`, of the samples or of each
    loss, and `mask`, of the shape of the losses, which is false for those that do not count.

    >>> Loss(mean_squared_error, "sum")(np.array([[1.0], [2.0]]), np.array([[0.0], [0.0]]))
    np.float64(5.0)
    """

    def __init__(
        self,
        function: Callable[..., Any],
        reduction: str | None = "sum_over_batch_size",
        name: str | None = None,
        **options: Any,
    ) -> None:
        if reduction not in REDUCTIONS:
            known = ", ".join(map(repr, REDUCTIONS))
            raise ValueError(f"the reduction of a loss is one of {known}, not {reduction!r}")
        self.function, self.options = function, options
        self.reduction = None if reduction == "none" else reduction
        self.name = function.__name__ if name is None else name

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, mask: Any = None
    ) -> Any:
        found = self.function(y_true, y_pred, **self.options)
        if mask is not None:
            sample_weight = of_mask(mask, sample_weight, found, self.reduction)
        return reduced(found, sample_weight, self.reduction)


REDUCTIONS = ("sum_over_batch_size", "mean", "sum", "mean_with_sample_weight", "none", None)


def reduced(values: Any, weight: Any, reduction: str | None) -> Any:
    """Return the losses of samples, weighted, as one number; or as they are.

    Args:
        values: the losses.
        weight: of each sample, or of each loss; None is 1.
        reduction: how; `mean_with_sample_weight` divides by the sum of the weights.
    """
    if weight is not None:
        weight = aligned(weight, values)
        values = values * weight
    if reduction is None:
        return values
    if reduction == "sum":
        return np.sum(values)
    if reduction == "mean_with_sample_weight" and weight is not None:
        return np.sum(values) / np.sum(np.broadcast_to(weight, values.shape))
    return np.mean(values)


def of_mask(mask: Any, weight: Any, values: Any, reduction: str | None) -> Any:
    """Return the weights of losses of which those where a mask is false do not count.

    A mean is one of the others: their weights are larger.
    """
    marks = converted(mask, values.dtype)
    if reduction in ("sum_over_batch_size", "mean"):
        valid = np.sum(marks)
        marks = marks * np.where(valid > 0, math.prod(marks.shape) / np.maximum(valid, 1), 0)
    marks = aligned(marks, values)
    return marks if weight is None else marks * aligned(weight, values)


def _of(name: str, function: Callable[..., Any]) -> type[Loss]:
    """Return the class of a loss; its options are those of its function."""
    own = [*inspect.signature(function).parameters.values()][2:]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    ends = {"reduction": "sum_over_batch_size", "name": None}
    rest = [inspect.Parameter(key, kind, default=x) for key, x in ends.items()]
    form = inspect.Signature([inspect.Parameter("self", kind), *own, *rest])

    def begin(*args: Any, **options: Any) -> None:
        given = form.bind(*args, **options).arguments
        how = {**ends, **{key: given.pop(key) for key in ends if key in given}}
        Loss.__init__(given.pop("self"), function, how["reduction"], how["name"], **given)

    begin.__signature__ = form  # type: ignore[attr-defined]
    doc = f"`{function.__name__}`, reduced."
    return type(name, (Loss,), {"__init__": begin, "__doc__": doc, "__module__": __name__})


_OF: dict[str, Callable[..., Any]] = {
    "BinaryCrossentropy": binary_crossentropy,
    "BinaryFocalCrossentropy": binary_focal_crossentropy,
    "CategoricalCrossentropy": categorical_crossentropy,
    "CategoricalFocalCrossentropy": categorical_focal_crossentropy,
    "CategoricalHinge": categorical_hinge,
    "CosineSimilarity": cosine_similarity,
    "Dice": dice,
    "Hinge": hinge,
    "Huber": huber,
    "KLDivergence": kl_divergence,
    "LogCosh": log_cosh,
    "MeanAbsoluteError": mean_absolute_error,
    "MeanAbsolutePercentageError": mean_absolute_percentage_error,
    "MeanSquaredError": mean_squared_error,
    "MeanSquaredLogarithmicError": mean_squared_logarithmic_error,
    "Poisson": poisson,
    "SparseCategoricalCrossentropy": sparse_categorical_crossentropy,
    "SquaredHinge": squared_hinge,
    "Tversky": tversky,
}
CLASSES = tuple(_OF)
FUNCTIONS = tuple(x.__name__ for x in _OF.values())
globals().update({name: _of(name, function) for name, function in _OF.items()})
_SHORT = {"mse": "MeanSquaredError", "mae": "MeanAbsoluteError"}
_SHORT.update(mape="MeanAbsolutePercentageError", msle="MeanSquaredLogarithmicError")
__all__ = ["Loss", *CLASSES, *FUNCTIONS]  # noqa: PLE0604  (the names stand in tables)


def get(loss: Any) -> Any:
    """Return a loss by its name (`mse`, `mean_squared_error`), or what is given.

    >>> get("mse")(np.array([[1.0]]), np.array([[3.0]]))
    np.float64(4.0)
    """
    found = find(loss, globals(), CLASSES, "loss", _SHORT)
    return found() if isinstance(found, type) else found
