"""Functions of glibc's vector library, which take a vector and return one.

Comes in: the name of a function. Goes out: its address, where there is one. They are used in fast
mode for what NumPy computes one by one: the sine and cosine of float64. glibc promises 4 ulp.
"""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.processor import has

LANES = 8
"""How many numbers of float64 a vector of these functions has."""
SYMBOLS = {"sin": "_ZGVeN8v_sin", "cos": "_ZGVeN8v_cos"}
"""Their names for vectors of 64 bytes, by those of NumPy's ufuncs."""


@cache
def _library() -> ctypes.CDLL | None:
    """Return the library; None where there is none, or the processor has no such vectors."""
    try:
        return ctypes.CDLL("libmvec.so.1") if has("avx512dq") else None
    except OSError:
        return None


def has_vector(ufunc: np.ufunc, dtype: DType) -> bool:
    """Tell whether there is such a function for numbers of a dtype."""
    name = SYMBOLS.get(ufunc.__name__)
    return name is not None and dtype == np.float64 and hasattr(_library(), name)


def address_of(name: str) -> int:
    """Return the address of a function that there is, by the name of the ufunc."""
    found = ctypes.cast(getattr(_library(), SYMBOLS[name]), ctypes.c_void_p).value
    assert found is not None
    return found
