"""A stand-in for CuPy, which has its names and arguments, and differs from NumPy where it does.

`Array` holds a NumPy array and goes with no array of NumPy's. `library` has the functions of
`cupy_signatures.txt`, refuses arguments that are not in them, and is as loose as CuPy: indices out
of range are counted round, of several values for one place the first stays, integers are raised to
negative ones, singular matrices have inverses unless `strict()` is active.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.special

from runtime.backends.backend import Backend
from runtime.backends.mended import Mended
from tests.runtime.backends import cupy_signatures

SIGNATURES = cupy_signatures.stored()


class Array:
    """An array that is no NumPy array."""

    __array_ufunc__ = None

    def __init__(self, held: Any) -> None:
        self.held = np.asarray(held)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.held, name)
        return called(found) if callable(found) else wrap(found)

    def get(self) -> Any:
        return self.held

    def item(self) -> Any:
        return self.held.item()

    def tolist(self) -> Any:
        return self.held.tolist()

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "held":
            object.__setattr__(self, name, value)
        else:
            setattr(self.held, name, unwrap(value))

    def __len__(self) -> int:
        return len(self.held)

    def __bool__(self) -> bool:
        return bool(self.held)

    def __int__(self) -> int:
        return int(self.held)

    def __float__(self) -> float:
        return float(self.held)

    def __complex__(self) -> complex:
        return complex(self.held)

    def __getitem__(self, key: Any) -> Any:
        return wrap(self.held[_round(self.held, key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        key, value = _round(self.held, key), unwrap(value)
        first = np.full(self.held.shape, -1)
        numbers = np.arange(self.held.size).reshape(self.held.shape)[key]
        for k, place in enumerate(numbers.ravel()):
            first.flat[place] = k if first.flat[place] < 0 else first.flat[place]
        if numbers.size and np.ndim(value):
            rows = np.broadcast_to(value, numbers.shape).ravel()
            value = rows[first.ravel()[numbers.ravel()]].reshape(numbers.shape)
        self.held[key] = value


Array.__module__ = "cupy"  # which is how its arrays are known


def wrap(value: Any) -> Any:
    """Return NumPy's arrays and numbers as arrays of the stand-in."""
    if isinstance(value, tuple | list):
        return (
            type(value)(map(wrap, value))
            if type(value) in (tuple, list)
            else tuple(map(wrap, value))
        )
    return Array(value) if isinstance(value, np.ndarray | np.generic) else value


def unwrap(value: Any) -> Any:
    """Return what the stand-in's arrays hold; TypeError for an array of NumPy's."""
    if isinstance(value, Array):
        return value.held
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    return type(value)(map(unwrap, value)) if type(value) in (tuple, list) else value


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy's for arrays of the stand-in."""

    def call(*args: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        found = function(*map(unwrap, args), **{k: unwrap(x) for k, x in kwargs.items()})
        return wrap(found) if out is None else out

    return call


def _round(held: Any, key: Any) -> Any:
    """Return a key with arrays of indices counted round."""
    items = [unwrap(x) for x in (key if type(key) is tuple else (key,))]
    counts = [0 if x is None or x is ... or x is True else max(np.ndim(x), 1) for x in items]
    counts = [
        1 if not hasattr(x, "dtype") or x.dtype.kind != "b" else np.ndim(x) if n else n
        for x, n in zip(items, counts, strict=True)
    ]
    axis, found = 0, []
    for k, item in enumerate(items):
        if item is None or item is True or item is False:
            found.append(item)
            continue
        if item is ...:
            later = [n for x, n in zip(items[k + 1 :], counts[k + 1 :], strict=True)]
            none = sum(x is None or isinstance(x, bool) for x in items[k + 1 :])
            axis = held.ndim - sum(later) + none
        elif hasattr(item, "dtype") and item.dtype.kind in "iu" and held.shape[axis]:
            item = item % held.shape[axis]
        found.append(item)
        axis += counts[k] if item is not ... else 0
    return tuple(found)


def _floor_divide(x: Any, y: Any) -> Any:
    found = np.asarray(np.floor_divide(x, y))
    return np.floor(np.true_divide(x, y)).astype(found.dtype) if found.dtype.kind == "f" else found


def _remainder(x: Any, y: Any) -> Any:
    found = np.asarray(np.remainder(x, y))
    return x - np.floor(np.true_divide(x, y)) * y if found.dtype.kind == "f" else found


def _power(x: Any, y: Any) -> Any:
    try:
        return np.power(x, y)
    except ValueError:
        return np.power(x, np.maximum(y, 0))


def _shift(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def call(x: Any, y: Any) -> Any:
        return function(x, y % (8 * np.asarray(function(x, y)).dtype.itemsize))

    return call


def _where(condition: Any, x: Any, y: Any) -> Any:
    return np.where(condition.astype(bool), x, y)


def _repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    if not isinstance(repeats, int | np.integer | list | tuple):
        raise ValueError("`repeats` should be int or sequence")
    return np.repeat(x, repeats, axis)


def _place(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, **attrs: Any) -> Any:
        return function(np.where(np.isnan(x), -np.inf, x) if x.dtype.kind == "f" else x, **attrs)

    return call


def _sort(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, axis: Any = -1, kind: Any = None) -> Any:
        if kind not in (None, "stable"):
            raise ValueError(f"Unsupported kind: {kind}")
        return function(x, axis, kind="stable")

    return call


def _no_number(x: Any) -> Any:
    if not isinstance(x, bool | int | float | np.generic):
        raise TypeError(f"{x!r} is no number")
    return x


OWN: dict[str, Callable[..., Any]] = {
    "floor_divide": _floor_divide, "remainder": _remainder, "power": _power, "where": _where,
    "left_shift": _shift(np.left_shift), "right_shift": _shift(np.right_shift), "repeat": _repeat,
    "take": lambda x, indices, axis=None: np.take(x, indices, axis, mode="wrap"),
    "take_along_axis": lambda x, i, axis: np.take_along_axis(x, i % max(x.shape[axis], 1), axis),
    "nanargmax": _place(np.argmax), "nanargmin": _place(np.argmin),
    "sort": _sort(np.sort), "argsort": _sort(np.argsort),
    "arange": lambda start, stop, step, dtype: np.arange(
        *map(_no_number, (start, stop, step)), dtype=dtype),
}  # fmt: skip
"""What differs from NumPy's functions."""


class _Module:
    """The functions of a module of CuPy's.

    Args:
        name: of the module.
        path: before the names of its functions.
        numpy: the module that has NumPy's.
    """

    ndarray = Array

    def __init__(self, name: str, path: str, numpy: Any) -> None:
        self.__name__ = name
        self._path = path
        self._numpy = numpy

    def __getattr__(self, name: str) -> Any:
        if f"{self._path}{name}" not in SIGNATURES:
            raise AttributeError(name)
        signature, function = SIGNATURES[f"{self._path}{name}"], getattr(self._numpy, name)
        function = OWN.get(f"{self._path}{name}", function)

        def call(*args: Any, **kwargs: Any) -> Any:
            if signature is not None:
                signature.bind(*args, **kwargs)
            if name in ("asarray", "array"):
                args = (unwrap(args[0]) if isinstance(args[0], Array) else args[0], *args[1:])
                return wrap(np.asarray(function(*args, **kwargs)))
            if self._path == "linalg.":
                return called(_loose(function))(*args, **kwargs)
            return called(function)(*args, **kwargs)

        for method in ("at", "reduce", "accumulate"):
            if hasattr(function, method):
                setattr(call, method, called(getattr(function, method)))
        return call


_STRICT = [False]


@contextmanager
def strict() -> Iterator[None]:
    """Have linear algebra raise LinAlgError."""
    _STRICT[0] = True
    try:
        yield
    finally:
        _STRICT[0] = False


def _loose(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(x, *args, **kwargs)
        except np.linalg.LinAlgError:
            if _STRICT[0]:
                raise
            return np.full_like(x, np.nan)

    return call


library = _Module("cupy", "", np)
library.fft = _Module("cupy.fft", "fft.", np.fft)
library.linalg = _Module("cupy.linalg", "linalg.", np.linalg)
library.lib = _Module("cupy.lib", "lib.", np.lib)
library.lib.stride_tricks = _Module(
    "cupy.lib.stride_tricks", "lib.stride_tricks.", np.lib.stride_tricks
)
special = _Module("cupyx.scipy.special", "special.", scipy.special)
MENDED = Mended(library, strict, special)
BACKEND = Backend("cupy", MENDED, (Array,), scalars=False, operators=frozenset(MENDED.operators))


def _add_operators() -> None:
    binary = "add sub mul truediv floordiv mod pow and or xor lshift rshift"
    loose = {
        "floordiv": _floor_divide, "mod": _remainder, "pow": _power,
        "lshift": OWN["left_shift"], "rshift": OWN["right_shift"],
    }  # fmt: skip
    for name in binary.split():
        function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        function = called(loose.get(name, function))
        setattr(Array, f"__{name}__", function)
        setattr(Array, f"__r{name}__", lambda x, y, f=function: f(y, x))
    for name in ["eq", "ne", "lt", "le", "gt", "ge", "matmul", "neg", "pos", "abs", "invert"]:
        setattr(Array, f"__{name}__", called(getattr(operator, name)))


_add_operators()
