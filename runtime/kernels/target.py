"""What a processor can do, and what is there beside it: kernels are built for a target.

Comes in: nothing, or what somebody says. Goes out: a `Target`, which goes with a kernel from where
its instructions are chosen to where machine code is made. Only `host_target` asks this machine: for
the backend that runs here, and for what stands around its kernels.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache

import numpy as np

from runtime.kernels.scalar import vector_library

WIDEST = 64
"""The bytes of the largest vector of any target; memory of blocks has room for whole ones."""
VARIABLE = "AUTOGRAPH_VECTOR_BYTES"
"""The environment variable; where it is 32, a machine with AVX-512 stands for one without."""
STRIDE = 262139
"""The distance of the bits of the arguments whose exponentials are looked at."""
RESULTS = "0bdc0c0e1324ad6aad67de3610ac3c6a856c7d7ff82300a10742205c5690c83f"
"""The digest of NumPy's exponentials of them, where its loop is the one that kernels know."""


@dataclass(frozen=True, slots=True)
class Target:
    """What machine code is made for.

    Args:
        cpu: LLVM's name of the processor.
        features: LLVM's names of what it has and has not, as `+fma,-avx512f`; those of `cpu` are
            not repeated.
        vector: how many bytes kernels compute side by side, 32 or 64.
        exact_exp: whether NumPy's exponential of float32 has the bits that kernels know.
        vector_functions: the ufuncs of float64 that a library has for vectors of 64 bytes.
        fuses: whether NumPy's products of complex elements multiply and add with one rounding.
    """

    cpu: str
    features: str = ""
    vector: int = WIDEST
    exact_exp: bool = False
    vector_functions: frozenset[str] = frozenset()
    fuses: bool = False

    def has(self, *features: str) -> bool:
        """Tell whether a processor has all of some features.

        >>> Target("x86-64", "+fma,-avx512f").has("fma")
        True
        """
        return {f"+{x}" for x in features} <= {*self.features.split(",")}

    @property
    def has_scale(self) -> bool:
        """Whether there is an instruction for products with powers of two."""
        return self.has("avx512f", "avx512vl")


ANY = Target("")
"""A processor of which nothing is known: what only counts instructions writes them for it."""


@cache
def host_target() -> Target:
    """Return the target that is this machine; without llvmlite, which knows, any processor."""
    try:
        from llvmlite import binding
    except ImportError:
        return ANY
    features = binding.get_host_cpu_features()
    if int(os.environ.get(VARIABLE) or WIDEST) < WIDEST:
        features.update((x, False) for x in [*features] if x.startswith("avx512"))
    known = Target(binding.get_host_cpu_name(), features.flatten())
    vector = WIDEST if known.has("avx512f") else WIDEST // 2
    is_exact = known.has_scale and digest(np.exp) == RESULTS
    functions = vector_library.found() if known.has("avx512dq") else frozenset[str]()
    near = np.array([1 + 2**-30 + 1j])  # whose square has a real part of 2**-29 + 2**-60
    fuses = bool((near * near)[0].real != 2**-29)
    return Target(known.cpu, known.features, vector, is_exact, functions, fuses)


def digest(function: np.ufunc) -> str:
    """Return the digest of the results of a function for arguments of all sizes."""
    x = np.arange(0, 2**32, STRIDE, dtype=np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        return hashlib.sha256(function(x).tobytes()).hexdigest()
