"""How far results of fast mode are from the right ones: python -m tools.bench.accuracy.

Each function of `runtime.kernels.scalar.fast_maths` is computed for numbers of all sizes, and
compared with NumPy's in the next larger float: float64 for float32, and the processor's 80 bits for
float64. The unit is the distance of neighbouring floats at the right result (ulp); where that is
subnormal it is the smallest distance there is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.kernels.arrays.map_entry import write_map
from runtime.kernels.jit import load
from runtime.kernels.scalar.fast_maths import FUNCTIONS
from runtime.kernels.target import host_target
from runtime.lower.elementwise_kernels import map_kernel
from runtime.spec import TensorSpec
from tools.bench.timing import table

COUNT = 1 << 22
PARTS = 16
WIDER = {"float32": np.float64, "float64": np.longdouble}
BOUNDS = {("tanh", "float32"): 5.0}
OTHERS = 2.0
"""No result is further from the right one than this, in ulp."""


def fast_function(name: str, dtype: str) -> Callable[[Any], Any]:
    """Return the kernel of one function in fast mode."""
    builder = Builder()
    x = builder.param(TensorSpec([None], dtype))
    op = REGISTRY[name]
    graph = builder.seal([x], builder.emit(op, [x], op.attributes({})))
    return load(write_map(map_kernel(graph, x.spec.shape or (), host_target(), fast=True)), name)


def arguments(dtype: str, count: int, seed: int) -> Any:
    """Return numbers: half of them with random bits, half of usual size."""
    rng = np.random.default_rng(seed)
    size = np.dtype(dtype).itemsize
    bits = rng.integers(0, 256, (count // 2, size), np.uint8).view(dtype)[:, 0]
    usual = rng.standard_normal(count - count // 2) * np.exp(rng.uniform(-8, 5, count - count // 2))
    return np.concatenate([bits, usual.astype(dtype)])


def errors(name: str, dtype: str, x: Any) -> Any:
    """Return the errors of a function in ulp; infinite where one of two results is not finite."""
    with np.errstate(all="ignore"):
        found = fast_function(name, dtype)(x)
        right = getattr(np, name)(x.astype(WIDER[dtype]))
        rounded = right.astype(dtype)
        distance = np.spacing(np.abs(rounded)).astype(WIDER[dtype])
        error = np.abs((found.astype(WIDER[dtype]) - right) / distance)
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    finite = np.isfinite(found) & np.isfinite(rounded)
    return np.where(finite, error, np.where(same, 0.0, np.inf)).astype(np.float64)


def rows(count: int = COUNT, parts: int = PARTS) -> Iterator[list[str]]:
    """Yield the rows of the table."""
    for name in FUNCTIONS:
        for dtype in WIDER:
            worst, place, total = 0.0, 0.0, 0.0
            for seed in range(parts):
                x = arguments(dtype, count // parts, seed)
                found = errors(name, dtype, x)
                total += float(found.mean()) / parts
                if found.max() > worst:
                    worst, place = float(found.max()), float(x[found.argmax()])
            yield [name, dtype, f"{worst:.2f} ulp", f"{place:.9g}", f"{total:.2f} ulp"]


def main() -> int:
    """Print the table."""
    print(table(["function", "dtype", "worst", "at", "on average"], [*rows()]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
