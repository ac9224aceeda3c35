"""How tensors and symbols are given to other libraries: as arrays, by DLPack, as buffers.

`runtime.methods.install` puts the methods on `TensorLike`. What is staged is refused by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.numpy as rnp
from runtime.backends import is_foreign, on_host
from runtime.scalar_conversion import array_of, leaving
from runtime.tensor import Tensor


class ArrayExchange:
    """What tensors and symbols have of the protocols by which libraries exchange arrays."""

    @property
    def device(self: Any) -> Any:
        """Where the elements are: "cpu", or the device of another library."""
        return getattr(self.array, "device", "cpu") if isinstance(self, Tensor) else "cpu"

    def to_device(self: Any, device: Any, /, *, stream: Any = None) -> Any:
        """Return the array where it is; ValueError for another place."""
        if device != self.device or stream is not None:
            raise ValueError(f"to_device({device!r}) of an array that is on {self.device!r}")
        return self

    def __array__(self: Any, dtype: Any = None, copy: Any = None) -> Any:
        array = leaving(self, "a NumPy array")
        if is_foreign(array) and copy is False:
            raise ValueError("an array of a GPU is no NumPy array without a copy")
        found = np.array(on_host(array), dtype, copy=copy)
        if found is array or found.base is not None:
            found = found.view()
            found.flags.writeable = isinstance(self, Tensor) and found.flags.writeable
        return found

    def __dlpack__(
        self: Any,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: bool | None = None,
    ) -> Any:
        given = {"stream": stream, "max_version": max_version, "dl_device": dl_device}
        options = {k: x for k, x in {**given, "copy": copy}.items() if x is not None}
        return leaving(self, "an array in memory (DLPack)").__dlpack__(**options)

    def __dlpack_device__(self: Any) -> Any:
        return array_of(self, "an array in memory (DLPack)").__dlpack_device__()

    def __array_namespace__(self: Any, *, api_version: Any = None) -> Any:
        np.empty(0).__array_namespace__(api_version=api_version)  # raises for one that is not known
        return rnp

    def __buffer__(self: Any, flags: int) -> Any:
        return memoryview(leaving(self, "an array in memory (a buffer)"))
