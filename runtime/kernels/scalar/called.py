"""Functions of numbers that are NumPy's own, or fast ones in their place.

Comes in: a ufunc, and what writes instructions. Goes out: results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.kernel import Operand, Policy, UnsupportedError, kind_of
from runtime.kernels.scalar.fast_maths import FUNCTIONS, has_fast
from runtime.kernels.scalar.vector_library import LANES

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars


def loop(s: Scalars, ufunc: np.ufunc, *x: Operand, kinds: str = "biuf") -> Operand:
    """Return what NumPy's own inner loop of a ufunc gives, for operands of some kinds."""
    dtypes = [kind_of(each) for each in x]
    (result,) = ufunc.resolve_dtypes((*dtypes, None))[ufunc.nin :]
    types = "".join(dtype.char for dtype in dtypes) + "->" + result.char
    known = types in ufunc.types and not {"e", *"gFDGO"} & {*types}
    if not known or any(dtype.kind not in kinds for dtype in dtypes):
        raise UnsupportedError(f"numpy.{ufunc.__name__} of {types}")
    if s.fast and s.policy is Policy.ELEMENT and has_fast(ufunc, dtypes[0]):
        return FUNCTIONS[ufunc.__name__](s, x[0])
    if s.fast and s.policy is Policy.ELEMENT and _has_vector(s, ufunc, dtypes[0]):
        return s.emit("vector", x, result, name=ufunc.__name__)
    return s.emit("loop", x, result, ufunc=ufunc.__name__, types=types)


def _has_vector(s: Scalars, ufunc: np.ufunc, dtype: DType) -> bool:
    """Tell whether there is a function on vectors: it takes whole ones."""
    is_whole = s.target.vector // dtype.itemsize == LANES
    return is_whole and dtype == np.float64 and ufunc.__name__ in s.target.vector_functions
