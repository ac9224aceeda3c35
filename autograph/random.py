"""Random numbers that are drawn when a graph runs: of a shared generator, of one's own, or of keys.

`uniform`, `normal` and their like draw from a generator that all share, `seed` sets it; a
`Generator` has a state of its own; functions whose names end in `_of` are functions of a key. The
same seed gives the same numbers, in Python and in staged functions.
"""

from runtime.lower.tracebacks import export
from runtime.numpy.random import (
    choice,
    integers,
    integers_of,
    key,
    normal,
    normal_of,
    permutation,
    permutation_of,
    randint,
    random,
    seed,
    shuffle,
    split,
    standard_normal,
    truncated_normal,
    truncated_normal_of,
    uniform,
    uniform_of,
)
from runtime.state.generator import Generator

__all__ = [
    "Generator",
    "choice",
    "integers",
    "integers_of",
    "key",
    "normal",
    "normal_of",
    "permutation",
    "permutation_of",
    "randint",
    "random",
    "seed",
    "shuffle",
    "split",
    "standard_normal",
    "truncated_normal",
    "truncated_normal_of",
    "uniform",
    "uniform_of",
]

export(__name__)
