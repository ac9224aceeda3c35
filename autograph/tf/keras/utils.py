"""`tf.keras.utils`: small things around models."""

from __future__ import annotations

import os
import random as python_random
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.tf.absent import missing_from
from autograph.tf.keras import cached
from autograph.tf.keras.configs import custom_object_scope, register_keras_serializable
from autograph.tf.keras.folders import text_dataset_from_directory
from runtime.numpy import random

__all__ = [
    "Sequence",
    "custom_object_scope",
    "get_file",
    "pad_sequences",
    "register_keras_serializable",
    "set_random_seed",
    "text_dataset_from_directory",
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


def pad_sequences(
    sequences: Iterable[Iterable[Any]],
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> Any:
    """Return sequences as rows of one length, an array of NumPy `[sequences, length, ...]`.

    Args:
        sequences: of numbers, or of rows of numbers.
        maxlen: the length; by default that of the longest.
        dtype: of the result.
        padding: whether what is missing stands before (`"pre"`) or after (`"post"`).
        truncating: whether what is too much is taken away before or after.
        value: what stands for what is missing.

    >>> pad_sequences([[1, 2], [3]])
    array([[1, 2],
           [0, 3]], dtype=int32)
    """
    for name, given in (("padding", padding), ("truncating", truncating)):
        if given not in ("pre", "post"):
            raise ValueError(f"{name} of pad_sequences is 'pre' or 'post', not {given!r}")
    rows = [np.asarray(x) for x in sequences]
    length = max((len(x) for x in rows), default=0) if maxlen is None else maxlen
    inner = next((x.shape[1:] for x in rows if len(x)), ())
    found = np.full((len(rows), length, *inner), value, dtype)
    for k, row in enumerate(rows):
        kept = row[max(len(row) - length, 0) :] if truncating == "pre" else row[:length]
        if len(kept):
            found[k, length - len(kept) if padding == "pre" else 0 :][: len(kept)] = kept
    return found


def get_file(fname: Any = None, origin: Any = None, **others: Any) -> str:
    """Return the path of a file that Keras has downloaded before; nothing is downloaded here.

    Args:
        fname: its name; by default the end of `origin`.
        origin: where it came from.
        others: TensorFlow's; `cache_dir` and `cache_subdir` say where it is.

    Raises:
        NotFoundError: it is not there.
    """
    name = os.path.basename(os.fspath(origin)) if fname is None else os.fspath(fname)
    home = others.get("cache_dir") or cached.home()
    folder = os.path.join(home, others.get("cache_subdir", "datasets"))
    return str(cached.file(os.path.join(folder, name)))


class Sequence:
    """Batches by their numbers: a class with `__len__` and `__getitem__`."""


INSTEAD = {"plot_model": "model.summary() prints the layers of a model"}
__getattr__ = missing_from("autograph.tf.keras.utils", globals(), INSTEAD)
