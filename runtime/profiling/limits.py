"""What this machine can do at most: bytes and products of matrices in a second.

Comes in: nothing. Goes out: rates, measured once for a process, in about a tenth of a second.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from runtime.dtypes import DType
from runtime.kernels.threads import get_threads

SIZES = (1 << 18, 1 << 22, 1 << 27)
"""So many bytes are read and written in all, to find the rates of caches and of memory."""
SHORTEST = 0.004
"""For how many seconds each rate is measured, at least."""
ORDER = 768
"""The rows of the matrices whose product is timed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the machine can do.

    Args:
        threads: how many work at the same time.
        bandwidth: for numbers of bytes that are touched in all, the bytes moved in a second.
        arithmetic: by the name of a dtype, the operations of a product of matrices in a second.
    """

    threads: int
    bandwidth: tuple[tuple[int, float], ...]
    arithmetic: dict[str, float]

    def rate(self, count: float) -> float:
        """Return the bytes a second with which so many bytes can be moved."""
        fitting = (rate for size, rate in self.bandwidth if count <= size)
        return next(fitting, self.bandwidth[-1][1])

    def least(self, count: float, operations: float, dtype: str) -> float:
        """Return the seconds that moving bytes and multiplying matrices take at least."""
        rate = self.arithmetic.get(dtype, self.arithmetic["float64"])
        return max(count / self.rate(count), operations / rate)

    def __str__(self) -> str:
        moved = [f"{rate / 1e9:.3g} GB/s up to {_size(size)}" for size, rate in self.bandwidth[:-1]]
        moved.append(f"{self.bandwidth[-1][1] / 1e9:.3g} GB/s beyond")
        done = (f"{rate / 1e9:.3g} GFLOP/s of {name}" for name, rate in self.arithmetic.items())
        count = f"{self.threads} thread{'s' * (self.threads > 1)}"
        return f"{count}; copies: {', '.join(moved)}; products: {', '.join(done)}"


def _size(count: int) -> str:
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count >> 10} KB"


def machine_limits() -> Limits:
    """Return what the machine can do with the threads that kernels may use."""
    return _measured(get_threads())


@lru_cache(maxsize=8)
def _measured(threads: int) -> Limits:
    bandwidth = tuple((size, _bandwidth(size, threads)) for size in SIZES)
    kinds = (np.dtype(np.float32), np.dtype(np.float64))
    return Limits(threads, bandwidth, {kind.name: _arithmetic(kind) for kind in kinds})


def _bandwidth(size: int, threads: int) -> float:
    """Return the bytes a second that threads read and write together, each its own part."""
    parts = [np.ones((2, size // threads // 16)) for _ in range(threads)]
    seconds = [0.0] * threads
    barrier = threading.Barrier(threads)

    def work(k: int) -> None:
        source, target = parts[k]
        np.copyto(target, source)
        barrier.wait()
        seconds[k] = _seconds(lambda: np.copyto(target, source))

    others = [threading.Thread(target=work, args=(k,)) for k in range(1, threads)]
    for thread in others:
        thread.start()
    work(0)
    for thread in others:
        thread.join()
    return sum(x.nbytes / each for x, each in zip(parts, seconds, strict=True))


def _arithmetic(kind: DType) -> float:
    """Return the operations a second of a product of matrices: a multiplication, an addition."""
    x = np.ones((ORDER, ORDER), kind)
    out = np.empty_like(x)
    np.matmul(x, x, out=out)
    return 2 * ORDER**3 / _seconds(lambda: np.matmul(x, x, out=out))


def _seconds(work: Callable[[], object]) -> float:
    """Return the shortest time of a call."""
    best, end = float("inf"), time.perf_counter() + SHORTEST
    while True:
        start = time.perf_counter()
        work()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return best
