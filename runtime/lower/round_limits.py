"""What the rounds of kernels over arrays may have.

Comes in: specs, and kernels. Goes out: an UnsupportedError for what no such kernel has.
"""

from __future__ import annotations

from runtime.dtypes import DType
from runtime.kernels.arrays.carried import carried
from runtime.kernels.kernel import UnsupportedError, Variable
from runtime.kernels.maps import MapKernel
from runtime.lower.index_maps import NUMBERS
from runtime.spec import TensorSpec

MOST_INSTRUCTIONS = 160
"""How many instructions a round has at most."""


def broadcast(spec: TensorSpec) -> tuple[bool, ...]:
    """Return which axes of an array have the size 1; all others have to be as long as each other.

    Whoever enters the kernel tests that, for all arrays that are given.
    """
    if spec.shape is None:
        raise UnsupportedError(f"values of {spec}")
    return tuple(size == 1 for size in spec.shape)


def number_type(spec: TensorSpec) -> DType:
    """Return the dtype of a number, or of the elements of an array."""
    if spec.dtype.name not in NUMBERS or spec.shape is None:
        raise UnsupportedError(f"values of {spec}")
    return spec.dtype


def check_kernel(kernel: MapKernel) -> None:
    """Refuse what the rounds of kernels do not have."""
    found = carried(kernel)
    numbers = [found.body.results[k] for k in found.numbers]
    if any(isinstance(x, Variable) and x not in found.uniform for x in numbers):
        raise UnsupportedError("numbers that are computed of elements")
    steps = [x for block in found.loop.blocks for x in found.of_elements(block)]
    if len(steps) > MOST_INSTRUCTIONS:
        raise UnsupportedError("rounds of many steps")
    name = next(
        (x.op for x in steps if x.op in ("loop", "vector", "reduce", "place") or x.blocks), ""
    )
    if name:
        raise UnsupportedError(f"rounds over arrays with the instruction {name}")
