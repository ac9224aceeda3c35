"""`tf.keras.random`: draws, of a seed or of a generator of seeds. The numbers are not Keras'."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import random as draws
from autograph.tf.absent import missing_from
from autograph.tf.creation import dims
from autograph.tf.elementwise import cast
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.dtypes import as_dtype
from runtime.state.generator import Generator


class SeedGenerator:
    """What gives another seed for each draw, in graphs, too.

    Args:
        seed: equal seeds give equal draws; None is another one each time.
        name: of it.

    >>> from autograph import tf
    >>> draws = tf.keras.random
    >>> first, other = (draws.normal((), seed=draws.SeedGenerator(1)) for _ in range(2))
    >>> bool(first == other)
    True
    """

    def __init__(self, seed: int | None = None, name: Any = None, **options: Any) -> None:
        self.initial_seed = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        self.source = Generator(self.initial_seed)

    def next(self, ordered: bool = True) -> Any:
        """Return a seed, and go to the next one."""
        return as_result(self.source.integers(0, 2**31 - 1, (2,), "int64"))

    def get_config(self) -> dict[str, Any]:
        """Return what it is made of again."""
        return {"seed": self.initial_seed}


def _source(seed: Any) -> Any:
    """Return what has `uniform` and the like: of a number, always the same numbers."""
    if isinstance(seed, SeedGenerator):
        return seed.source
    return draws._source(None) if seed is None else Generator(int(seed))


def _sizes(shape: Any) -> Any:
    return dims(list(shape) if isinstance(shape, tuple) else shape)


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Return numbers of the normal distribution."""
    kind = as_dtype(dtype or "float32")
    return as_result(_source(seed).normal(mean, stddev, _sizes(shape), kind))


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Return numbers of the normal distribution within two deviations of the mean."""
    kind = as_dtype(dtype or "float32")
    return as_result(_source(seed).truncated_normal(mean, stddev, _sizes(shape), kind))


def uniform(
    shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Return numbers between two bounds, all equally likely."""
    kind = as_dtype(dtype or "float32")
    return as_result(_source(seed).uniform(minval, maxval, _sizes(shape), kind))


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Any:
    """Return integers from one bound up to another one, without it."""
    return as_result(_source(seed).integers(minval, maxval, _sizes(shape), as_dtype(dtype)))


def categorical(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Return numbers of classes, drawn for each row of logarithms of their probabilities."""
    rows = convert_to_tensor(logits)
    shape = (rows.shape[0], num_samples, rows.shape[1])
    found = -rnp.log(-rnp.log(_source(seed).uniform(1e-300, 1.0, shape)))
    return as_result(rnp.argmax(rows[:, None] + found, axis=-1).astype(as_dtype(dtype)))


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """Return a tensor in random order along an axis."""
    moved = rnp.moveaxis(convert_to_tensor(x), axis, 0)
    return as_result(rnp.moveaxis(_source(seed).permutation(moved), 0, axis))


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Return a tensor with some elements 0, and the others larger: the mean stays."""
    x = convert_to_tensor(inputs)
    sizes = tuple(x.shape) if noise_shape is None else tuple(noise_shape)
    keeps = uniform(sizes, seed=seed) >= rate
    return cast(keeps, x.dtype) * x / (1 - rate)


__all__ = [
    "SeedGenerator",
    "categorical",
    "dropout",
    "normal",
    "randint",
    "shuffle",
    "truncated_normal",
    "uniform",
]
__getattr__ = missing_from("autograph.tf.keras.random", globals())
