"""What is inside of a container or an array, as a value that can be kept and compared.

Comes in: an object that may be changed in place. Goes out: tuples, sets and bytes, which are equal
as long as nobody changed it.
"""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any

import numpy as np

_KINDS = (list, tuple, dict, set, frozenset, deque, bytearray, array, np.ndarray)


def has_contents(value: Any) -> bool:
    """Tell whether a value is a container or an array."""
    return isinstance(value, _KINDS)


def contents(value: Any) -> Any:
    """Return what is inside, with the types of items, since `1`, `1.0` and `True` are equal.

    >>> contents([1, "a"]), contents({"a"})
    (((1, 'a'), (<class 'int'>, <class 'str'>)), frozenset({'a'}))
    """
    if isinstance(value, np.ndarray | array):
        return value.tobytes()
    if isinstance(value, dict):
        items = tuple(dict.values(value))
        return tuple(dict.keys(value)), items, tuple(map(type, items))
    if isinstance(value, set | frozenset):
        return frozenset(value)
    if isinstance(value, bytearray):
        return (bytes(value),)
    return tuple(value), tuple(map(type, value))
