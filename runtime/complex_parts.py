"""Complex numbers of the class that Python gives: their parts, conjugates, and operands.

Parts of an array are of its dtype; those of a number of Python's are numbers of Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.ops import elementwise, ufuncs
from runtime.spec import WEAK_SPECS, make_spec
from runtime.subscripts import describe
from runtime.tensor import Symbol, is_staged
from runtime.union import Choice

_FLOAT64 = make_spec(np.dtype(np.float64), ())
_OF_COMPLEX = frozenset({"add", "subtract", "multiply", "divide", "pow", "equal", "not_equal"})


def real(value: Any) -> Any:
    """Return `value.real`."""
    return _of_class(value, lambda x: apply(ufuncs.real, (x,)), lambda x: +x)


def imag(value: Any) -> Any:
    """Return `value.imag`."""

    def of_real(x: Any) -> Any:
        return 0.0 if describe(x).dtype.kind == "f" else 0

    return _of_class(value, lambda x: apply(ufuncs.imag, (x,)), of_real)


def conjugate(value: Any, *out: Any, **options: Any) -> Any:
    """Return `value.conjugate()`: of an array that is real, the array itself."""
    if describe(value).dtype.kind != "c" and not out and not options:
        return +value if describe(value).weak else value
    return _of_class(value, lambda x: rnp.conjugate(x, *out, **options), lambda x: +x)


def _of_class(value: Any, of_array: Callable[[Any], Any], of_real: Callable[[Any], Any]) -> Any:
    """Return what is so of a number or array of NumPy's, or of a real number of Python's."""
    if type(value) is Symbol and value.union is not None:
        return Choice.each(value.union, lambda x: _of_class(x, of_array, of_real))
    spec = describe(value)
    if not spec.weak:
        return of_array(value)
    return of_real(value) if spec.dtype.kind != "c" else apply(REGISTRY["item"], (of_array(value),))


COMPARING = {"==": "equal", "!=": "not_equal"}


def compare(sign: str, left: complex, right: Any) -> Any:
    """Return whether a complex number of Python's, which is asked first, equals what is staged."""
    op = REGISTRY[COMPARING[sign]]
    return apply(op, with_float(op, left, right))


def with_float(op: OpDef, left: Any, right: Any) -> tuple[Any, Any]:
    """Return the operands of an operator as the one of them takes them that Python asks first.

    Python's complex numbers take a np.float64, which is a float, as one; the result is Python's.
    """
    is_number = type(right) is Symbol and right.spec == _FLOAT64 and not right.is_cell
    if (is_number or type(right) is np.float64) and op.name in _OF_COMPLEX and _is_complex(left):
        return left, apply(elementwise.to_float, [right]) if is_number else float(right)
    return left, right


def _is_complex(value: Any) -> bool:
    return type(value) is complex or (is_staged(value) and value.spec == WEAK_SPECS[complex])
