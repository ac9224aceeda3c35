"""`tf.random`: random numbers of the generator that all graphs share, of seeds, and of generators.

The numbers are not TensorFlow's; which calls give equal ones is as there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
import runtime.numpy.random as rnd
from autograph.tf.absent import missing_from
from autograph.tf.creation import dims
from autograph.tf.errors import translating
from autograph.tf.generators import (
    Generator,
    get_global_generator,
    set_global_generator,
    uniform_of,
)
from autograph.tf.tensors import as_result, convert_to_tensor, takes
from runtime import default_graph
from runtime.dtypes import as_dtype
from runtime.state.generator import Generator as Plain

__all__ = [
    "Generator",
    "categorical",
    "fold_in",
    "get_global_generator",
    "normal",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]


class _Seeds:
    """The generators of operations that were given a seed, and the seed of all."""

    whole = 0
    of_operations: dict[int, Plain] = {}  # noqa: RUF012  (all share it)


def set_seed(seed: int) -> None:
    """Set all generators: the numbers that follow are the same each time."""
    rnd.seed(seed)
    _Seeds.whole = seed
    for own, generator in _Seeds.of_operations.items():
        generator.state.assign(_key(own))


def _key(seed: int) -> Any:
    return rnd.key((_Seeds.whole * 1_000_003 + seed) % 2**63)


def _source(seed: int | None) -> Any:
    """Return what has `uniform`, `normal` and the like: for one seed always the same generator."""
    if seed is None:
        return rnd
    if seed not in _Seeds.of_operations:
        with default_graph.building(None):
            made = Plain(0)
            made.state.assign(_key(seed))
        _Seeds.of_operations[seed] = made
    return _Seeds.of_operations[seed]


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: Any = None,
) -> Any:
    """Return numbers between two bounds, all equally likely."""
    return uniform_of(_source(seed), shape, minval, maxval, dtype)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: Any = None,
) -> Any:
    """Return numbers of the normal distribution."""
    with translating():
        return as_result(_source(seed).normal(mean, stddev, dims(shape), as_dtype(dtype)))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = np.float32,
    seed: int | None = None,
    name: Any = None,
) -> Any:
    """Return numbers of the normal distribution within two deviations of the mean."""
    with translating():
        draw = _source(seed).truncated_normal
        return as_result(draw(mean, stddev, dims(shape), as_dtype(dtype)))


@takes(1)
def shuffle(value: Any, seed: int | None = None) -> Any:
    """Return the rows of a tensor in random order."""
    return _source(seed).permutation(value)


def categorical(
    logits: Any,
    num_samples: int,
    dtype: Any = np.int64,
    seed: int | None = None,
    name: Any = None,
) -> Any:
    """Return numbers of classes, drawn for each row of logarithms of their probabilities."""
    with translating():
        rows = convert_to_tensor(logits)
        shape = (rows.shape[0], num_samples, rows.shape[1])
        draws = -rnp.log(-rnp.log(_source(seed).uniform(1e-300, 1.0, shape)))
        return as_result(rnp.argmax(rows[:, None] + draws, axis=-1).astype(as_dtype(dtype)))


def _stateless(name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    def public(
        shape: Any,
        seed: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = np.float32,
        name: Any = None,
        **others: Any,
    ) -> Any:
        with translating():
            return as_result(draw(_words(seed), dims(shape), mean, stddev, as_dtype(dtype)))

    public.__name__ = public.__qualname__ = f"stateless_{name}"
    public.__doc__ = f"Return what `{name}` does, of a seed of two numbers: equal for equal seeds."
    return public


stateless_normal = _stateless("normal", rnd.normal_of)
stateless_truncated_normal = _stateless("truncated_normal", rnd.truncated_normal_of)


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = np.float32,
    name: Any = None,
    **others: Any,
) -> Any:
    """Return what `uniform` does, of a seed of two numbers: equal for equal seeds."""
    kind = as_dtype(dtype)
    with translating():
        if kind.kind in "iu":
            return as_result(rnd.integers_of(_words(seed), minval, maxval, dims(shape), kind))
        high = 1 if maxval is None else maxval
        return as_result(rnd.uniform_of(_words(seed), dims(shape), minval, high, kind))


def _words(seed: Any) -> Any:
    """Return a seed of two numbers as the key of a generator."""
    return convert_to_tensor(seed).astype(np.uint64)


def split(seed: Any, num: int = 2, **others: Any) -> Any:
    """Return new seeds made of a seed, one in each row."""
    with translating():
        return as_result(rnd.split(_words(seed), num).astype(np.int64))


def fold_in(seed: Any, data: Any, **others: Any) -> Any:
    """Return a new seed made of a seed and a number."""
    with translating():
        number = convert_to_tensor(data).astype(np.uint64)
        return as_result(rnd.split(_words(seed) + number * np.uint64(2**32), 1)[0].astype(np.int64))


__getattr__ = missing_from("autograph.tf.random", globals())
