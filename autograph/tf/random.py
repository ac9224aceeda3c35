"""`tf.random`: random numbers of the generator that all graphs share."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy.random as rnd
from autograph.tf.absent import missing_from
from autograph.tf.creation import dims
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, takes
from runtime.dtypes import as_dtype

__all__ = ["normal", "set_seed", "shuffle", "truncated_normal", "uniform"]


def set_seed(seed: int) -> None:
    """Set the generator: the numbers that follow are the same each time.

    They are not those of TensorFlow.
    """
    rnd.seed(seed)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: Any = None,
) -> Any:
    """Return numbers between two bounds, all equally likely; `seed` is not used."""
    kind = as_dtype(dtype)
    with translating():
        if kind.kind in "iu":
            if maxval is None:
                raise ValueError("tf.random.uniform of whole numbers needs maxval")
            return as_result(rnd.integers(minval, maxval, dims(shape), kind))
        return as_result(rnd.uniform(minval, 1 if maxval is None else maxval, dims(shape), kind))


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: Any = None,
) -> Any:
    """Return numbers of the normal distribution; `seed` is not used."""
    with translating():
        return as_result(rnd.normal(mean, stddev, dims(shape), as_dtype(dtype)))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: Any = None,
) -> Any:
    """Return numbers of the normal distribution, those beyond two deviations at the bounds."""
    drawn = normal(shape, 0.0, 1.0, dtype)
    with translating():
        return as_result(drawn.clip(-2, 2) * stddev + mean)


@takes(1)
def shuffle(value: Any, seed: int | None = None) -> Any:
    """Return the rows of a tensor in random order; `seed` is not used."""
    return rnd.permutation(value)


__getattr__ = missing_from("autograph.tf.random", globals())
