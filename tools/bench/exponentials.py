"""Compare exponentials of kernels with NumPy's, bit for bit: python -m tools.bench.exponentials.

All 2**32 numbers of float32 are compared, in parts. It takes a minute.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.kernels.arrays.map_entry import write_map
from runtime.kernels.jit import load
from runtime.kernels.scalar.numpy_maths import SINGLE
from runtime.kernels.target import Target, host_target
from runtime.lower.elementwise_kernels import map_kernel
from runtime.spec import TensorSpec

PARTS = 256


def kernel(target: Target) -> Callable[[Any], Any]:
    """Return the kernel of the exponential of float32, for a target."""
    builder = Builder()
    x = builder.param(TensorSpec([None], SINGLE))
    op = REGISTRY["exp"]
    graph = builder.seal([x], builder.emit(op, [x], op.attributes({})))
    return load(write_map(map_kernel(graph, x.spec.shape or (), target)), "exp")


def differing(function: Callable[[Any], Any], bits: Any) -> int:
    """Return how many results differ, of arguments that are given by their bits."""
    x = bits.astype(np.uint32).view(SINGLE)
    with np.errstate(all="ignore"):
        found, right = function(x), np.exp(x)
    return int(np.count_nonzero(found.view(np.uint32) != right.view(np.uint32)))


def main() -> int:
    """Print how many results differ; return whether any does."""
    if not host_target().exact_exp:
        print("NumPy's own loop is called here")
        return 0
    function, size = kernel(host_target()), 2**32 // PARTS
    bits = np.arange(size, dtype=np.uint64)
    count = sum(differing(function, bits + k * size) for k in range(PARTS))
    print(f"{count} of {2**32} results differ")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
