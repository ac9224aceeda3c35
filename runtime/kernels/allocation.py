"""Memory of large arrays, used again.

Comes in: nothing. Goes out: a setting of the C library, once for a process.

What is allocated in one large piece, glibc gives back to the system as soon as it is freed. The
next array of that size then costs a page fault for every 4 KB, which takes longer than the
arithmetic on it. With this setting up to half a GB of freed memory stays with the process: the
results of kernels gain, and so do all other large arrays.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""What glibc's `mallopt` calls its parameters."""
LARGEST, KEPT = 1 << 28, 1 << 29
"""The largest array that is not mapped by itself, and how many free bytes are kept."""


@cache
def keep_memory() -> bool:
    """Have freed memory kept, unless the user set glibc's own variables; tell whether it is."""
    chosen = any(x.startswith("MALLOC_") or x == "GLIBC_TUNABLES" for x in os.environ)
    if chosen or not sys.platform.startswith("linux"):
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return False
    return bool(library.mallopt(MMAP_THRESHOLD, LARGEST) and library.mallopt(TRIM_THRESHOLD, KEPT))
