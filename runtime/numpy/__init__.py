"""NumPy's namespace for arrays that may be staged.

Every function has NumPy's name and signature. With staged operands it adds to the graph that is
being built; otherwise it does what NumPy does. Constants and dtypes are NumPy's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.numpy import (
    array_creation,
    assembly,
    calculus,
    fft,
    iteration,
    linalg,
    matrices,
    random,
    searching,
    shaping,
)
from runtime.numpy.array_api_calls import CALLED, OF_TYPES
from runtime.numpy.functions import named_in

e, euler_gamma, inf, nan, newaxis, pi = np.e, np.euler_gamma, np.inf, np.nan, np.newaxis, np.pi

NAMES_OF_TYPES = """
    bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp int_ uint float16
    float32 float64 single double complex64 complex128 csingle cdouble dtype finfo iinfo generic
    number integer signedinteger unsignedinteger inexact floating complexfloating
"""
TYPES = {name: getattr(np, name) for name in NAMES_OF_TYPES.split()}

MODULES = (assembly, matrices, array_creation, calculus, iteration, searching, shaping)
"""The modules of functions that are written out; all others are made of the registry."""

FUNCTION_NAMES = tuple(named_in(np))
"""The names of the functions that may be given staged operands."""

globals().update(TYPES)
globals().update(CALLED)
globals().update(OF_TYPES)
globals().update(named_in(np))

__array_api_version__ = np.__array_api_version__
__array_namespace_info__ = np.__array_namespace_info__

__all__ = [  # noqa: PLE0604  (the names are made of the registry)
    "e", "euler_gamma", "inf", "nan", "newaxis", "pi", "fft", "linalg", "random",
    "__array_api_version__", "__array_namespace_info__",
    *TYPES, *CALLED, *OF_TYPES, *FUNCTION_NAMES,
]  # fmt: skip

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
