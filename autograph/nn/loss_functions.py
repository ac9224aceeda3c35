"""Losses as functions of samples, by Keras' names, formulas and defaults.

Each gives one number for each sample: a mean or a sum over the last axis.

What is expected is converted to the dtype of what is predicted. Both have one shape, but that an
axis of size 1 at the end may be left out of one of them; other shapes are refused, not broadcast.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn import activations
from autograph.nn.layer import converted
from autograph.operators.control_flow.conditionals import check
from runtime.errors import ShapeError
from runtime.subscripts import describe

EPSILON = 1e-7
"""How far probabilities are kept from 0 and 1 (Keras' `epsilon`)."""


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of the squared differences over the last axis.

    >>> mean_squared_error(np.array([[0.0, 1.0]]), np.array([[1.0, 3.0]]))
    array([2.5])
    """
    y_true, y_pred = paired(y_true, y_pred, "mean_squared_error")
    return np.mean(np.square(y_pred - y_true), axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of the absolute differences over the last axis."""
    y_true, y_pred = paired(y_true, y_pred, "mean_absolute_error")
    return np.mean(np.abs(y_pred - y_true), axis=-1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Return 100 times the mean of the differences relative to what is expected."""
    y_true, y_pred = paired(y_true, y_pred, "mean_absolute_percentage_error")
    return 100 * np.mean(np.abs((y_true - y_pred) / np.maximum(np.abs(y_true), EPSILON)), axis=-1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of the squared differences of `log(y + 1)`."""
    y_true, y_pred = paired(y_true, y_pred, "mean_squared_logarithmic_error")
    logs = np.log(np.maximum(y_pred, EPSILON) + 1) - np.log(np.maximum(y_true, EPSILON) + 1)
    return np.mean(np.square(logs), axis=-1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Return the mean of half the squared differences, which beyond `delta` grow straight.

    >>> huber(np.array([[0.0, 0.0]]), np.array([[0.5, 3.0]]))
    array([1.3125])
    """
    y_true, y_pred = paired(y_true, y_pred, "huber")
    x = y_pred - y_true
    far = np.abs(x)
    return np.mean(np.where(far <= delta, 0.5 * x * x, delta * far - 0.5 * delta**2), axis=-1)


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of the logarithms of the hyperbolic cosines of the differences."""
    y_true, y_pred = paired(y_true, y_pred, "log_cosh")
    x = y_pred - y_true
    return np.mean(x + activations.softplus(-2 * x) - float(np.log(2.0)), axis=-1)


def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Return the mean cross-entropy of truth values and probabilities, or logits, over an axis.

    >>> binary_crossentropy(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])).round(4)
    array([0.6931])
    """
    y_true, y_pred = paired(y_true, y_pred, "binary_crossentropy")
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        positive, negative = activations.halves(y_pred)
        return np.mean(positive - y_pred * y_true + np.log1p(np.exp(negative)), axis=axis)
    p = np.clip(y_pred, EPSILON, 1 - EPSILON)
    return -np.mean(y_true * np.log(p) + (1 - y_true) * np.log(1 - p), axis=axis)


def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Return the cross-entropy of two distributions, the second of which may be logits."""
    y_true, y_pred = paired(y_true, y_pred, "categorical_crossentropy")
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + label_smoothing / y_true.shape[axis]
    if from_logits:
        logs = activations.log_softmax(y_pred, axis)
    else:
        p = y_pred / np.sum(y_pred, axis=axis, keepdims=True)
        logs = np.log(np.clip(p, EPSILON, 1 - EPSILON))
    return -np.sum(y_true * logs, axis=axis)


def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    """Return the cross-entropy of classes, given as numbers, and distributions or logits.

    Args:
        y_true: the classes, integers (or floats that are whole) `[...]` or `[..., 1]`.
        y_pred: `[..., classes]`: probabilities, or logits with `from_logits`.
        from_logits: whether these are logits.
        ignore_class: a number for which the loss is 0.
        axis: that of the classes in `y_pred`.

    Raises:
        IndexError: a number is not that of a class.

    >>> sparse_categorical_crossentropy(np.array([1]), np.array([[0.5, 0.5]])).round(4)
    array([0.6931])
    """
    y_pred = as_array(y_pred)
    numbers = classes(y_true, y_pred, "sparse_categorical_crossentropy")
    count = y_pred.shape[axis]
    logs = y_pred if from_logits else np.log(np.clip(y_pred, EPSILON, 1 - EPSILON))
    logs = activations.log_softmax(logs, axis)
    is_ignored = numbers == (-1 if ignore_class is None else ignore_class)
    is_class = (numbers >= 0) & (numbers < count)
    check(
        np.all(is_class if ignore_class is None else is_class | is_ignored),
        f"a label of sparse_categorical_crossentropy is none of the {count} classes from 0 on",
        IndexError,
    )
    is_chosen = np.expand_dims(numbers, axis) == _along(np.arange(count), axis, len(y_pred.shape))
    found = -np.sum(np.where(is_chosen, logs, 0), axis=axis)
    return found if ignore_class is None else np.where(is_ignored, 0, found)


def _along(row: Any, axis: int, rank: int) -> Any:
    """Return a row with axes of size 1 around it, for one axis of several."""
    return np.reshape(row, [-1 if k == axis % rank else 1 for k in range(rank)])


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Return the sum of `y_true * log(y_true / y_pred)` over the last axis."""
    y_true, y_pred = paired(y_true, y_pred, "kl_divergence")
    y_true, y_pred = np.clip(y_true, EPSILON, 1.0), np.clip(y_pred, EPSILON, 1.0)
    return np.sum(y_true * np.log(y_true / y_pred), axis=-1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `y_pred - y_true * log(y_pred)` over the last axis."""
    y_true, y_pred = paired(y_true, y_pred, "poisson")
    return np.mean(y_pred - y_true * np.log(y_pred + EPSILON), axis=-1)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of `max(1 - y_true * y_pred, 0)`, where 0 stands for -1 among truths."""
    return np.mean(_beyond(*paired(y_true, y_pred, "hinge")), axis=-1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of the squares of what `hinge` is the mean of."""
    return np.mean(np.square(_beyond(*paired(y_true, y_pred, "squared_hinge"))), axis=-1)


def _beyond(y_true: Any, y_pred: Any) -> Any:
    is_binary = np.all((y_true == 0) | (y_true == 1))
    signs = np.where(is_binary, 2 * y_true - 1, y_true)
    return np.maximum(1 - signs * y_pred, 0)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Return how far the expected class is from being 1 above all others, 0 if it is.

    >>> categorical_hinge(np.array([[0.0, 1.0]]), np.array([[0.6, 0.4]])).round(4)
    array([1.2])
    """
    y_true, y_pred = paired(y_true, y_pred, "categorical_hinge")
    chosen, other = np.sum(y_true * y_pred, axis=-1), np.max((1 - y_true) * y_pred, axis=-1)
    return np.maximum(other - chosen + 1, 0)


def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Return `binary_crossentropy`, of which what is sure counts less (Lin et al., 2017).

    Args:
        y_true, y_pred: truth values, and probabilities or logits.
        apply_class_balancing: whether what is true counts `alpha`, and what is not, the rest.
        alpha: see there.
        gamma: to which power of the probability that is missing each counts.
        from_logits, label_smoothing, axis: as for `binary_crossentropy`.
    """
    y_true, y_pred = paired(y_true, y_pred, "binary_focal_crossentropy")
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + 0.5 * label_smoothing
    p = activations.sigmoid(y_pred) if from_logits else y_pred
    kept = np.clip(p, EPSILON, 1 - EPSILON)
    each = -(y_true * np.log(kept) + (1 - y_true) * np.log(1 - kept))
    each = each * (1 - y_true * p - (1 - y_true) * (1 - p)) ** gamma
    if apply_class_balancing:
        each = each * (y_true * alpha + (1 - y_true) * (1 - alpha))
    return np.mean(each, axis=axis)


def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Return `categorical_crossentropy`, of which what is sure counts less (Lin et al., 2017)."""
    y_true, y_pred = paired(y_true, y_pred, "categorical_focal_crossentropy")
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + label_smoothing / y_true.shape[-1]
    p = activations.softmax(y_pred, axis) if from_logits else y_pred
    p = np.clip(p / np.sum(p, axis=axis, keepdims=True), EPSILON, 1 - EPSILON)
    return -np.sum(alpha * (1 - p) ** gamma * y_true * np.log(p), axis=axis)


def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """Return 1 less twice what both share, as part of their sums (over all axes, if none is given).

    >>> dice(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])).round(4)
    np.float64(0.3333)
    """
    y_true, y_pred = paired(y_true, y_pred, "dice")
    total = np.sum(y_true, axis=axis) + np.sum(y_pred, axis=axis)
    return 1 - 2 * np.sum(y_true * y_pred, axis=axis) / (total + EPSILON)


def tversky(
    y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None
) -> Any:
    """Return `dice` with weights for what is missed and what is wrong (Salehi et al., 2017)."""
    y_true, y_pred = paired(y_true, y_pred, "tversky")
    both = np.sum(y_true * y_pred, axis=axis)
    missed, wrong = (np.sum(x, axis=axis) for x in ((1 - y_pred) * y_true, y_pred * (1 - y_true)))
    return 1 - both / (both + missed * alpha + wrong * beta + EPSILON)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return the negative cosine of the angle between two vectors."""
    y_true, y_pred = paired(y_true, y_pred, "cosine_similarity")
    return -np.sum(_unit(y_true, axis) * _unit(y_pred, axis), axis=axis)


def _unit(x: Any, axis: int) -> Any:
    return x / np.sqrt(np.maximum(np.sum(x * x, axis=axis, keepdims=True), 1e-12))


def paired(y_true: Any, y_pred: Any, name: str) -> tuple[Any, Any]:
    """Return what is expected and what is predicted with one dtype and one shape.

    Raises:
        ShapeError: their shapes differ in more than an axis of size 1 at the end.
    """
    y_pred = as_array(y_pred)
    y_true = converted(y_true, y_pred.dtype)
    a, b = describe(y_true).shape, describe(y_pred).shape
    if a is None or b is None:
        return y_true, y_pred
    if len(a) == len(b) + 1 and a[-1] == 1:
        y_true, a = np.squeeze(y_true, -1), a[:-1]
    elif len(b) == len(a) + 1 and b[-1] == 1:
        if len(a) == 1:
            y_true, a = y_true[:, None], (*a, 1)
        else:
            y_pred, b = np.squeeze(y_pred, -1), b[:-1]
    if len(a) != len(b) or any(_differ(n, m) for n, m in zip(a, b, strict=True)):
        _refuse(name, y_true, y_pred)
    return y_true, y_pred


def classes(y_true: Any, y_pred: Any, name: str) -> Any:
    """Return the numbers of classes, `i64[...]`, for predictions `[..., classes]`.

    Raises:
        ShapeError: their shapes do not belong together.
    """
    numbers = converted(y_true, np.dtype(np.int64))
    if len(numbers.shape) == len(y_pred.shape) and numbers.shape[-1] == 1:
        numbers = np.squeeze(numbers, -1)
    if len(numbers.shape) != len(y_pred.shape) - 1:
        _refuse(name, y_true, y_pred)
    return numbers


def aligned(weight: Any, values: Any) -> Any:
    """Return the weights of samples with the dtype and so many axes as what they weigh."""
    weight = converted(weight, values.dtype)
    if len(weight.shape) == len(values.shape) + 1 and weight.shape[-1] == 1:
        weight = np.squeeze(weight, -1)
    while 0 < len(weight.shape) < len(values.shape):
        weight = weight[..., None]
    return weight


def as_array(x: Any) -> Any:
    """Return what is predicted as an array of floats."""
    x = x if hasattr(x, "dtype") else np.asarray(x)
    return x.astype(np.float32) if x.dtype.kind in "iub" else x


def _differ(n: Any, m: Any) -> bool:
    return isinstance(n, int) and isinstance(m, int) and n != m


def _refuse(name: str, y_true: Any, y_pred: Any) -> None:
    raise ShapeError(
        f"{name} is of what is expected and what is predicted, of shapes that belong together; it "
        f"was given {describe(y_true)} and {describe(y_pred)}"
    )
