"""Arrays that a caller gives away: the program may write them, and return them.

Comes in: a program, and which of its arguments are given away. Goes out: a program that looks at
them first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.errors import MutationError


def taking(function: Callable[..., Any], donated: Sequence[int]) -> Callable[..., Any]:
    """Return a function that writes arrays that are given away only where nobody can notice.

    One that is read-only, or has gaps, is copied.

    Raises:
        MutationError: one of them shares memory with another argument.
    """

    def run(*arrays: Any) -> Any:
        given = [*arrays]
        for k in donated:
            if isinstance(arrays[k], np.ndarray):
                _check_alone(arrays, k)
                flags = arrays[k].flags
                if not (flags.writeable and flags.c_contiguous):
                    given[k] = arrays[k].copy("K")
        return function(*given)

    return run


def _check_alone(arrays: Sequence[Any], k: int) -> None:
    for j, other in enumerate(arrays):
        if j != k and isinstance(other, np.ndarray) and np.may_share_memory(arrays[k], other):
            raise MutationError(
                f"argument {k + 1} is donated, and shares memory with argument {j + 1}, which the "
                "function reads; pass a copy of one of them"
            )
