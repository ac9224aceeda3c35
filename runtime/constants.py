"""Constants of a graph that is being built: numbers, texts, and copies of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.array_context import OutsideArrays
from runtime.backends import is_foreign, on_host
from runtime.dtypes import as_dtype, is_string
from runtime.graph.builder import Builder, Snapshot
from runtime.graph.node import Value
from runtime.ops.creation import constant, filled
from runtime.ops.numpy_calls import numpy_call

SMALL = 16
"""How many elements a uniform array may have that stands in a graph as it is."""


def scalar_constant(builder: Builder, key: tuple[type, str | bytes], operand: object) -> Value:
    """Return a number or a text as a constant; `key` identifies it."""
    value = builder.constants.get(key)
    if value is None:
        (value,) = builder.emit(constant, (), {"value": operand})
        builder.constants[key] = value
    return value


def array_constant(builder: Builder, array: Any) -> Value:
    """Return a constant that holds a copy of an array; one copy serves all its uses in a graph.

    An array that outlives the graph, so that it may change, is a parameter. One of another library
    that does not is known, as NumPy's are.
    """
    root = builder.root
    outside = root.context(OutsideArrays).param(root, array)
    if outside is not None:
        return outside
    entry = root.snapshots.get(id(array))
    if entry is not None and entry.array is array and _same(entry.copy, array):
        return entry.value
    if is_foreign(array):
        root.context(OutsideArrays).foreign.append(array)
    snapshot = np.array(on_host(array), as_dtype(array.dtype))
    snapshot.flags.writeable = False
    value = _uniform(root, snapshot) or root.emit(constant, (), {"value": snapshot})[0]
    if not array.dtype.isnative:
        call = f"numpy.asarray(_0, {array.dtype.str!r})"
        attrs = {"call": call, "form": "x", "results": (str(value.spec),), "given": "r"}
        (value,) = root.emit(numpy_call, [value], attrs)
    root.snapshots[id(array)] = Snapshot(array, snapshot, value)
    return value


def _uniform(builder: Builder, array: Any) -> Value | None:
    """Return a large array of equal elements as a node that fills it, None for any other array."""
    data = array.tobytes() if array.size > SMALL and not is_string(array.dtype) else b""
    if not data or array.flags.fnc or data != data[: array.itemsize] * array.size:
        return None
    return builder.emit(filled, (), {"value": array.ravel()[0], "shape": array.shape})[0]


def _same(a: Any, b: Any) -> bool:
    """Tell whether an array is still what it was; one of another library is not looked at again."""
    is_like = a.shape == b.shape and a.dtype == b.dtype
    return bool(is_like and not is_foreign(b) and a.tobytes() == b.tobytes())
