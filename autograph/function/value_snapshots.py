"""What is inside of a container or an array, as a value that can be kept and compared.

Comes in: an object that may be changed in place. Goes out: tuples, sets and bytes, which are equal
as long as nobody changed it.
"""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any

import numpy as np

from runtime.ops.public_names import is_of_library, is_of_numpy

_KINDS = (list, tuple, dict, set, frozenset, deque, bytearray, array, np.ndarray)


def has_contents(value: Any) -> bool:
    """Tell whether a value is a container, an array, or a library's object that holds arrays."""
    return isinstance(value, _KINDS) or bool(_arrays_in(value))


def _arrays_in(value: Any) -> list[np.ndarray[Any, Any]]:
    """Return the arrays that are attributes of an object of NumPy's or SciPy's: a sparse matrix."""
    if isinstance(value, type) or not (is_of_numpy(value) or is_of_library(value)):
        return []
    own = getattr(value, "__dict__", None)
    held = list(own.values()) if type(own) is dict else []
    items = (y for x in held for y in (x if type(x) in (tuple, list) else (x,)))
    return [x for x in items if isinstance(x, np.ndarray)]


def contents(value: Any) -> Any:
    """Return what is inside, with the types of items, since `1`, `1.0` and `True` are equal.

    >>> contents([1, "a"]), contents({"a"})
    (((1, 'a'), (<class 'int'>, <class 'str'>)), frozenset({'a'}))
    """
    if isinstance(value, np.ndarray | array):
        is_plain = isinstance(value, array) or value.dtype != object
        return value.tobytes() if is_plain else repr(value.tolist())
    if isinstance(value, dict):
        items = tuple(dict.values(value))
        return tuple(dict.keys(value)), items, tuple(map(type, items))
    if isinstance(value, set | frozenset):
        return frozenset(value)
    if isinstance(value, bytearray):
        return (bytes(value),)
    if isinstance(value, _KINDS):
        return tuple(value), tuple(map(type, value))
    return tuple((x.shape, contents(x)) for x in _arrays_in(value))
