"""The arrays that an object holds: copies of them, and whether they were written.

Comes in: what a call of NumPy was given. Goes out: copies to try it with, and what it changed.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


def is_masked_like(x: Any, y: Any) -> bool:
    """Tell whether two masked arrays differ in their masks only."""
    are_masked = isinstance(x, np.ma.MaskedArray) and isinstance(y, np.ma.MaskedArray)
    return are_masked and is_same(np.asarray(x), np.asarray(y))


def copied(value: Any) -> Any:
    """Return a copy of what is tried, so that it is not changed, if there is one."""
    if type(value) is np.ndarray and value.dtype != object:
        return value.copy(order="K")
    try:
        return copy.deepcopy(value)
    except (TypeError, pickle.PicklingError):
        return value


def is_same(x: Any, y: Any) -> bool:
    """Tell whether two arrays hold the same."""
    is_like = x.shape == y.shape and x.dtype == y.dtype
    return is_like and all(a == b for a, b in zip(_contents(x), _contents(y), strict=True))


def is_written(before: Any, after: Any) -> bool:
    """Tell whether a masked array, or a sparse matrix, holds something else than before."""
    if not isinstance(before, np.ndarray) and not hasattr(before, "tocoo"):
        return False
    pairs = zip(arrays_of(before), arrays_of(after), strict=False)
    return not all(is_same(x, y) for x, y in pairs)


def arrays_of(value: Any, depth: int = 3) -> Iterator[Any]:
    """Yield the arrays that an object holds, which are what others may hold, too."""
    if isinstance(value, np.ndarray):
        yield value
    elif depth:
        held = value if isinstance(value, list | tuple | dict) else getattr(value, "__dict__", ())
        for item in held.values() if isinstance(held, Mapping) else held:
            yield from arrays_of(item, depth - 1)


def _contents(x: Any) -> Iterator[Any]:
    """Yield what tells whether an array was written: NaN is NaN, and masked elements count."""
    plain = np.asarray(x)
    yield plain.tobytes() if plain.dtype.kind in "biufcSUmM" else repr(plain.tolist())
    yield repr(getattr(x, "mask", None))
