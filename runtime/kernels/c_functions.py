"""Functions of floats in the C library, and which of them are those of Python's `math`.

Comes in: a name. Goes out: the function, for the interpreter of kernels; its address is in the
table of machine code.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from collections.abc import Callable
from decimal import Context, Decimal
from functools import cache
from typing import Any

import numpy as np

OPERANDS = {
    "acos": 1, "acosh": 1, "asin": 1, "asinh": 1, "atan": 1, "atanh": 1, "cbrt": 1, "cos": 1,
    "cosh": 1, "erf": 1, "erfc": 1, "exp": 1, "exp2": 1, "expm1": 1, "log": 1, "log10": 1,
    "log1p": 1, "log2": 1, "sin": 1, "sinh": 1, "tan": 1, "tanh": 1, "atan2": 2, "fmod": 2,
    "hypot": 2, "pow": 2, "fma": 3,
}  # fmt: skip
"""The functions that kernels may call, and how many operands they have."""
_NOT_OF_C = ("hypot",)
"""What all versions of `math` compute themselves; `abs` of complex numbers is C's."""
_NUMPY_CALLS = ("sin", "cos")
"""What NumPy 2 has no loops of its own for, on most processors."""
TRIED = 2_000
"""How many results of either sign: functions of other code differ in some of a thousand."""
DOUBT = 0.0135
"""By so much of its last digit a power of a usual number errs at most, before rounding: in glibc
and musl by 0.011 (`ulperr_exp` in `pow.c`), and by 0.002 for the logarithm of one within 2**60."""
_SIZES = (1e-300, 1e-9, 0.013, 0.2, 0.5, 0.77, 1.0, 1.5, 3.0, 21.7, 88.0, 709.5, 1e9, 1e300)
"""Python computes some functions itself, in some versions: these numbers show it."""


@cache
def library() -> ctypes.CDLL:
    """Return the part of the C library that has these functions."""
    return ctypes.CDLL(ctypes.util.find_library("m"))


@cache
def c_function(name: str) -> Callable[..., float]:
    """Return a function on numbers of float64, or float32 if it ends with f."""
    function: Any = getattr(library(), name)
    is_single = name not in OPERANDS
    count = OPERANDS[name.removesuffix("f") if is_single else name]
    kind = ctypes.c_float if is_single else ctypes.c_double
    function.restype, function.argtypes = kind, [kind] * count
    return function  # type: ignore[no-any-return]


@cache
def is_of_python(name: str) -> bool:
    """Tell whether Python's `math` gives what the C library gives, where that is finite."""
    if name in _NOT_OF_C or OPERANDS.get(name) not in (1, 2) or not hasattr(library(), name):
        return False
    own, other = c_function(name), getattr(math, name, None)
    numbers = [x * sign for x in _SIZES for sign in (1, -1)]
    rows = [(x, y)[: OPERANDS[name]] for x in numbers for y in numbers[:: 2 * OPERANDS[name] - 1]]
    found = ((own(*row), row) for row in rows)
    return other is not None and all(other(*row) == x for x, row in found if math.isfinite(x))


@cache
def is_of_numpy(ufunc: str) -> bool:
    """Tell whether a ufunc gives for each float64 what the C library's function of its name does.

    Which code NumPy has taken here is its own choice, so many results are looked at.

    >>> is_of_numpy("tanh")
    False
    """
    if ufunc not in _NUMPY_CALLS or not is_of_python(ufunc):
        return False
    numbers = np.arange(-TRIED, TRIED)
    sizes = np.where(numbers % 2, numbers / 777, np.sign(numbers) * 1.05 ** (np.abs(numbers) / 9))
    expected: list[float] = getattr(np, ufunc)(sizes).tolist()
    return expected == [*map(getattr(math, ufunc), sizes.tolist())]


@cache
def has_sincos() -> bool:
    """Tell whether `sincos` gives what `sin` and `cos` give."""
    together = getattr(library(), "sincos", None)
    if together is None:
        return False
    sine, cosine = ctypes.c_double(), ctypes.c_double()
    together.argtypes = [ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 2]
    for x in (k * 1.1 ** (k / 3) for k in range(200)):
        together(x, ctypes.byref(sine), ctypes.byref(cosine))
        if (sine.value, cosine.value) != (c_function("sin")(x), c_function("cos")(x)):
            return False
    return True


@cache
def powers_nearly(y: float) -> bool:
    """Tell whether `pow(x, y)` is the power rounded, but where that lies between two numbers.

    >>> powers_nearly(2.0), powers_nearly(-1.5)
    (True, True)
    """
    context, own = Context(prec=50), c_function("pow")
    for k in range(16):
        x = 1 + k * math.pi % 1
        found = own(x, y)
        rest = context.subtract(context.power(Decimal(x), Decimal(y)), Decimal(found))
        if abs(rest) > (0.5 + DOUBT) * math.ulp(found):
            return False
    return True
