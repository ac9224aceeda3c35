"""What a backend is, and what CuPy gives that NumPy does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.kernels.target import Target

DIFFERENCES: Mapping[str, str] = {
    "The last digits differ: the GPU's own function.": (
        "exp exp2 expm1 log log2 log10 log1p cbrt sin cos tan arcsin arccos arctan sinh cosh tanh "
        "arcsinh arccosh arctanh arctan2 hypot degrees radians rad2deg deg2rad logaddexp "
        "logaddexp2 float_power power pow sinc i0 angle round nan_to_num linspace interp quantile "
        "percentile nanquantile nanpercentile logsumexp"
    ),
    "Sums are added in another order: the last digits differ, and those of sums at repeated "
    "places (`bincount` with weights, `np.add.at`) from run to run.": (
        "sum prod mean var std nansum nanprod nanmean nanvar nanstd cumsum cumprod nancumsum "
        "nancumprod sum_like bincount convolve correlate matmul dot inner vdot tensordot einsum "
        "trace norm windows_sum"
    ),
    "Another algorithm: the last digits differ, and vectors may have another sign.": (
        "eigh eigvalsh svd svdvals qr slogdet pinv matrix_rank condition inv det cholesky solve "
        "fft ifft rfft irfft"
    ),
    "The last digits of complex numbers differ, and what infinities among them give.": (
        "multiply product_in_place divide absolute square sqrt reciprocal sign"
    ),
    "Complex numbers that are NaN: another one may be the greatest or smallest.": (
        "max min ptp maximum minimum fmax fmin nanmax nanmin argmax argmin nanargmax nanargmin clip"
    ),
    "Equal elements keep their order; in NumPy that depends on the processor, unless "
    '`kind="stable"` is asked for.': "argsort",
    "All elements are sorted, not only the one that was asked for.": "partition argpartition",
    "Floats beyond the integers, and NaN, become the nearest integer, or zero; NumPy's depend on "
    "the processor.": "cast",
}
"""For each difference the names of the ops that have it."""

ON_HOST = (
    "print call_python ask_python random_key random_split random_real_of_key "
    "random_integers_of_key random_real random_integers random_permutation python_order"
)
"""Ops that are computed by the CPU, on copies: their results go to the GPU."""


@dataclass(frozen=True, slots=True)
class Backend:
    """An array library.

    Args:
        name: `numpy`, `cupy` ...
        xp: its array module, with NumPy's names.
        arrays: its array types.
        scalars: whether an array indexed down to one element gives a scalar, as NumPy does; if
            not, that is a view without dimensions.
        target: what loops and chains of ops become machine code for, where they can; None where
            there is none.
        fast: whether the results of machine code may differ from NumPy's in their last digits.
        from_others: the text of how an array of another library becomes one of this.
        to_numpy: the text of how an array of this becomes one of NumPy's.
        operators: the names of ops whose operator or subscript means something else of its arrays
            than of NumPy's: `xp.operators` has functions for them.
    """

    name: str
    xp: Any
    arrays: tuple[type, ...]
    scalars: bool
    target: Target | None = None
    fast: bool = False
    from_others: str = ""
    to_numpy: str = ""
    operators: frozenset[str] = frozenset()

    @property
    def library(self) -> str:
        """The name of the library whose arrays it takes."""
        return "numpy" if self.xp is np else self.name

    def computes_on_host(self, op: str) -> bool:
        """Tell whether an op is computed by the CPU, of copies, though arrays are elsewhere."""
        return self.xp is not np and op in ON_HOST.split()

    def is_array(self, value: Any) -> bool:
        """Tell whether a value is an array of this library."""
        return isinstance(value, self.arrays)
