"""What all families of random programs write with: choices, blocks, and the text of lines."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

Lines = list[str]
Maker = Callable[[int], Lines]
T = TypeVar("T")


def indented(lines: Lines) -> Lines:
    """Return lines one level deeper."""
    return ["    " + line for line in lines]


class Draw:
    """Random choices, the same for the same seed.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def pick(self, *choices: T) -> T:
        """Return one of the choices."""
        return self._random.choice(choices)

    def chance(self, share: float) -> bool:
        """Return True for that share of the calls."""
        return self._random.random() < share

    def number(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`."""
        return self._random.randint(low, high)

    def several(self, choices: Sequence[T], count: int) -> list[T]:
        """Return that many different choices."""
        return self._random.sample(choices, count)
