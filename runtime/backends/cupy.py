"""CuPy: NumPy's interface on the GPU. It is imported when it is asked for."""

from __future__ import annotations

from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from runtime.backends.backend import Backend
from runtime.backends.mended import Mended
from runtime.errors import BackendError

INSTALL = (
    "install it with: pip install 'autograph-runtime[gpu]' (CUDA 13), or with [gpu12] for older "
    "drivers and cards, never with both"
)


@cache
def load() -> Backend:
    """Return the backend; BackendError when CuPy or a device is missing."""
    try:
        import cupy
        import cupyx
        from cupyx.scipy import special
    except ImportError as error:
        raise BackendError(f"the backend 'cupy' needs CuPy ({error}); {INSTALL}") from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise BackendError(_no_device(str(error))) from error
    if not count:
        raise BackendError(_no_device("no device was found"))
    xp = Mended(cupy, partial(cupyx.errstate, linalg="raise"), special)
    return Backend(
        "cupy",
        xp,
        (cupy.ndarray,),
        scalars=False,
        from_others="cupy.asarray({})",
        to_numpy="{}.get()",
        operators=frozenset(xp.operators),
    )


def _no_device(reason: str) -> str:
    return (
        f"the backend 'cupy' needs a GPU and its driver ({reason}); "
        "NumPy arrays run on the backend 'numpy'"
    )


def namesake(function: Any) -> Any:
    """Return NumPy's function that one of CuPy's is named after; None if there is none."""
    path = function.__module__ if isinstance(function, FunctionType) else ""
    part = next((x for x in ("linalg", "fft") if f".{x}." in f"{path}."), "")
    owner = getattr(np, part) if part else np
    found = getattr(owner, getattr(function, "__name__", "").removeprefix("cupy_"), None)
    return found if callable(found) else None
