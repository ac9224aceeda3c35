"""Public functions that choose, compare and search, with NumPy's own signatures."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.dispatch import apply
from runtime.dtypes import promote
from runtime.errors import StagedValueError
from runtime.numpy import functions as fn
from runtime.numpy import shaping
from runtime.numpy.array_creation import asarray, copy, zeros
from runtime.numpy.face import as_attribute, call_concretely, into, stands_for
from runtime.numpy.shaping import operand
from runtime.ops import elementwise, indexing
from runtime.ops.strides import in_rows
from runtime.subscripts import concrete, copied, describe, example, set_item, update_in_place
from runtime.tensor import Symbol, TensorLike, is_staged


@stands_for(np.where)
def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """Return elements of `x` where a condition is true, of `y` elsewhere.

    Without them, return the indices of the true elements, as `nonzero` does.
    """
    if x is None and y is None:
        return fn.nonzero(operand(condition))
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return asarray(apply(elementwise.where, (operand(condition), operand(x), operand(y))))


@stands_for(np.clip)
def clip(
    a: Any,
    a_min: Any = np._NoValue,
    a_max: Any = np._NoValue,
    out: Any = None,
    *,
    min: Any = np._NoValue,
    max: Any = np._NoValue,
) -> Any:
    """Return numbers not smaller than one bound and not greater than another."""
    if a_min is a_max is np._NoValue:
        a_min, a_max = (None if x is np._NoValue else x for x in (min, max))
    elif any(x is np._NoValue for x in (a_min, a_max)) or not min is max is np._NoValue:
        np.clip(0, example(a_min), example(a_max), min=example(min), max=example(max))  # raises
    low, high = a_min, a_max
    a = operand(a)
    if describe(a).dtype.kind in "iu":  # bounds beyond the dtype are none, as NumPy has it
        limits = np.iinfo(describe(a).dtype)
        low = None if type(low) is int and low <= limits.min else low
        high = None if type(high) is int and high >= limits.max else high
    if low is None and high is None:
        found = fn.positive(a)
    elif low is None:
        found = fn.minimum(a, high)
    elif high is None:
        found = fn.maximum(a, low)
    else:
        found = apply(elementwise.clip, (a, low, high))
    return into(out, found, "clip")


@stands_for(np.nan_to_num)
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Return numbers with NaN and infinities replaced by finite numbers."""
    attrs = {"nan": nan, "posinf": posinf, "neginf": neginf}
    given = {name: as_attribute(name, value) for name, value in attrs.items()}
    found = apply(elementwise.nan_to_num, (operand(x),), **given)
    if copy:
        return found
    if not isinstance(x, np.ndarray | TensorLike) or is_number(x):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    into(x, found, "nan_to_num")
    array: Any = x
    return array[()] if describe(x).shape == () else array


@stands_for(np.allclose)
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """Return whether all numbers are equal within tolerances, as a Python bool."""
    close = fn.isclose(operand(a), operand(b), rtol=rtol, atol=atol, equal_nan=equal_nan)
    return apply(elementwise.truth, (fn.all(close),))


@stands_for(np.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Return whether two arrays have one shape and equal elements, as a Python bool."""
    a1, a2 = operand(a1), operand(a2)
    first, second = describe(a1).shape, describe(a2).shape
    if first is not None and second is not None and _differ(first, second):
        return False
    same = fn.equal(a1, a2)
    if equal_nan:
        same = fn.logical_or(same, fn.logical_and(fn.isnan(a1), fn.isnan(a2)))
    found = apply(elementwise.truth, (fn.all(same),))
    return _and_shapes(found, a1, a2)


def _and_shapes(found: Any, a1: Any, a2: Any) -> Any:
    """Return a truth together with whether sizes that are unknown are equal."""
    pairs = zip(shaping.shape(a1), shaping.shape(a2), strict=True)
    tests = [m == n for m, n in pairs if isinstance(m, TensorLike) or isinstance(n, TensorLike)]
    return functools.reduce(lambda x, y: x & y, tests, found)


def _differ(first: Sequence[Any], second: Sequence[Any]) -> bool:
    if len(first) != len(second):
        return True
    pairs = zip(first, second, strict=True)
    return any(m != n for m, n in pairs if isinstance(m, int) and isinstance(n, int))


@stands_for(np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> Any:
    """Return whether two arrays that broadcast have equal elements, as a Python bool."""
    return apply(elementwise.truth, (fn.all(fn.equal(operand(a1), operand(a2))),))


@stands_for(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return elements of the choice whose condition is the first true one, or a default."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    choices = [operand(x) for x in choicelist]
    dtype = promote(*(describe(x).promotable for x in (*choices, operand(default))))
    found = as_dtype_of(default, dtype)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        found = where(condition, as_dtype_of(choice, dtype), found)
    return found if describe(found).rank in (0, 1) else apply(in_rows, (found,))


def as_dtype_of(x: Any, dtype: Any) -> Any:
    """Return an array in a dtype."""
    return apply(elementwise.cast, (operand(x),), dtype=dtype.name)


@stands_for(np.flatnonzero)
def flatnonzero(a: Any) -> Any:
    """Return the indices of the elements that are not zero, in the array as one row."""
    return fn.nonzero(fn.ravel(operand(a)))[0]


@stands_for(np.compress)
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Return the slices along an axis whose condition is true."""
    condition = operand(condition)
    if describe(condition).rank not in (1, None):
        raise ValueError("condition must be a 1-d array")
    return fn.take(operand(a), flatnonzero(condition), axis)


@stands_for(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    """Return the elements whose condition is true, as one row."""
    return fn.take(fn.ravel(operand(arr)), flatnonzero(condition))


@stands_for(np.unique)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
) -> Any:
    """Return the different elements in rising order; alone, when anything is staged."""
    if return_index or return_inverse or return_counts or axis is not None:
        flags = {"return_index": return_index, "return_inverse": return_inverse}
        options = {**flags, "return_counts": return_counts, "axis": axis}
        return call_concretely(np.unique, (ar,), options)
    return apply(indexing.unique, (operand(ar),))


@stands_for(np.isin)
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False
) -> Any:
    """Return whether elements are among others, element by element."""
    element, others = operand(element), fn.ravel(operand(test_elements))
    found = fn.any(fn.equal(fn.expand_dims(element, -1), others), -1)
    return asarray(fn.logical_not(found) if invert else found)


@stands_for(np.digitize)
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Return between which of the rising bounds numbers lie; StagedValueError for other bounds."""
    if is_staged(bins) or np.any(np.diff(concrete(bins)) < 0):
        raise StagedValueError("digitize() needs bounds that are known to rise")
    if describe(operand(x)).dtype.kind == "c":
        raise TypeError("x may not be complex")
    return fn.searchsorted(operand(bins), operand(x), side="left" if right else "right")


@stands_for(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """Return how often, or with what sum of weights, each number from zero occurs."""
    inputs = (operand(x),) if weights is None else (operand(x), operand(weights))
    return apply(indexing.bincount, inputs, minlength=as_attribute("minlength", minlength))


@stands_for(np.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write an array into another one, where a condition is true."""
    if not isinstance(dst, Symbol):
        call_concretely(np.copyto, (dst, src, casting, where), {})
        return
    if is_number(dst):
        name = dst.spec.dtype.type.__name__
        raise TypeError(f"copyto() argument 1 must be a numpy.ndarray, not numpy.{name}")
    if casting != "same_kind" or describe(operand(where)).dtype.kind != "b":
        raise StagedValueError("copyto() does not support the argument 'casting'")
    src = operand(src)
    src = copied(src) if isinstance(src, TensorLike) else src
    update_in_place(dst, src if where is True else _where(where, src, dst), "copyto")


_where = where


@stands_for(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write values into the elements at places of an array as one row."""
    if not isinstance(a, Symbol):
        call_concretely(np.put, (a, ind, v, mode), {})
        return
    if mode != "raise":
        raise StagedValueError("put() does not support the argument 'mode'")
    if a.spec.is_static and 0 in (a.spec.shape or ()):
        np.put(np.zeros(0), example(ind), 0)  # raises
    row = copy(fn.ravel(a))
    places = operand(ind)
    if describe(places).dtype.kind == "b":
        places = places.astype(np.intp)
    set_item(row, places, v)
    update_in_place(a, shaping.reshape(row, a.spec.shape), "put")


@stands_for(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write values into the diagonal of an array."""
    if isinstance(a, np.ndarray):
        call_concretely(np.fill_diagonal, (a, val, wrap), {})
        return
    if wrap or shaping.rank_of(a, "its diagonal") != 2:
        raise StagedValueError("fill_diagonal() of staged arrays needs a matrix, and no wrap=")
    size = min(a.shape) if all(isinstance(n, int) for n in a.shape) else None
    if size is None:
        raise StagedValueError("fill_diagonal() of staged arrays needs known sizes")
    places = np.arange(size)
    set_item(a, (places, places), val)


@stands_for(np.isscalar)
def isscalar(element: Any) -> bool:
    """Return whether something is a number or a text, and no array, not even without dimensions."""
    return is_number(element) if type(element) is Symbol else bool(np.isscalar(element))


def is_number(x: Any) -> bool:
    """Tell whether a staged value is one of NumPy's or Python's numbers, and no array."""
    return type(x) is Symbol and x.spec.shape == () and not x.is_cell


@stands_for(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    """Return whether the dtype is a complex one."""
    return describe(operand(x)).dtype.kind == "c"


@stands_for(np.isrealobj)
def isrealobj(x: Any) -> bool:
    """Return whether the dtype is no complex one."""
    return not iscomplexobj(x)


@stands_for(np.iscomplex)
def iscomplex(x: Any) -> Any:
    """Return whether numbers have an imaginary part, element by element."""
    if not iscomplexobj(x):
        return zeros(shaping.shape(operand(x)), bool)[()]
    return fn.not_equal(fn.imag(operand(x)), 0)


@stands_for(np.isreal)
def isreal(x: Any) -> Any:
    """Return whether numbers have no imaginary part, element by element."""
    return fn.equal(fn.imag(operand(x)), 0)


@stands_for(np.isneginf)
def isneginf(x: Any, out: Any = None) -> Any:
    """Return whether numbers are minus infinity, element by element."""
    return into(out, fn.logical_and(fn.isinf(_real(x)), fn.signbit(x)), "isneginf")


@stands_for(np.isposinf)
def isposinf(x: Any, out: Any = None) -> Any:
    """Return whether numbers are plus infinity, element by element."""
    is_plus = fn.logical_not(fn.signbit(x))
    return into(out, fn.logical_and(fn.isinf(_real(x)), is_plus), "isposinf")


def _real(x: Any) -> Any:
    dtype = describe(operand(x)).dtype
    if dtype.kind == "c":
        raise TypeError(
            f"This operation is not supported for {dtype} values because it would be ambiguous."
        )
    return x


@stands_for(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype that NumPy's promotion makes of arrays, scalars and dtypes."""
    return np.result_type(*(_promoted(x) for x in arrays_and_dtypes))


def _promoted(x: Any) -> Any:
    if not isinstance(x, TensorLike):
        return x
    kind = describe(x).promotable
    return kind(0) if isinstance(kind, type) else kind


@stands_for(np.can_cast)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Return whether a dtype, or that of an array, can be cast to another one."""
    return np.can_cast(_promoted(from_), example(to), casting)
