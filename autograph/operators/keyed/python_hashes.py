"""Python's `hash` of numbers and of tuples of them, as loops: converted where sets are staged.

Numbers that are equal have one hash, whatever their classes: it is their value modulo the prime
2**61 - 1 (Python's documentation, "Hashing of numeric types"). Tuples mix those of their items
(Objects/tupleobject.c, which follows xxHash). Nothing here overflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

PRIME = 2**61 - 1
INFINITY = 314159

FIRST = np.uint64(2870177450012600261)
ITEM = np.uint64(14029467366897019727)
ROUND = np.uint64(11400714785074694791)
LENGTH = 2870177450012600261 ^ 3527539
FAILED = np.int64(1546275796)
"""What stands for -1, which is no hash of a tuple's."""

HALF = 0xFFFFFFFF


def of_integer(x: Any) -> Any:
    """Return the hash of a 64-bit integer."""
    while x >= PRIME:
        x -= PRIME
    while x <= -PRIME:
        x += PRIME
    return x - (x == -1)


def of_float(x: Any) -> Any:
    """Return the hash of a float; 0 of NaN, whose hash is that of an object.

    A factor of 2**61 leaves a number the same modulo the prime: there are no fractions then.
    """
    left, found = abs(x), np.int64(0)
    if left == np.inf:
        found += INFINITY
    elif left == left:
        while left != np.floor(left):
            left *= 2.0**61
        while left > 0:
            high = np.floor(left * 2.0**-61)
            found += np.int64(left - high * 2.0**61)
            if found >= PRIME:
                found -= PRIME
            left = high
    if x < 0:
        found = -found
    return found - (found == -1)


def of_tuple(hashes: Sequence[Any]) -> Any:
    """Return the hash of a tuple, of whose items these are the hashes."""
    found = FIRST
    for x in hashes:
        found = _sum(found, _product(np.uint64(x), ITEM))
        found = _product(found << 31 | found >> 33, ROUND)
    code = np.int64(_sum(found, np.uint64(len(hashes) ^ LENGTH)))
    return FAILED if code == -1 else code


def _sum(a: Any, b: Any) -> Any:
    """Return `a + b` modulo 2**64."""
    low = (a & HALF) + (b & HALF)
    return (a >> 32) + (b >> 32) + (low >> 32) << 32 | low & HALF


def _product(a: Any, b: Any) -> Any:
    """Return `a * b` modulo 2**64."""
    low = (a & HALF) * (b & HALF)
    middle = ((a >> 32) * (b & HALF) & HALF) + ((a & HALF) * (b >> 32) & HALF) + (low >> 32)
    return middle << 32 | low & HALF
