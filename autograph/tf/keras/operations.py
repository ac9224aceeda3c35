"""What `tf.keras.ops` has of NumPy's functions: a table of names, and Keras' rules for dtypes.

Comes in: a function of `runtime.numpy`. Goes out: one of tensors, which also takes what stands for
an input while a model is put together. Dtypes are mixed as Keras mixes them: a kind wins over a
narrower one (integers over booleans, floats over integers), and numbers of Python have no width.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.calls.converting import do_not_convert
from autograph.tf.errors import translating
from autograph.tf.keras.symbolic import is_symbolic, record
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.dtypes import DType, as_dtype
from runtime.subscripts import describe
from runtime.tensor import TensorLike

ONE = (
    "abs absolute all amax amin any append average broadcast_to conj conjugate copy corrcoef "
    "cumprod cumsum diag diagflat diagonal diff expand_dims flip full_like imag isfinite "
    "isinf isnan isneginf isposinf isreal logical_not max mean median min moveaxis "
    "nan_to_num negative ones_like pad prod quantile ravel real repeat reshape roll rot90 "
    "round sign signbit sort square squeeze std sum swapaxes tile trace transpose trapezoid "
    "tril triu trunc vander var zeros_like"
)
"""Functions of one tensor."""

FLOATS = (
    "arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh deg2rad exp exp2 expm1 floor "
    "log log10 log1p log2 reciprocal sin sinc sinh sqrt tan tanh"
)
"""Functions of one tensor of floats, which integers become."""

PLACES = (
    "argmax argmin argpartition argsort bincount count_nonzero digitize nonzero searchsorted "
    "unravel_index"
)
"""Functions whose results are indices or counts: `int32`."""

TWO = (
    "add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor "
    "correlate cross divide dot equal floor_divide fmod gcd greater greater_equal "
    "inner isclose kron lcm ldexp left_shift less less_equal logical_and logical_or "
    "logical_xor matmul maximum minimum mod multiply nextafter not_equal outer power right_shift "
    "subtract take_along_axis tensordot true_divide vdot"
)
"""Functions of two tensors, of one dtype."""

TWO_FLOATS = "arctan2 heaviside hypot logaddexp"
"""Functions of two tensors of floats."""

MANY = "concatenate dstack hstack stack vstack"
"""Functions of a list of tensors."""

NEW = (
    "arange bartlett blackman empty eye hamming hanning identity kaiser linspace "
    "logspace ones tri zeros"
)
"""Functions that make tensors of numbers: `float32`, or `int32`."""

RANKS = "biufc"
"""The kinds of dtypes, from those that give way to those that win; signs do not count."""


def result_dtype(dtypes: list[DType], numbers: list[Any]) -> DType:
    """Return the dtype of tensors of some dtypes together with some numbers of Python.

    >>> result_dtype([np.dtype("int64"), np.dtype("float32")], [2])
    dtype('float32')
    """
    own = functools.reduce(_wider, dtypes) if dtypes else np.dtype(bool)
    for number in numbers:
        kind = np.asarray(number).dtype.kind
        if _rank(kind) > _rank(own.kind):
            own = {"i": np.dtype(np.int32), "f": np.dtype(np.float32)}.get(
                kind, np.dtype(np.complex64)
            )
    return own


def _rank(kind: str) -> int:
    return RANKS.index("i" if kind == "u" else kind)


def _wider(a: DType, b: DType) -> DType:
    if _rank(a.kind) == _rank(b.kind) or "c" in (a.kind, b.kind):
        return np.promote_types(a, b)
    return max(a, b, key=lambda x: _rank(x.kind))


def together(*values: Any) -> list[Any]:
    """Return values as tensors of one dtype."""
    tensors = [x if _is_number(x) else convert_to_tensor(x) for x in values]
    dtypes = [describe(x).dtype for x in tensors if not _is_number(x)]
    if any(x.kind not in RANKS for x in dtypes):
        return [convert_to_tensor(x) for x in values]
    dtype = result_dtype(dtypes, [x for x in tensors if _is_number(x)])
    return [convert_to_tensor(x, dtype) if _is_number(x) else x.astype(dtype) for x in tensors]


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex)


def of_tensors(name: str, function: Callable[..., Any], take: Callable[..., Any]) -> Any:
    """Return a function that makes tensors of its arguments, and of its results.

    Args:
        name: of it.
        function: what it does.
        take: returns the arguments that are given to that, and the dtypes among them.
    """

    @do_not_convert
    def public(*args: Any, **kwargs: Any) -> Any:
        if is_symbolic((args, kwargs)):
            return record(public, *args, **kwargs)
        with translating():
            given, dtypes = take(args, kwargs)
            return _narrowed(as_result(function(*given, **kwargs)), dtypes)

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return what `np.{name}` does, of tensors."
    return public


def _narrowed(found: Any, dtypes: set[DType]) -> Any:
    """Return results that have 64 bits only because NumPy's have with those of Keras."""
    if isinstance(found, tuple | list):
        return type(found)(_narrowed(x, dtypes) for x in found)
    return _of_keras(found, dtypes) if isinstance(found, TensorLike) else found


def _of_keras(found: Any, dtypes: set[DType]) -> Any:
    own = describe(found).dtype
    wide = {"f": np.float64, "i": np.int64, "u": np.uint64, "c": np.complex128}.get(own.kind)
    if wide is None or own != wide or any(x.itemsize > 4 and x == own for x in dtypes):
        return found
    narrow = {"f": np.float32, "i": np.int32, "u": np.uint32, "c": np.complex64}[own.kind]
    return as_result(found.astype(narrow))


def _first(args: Any, kwargs: Any) -> Any:
    x = convert_to_tensor(args[0] if args else kwargs.pop(next(iter(kwargs))))
    return (x, *map(_plain, args[1:])), {describe(x).dtype}


def _float(args: Any, kwargs: Any) -> Any:
    (x, *rest), dtypes = _first(args, kwargs)
    if describe(x).dtype.kind in "biu":
        return (x.astype(np.float32), *rest), {np.dtype(np.float32)}
    return (x, *rest), dtypes


def _plain(option: Any) -> Any:
    return tuple(option) if isinstance(option, list) else option


def _indices(args: Any, kwargs: Any) -> Any:
    return _first(args, kwargs)[0], set()


def _pair(args: Any, kwargs: Any) -> Any:
    named = [kwargs.pop(key) for key in ("x1", "x2") if key in kwargs]
    x, y, *rest = (*args[:1], *named, *args[1:]) if len(args) < 2 else args
    x, y = together(x, y)
    return (x, y, *rest), {describe(x).dtype}


def _two_floats(args: Any, kwargs: Any) -> Any:
    (x, y, *rest), dtypes = _pair(args, kwargs)
    if describe(x).dtype.kind in "biu":
        return (x.astype(np.float32), y.astype(np.float32), *rest), {np.dtype(np.float32)}
    return (x, y, *rest), dtypes


def _all(args: Any, kwargs: Any) -> Any:
    xs = together(*(args[0] if args else kwargs.pop(next(iter(kwargs)))))
    return (xs, *args[1:]), {describe(x).dtype for x in xs}


def _made(args: Any, kwargs: Any) -> Any:
    dtype = kwargs.pop("dtype", None)
    if dtype is None:
        return args, set()
    kwargs["dtype"] = as_dtype(dtype)
    return args, {kwargs["dtype"]}


_KINDS = (
    (ONE, _first),
    (FLOATS, _float),
    (PLACES, _indices),
    (TWO, _pair),
    (TWO_FLOATS, _two_floats),
    (MANY, _all),
    (NEW, _made),
)
FUNCTIONS = {
    name: of_tensors(name, getattr(rnp, name), take)
    for names, take in _KINDS
    for name in names.split()
}
"""Those functions, by their names."""
