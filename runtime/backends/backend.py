"""What a backend is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.backends.differences import ON_HOST
from runtime.kernels.target import Target


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
