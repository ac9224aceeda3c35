"""Accuracies and the like: functions that give one number for each sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.nn import loss_functions
from autograph.nn.loss_functions import paired
from runtime.subscripts import describe


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 where both are equal, else 0."""
    y_true, y_pred = paired(y_true, y_pred, "accuracy")
    return (y_true == y_pred).astype(np.float32)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Return the part of the last axis where a probability is on the right side of a threshold."""
    y_true, y_pred = paired(y_true, y_pred, "binary_accuracy")
    same = (y_true > threshold) == (y_pred > threshold)
    return np.mean(same.astype(np.float32), axis=-1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 where the largest elements of both are at one place, else 0."""
    same = np.argmax(y_true, axis=-1) == np.argmax(y_pred, axis=-1)
    return same.astype(np.float32)


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 where the largest element is that of the class, given as its number, else 0."""
    return (_numbers(y_true, y_pred) == np.argmax(y_pred, axis=-1)).astype(np.float32)


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Return 1 where the class with the largest element is among the `k` most likely ones."""
    return _among(np.argmax(y_true, axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Return 1 where the class, given as its number, is among the `k` most likely ones."""
    return _among(_numbers(y_true, y_pred), y_pred, k)


def _numbers(y_true: Any, y_pred: Any) -> Any:
    """Return the numbers of classes, one for each row of predictions."""
    if len(y_true.shape) == len(y_pred.shape):
        y_true = np.squeeze(y_true, -1)
    return y_true.astype(np.int64)


def _among(numbers: Any, y_pred: Any, k: int) -> Any:
    is_chosen = numbers[..., None] == np.arange(y_pred.shape[-1])
    score = np.sum(np.where(is_chosen, y_pred, 0), axis=-1, keepdims=True)
    return (np.sum((y_pred > score).astype(np.int64), axis=-1) < k).astype(np.float32)


def by_shapes(y_true: Any, y_pred: Any) -> Any:
    """Return the accuracy that fits: of one probability, of classes as numbers, or as rows.

    That is what `metrics=["accuracy"]` means.
    """
    a, b = describe(y_true).shape or (), describe(y_pred).shape or ()
    if len(b) < 1 or b[-1] == 1:
        return binary_accuracy(y_true, y_pred)
    if len(a) < len(b) or a[-1] == 1:
        return sparse_categorical_accuracy(y_true, y_pred)
    return categorical_accuracy(y_true, y_pred)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return the cosine of the angle between two vectors; the loss is its negative."""
    return -loss_functions.cosine_similarity(y_true, y_pred, axis)


def pearson_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return the correlation of two rows, after Pearson."""
    y_true, y_pred = paired(y_true, y_pred, "pearson_correlation")
    a, b = (x - np.mean(x, axis=axis, keepdims=True) for x in (y_true, y_pred))
    squares = np.mean(a * a, axis=axis) * np.mean(b * b, axis=axis)
    return np.mean(a * b, axis=axis) / np.sqrt(squares)
