"""NumPy's arrays, with machine code for loops: by llvmlite, where that is installed."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

from runtime import kernels
from runtime.backends.backend import Backend
from runtime.backends.numpy import NUMPY
from runtime.kernels.target import host_target

NOTICE = (
    "there is no machine code here, so loops run in Python and all else in NumPy, with the same "
    "results: that needs llvmlite (pip install llvmlite) on CPython and an x86-64 processor"
)


@cache
def load() -> Backend:
    """Return the backend; NumPy's, with one notice, where machine code cannot be made."""
    if not kernels.jit.is_available():
        warnings.warn(NOTICE, stacklevel=2)
        return NUMPY
    return replace(NUMPY, name="native", target=host_target())
