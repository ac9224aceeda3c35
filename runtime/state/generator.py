"""Random numbers of a generator that is an object: its state is a variable, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.numpy import random
from runtime.state.variable import Variable


class Generator:
    """A source of random numbers, the same in Python and in staged functions.

    Its state is a key in a variable, which each draw replaces; so draws keep the order of the
    program, and who stores the variable stores the generator.

    Args:
        seed: an integer; the system gives one when it is None.

    >>> draws = Generator(7)
    >>> first = draws.uniform(size=2)
    >>> bool((Generator(7).uniform(size=2) == first).all())
    True
    """

    __slots__ = ("__weakref__", "state")

    def __init__(self, seed: int | None = None) -> None:
        if seed is None:
            seed = int(np.random.SeedSequence().entropy % 2**63)  # type: ignore[operator]
        self.state = Variable(random.key(seed), name="generator")

    def key(self) -> Any:
        """Return a key that was not returned before, `u64[2]`."""
        keys = random.split(self.state.read(), 2)
        self.state.assign(keys[0])
        return keys[1]

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = float) -> Any:
        """Return floats between two bounds, all equally likely."""
        return random.uniform_of(self.key(), size, low, high, dtype)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float) -> Any:
        """Return floats of the normal distribution with a mean and a standard deviation."""
        return random.normal_of(self.key(), size, loc, scale, dtype)

    def truncated_normal(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float
    ) -> Any:
        """Return floats of the normal distribution, all within two deviations of the mean."""
        return random.truncated_normal_of(self.key(), size, loc, scale, dtype)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = "int64") -> Any:
        """Return integers from `low` up to but without `high` (below `low`, when it is alone)."""
        low, high = (0, low) if high is None else (low, high)
        return random.integers_of(self.key(), low, high, size, dtype)

    def permutation(self, x: Any) -> Any:
        """Return the rows of an array, or the numbers below `x`, in an order that chance gives."""
        return random.permutation_of(self.key(), x)
