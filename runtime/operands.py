"""Operands as arrays: nested lists, and the array module that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.backends import backend_for, is_foreign, on_host
from runtime.dtypes import as_dtype, as_texts
from runtime.errors import ShapeError


def as_dense(value: Any) -> Any:
    """Return the NumPy array of nested lists of numbers; ShapeError when they are ragged."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ShapeError(
            f"nested lists of different lengths make no array: {value!r}; "
            "pad them to one length, or keep them as a Python list"
        ) from error
    if array.dtype.kind == "U":
        return as_texts(value)
    as_dtype(array.dtype)
    return array


def array_module(arrays: Sequence[Any]) -> Any:
    """Return the array module that the operands belong to (NumPy where nothing says otherwise)."""
    return backend_for(arrays).xp if any(map(is_foreign, arrays)) else np


def beside(array: Any, value: Any) -> Any:
    """Return an array, a list or a number as an array of the library of another one."""
    if is_foreign(array) == is_foreign(value):
        return value
    return on_host(value) if is_foreign(value) else backend_for([array]).xp.asarray(value)
