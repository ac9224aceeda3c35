"""Initialisers: what variables of layers hold first.

An initialiser is called with a shape and a dtype. With a seed it gives the same numbers at each
call; without one it draws from the generator that `ag.random.seed` sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.nn.configured import Configured
from autograph.nn.names import find
from runtime.dtypes import as_dtype
from runtime.numpy import random

Initializer = Callable[[Sequence[int], Any], Any]
_WITHIN_TWO = 0.87962566103423978
"""The standard deviation of the normal distribution that is cut at two."""


class Zeros(Configured):
    """Zeros."""

    def __call__(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        return np.zeros(shape, as_dtype(dtype))


class Ones(Configured):
    """Ones."""

    def __call__(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        return np.ones(shape, as_dtype(dtype))


class Constant(Configured):
    """One number, or an array that is broadcast."""

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        return np.broadcast_to(np.asarray(self.value, as_dtype(dtype)), shape).copy()


class Identity(Configured):
    """The matrix that has `gain` on its diagonal."""

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        return self.gain * np.eye(*shape, dtype=as_dtype(dtype))


class _Random(Configured):
    """What draws numbers: of its seed, or of the shared generator."""

    seed: int | None = None

    def draw(self, kind: str, a: float, b: float, shape: Sequence[int], dtype: Any) -> Any:
        """Return an array of numbers of a distribution with two parameters."""
        size = tuple(shape)
        if self.seed is None:
            return np.asarray(getattr(random, kind)(a, b, size, as_dtype(dtype)))
        of_key = getattr(random, f"{kind}_of")
        return np.asarray(of_key(random.key(self.seed), size, a, b, as_dtype(dtype)))


class RandomUniform(_Random):
    """Numbers between two bounds, all equally likely."""

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        return self.draw("uniform", self.minval, self.maxval, shape, dtype)


class RandomNormal(_Random):
    """Numbers of the normal distribution."""

    kind = "normal"

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        return self.draw(self.kind, self.mean, self.stddev, shape, dtype)


class TruncatedNormal(RandomNormal):
    """Numbers of the normal distribution within two standard deviations of the mean."""

    kind = "truncated_normal"


class VarianceScaling(_Random):
    """Numbers whose variance is that of sums of as many terms as a unit has, times `scale`.

    Args:
        scale: the variance of such a sum.
        mode: which terms: `fan_in` (inputs of a unit), `fan_out`, or `fan_avg`.
        distribution: `uniform`, `truncated_normal` or `untruncated_normal`.
        seed: an integer.

    >>> VarianceScaling(2.0, "fan_in", "uniform", seed=1)((3, 4), "float64").shape
    (3, 4)
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"mode is fan_in, fan_out or fan_avg, not {mode!r}")
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal", "normal"):
            raise ValueError(
                "distribution is uniform, truncated_normal or untruncated_normal, "
                f"not {distribution!r}"
            )
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def __call__(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        fan_in, fan_out = fans(shape)
        terms = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, terms[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return self.draw("uniform", -limit, limit, shape, dtype)
        if self.distribution == "untruncated_normal":
            return self.draw("normal", 0.0, math.sqrt(variance), shape, dtype)
        return self.draw("truncated_normal", 0.0, math.sqrt(variance) / _WITHIN_TWO, shape, dtype)


class GlorotUniform(VarianceScaling):
    """Uniform numbers of the variance `2 / (fan_in + fan_out)` (Glorot and Bengio, 2010)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)


class GlorotNormal(VarianceScaling):
    """Normal numbers of the variance `2 / (fan_in + fan_out)` (Glorot and Bengio, 2010)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)


class HeUniform(VarianceScaling):
    """Uniform numbers of the variance `2 / fan_in` (He et al., 2015)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(2.0, "fan_in", "uniform", seed)


class HeNormal(VarianceScaling):
    """Normal numbers of the variance `2 / fan_in` (He et al., 2015)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(2.0, "fan_in", "truncated_normal", seed)


class LecunUniform(VarianceScaling):
    """Uniform numbers of the variance `1 / fan_in` (LeCun et al., 1998)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_in", "uniform", seed)


class LecunNormal(VarianceScaling):
    """Normal numbers of the variance `1 / fan_in` (LeCun et al., 1998)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_in", "truncated_normal", seed)


class Orthogonal(_Random):
    """A matrix with orthogonal rows or columns, whichever are fewer (Saxe et al., 2014).

    >>> q = Orthogonal(seed=3)((4, 2), "float64")
    >>> bool(np.allclose(q.T @ q, np.eye(2)))
    True
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        self.gain, self.seed = gain, seed

    def __call__(self, shape: Sequence[int], dtype: Any = "float32") -> Any:
        if len(shape) < 2:
            raise ValueError(f"an orthogonal matrix has two dimensions at least, not {shape}")
        rows, columns = math.prod(shape[:-1]), shape[-1]
        drawn = self.draw("normal", 0.0, 1.0, (max(rows, columns), min(rows, columns)), "float64")
        q, r = np.linalg.qr(drawn)
        q = q * np.sign(np.diagonal(r))
        return (self.gain * (q.T if rows < columns else q)).reshape(shape).astype(as_dtype(dtype))


def fans(shape: Sequence[int]) -> tuple[float, float]:
    """Return how many inputs and outputs a unit has whose weights have a shape.

    >>> fans((3, 3, 16, 32))
    (144, 288)
    """
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


__all__ = [  # noqa: PLE0604  (in rows)
    *("Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity"),
    *("LecunNormal", "LecunUniform", "Ones", "Orthogonal", "RandomNormal", "RandomUniform"),
    *("TruncatedNormal", "VarianceScaling", "Zeros"),
]

_SHORT = {"uniform": "RandomUniform", "normal": "RandomNormal", "zero": "Zeros", "one": "Ones"}


def get(initializer: str | Initializer) -> Initializer:
    """Return an initialiser by its name, or what is given.

    >>> get("glorot_uniform")((2, 3), "float32").shape
    (2, 3)
    """
    found: Any = find(initializer, globals(), __all__, "initializer", _SHORT)
    return found() if isinstance(found, type) else found  # type: ignore[no-any-return]
