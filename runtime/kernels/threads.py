"""How many threads kernels over arrays use.

Comes in: a number. Goes out: nothing; kernels read it when they run.
"""

from __future__ import annotations

import ctypes
import os

from runtime.forks import in_child
from runtime.kernels.work_partition import MOST_THREADS, SLOT


def _processors() -> int:
    """Return on how many processors this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


COUNT = ctypes.c_int64(min(_processors(), MOST_THREADS))
"""Native code reads it."""
SLOTS = (ctypes.c_char * (SLOT * MOST_THREADS))()
"""Where native code keeps which threads there are, and offers them work."""


def _forget() -> None:
    """Forget all threads, which a forked process does not have."""
    ctypes.memset(SLOTS, 0, ctypes.sizeof(SLOTS))


in_child(_forget)


def set_threads(count: int | None) -> None:
    """Set how many threads a kernel may use for large arrays; results do not depend on it.

    Args:
        count: from 1 on; None for as many as there are processors, which is so at the start.

    Raises:
        ValueError: the number is less than 1.

    >>> set_threads(1)
    >>> get_threads()
    1
    >>> set_threads(None)
    """
    if count is not None and count < 1:
        raise ValueError(f"the number of threads is at least 1, not {count}")
    COUNT.value = min(_processors() if count is None else count, MOST_THREADS)


def get_threads() -> int:
    """Return how many threads a kernel may use for large arrays."""
    return COUNT.value
