"""An array module with NumPy's meaning, over one whose functions of the same names differ.

Comes in: CuPy, or what stands for it in tests. Goes out: an object that has its functions; those
that lack an argument, answer something else or raise nothing where NumPy raises are mended, by
other functions of the same module. `operators` are functions for those operators and subscripts
of its arrays that mean something else, by the names of ops: graphs call them in their place.

What asks the values of an array (whether an index is out of range, an exponent negative) waits for
the device.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial, wraps
from typing import Any

import numpy as np

from runtime.backends import places
from runtime.errors import BackendError

SHORT_CUTS = {-1: "reciprocal", 0.5: "sqrt", 2: "square"}
"""The exponents that NumPy's `**` has another ufunc for."""

OF_METHODS = (
    "reshape ravel transpose swapaxes moveaxis expand_dims squeeze flip broadcast_to sum prod mean "
    "var std max min any all argmax argmin round cumsum cumprod tile"
)
"""Functions that call a method of what they are given: NumPy's numbers would give its arrays."""


class Mended:
    """The functions of an array module, with NumPy's meaning.

    Args:
        library: the module.
        strict: returns a context in which its linear algebra raises LinAlgError.
        special: the module of its special functions.

    Attributes:
        operators: by the names of ops, functions in the place of their operators and subscripts.
    """

    def __init__(
        self,
        library: Any,
        strict: Callable[[], AbstractContextManager[Any]],
        special: Any,
    ) -> None:
        self.library = library
        self.special = special
        self.linalg = _Strict(library.linalg, strict)
        self.operators: Mapping[str, Callable[..., Any]] = {
            "floor_divide": self.floor_divide,
            "remainder": self.remainder,
            "pow": self._operator_pow,
            "left_shift": self.left_shift,
            "right_shift": self.right_shift,
            "index": lambda x, key: places.part(self._array(x), key),
            "gather": places.elements,
            "update": partial(places.write, library),
            "scatter": partial(places.write, library),
        }

    def __getattr__(self, name: str) -> Any:
        """Return what the module has under a name; BackendError names what it has not."""
        found = getattr(self.library, name, None)
        if found is None and not name.startswith("__"):
            raise BackendError(
                f"{self.library.__name__} has no {name}. Compute it of NumPy's arrays, outside of "
                "the function or with ag.numpy_function"
            )
        if name in OF_METHODS.split():
            function, found = (
                found,
                lambda x, *rest, **attrs: function(self._array(x), *rest, **attrs),
            )
            setattr(self, name, found)
        return found

    def _array(self, x: Any) -> Any:
        return x if self._is_array(x) else self.library.asarray(x)

    def _is_array(self, x: Any) -> bool:
        return isinstance(x, self.library.ndarray)

    def _has_arrays(self, *operands: Any) -> bool:
        return any(map(self._is_array, operands))

    def floor_divide(self, x: Any, y: Any, out: Any = None) -> Any:
        """Return what `x // y` is: of floats by the exact remainder, as NumPy computes it."""
        if not self._has_arrays(x, y):
            return operator.floordiv(x, y)
        lib = self.library
        dtype = lib.result_type(x, y)
        if dtype.kind != "f":
            return lib.floor_divide(x, y) if out is None else lib.floor_divide(x, y, out=out)
        x, y = self._wide(dtype, x, y)
        quotient, rest = x / y, lib.fmod(x, y)
        whole = (x - rest) / y - ((rest != 0) & ((y < 0) != (rest < 0)))
        down = lib.floor(whole)
        down = lib.where(whole - down > 0.5, down + 1, down)
        down = lib.where(whole == 0, lib.copysign(lib.zeros_like(down), quotient), down)
        return self._into(out, lib.where(y == 0, quotient, down), dtype)

    def remainder(self, x: Any, y: Any, out: Any = None) -> Any:
        """Return what `x % y` is: of floats exactly, as NumPy computes it."""
        if not self._has_arrays(x, y):
            return operator.mod(x, y)
        lib = self.library
        dtype = lib.result_type(x, y)
        if dtype.kind != "f":
            return lib.remainder(x, y) if out is None else lib.remainder(x, y, out=out)
        x, y = self._wide(dtype, x, y)
        return self._into(out, self._rest(x, y), dtype)

    mod = remainder

    def _wide(self, dtype: Any, *operands: Any) -> list[Any]:
        """Return operands as arrays of the dtype that NumPy computes in; halves are widened."""
        wide = np.dtype("float32") if dtype.itemsize < 4 else dtype
        return [self.library.asarray(x).astype(dtype).astype(wide) for x in operands]

    def _rest(self, x: Any, y: Any) -> Any:
        """Return the remainder that has the sign of `y`."""
        lib = self.library
        rest = lib.fmod(x, y)
        moved = lib.where((y < 0) != (rest < 0), rest + y, rest)
        return lib.where((rest == 0) & (y != 0), lib.copysign(lib.zeros_like(y), y), moved)

    def _into(self, out: Any, found: Any, dtype: Any) -> Any:
        """Return a result in a dtype, in the memory of `out` where that is given."""
        if out is None:
            return found.astype(dtype, copy=False)
        out[...] = found
        return out

    def power(self, x: Any, y: Any, out: Any = None) -> Any:
        """Return `x` raised to `y`; ValueError for integers that are raised to negative ones."""
        found = self.library.power(x, y) if out is None else self.library.power(x, y, out=out)
        if found.dtype.kind in "iu" and self._any(y < 0):
            raise ValueError("Integers to negative integer powers are not allowed.")
        return found

    def _operator_pow(self, x: Any, y: Any) -> Any:
        if not self._has_arrays(x, y):
            return operator.pow(x, y)
        short = SHORT_CUTS.get(y) if isinstance(y, int | float) else None
        if short is not None and getattr(x, "dtype", np.dtype(bool)).kind in "fc":
            return getattr(self.library, short)(x)
        return self.power(x, y)

    def _any(self, test: Any) -> bool:
        return bool(test.any()) if self._is_array(test) else bool(np.any(test))

    def left_shift(self, x: Any, y: Any, out: Any = None) -> Any:
        """Return `x << y`; nothing is left of numbers that are shifted out."""
        if not self._has_arrays(x, y):
            return operator.lshift(x, y)
        return self._shifted("left_shift", x, y, lambda dtype: 0, out)

    def right_shift(self, x: Any, y: Any, out: Any = None) -> Any:
        """Return `x >> y`; the sign is left of numbers that are shifted out."""
        if not self._has_arrays(x, y):
            return operator.rshift(x, y)

        def sign(dtype: Any) -> Any:
            return -self.library.asarray(x < 0).astype(dtype)

        return self._shifted("right_shift", x, y, sign, out)

    def _shifted(self, name: str, x: Any, y: Any, beyond: Callable[[Any], Any], out: Any) -> Any:
        lib = self.library
        found = getattr(lib, name)(x, y)
        fits = lib.asarray((y >= 0) & (y < 8 * found.dtype.itemsize))
        return self._into(out, lib.where(fits, found, beyond(found.dtype)), found.dtype)

    def spacing(self, x: Any) -> Any:
        """Return the distance of numbers to the next ones: halves upwards, others off zero."""
        lib = self.library
        x = lib.asarray(x)
        size = x if x.dtype.itemsize == 2 else lib.absolute(x)
        found = lib.nextafter(size, lib.full_like(size, np.inf)) - size
        found = lib.where(lib.isinf(size), lib.full_like(size, np.nan), found)
        return lib.where((x < 0) & (size > 0), -found, found)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """Return elements of `x` where a condition is true, which may be a number."""
        return self.library.where(self.library.asarray(condition), x, y)

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        """Return numbers between two bounds, in the dtype that all three have."""
        return self.library.minimum(self.library.maximum(x, low), high)

    def at(self, name: str, x: Any, key: Any, value: Any) -> None:
        """Apply a ufunc where a key selects, for each of its indices, which are checked."""
        getattr(self.library, name).at(x, places.in_range(x, key), value)

    def sort(self, x: Any, axis: Any = -1, kind: Any = None, stable: Any = None) -> Any:
        """Return the elements in rising order; every way to sort gives the same."""
        return self.library.sort(x, axis)

    def argsort(self, x: Any, axis: Any = -1, kind: Any = None, stable: Any = None) -> Any:
        """Return the indices of the rising order; equal elements keep theirs in any case."""
        return self.library.argsort(x, axis)

    def take(self, x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
        """Return the elements at places, which are checked, clipped or counted round."""
        size = x.size if axis is None else x.shape[axis]
        if mode == "clip":
            indices = self.library.asarray(indices).clip(0, size - 1)
        elif mode == "raise":
            indices = places.checked(indices, size, 0 if axis is None else axis)
        return self.library.take(x, self.library.asarray(indices), axis)

    def take_along_axis(self, x: Any, indices: Any, axis: int | None) -> Any:
        """Return elements along an axis, at places that are checked."""
        size = x.size if axis is None else x.shape[axis]
        indices = places.checked(indices, size, 0 if axis is None else axis)
        return self.library.take_along_axis(x, indices, axis)

    def count_nonzero(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """Return how many elements are not zero."""
        return self.library.sum(self.library.asarray(x) != 0, axis=axis, keepdims=keepdims)

    def nanargmax(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the place of the greatest number; ValueError where there is none."""
        return self._place_of("nanargmax", x, axis, keepdims)

    def nanargmin(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the place of the smallest number; ValueError where there is none."""
        return self._place_of("nanargmin", x, axis, keepdims)

    def _place_of(self, name: str, x: Any, axis: Any, keepdims: bool) -> Any:
        if x.dtype.kind == "f" and self._any(self.library.isnan(x).all(axis)):
            raise ValueError("All-NaN slice encountered")
        return getattr(self.library, name)(x, axis=axis, keepdims=keepdims)

    def nanpercentile(self, x: Any, q: Any, **attrs: Any) -> Any:
        """Return the numbers below which `q` hundredths of those that are not NaN lie."""
        return nanpercentile(self.library, x, q, **attrs)

    def nanquantile(self, x: Any, q: Any, **attrs: Any) -> Any:
        """Return the numbers below which the shares `q` of those that are not NaN lie."""
        return nanquantile(self.library, x, q, **attrs)

    def searchsorted(self, x: Any, values: Any, side: str = "left") -> Any:
        """Return where values belong in a sorted vector; both in the dtype that holds them."""
        dtype = self.library.result_type(x, values)
        values = self.library.asarray(values).astype(dtype, copy=False)
        return self.library.searchsorted(x.astype(dtype, copy=False), values, side)

    def repeat(self, x: Any, repeats: Any, axis: int | None = None) -> Any:
        """Return elements repeated so many times; numbers of an array are read on the host."""
        is_array = self._is_array(repeats)
        repeats = repeats.tolist() if is_array else repeats
        return self.library.repeat(self._array(x), repeats, axis)

    def roll(self, x: Any, shift: Any, axis: Any = None) -> Any:
        """Return elements moved along axes; shifts of an array are read on the host."""
        shift = shift.tolist() if self._is_array(shift) else shift
        return self.library.roll(self._array(x), shift, axis)

    def dot(self, x: Any, y: Any) -> Any:
        """Return the sums of products; with a number, the products."""
        x, y = map(self.library.asarray, (x, y))
        return self.library.dot(x, y) if x.ndim and y.ndim else self.library.multiply(x, y)

    def arange(self, start: Any, stop: Any, step: Any, dtype: Any = None) -> Any:
        """Return numbers at equal distances: floats are NumPy's own, bit for bit."""
        start, stop, step = (x.item() if self._is_array(x) else x for x in (start, stop, step))
        made: Any = np.arange
        if all(isinstance(x, int | np.integer) for x in (start, stop, step)):
            kind = made(0 * start, 0 * stop, step, dtype).dtype
            if kind.kind in "iu":
                return self.library.arange(start, stop, step, kind)
        return self.library.asarray(made(start, stop, step, dtype))


class _Strict:
    """The functions of linear algebra, which raise LinAlgError as NumPy's do.

    Args:
        module: of the library.
        strict: returns a context in which they raise.
    """

    def __init__(self, module: Any, strict: Callable[[], AbstractContextManager[Any]]) -> None:
        self._module = module
        self._strict = strict

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._module, name)

        @wraps(function)
        def raising(*args: Any, **kwargs: Any) -> Any:
            with self._strict():
                return function(*args, **kwargs)

        setattr(self, name, raising)
        return raising


def nanpercentile(lib: Any, x: Any, q: Any, **attrs: Any) -> Any:
    """Return the numbers below which `q` hundredths of those that are not NaN lie."""
    is_number = isinstance(q, int | float)
    return nanquantile(lib, x, q / 100 if is_number else lib.true_divide(q, 100), **attrs)


def nanquantile(
    lib: Any, x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Return the numbers below which the shares `q` of those that are not NaN lie."""
    if method != "linear":
        raise BackendError(f"nanquantile of {lib.__name__}'s arrays has no method {method!r}")
    is_weak = isinstance(q, int | float) and x.dtype.kind == "f"
    x, q = lib.asarray(x), lib.asarray(q)
    axes = [k % x.ndim for k in ([*range(x.ndim)] if axis is None else np.atleast_1d(axis))]
    kept = [k for k in range(x.ndim) if k not in axes]
    shape = [1 if k in axes else n for k, n in enumerate(x.shape) if keepdims or k not in axes]
    rows = lib.transpose(x, [*kept, *axes]).reshape((*(x.shape[k] for k in kept), -1))
    rows = lib.sort(rows, -1)
    count = lib.sum(~lib.isnan(rows), axis=-1, keepdims=True)
    place = lib.maximum(q.ravel() * (count - 1), 0)
    low = lib.floor(place)
    share, low = place - low, low.astype("int64")
    a = lib.take_along_axis(rows, low, -1)
    b = lib.take_along_axis(rows, lib.minimum(low + 1, lib.maximum(count - 1, 0)), -1)
    width = b - a
    found = lib.where(share >= 0.5, b - width * (1 - share), a + width * share)
    found = found.astype(x.dtype) if is_weak else found
    return lib.moveaxis(found, -1, 0).reshape((*q.shape, *shape))
