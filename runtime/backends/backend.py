"""What a backend is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Backend:
    """An array library.

    Args:
        name: `numpy`, `cupy` ...
        xp: its array module, with NumPy's names.
        arrays: its array types.
        scalars: whether an array indexed down to one element gives a scalar, as NumPy does; if
            not, that is a view without dimensions.
        native: whether loops and chains of ops become machine code where they can.
        fast: whether the results of machine code may differ from NumPy's in their last digits.
    """

    name: str
    xp: Any
    arrays: tuple[type, ...]
    scalars: bool
    native: bool = False
    fast: bool = False

    def is_array(self, value: Any) -> bool:
        """Tell whether a value is an array of this library."""
        return isinstance(value, self.arrays)

    def from_host(self, value: Any) -> Any:
        """Return this library's array for a NumPy one; scalars stay as they are."""
        return self.xp.asarray(value) if isinstance(value, np.ndarray) else value

    def to_host(self, value: Any) -> Any:
        """Return the NumPy array of an array; scalars stay as they are."""
        return value.get() if self.is_array(value) and hasattr(value, "get") else value
