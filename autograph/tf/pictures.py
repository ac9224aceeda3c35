"""What functions of pictures share: elements of other dtypes, scaled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor


def scaled(x: Any, kind: np.dtype[Any], saturate: bool) -> Any:
    """Return a picture of another dtype: floats are from 0 to 1, integers use their range."""
    own = np.dtype(x.dtype)
    if own == kind:
        return x
    if own.kind == "f" and kind.kind == "f":
        return x.astype(kind)
    if own.kind == "f":
        largest = np.iinfo(kind).max
        found = x * own.type(largest + 0.5)
        return (rnp.clip(found, 0, largest) if saturate else found).astype(kind)
    if kind.kind == "f":
        return x.astype(kind) * kind.type(1.0 / np.iinfo(own).max)
    ours, theirs = np.iinfo(own).max, np.iinfo(kind).max
    if ours > theirs:
        return (x // own.type((ours + 1) // (theirs + 1))).astype(kind)
    return x.astype(kind) * kind.type((theirs + 1) // (ours + 1))


def in_floats(image: Any, change: Callable[[Any], Any]) -> Any:
    """Return what is made of a picture of floats, in the dtype of the picture."""
    with translating():
        x = convert_to_tensor(image)
        own = np.dtype(x.dtype)
        if own.kind == "f":
            return as_result(change(x))
        found = change(scaled(x, np.dtype(np.float32), False))
        return as_result(scaled(found, own, True))
