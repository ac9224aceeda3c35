"""Functions of the array API that no op stands for: NumPy's own, which the graph calls.

Comes in: a function of NumPy's. Goes out: one of its signature that takes staged values, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from runtime.numpy.face import call_concretely


def calling(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what calls a function of NumPy's: when the graph runs, if anything is staged."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return call_concretely(function, args, kwargs)

    call.__module__ = "runtime.numpy"
    name = f"{function.__module__}.{function.__name__}"
    call.__doc__ = f"Call `{name}`: when the graph runs, if an argument is staged."
    return call


NAMES = """
    astype from_dlpack unique_all unique_counts unique_inverse unique_values vecdot
"""
"""Functions of arrays, of the 2025.12 standard, that are called."""

CALLED = {name: calling(getattr(np, name)) for name in NAMES.split() if hasattr(np, name)}
"""What calls them; an older NumPy has not all of them."""

OF_TYPES = {"isdtype": np.isdtype, "broadcast_shapes": np.broadcast_shapes}
"""Functions of dtypes and shapes, which are known while tracing."""
