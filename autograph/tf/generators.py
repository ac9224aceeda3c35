"""`tf.random.Generator`: a source of random numbers whose state is a variable."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy.random as rnd
from autograph.tf.creation import dims
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime import default_graph
from runtime.dtypes import as_dtype
from runtime.state.generator import Generator as Plain


def uniform_of(source: Any, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
    """Return numbers of a generator between two bounds; whole ones need the upper one."""
    kind = as_dtype(dtype)
    with translating():
        if kind.kind in "iu":
            if maxval is None:
                raise ValueError("uniform whole numbers need maxval")
            return as_result(source.integers(minval, maxval, dims(shape), kind))
        high = 1 if maxval is None else maxval
        return as_result(source.uniform(minval, high, dims(shape), kind))


class Generator:
    """A source of random numbers that gives tensors; its state is one variable.

    Made by `from_seed`, `from_state` or `from_non_deterministic_state`.

    >>> first = Generator.from_seed(1).normal([2])
    >>> bool((Generator.from_seed(1).normal([2]) == first).numpy().all())
    True
    """

    __slots__ = ("__weakref__", "_plain")

    def __init__(self, plain: Plain) -> None:
        self._plain = plain

    @classmethod
    def from_seed(cls, seed: int, alg: Any = None) -> Generator:
        """Return the generator of a seed."""
        return cls(Plain(int(seed)))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Return a generator whose seed the system gives."""
        return cls(Plain())

    @classmethod
    def from_state(cls, state: Any, alg: Any = None) -> Generator:
        """Return a generator that goes on where another one is, of which `state` is the state."""
        made = cls(Plain(0))
        made.reset(state)
        return made

    @property
    def state(self) -> Any:
        """The variable that holds the state."""
        return self._plain.state

    @property
    def key(self) -> Any:
        """What the state holds now."""
        return as_result(self._plain.state.read())

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = np.float32,
        name: Any = None,
    ) -> Any:
        """Return numbers between two bounds, all equally likely."""
        return uniform_of(self._plain, shape, minval, maxval, dtype)

    def uniform_full_int(self, shape: Any, dtype: Any = np.uint64, name: Any = None) -> Any:
        """Return whole numbers, all that the dtype has equally likely."""
        kind = as_dtype(dtype)
        words = np.iinfo(kind)
        with translating():
            drawn = self._plain.integers(0, 2**32, (*dims(shape), 2), np.uint64)
            whole = drawn[..., 0] * np.uint64(2**32) + drawn[..., 1]
            return as_result((whole >> np.uint64(64 - words.bits)).astype(kind))

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = np.float32,
        name: Any = None,
    ) -> Any:
        """Return numbers of the normal distribution."""
        with translating():
            return as_result(self._plain.normal(mean, stddev, dims(shape), as_dtype(dtype)))

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = np.float32,
        name: Any = None,
    ) -> Any:
        """Return numbers of the normal distribution within two deviations of the mean."""
        with translating():
            draw = self._plain.truncated_normal
            return as_result(draw(mean, stddev, dims(shape), as_dtype(dtype)))

    def split(self, count: int = 1) -> list[Generator]:
        """Return new generators whose numbers are independent of each other's."""
        keys = rnd.split(self._plain.key(), count)
        return [Generator.from_state(keys[k]) for k in range(count)]

    def skip(self, delta: Any) -> Any:
        """Go on as if numbers had been drawn; return the state from before."""
        before = self.key
        folded = self._plain.state.read() + convert_to_tensor(delta).astype(np.uint64)
        self._plain.state.assign(rnd.split(folded, 1)[0])
        return before

    def make_seeds(self, count: int = 1) -> Any:
        """Return seeds for the functions whose names begin with `stateless`, one in each column."""
        keys = rnd.split(self._plain.key(), count)
        return as_result(keys.astype(np.int64).T)

    def reset(self, state: Any) -> None:
        """Go on where another generator is, of which `state` is the state."""
        self._plain.state.assign(convert_to_tensor(state).astype(np.uint64))

    def reset_from_seed(self, seed: int) -> None:
        """Begin anew with a seed."""
        self._plain.state.assign(rnd.key(seed))


class _Global:
    """The generator of the program."""

    generator: Generator | None = None


def get_global_generator() -> Generator:
    """Return the generator of the program, which is made at the first call."""
    if _Global.generator is None:
        with default_graph.building(None):
            _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


def set_global_generator(generator: Generator) -> None:
    """Set the generator of the program; functions that were traced keep the one that they had."""
    _Global.generator = generator
