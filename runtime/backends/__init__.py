"""Backends: the array libraries that graphs run on.

Comes in: arrays, or a name. Goes out: a `Backend`, which says which array module to call. Backends
know nothing of graphs; the same driver runs on each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.backends.backend import Backend
from runtime.backends.cupy import load as load_cupy
from runtime.backends.native import load as load_native
from runtime.backends.numpy import NUMPY
from runtime.errors import BackendError

LOADERS: dict[str, Callable[[], Backend]] = {
    "native": load_native,
    "fast": lambda: _fast(load_native()),
    "numpy": lambda: NUMPY,
    "cupy": load_cupy,
}

_HOST = (np.ndarray, np.generic, bool, int, float, complex)
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
    return replace(backend, name="fast", fast=True) if backend.native else backend


def chosen(name: str | None, arrays: Iterable[Any]) -> str | Backend:
    """Return the backend of a name, or the one that arrays belong to.

    The name `fast` leaves arrays of other libraries than NumPy where they are.
    """
    if name is not None and name != "fast":
        return name
    found = backend_for(arrays)
    return found if name is None else _fast(found)


def backend_for(arrays: Iterable[Any]) -> Backend:
    """Return the backend that arrays belong to by their own type.

    For NumPy's arrays, for none and for scalars that is `native`.

    Raises:
        BackendError: the arrays belong to different ones.
    """
    others = {type(x): x for x in arrays if not isinstance(x, _HOST)}
    if not others:
        return get_backend("native")
    found = {backend.name: backend for backend in map(_backend_of, others.values())}
    if len(found) > 1:
        raise BackendError(f"the arrays belong to different libraries: {', '.join(sorted(found))}")
    return next(iter(found.values()))


def _backend_of(array: Any) -> Backend:
    library = type(array).__module__.partition(".")[0]
    if library in LOADERS:
        return get_backend(library)
    namespace = getattr(array, "__array_namespace__", None)
    if namespace is None:
        raise BackendError(
            f"{type(array).__name__} is not an array of a library that is known here"
        )
    module = namespace()
    if module not in _BY_MODULE:
        name = module.__name__.partition(".")[0]
        _BY_MODULE[module] = Backend(name, module, (type(array),), scalars=False)
    return _BY_MODULE[module]
