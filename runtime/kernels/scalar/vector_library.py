"""Functions of glibc's vector library, which take a vector and return one.

Comes in: the name of a function. Goes out: its address. Processors without vectors of 64 bytes have
no such functions. They are used in fast
mode for what NumPy computes one by one: the sine and cosine of float64. glibc promises 4 ulp.
"""

from __future__ import annotations

import ctypes
from functools import cache

LANES = 8
"""How many numbers of float64 a vector of these functions has."""
SYMBOLS = {"sin": "_ZGVeN8v_sin", "cos": "_ZGVeN8v_cos"}
"""Their names for vectors of 64 bytes, by those of NumPy's ufuncs."""


@cache
def _library() -> ctypes.CDLL | None:
    """Return the library; None where there is none."""
    try:
        return ctypes.CDLL("libmvec.so.1")
    except OSError:
        return None


def found() -> frozenset[str]:
    """Return for which ufuncs there are such functions."""
    return frozenset(x for x, symbol in SYMBOLS.items() if hasattr(_library(), symbol))


def address_of(name: str) -> int:
    """Return the address of a function that there is, by the name of the ufunc."""
    place = ctypes.cast(getattr(_library(), SYMBOLS[name]), ctypes.c_void_p).value
    assert place is not None
    return place
