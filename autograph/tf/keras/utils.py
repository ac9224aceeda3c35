"""`tf.keras.utils`: small things around models."""

from __future__ import annotations

import random as python_random
from typing import Any

import numpy as np

from autograph.tf.absent import missing_from
from autograph.tf.keras.configs import custom_object_scope, register_keras_serializable
from runtime.numpy import random

__all__ = [
    "Sequence",
    "custom_object_scope",
    "register_keras_serializable",
    "set_random_seed",
    "to_categorical",
]


def to_categorical(x: Any, num_classes: int | None = None, dtype: Any = "float32") -> Any:
    """Return rows with a 1 at the place of each class, an array of NumPy.

    Args:
        x: numbers of classes `[...]` or `[..., 1]`.
        num_classes: how many there are, by default one more than the largest.
        dtype: of the result.

    Raises:
        ValueError: a number is not that of a class.

    >>> to_categorical([0, 2])
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    numbers = np.asarray(x).astype(np.int64)
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    count = int(numbers.max(initial=-1)) + 1 if num_classes is None else num_classes
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ValueError(
            f"to_categorical: classes are numbers from 0 to {count - 1}, and there are "
            f"{numbers.min()} to {numbers.max()}"
        )
    return (numbers[..., None] == np.arange(count)).astype(dtype)


def set_random_seed(seed: int) -> None:
    """Set the generators of Python, of NumPy and of this library."""
    python_random.seed(seed)
    np.random.seed(seed)
    random.seed(seed)


class Sequence:
    """Batches by their numbers: a class with `__len__` and `__getitem__`."""


__getattr__ = missing_from("autograph.tf.keras.utils", globals())
