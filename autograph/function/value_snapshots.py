"""What is inside of a container or an array, as a value that can be kept and compared.

Comes in: an object that may be changed in place. Goes out: tuples, sets and bytes, which are equal
as long as nobody changed it.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import numpy as np

from autograph.operators.mutation.reachable_objects import own_dict
from runtime.ops.public_names import is_of_library, is_of_numpy

_HOLDING = (list, tuple, dict, set, frozenset, deque, MappingProxyType)
_KINDS = (*_HOLDING, bytearray, array, np.ndarray)


def has_contents(value: Any) -> bool:
    """Tell whether a value is a container, an array, or a library's object that holds arrays."""
    return isinstance(value, _KINDS) or bool(_arrays_in(value))


def _arrays_in(value: Any) -> list[np.ndarray[Any, Any]]:
    """Return the arrays that are attributes of an object of NumPy's or SciPy's: a sparse matrix."""
    if isinstance(value, type) or not (is_of_numpy(value) or is_of_library(value)):
        return []
    items = (y for x in own_dict(value).values() for y in (x if type(x) in (tuple, list) else (x,)))
    return [x for x in items if isinstance(x, np.ndarray)]


def contents(value: Any) -> Any:
    """Return what is inside, with the types of items, since `1`, `1.0` and `True` are equal.

    Of containers inside of a container, other than arrays, that is so, too.

    >>> contents([1, "a"]), contents({"a"})
    (((1, 'a'), (<class 'int'>, <class 'str'>), ()), (frozenset({'a'}), ()))
    """
    return _contents(value, ())


def _contents(value: Any, around: tuple[int, ...]) -> Any:
    if isinstance(value, np.ndarray | array):
        is_plain = isinstance(value, array) or value.dtype != object
        held = value.tobytes() if is_plain else repr(value.tolist())
        return held if isinstance(value, array) else (held, value.flags.writeable)
    if isinstance(value, bytearray):
        return (bytes(value),)
    if not isinstance(value, _KINDS):
        return tuple((x.shape, _contents(x, ())) for x in _arrays_in(value))
    around = (*around, id(value))
    items = tuple(items_of(value).values())
    inner = tuple(
        (k, _contents(x, around))
        for k, x in enumerate(items)
        if isinstance(x, _HOLDING) and id(x) not in around
    )
    if isinstance(value, set | frozenset):
        return frozenset(items), inner
    if isinstance(value, dict | MappingProxyType):
        return tuple(value), items, tuple(map(type, items)), inner
    return items, tuple(map(type, items)), inner


def items_of(value: Any) -> dict[Any, Any]:
    """Return the items of a container by their keys or places, whatever its class does for them."""
    if isinstance(value, dict):
        return dict(dict.items(value))
    if isinstance(value, MappingProxyType):
        return dict(value)
    kinds: tuple[Any, ...] = (list, tuple, deque, set, frozenset)
    kind = next((x for x in kinds if isinstance(value, x)), None)
    return {} if kind is None else dict(enumerate(kind.__iter__(value)))


def part_of(value: Any, path: tuple[Any, ...]) -> Any:
    """Return what is in a container, at a place in the containers in it."""
    for key in path:
        if isinstance(value, dict):
            value = dict.__getitem__(value, key)
        elif isinstance(value, set | frozenset):
            value = items_of(value)[key]
        else:
            kind = next((x for x in (list, tuple, deque) if isinstance(value, x)), type(value))
            value = kind.__getitem__(value, key)
    return value


def objects_in(value: Any, around: tuple[int, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield what is in a container, and in those in it, and is none itself, with the way there."""
    around = (*around, id(value))
    for key, x in items_of(value).items():
        if isinstance(x, _HOLDING):
            if id(x) not in around:
                yield from (((key, *path), y) for path, y in objects_in(x, around))
        else:
            yield (key,), x
