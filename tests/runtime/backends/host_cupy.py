"""Real arrays of CuPy over the memory of the host, to run programs on where there is no device.

`computing()` has CuPy allocate there, and puts NumPy in the place of its kernels: its functions,
and the operators of its arrays. All else is CuPy's own: what its arrays are, have and refuse, their
views and basic subscripts, and the arguments that its functions take.
"""

from __future__ import annotations

import ctypes
import inspect
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

cupy = pytest.importorskip("cupy")
ARRAY = cupy.ndarray
OWN_GET = ARRAY.__getitem__

METHODS = "any all sum min max argmin argmax mean copy tolist item nonzero clip astype take fill"
BINARY = "add sub mul truediv floordiv mod pow and or xor lshift rshift matmul"
OTHERS = "eq ne lt le gt ge neg pos abs invert"
VIEWS = ("reshape", "transpose", "broadcast_to", "swapaxes", "ravel", "moveaxis", "expand_dims")


def pointer(memory: Any) -> Any:
    own = cupy.cuda.memory.UnownedMemory(memory.ctypes.data, max(memory.nbytes, 1), memory, 0)
    return cupy.cuda.MemoryPointer(own, 0)


def device(array: Any) -> Any:
    """Return a NumPy array, or a number of NumPy's, as an array of CuPy's."""
    own = np.array(array, order="C")
    return ARRAY(own.shape, own.dtype, pointer(own))


def host(array: Any) -> Any:
    """Return the NumPy array that shares the memory of one of CuPy's."""
    if not array.size:
        return np.empty(array.shape, array.dtype)
    start, size = array.data.mem.ptr, max(array.data.mem.size, 1)
    whole = (ctypes.c_byte * size).from_address(start)
    return np.ndarray(array.shape, array.dtype, whole, array.data.ptr - start, array.strides)


def taken(value: Any) -> Any:
    """Return operands as NumPy's; TypeError for arrays of NumPy's, as CuPy raises it."""
    if isinstance(value, ARRAY):
        return host(value)
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    return type(value)(map(taken, value)) if type(value) in (tuple, list) else value


def given(value: Any) -> Any:
    """Return results as CuPy's."""
    if type(value) in (tuple, list):
        return type(value)(map(given, value))
    return device(value) if isinstance(value, np.ndarray | np.generic) else value


def hosted(function: Callable[..., Any], like: Any = None) -> Callable[..., Any]:
    """Return NumPy's function for CuPy's arrays, with the arguments that CuPy's takes."""
    try:
        signature = inspect.signature(like)
    except (TypeError, ValueError):  # of a ufunc
        signature = None

    def call(*args: Any, **kwargs: Any) -> Any:
        if signature is not None:
            signature.bind(*args, **kwargs)
        found = function(*map(taken, args), **{k: taken(x) for k, x in kwargs.items()})
        return kwargs["out"] if "out" in kwargs else given(found)

    return call


def _making(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what makes arrays of CuPy's, of NumPy's, too."""

    def call(value: Any, *args: Any, **kwargs: Any) -> Any:
        is_same = function is not np.array and not (args or kwargs)
        if isinstance(value, ARRAY) and is_same and value.flags.c_contiguous:
            return value
        own = value if isinstance(value, np.ndarray) else taken(value)
        return device(function(own, *args, **kwargs))

    return call


def _get(array: Any, key: Any) -> Any:
    items = key if type(key) is tuple else (key,)
    is_advanced = any(isinstance(x, ARRAY | bool) for x in items)
    return device(host(array)[taken(key)]) if is_advanced else OWN_GET(array, key)


def _set(array: Any, key: Any, value: Any) -> None:
    host(array)[taken(key)] = taken(value)


def _into(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, y: Any) -> Any:
        host(x)[...] = function(host(x), taken(y))
        return x

    return call


def _turned(function: Callable[..., Any]) -> Callable[..., Any]:
    return hosted(lambda x, y: function(y, x))


def _method(name: str) -> Callable[..., Any]:
    return hosted(lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs))


def _as(kind: type) -> Callable[[Any], Any]:
    return lambda x: kind(host(x))


def _members() -> Iterator[tuple[str, Any]]:
    """Yield what the arrays of CuPy have instead of what needs a device."""
    yield "get", lambda x: host(x).copy()
    yield "__getitem__", _get
    yield "__setitem__", _set
    yield from ((f"__{kind.__name__}__", _as(kind)) for kind in (bool, int, float, complex))
    yield from ((name, _method(name)) for name in METHODS.split())
    for name in BINARY.split():
        function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        yield f"__{name}__", hosted(function)
        yield f"__r{name}__", _turned(function)
        yield f"__i{name}__", _into(function)
    for name in OTHERS.split():
        yield f"__{name}__", hosted(getattr(operator, name))


def _functions(module: Any, numpy: Any) -> Iterator[tuple[str, Any]]:
    for name in dir(module):
        found, own = getattr(module, name), getattr(numpy, name, None)
        is_function = callable(own) and not isinstance(own, type) and not isinstance(found, type)
        if is_function and name[0] != "_" and name not in (*VIEWS, "errstate"):
            yield name, hosted(own, found)


@contextmanager
def computing() -> Iterator[None]:
    """Have CuPy compute on the host."""
    load: Any = sys.modules["runtime.backends.cupy"].load
    before = cupy.cuda.get_allocator()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cupy.cuda.runtime, "getDeviceCount", lambda: 1)
        for name, member in _members():
            patch.setattr(ARRAY, name, member, raising=False)
        for module, numpy in ((cupy, np), (cupy.fft, np.fft), (cupy.linalg, np.linalg)):
            for name, function in [*_functions(module, numpy)]:
                patch.setattr(module, name, function)
        for name in ("asarray", "array", "ascontiguousarray"):
            patch.setattr(cupy, name, _making(getattr(np, name)))
        cupy.cuda.set_allocator(lambda size: pointer(np.zeros(max(size, 1), np.uint8)))
        load.cache_clear()
        try:
            yield
        finally:
            cupy.cuda.set_allocator(before)
            load.cache_clear()
