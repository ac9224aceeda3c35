"""One number of each row: sums, extremes, means.

Comes in: elements, and what writes instructions. Goes out: results, of which there is one for each
row. Sums are made by NumPy's own inner loop, so in its order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.kernels.kernel import BOOL, FLOAT, INT, Operand, Policy, UnsupportedError, kind_of

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars

_OF_BOOLS: dict[Any, np.ufunc] = {np.maximum: np.logical_or, np.minimum: np.logical_and}
PLACE = np.dtype(np.int32)
"""The dtype of numbers of elements in their rows."""


def reduce(s: Scalars, ufunc: np.ufunc, x: Operand, dtype: str | None = None) -> Operand:
    """Return the elements of a row, put together by a ufunc: small integers are widened in sums.

    Where floats of 64 bits are wanted of truth values, these are counted, which is the same.
    """
    is_count = kind_of(x) == BOOL and dtype is not None and np.dtype(dtype) == FLOAT
    if s.policy is not Policy.ELEMENT:
        raise UnsupportedError("a reduction of whole arrays")
    if kind_of(x) == BOOL:
        ufunc = _OF_BOOLS.get(ufunc, ufunc)
    if ufunc is np.logical_or or ufunc is np.logical_and:
        x = s.truth(x)
    elif ufunc is np.add and kind_of(x).kind in "biu":
        x = s.convert(x, np.dtype(np.uint64 if kind_of(x).kind == "u" else np.int64))
    kind = kind_of(x)
    types = f"{kind.char * 2}->{kind.char}"
    if types not in ufunc.types:
        raise UnsupportedError(f"numpy.{ufunc.__name__} over rows of {kind}")
    initial = int(ufunc.identity) if isinstance(ufunc.identity, int) else ufunc.identity
    found = s.emit("reduce", [x], kind, ufunc=ufunc.__name__, types=types, initial=initial)
    return s.convert(found, FLOAT) if is_count else found


def mean(s: Scalars, x: Operand) -> Operand:
    """Return the mean of a row of floats."""
    if kind_of(x).kind != "f":
        raise UnsupportedError(f"the mean of {kind_of(x)}")
    total = reduce(s, np.add, x)
    return s.divide(total, s.emit("columns", [], kind_of(x)))


def variance(s: Scalars, x: Operand) -> Operand:
    """Return the mean square distance from the mean of a row of floats."""
    distance = s.subtract(x, mean(s, x))
    return mean(s, s.multiply(distance, distance))


def place_of(s: Scalars, ufunc: np.ufunc, x: Operand) -> Operand:
    """Return where the first greatest or smallest element of a row is; of NaN NumPy decides."""
    end = reduce(s, ufunc, x)
    missing = s.literal(int(np.iinfo(PLACE).max), PLACE)
    places = s.select(s.equal(x, end), s.emit("index", [], PLACE), missing)
    found = reduce(s, np.minimum, places)
    s.stop_if(s.equal(found, missing))
    return s.convert(found, INT)
