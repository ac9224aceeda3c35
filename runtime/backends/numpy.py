"""NumPy: the reference that every other backend is compared with."""

from __future__ import annotations

import numpy as np

from runtime.backends.backend import Backend

NUMPY = Backend(
    "numpy", np, (np.ndarray, np.generic), scalars=True, from_others="numpy.asarray({})"
)
