"""The real and imaginary parts of numbers, and their conjugates, of the class that Python gives.

Those of an array are of its dtype; those of a number of Python's are numbers of Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.numpy as rnp
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY
from runtime.ops import functions
from runtime.subscripts import describe
from runtime.tensor import Symbol
from runtime.union import Choice


def real(value: Any) -> Any:
    """Return `value.real`."""
    return _of_class(value, lambda x: apply(functions.real, (x,)), lambda x: +x)


def imag(value: Any) -> Any:
    """Return `value.imag`."""

    def of_real(x: Any) -> Any:
        return 0.0 if describe(x).dtype.kind == "f" else 0

    return _of_class(value, lambda x: apply(functions.imag, (x,)), of_real)


def conjugate(value: Any, *out: Any, **options: Any) -> Any:
    """Return `value.conjugate()`."""
    return _of_class(value, lambda x: rnp.conjugate(x, *out, **options), lambda x: +x)


def _of_class(value: Any, of_array: Callable[[Any], Any], of_real: Callable[[Any], Any]) -> Any:
    """Return what is so of a number or array of NumPy's, or of a real number of Python's."""
    if type(value) is Symbol and value.union is not None:
        return Choice.each(value.union, lambda x: _of_class(x, of_array, of_real))
    spec = describe(value)
    if not spec.weak:
        return of_array(value)
    return of_real(value) if spec.dtype.kind != "c" else apply(REGISTRY["item"], (of_array(value),))
