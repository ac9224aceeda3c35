"""Rules of NumPy's ufuncs that have no definition of their own, and of what they reduce."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.graph.traits import Derivative
from runtime.ops.derivatives.constructors import multilinear, of_one
from runtime.ops.derivatives.python_rules import FIRST_OF_FREXP, FIRST_OF_MODF, SECOND_OF_DIVMOD
from runtime.ops.derivatives.reduction_rules import LOGARITHM_OF_SUM, logarithm_of_powers


def _length(t: Any, y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(x * t, axis=axis, keepdims=keepdims) / np.where(y == 0, 1, y)


_OF_PRODUCTS = {
    "vecdot": multilinear(lambda x, y: np.sum(np.conj(x) * y, axis=-1)),
    "matvec": multilinear(lambda x, y: np.sum(x * np.expand_dims(y, -2), axis=-1)),
    "vecmat": multilinear(lambda x, y: np.sum(np.expand_dims(np.conj(x), -1) * y, axis=-2)),
}
OF_UFUNCS: dict[np.ufunc, Derivative] = {
    np.divmod: SECOND_OF_DIVMOD,
    np.frexp: FIRST_OF_FREXP,
    np.modf: FIRST_OF_MODF,
    **{getattr(np, k): rule for k, rule in _OF_PRODUCTS.items() if hasattr(np, k)},
}
"""The derivatives of ufuncs; this NumPy may not have all of them."""
OF_REDUCTIONS: dict[np.ufunc, Derivative] = {
    np.logaddexp: LOGARITHM_OF_SUM,
    np.logaddexp2: logarithm_of_powers(np.exp2),
    np.hypot: of_one(_length),
}
"""The derivatives of their `reduce`."""
