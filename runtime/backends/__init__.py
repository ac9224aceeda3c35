"""Backends: the array libraries that graphs run on.

Comes in: arrays, or a name. Goes out: a `Backend`, which says which array module to call. Backends
know nothing of graphs; the same driver runs on each of them. No other room knows a library but
NumPy by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from runtime.backends.backend import Backend
from runtime.backends.cupy import load as load_cupy
from runtime.backends.cupy import namesake
from runtime.backends.native import load as load_native
from runtime.backends.numpy import NUMPY
from runtime.errors import BackendError, MixedArraysError

LOADERS: dict[str, Callable[[], Backend]] = {
    "native": load_native,
    "fast": lambda: _fast(load_native()),
    "numpy": lambda: NUMPY,
    "cupy": load_cupy,
}

NAMESAKES: dict[str, Callable[[Any], Any]] = {"cupy": namesake}
"""By library other than NumPy: what returns NumPy's function that one of its is named after."""

_NUMBERS = (np.generic, bool, int, float, complex)
_BY_MODULE: dict[Any, Backend] = {}


def get_backend(name: str) -> Backend:
    """Return the backend of a name; BackendError when there is none, or not on this machine.

    >>> get_backend("numpy").name
    'numpy'
    """
    loader = LOADERS.get(name)
    if loader is None:
        raise BackendError(f"there is no backend {name!r}; there are {', '.join(LOADERS)}")
    return loader()


def _fast(backend: Backend) -> Backend:
    return replace(backend, name="fast", fast=True) if backend.target is not None else backend


def chosen(name: str | None, arrays: Sequence[Any], names: Sequence[str]) -> Backend:
    """Return the backend of a name, or the one that arrays belong to.

    The name `fast` leaves arrays of other libraries than NumPy where they are.

    Args:
        name: of the backend, if one was asked for.
        arrays: all arrays that a graph is given; numbers among them go with all libraries.
        names: what messages call the arrays, such as `the argument x`.

    Raises:
        BackendError: there is no such backend here.
        MixedArraysError: the arrays belong to different libraries, or to another than was named.
    """
    if name is None or name == "fast":
        found = backend_for(arrays, names)
        return found if name is None else _fast(found)
    backend = get_backend(name)
    for array, what in zip(arrays, names, strict=True):
        own = backend_for([array])
        if not isinstance(array, _NUMBERS) and own.library != backend.library:
            raise MixedArraysError(
                f"{what} is an array of {own.library}, and the function is to run on {name}. Write "
                f"{_conversion(what, own, backend)}, or leave out backend="
            )
    return backend


def backend_for(arrays: Iterable[Any], names: Sequence[str] = ()) -> Backend:
    """Return the backend that arrays belong to by their own type.

    For NumPy's arrays, for none and for numbers that is `native`.

    Args:
        arrays: arrays and numbers.
        names: what messages call them.

    Raises:
        MixedArraysError: the arrays belong to different libraries.
        BackendError: one belongs to none that is known.
    """
    found: dict[str, tuple[Backend, str]] = {}
    for k, array in enumerate(arrays):
        if not isinstance(array, _NUMBERS):
            is_host = isinstance(array, np.ndarray)
            backend = get_backend("native") if is_host else _backend_of(array)
            found.setdefault(backend.library, (backend, names[k] if names else "an operand"))
    if len(found) > 1:
        (one, first), (other, second) = list(found.values())[:2]
        raise MixedArraysError(
            f"{first} is an array of {one.library} and {second} is one of {other.library}, and a "
            f"graph runs on the arrays of one library. Write {_conversion(second, other, one)}, or "
            f"{_conversion(first, one, other)}"
        )
    return next(iter(found.values()))[0] if found else get_backend("native")


def _conversion(what: str, own: Backend, wanted: Backend) -> str:
    """Return the text of how an array becomes one of another library."""
    name = what.split(" ", 2)[2] if what.startswith("the ") else "array"
    template = own.to_numpy if wanted.library == "numpy" and own.to_numpy else wanted.from_others
    return template.format(name)


def is_foreign(value: Any) -> bool:
    """Tell whether a value is an array of another library than NumPy.

    >>> is_foreign(np.ones(2)), is_foreign([1.0])
    (False, False)
    """
    if isinstance(value, np.ndarray | np.generic):
        return False
    is_known = hasattr(type(value), "__array_namespace__") or _library(value) in NAMESAKES
    return is_known and hasattr(value, "dtype")


def on_host(value: Any) -> Any:
    """Return the NumPy array of an array of another library; anything else as it is."""
    return value.get() if is_foreign(value) and hasattr(value, "get") else value


def own_of(function: Any) -> tuple[Any, Any]:
    """Return NumPy's function that one of another library is named after, and an empty array of it.

    Both are None for what is no function of another library, or has no namesake.
    """
    kind = type(function)
    module = function.__module__ if kind is FunctionType else kind.__module__
    library = module.partition(".")[0] if isinstance(module, str) else ""
    found = NAMESAKES[library](function) if library in NAMESAKES else None
    return found, None if found is None else get_backend(library).xp.empty(0)


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _backend_of(array: Any) -> Backend:
    library = _library(array)
    if library in NAMESAKES:
        return get_backend(library)
    namespace = getattr(array, "__array_namespace__", None)
    if namespace is None:
        raise BackendError(
            f"{type(array).__name__} is not an array of a library that is known here"
        )
    module = namespace()
    if module not in _BY_MODULE:
        name = module.__name__.partition(".")[0]
        text = f"{module.__name__}.asarray({{}})"
        _BY_MODULE[module] = Backend(name, module, (type(array),), scalars=False, from_others=text)
    return _BY_MODULE[module]
