"""Comparing results bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def same(a: Any, b: Any) -> bool:
    """Tell whether two results are of one type and dtype, and equal in every bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray | np.generic):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    return repr(a) == repr(b)


def all_same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Tell whether two lists of results are the same."""
    return len(a) == len(b) and all(map(same, a, b))
