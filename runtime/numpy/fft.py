"""The functions of `numpy.fft`, which the graph calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.numpy.array_api_calls import calling

CALLED = {name: calling(getattr(np.fft, name)) for name in np.fft.__all__ if name != "helper"}

globals().update(CALLED)
__all__ = [*CALLED]  # noqa: PLE0604  (the names are NumPy's)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
