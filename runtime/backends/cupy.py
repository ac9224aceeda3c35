"""CuPy: NumPy's interface on the GPU. It is imported when it is asked for."""

from __future__ import annotations

from functools import cache

from runtime.backends.backend import Backend
from runtime.errors import BackendError

INSTALL = "install it with: pip install 'autograph-runtime[gpu]'"


@cache
def load() -> Backend:
    """Return the backend; BackendError when CuPy or a device is missing."""
    try:
        import cupy
    except ImportError as error:
        raise BackendError(f"the backend 'cupy' needs CuPy ({error}); {INSTALL}") from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise BackendError(_no_device(str(error))) from error
    if not count:
        raise BackendError(_no_device("no device was found"))
    return Backend("cupy", cupy, (cupy.ndarray,), scalars=False)


def _no_device(reason: str) -> str:
    return (
        f"the backend 'cupy' needs a GPU and its driver ({reason}); "
        "NumPy arrays run on the backend 'numpy'"
    )
