"""The text of attributes and constants in printed graphs.

Comes in: a Python literal, a NumPy scalar or an array. Goes out: text that says exactly what it is,
type included (`1`, `1.0`, `f32(1.0)` and `f32[](1.0)` are four things). The grammar stands in
`runtime.graph.node`; `runtime.graph.reader` reads it. Not kept are the memory order of an array and
what distinguishes one NaN among Python floats from another.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.dtypes import SHORT_NAMES, DType, as_dtype, is_string, is_supported, short_name
from runtime.errors import GraphFormatError
from runtime.graph.reference import Reference
from runtime.spec import TensorSpec

MOST_LISTED = 16
"""The number of items up to which an array is written item by item."""
MOST_DECIMAL_BITS = 1000
"""Longer integers are written in hexadecimal, which Python does not limit."""


def literal_text(value: Any, *, elide: bool = False) -> str:
    """Return the text of an attribute's value.

    Args:
        value: None, a bool, number or string of Python, a NumPy scalar, an array, a spec, a dtype,
            or a tuple of these.
        elide: leave out the items of large arrays, and what is none of these.

    Raises GraphFormatError for a value that has no text, unless it may be elided.

    >>> literal_text((1, -0.0, np.float32(0.1), np.arange(3)))
    '(1, -0.0, f32(0.1), i64[3]([0, 1, 2]))'
    """
    if value is None or type(value) in (bool, str):
        return repr(value)
    if type(value) in (int, float, complex):
        return _number_text(value)
    if type(value) is tuple:
        items = [literal_text(item, elide=elide) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(value, TensorSpec):
        return str(value)
    if isinstance(value, np.dtype) and is_supported(value):
        return f"dtype({short_name(value)})"
    if isinstance(value, np.generic) and value.dtype.name in SHORT_NAMES:
        return f"{short_name(value.dtype)}({_items_text(np.asarray(value), elide=False)})"
    dtype = getattr(value, "dtype", None)
    if hasattr(value, "shape") and isinstance(dtype, np.dtype) and is_supported(dtype):
        array = _native(value)
        sizes = ", ".join(map(str, array.shape))
        return f"{short_name(array.dtype)}[{sizes}]({_items_text(array, elide=elide)})"
    reference = getattr(value, "reference", value)
    if isinstance(reference, Reference):
        return reference.text(elide)
    if elide:
        return f"<{type(value).__name__}>"
    raise GraphFormatError(
        f"{value!r} ({type(value).__name__}) has no text; attributes are numbers, strings, None, "
        "arrays, specs, dtypes, and tuples of them"
    )


def _native(value: Any) -> Any:
    """Return a NumPy array on this machine's byte order."""
    array = np.asarray(value)
    return array.astype(as_dtype(array.dtype), copy=False)


def _number_text(value: complex) -> str:
    if type(value) is complex:
        return f"complex({value.real!r}, {value.imag!r})"
    is_long = type(value) is int and value.bit_length() > MOST_DECIMAL_BITS
    return hex(value) if is_long else repr(value)  # type: ignore[arg-type]


def _items_text(array: Any, *, elide: bool) -> str:
    is_small = array.size <= MOST_LISTED
    if elide and not is_small:
        return "..."
    if not array.size:
        return "[]"
    if is_string(array.dtype):
        return _nested(map(repr, array.ravel().tolist()), array.shape)
    if is_small and _has_plain_items(array):
        return _nested(map(_item_text, array.ravel()), array.shape)
    data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return f'base64 "{base64.b64encode(data).decode("ascii")}"'


def _nested(texts: Iterator[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return next(texts)
    return f"[{', '.join(_nested(texts, shape[1:]) for _ in range(shape[0]))}]"


def _item_text(item: Any) -> str:
    if item.dtype.kind == "c":
        return f"complex({_item_text(item.real)}, {_item_text(item.imag)})"
    if item.dtype.kind == "f":
        short = str(item)
        return short if _reads_as(short, item) else repr(float(item))
    return repr(item.item())


def _reads_as(text: str, item: Any) -> bool:
    """Tell whether a short text, read as a Python float, is the item again."""
    return bool(item.dtype.type(float(text)).tobytes() == item.tobytes())


def _has_plain_items(array: Any) -> bool:
    """Tell whether every NaN is the ordinary one, so that its text says all of it."""
    if array.dtype.kind not in "fc":
        return True
    parts = np.ravel(array).view(_part_dtype(array.dtype))
    plain = np.where(np.isnan(parts), parts.dtype.type(np.nan), parts)
    return bool(plain.tobytes() == parts.tobytes())


def _part_dtype(dtype: DType) -> DType:
    """Return the dtype of the real and the imaginary part."""
    return np.zeros((), dtype).real.dtype
