"""Values as they were at one moment, and how two of them differ.

In: values of variables. Out: copies that nothing changes any more, and a sentence about the first
difference. What is no data (a function, an object of a class of the user's) is not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.staging.region import UNDEFINED
from runtime import trees
from runtime.backends import on_host
from runtime.errors import StructureError
from runtime.spec import spec_of
from runtime.tensor import Tensor


class _Opaque:
    """Stands for what is not compared."""

    def __repr__(self) -> str:
        return "an object"


OPAQUE = _Opaque()
_NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)
_DATA = (str, bytes, frozenset, set, range, slice, type(None), type(Ellipsis), np.dtype)


def taken_apart(value: Any) -> tuple[Sequence[Any], Any]:
    """Return the leaves of a value and its structure; one leaf for what has no structure."""
    try:
        return trees.flatten(value)
    except StructureError:
        return [OPAQUE], trees.flatten(OPAQUE)[1]


def copied(value: Any) -> Any:
    """Return a value as it is now: arrays and containers are copied.

    >>> x = np.zeros(2)
    >>> before = copied([x, len])
    >>> x += 1
    >>> before
    [array([0., 0.]), an object]
    """
    leaves, structure = taken_apart(value)
    return trees.unflatten(structure, list(map(copied_leaf, leaves)))


def copied_leaf(leaf: Any) -> Any:
    """Return one leaf as it is now."""
    if type(leaf) is Tensor:
        return leaf.numpy()
    leaf = on_host(leaf)
    if isinstance(leaf, np.ndarray):
        return leaf.copy()
    if isinstance(leaf, set):
        return set(leaf)
    known = leaf is UNDEFINED or isinstance(leaf, _NUMBERS + _DATA)
    return leaf if known else OPAQUE


@dataclass(frozen=True)
class Tolerance:
    """How much two values may differ.

    Attributes:
        rtol, atol: relative and absolute, as in `np.isclose`.
        dtypes: whether arrays must have the same dtypes.
    """

    rtol: float = 0.0
    atol: float = 0.0
    dtypes: bool = True


def difference(plain: Any, staged: Any, tolerance: Tolerance) -> str | None:
    """Say how two values differ, or return None when they do not.

    >>> difference([1.0, 2.0], [1.0, 2.5], Tolerance())
    '[1] is 2.0 and 2.5'
    >>> difference([1.0, 2.0], [1.0, 2.5], Tolerance(atol=0.6))
    """
    leaves, structure = taken_apart(plain)
    others, other = taken_apart(staged)
    if structure != other:
        if any(leaf is OPAQUE for leaf in (*leaves, *others)):
            return None
        return trees.difference(plain, staged)
    for path, a, b in zip(trees.paths(structure), leaves, others, strict=True):
        found = _leaf_difference(a, b, tolerance)
        if found is not None:
            return f"{path}{' ' if path else ''}{found}"
    return None


def _leaf_difference(a: Any, b: Any, tolerance: Tolerance) -> str | None:
    if a is OPAQUE or b is OPAQUE or (a is UNDEFINED and b is UNDEFINED):
        return None
    if isinstance(a, _NUMBERS) and isinstance(b, _NUMBERS):
        return _array_difference(a, b, tolerance)
    if type(a) is type(b) and a == b:
        return None
    return f"is {shown(a)} and {shown(b)}"


def _array_difference(a: Any, b: Any, tolerance: Tolerance) -> str | None:
    has_dtypes = hasattr(a, "dtype") and hasattr(b, "dtype")  # numbers of Python take any
    other_dtype = tolerance.dtypes and has_dtypes and a.dtype != b.dtype
    if np.shape(a) != np.shape(b) or other_dtype:
        return f"is {spec_of(a)} and {spec_of(b)}"
    differs = ~_close(np.asarray(a), np.asarray(b), tolerance)
    if not differs.any():
        return None
    if not differs.shape:
        return f"is {shown(a)} and {shown(b)}"
    place = tuple(int(k) for k in np.argwhere(differs)[0])
    index = ", ".join(map(str, place))
    count = int(differs.sum())
    more = "" if count == 1 else f", the first of {count} items that differ"
    return f"[{index}] is {shown(a[place])} and {shown(b[place])}{more}"


def _close(a: Any, b: Any, tolerance: Tolerance) -> Any:
    same: Callable[[Any, Any], Any] = np.equal
    exact = np.asarray(same(a, b) | ((a != a) & (b != b)))
    if exact.all() or not (tolerance.rtol or tolerance.atol):
        return exact
    return exact | np.isclose(a, b, rtol=tolerance.rtol, atol=tolerance.atol, equal_nan=True)


def shown(value: Any) -> str:
    """Return a value as a report shows it: not too long, on one line if it fits."""
    if value is UNDEFINED:
        return "not defined"
    if isinstance(value, np.generic):
        value = value.item()
    with np.printoptions(threshold=40, edgeitems=3):
        text = repr(value)
    return text if len(text) <= 600 else f"{text[:600]}..."
