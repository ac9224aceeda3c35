"""The functions of `numpy.linalg`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.numpy import calculus, matrices
from runtime.numpy.array_api_calls import calling
from runtime.numpy.functions import named_in

MODULES = (calculus, matrices)
"""The modules of functions that are written out."""

CALLED = {name: calling(getattr(np.linalg, name)) for name in ("eig", "eigvals")}

globals().update(named_in(np.linalg))
globals().update(CALLED)
__all__ = [*named_in(np.linalg), *CALLED]  # noqa: PLE0604  (the names are made of the registry)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
