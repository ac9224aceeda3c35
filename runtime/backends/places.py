"""Subscripts with arrays of indices, for libraries that count those out of range round.

Comes in: an array, and a key that holds integers, slices and arrays of the same library. Goes out:
what NumPy gives for it: IndexError for what is out of range, and of several values for one place
the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def checked(indices: Any, size: int, axis: int) -> Any:
    """Return indices as they are; IndexError when one is out of range."""
    beyond = (indices < -size) | (indices >= size)
    if bool(beyond.any() if hasattr(beyond, "any") else beyond):
        first = int(indices[beyond][0]) if np.ndim(indices) else int(indices)
        raise IndexError(f"index {first} is out of bounds for axis {axis} with size {size}")
    return indices


def part(x: Any, key: Any) -> Any:
    """Return the part of an array that integers and slices select, a view of it."""
    return x[tuple(map(_known, key if isinstance(key, tuple) else (key,)))]


def elements(x: Any, key: Any) -> Any:
    """Return the elements that arrays of indices or masks select."""
    return x[in_range(x, key)]


def in_range(x: Any, key: Any) -> tuple[Any, ...]:
    """Return a key as it is; IndexError when one of its indices is out of range."""
    return tuple(item for item, _ in _in_range(x, key))


def write(xp: Any, x: Any, key: Any, value: Any) -> None:
    """Write what a key selects; of several values for one place the last one stays.

    Args:
        xp: the array module.
        x: is written.
        key: what it is indexed by.
        value: an array that is broadcast to what is selected, or a number.
    """
    found = list(_in_range(x, key))
    while np.ndim(value) and value.shape[0] == 1:
        value = value[0]  # which is broadcast alike
    if np.ndim(value) and any(_is_indices(item) and item.ndim for item, _ in found):
        value = _last_ones(xp, x, found, value)
    x[tuple(item for item, _ in found)] = value


def _is_indices(item: Any) -> bool:
    return hasattr(item, "dtype") and item.dtype.kind in "iu"


def _known(item: Any) -> Any:
    """Return an integer, or a slice of integers, that may be an array without axes."""
    if isinstance(item, slice):
        return slice(*map(_known, (item.start, item.stop, item.step)))
    return int(item) if _is_indices(item) else item


def _in_range(x: Any, key: Any) -> Iterator[tuple[Any, int]]:
    """Yield the items of a key, each with its axis; IndexError when an index is out of range."""
    items = key if isinstance(key, tuple) else (key,)
    items = items if any(item is ... for item in items) else (*items, ...)
    rest, axis = sum(map(_axes, items)), 0
    for item in items:
        if _is_indices(item):
            checked(item, x.shape[axis], axis)
        yield _known(item) if isinstance(item, slice) else item, axis
        axis += x.ndim - rest if item is ... else _axes(item)


def _axes(item: Any) -> int:
    """Return how many axes of an array an item of a key takes, but for the ellipsis."""
    if item is None or item is ... or isinstance(item, bool):
        return 0
    return int(item.ndim) if hasattr(item, "dtype") and item.dtype.kind == "b" else 1


def _last_ones(xp: Any, x: Any, found: list[tuple[Any, int]], value: Any) -> Any:
    """Return values of which those for one place are all the last of them."""
    taken = [(k, item, axis) for k, (item, axis) in enumerate(found) if not _is_whole(item)]
    place = xp.asarray(0)
    for _, item, axis in taken:
        rows = item.nonzero() if getattr(item, "dtype", place.dtype).kind == "b" else (item,)
        for n, row in zip(x.shape[axis:], rows, strict=False):
            place = place * n + xp.where(xp.asarray(row) < 0, row + n, row)
    flat = place.ravel()
    order = xp.argsort(flat, kind="stable")
    last = order[xp.searchsorted(flat[order], flat, "right") - 1]
    first, end = taken[0][0], taken[-1][0]
    follows = found[end + 1 :] if end - first + 1 == len(taken) else found
    rest = x.ndim - sum(_axes(item) for item, _ in found)
    after = sum(rest if item is ... else 1 for item, _ in follows if _is_whole(item))
    cut = value.ndim - after
    if cut <= 0:
        return value
    lead, tail = value.shape[: max(cut - place.ndim, 0)], value.shape[cut:]
    rows = xp.broadcast_to(value, (*lead, *place.shape, *tail)).reshape((*lead, flat.size, *tail))
    return rows[(*(slice(None) for _ in lead), last)].reshape((*lead, *place.shape, *tail))


def _is_whole(item: Any) -> bool:
    """Tell whether an item of a key keeps an axis, or makes one."""
    return isinstance(item, slice) or item is None or item is ...
