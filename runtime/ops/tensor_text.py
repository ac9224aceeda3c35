"""Arrays as TensorFlow prints them: no commas, whole floats without a point, a few of each end."""

from __future__ import annotations

from typing import Any

import numpy as np

ALL = -1
"""How many items of each end are printed where all are."""
_DIGITS = {"float16": (6, 9), "float32": (6, 9), "float64": (15, 17)}


def tensor_text(value: Any, ends: int = 3) -> str:
    """Return the text of an array or number.

    Args:
        value: it.
        ends: how many items of each end of an axis are printed; ALL for all.

    >>> print(tensor_text(np.float32([[1, 0.1], [2, 1 / 3]])))
    [[1 0.1]
     [2 0.333333343]]
    >>> tensor_text(np.arange(9), 2)
    '[0 1 ... 7 8]'
    """
    array = np.asarray(value)
    if array.ndim == 0:
        return str(value) if array.dtype.kind in "UT" else _item(array[()])
    return _rows(array, ends, 1)


def _rows(array: Any, ends: int, depth: int) -> str:
    """Return the text of an array that is in as many brackets as `depth`."""
    count = len(array)
    is_short = ends == ALL or count <= 2 * ends
    shown = range(count) if is_short else (*range(ends), *range(count - ends, count))
    if array.ndim == 1:
        parts = [_item(array[k]) for k in shown]
    else:
        parts = [_rows(array[k], ends, depth + 1) for k in shown]
    if not is_short:
        parts.insert(ends, "...")
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * depth
    return f"[{between.join(parts)}]"


def _item(item: Any) -> str:
    if isinstance(item, str):
        return '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
    kind = item.dtype.kind
    if kind == "b":
        return str(int(item))
    if kind == "f":
        return _float(item)
    if kind == "c":
        return f"({_float(item.real)},{_float(item.imag)})"
    return str(item)


def _float(item: Any) -> str:
    few, many = _DIGITS[item.dtype.name]
    text = f"{float(item):.{few}g}"
    return text if item.dtype.type(text) == item or item != item else f"{float(item):.{many}g}"
