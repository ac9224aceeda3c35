"""What loops over whole arrays may be given, and what their rounds may have.

Comes in: loops, specs, kernels. Goes out: an UnsupportedError for what no such kernel has; and the
places of inputs of which only numbers are read, the same for all elements.
"""

from __future__ import annotations

from runtime.dtypes import DType
from runtime.graph.node import Graph, Value
from runtime.graph.regions import Loop, Parts
from runtime.graph.traits import Subscript
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
        (x.op for x in steps if x.op in ("loop", "vector", "reduce", "place", "index") or x.blocks),
        "",
    )
    if name:
        raise UnsupportedError(f"rounds over arrays with the instruction {name}")


def whole_inputs(loop: Loop) -> frozenset[int]:
    """Return the places of the inputs of a loop that are read number by number."""
    inner = [(loop.body, loop.params.captured)]
    if loop.test is not None:
        inner.append((loop.test, loop.layout.split(loop.test.params).captured))
    captured = [
        bool(x.spec.shape) and all(_reads(region, own[k]) for region, own in inner)
        for k, x in enumerate(loop.operands.captured)
    ]
    whole = Parts(
        (False,) * len(loop.operands.head),
        (False,) * len(loop.operands.carried),
        tuple(x.spec.rank == 1 for x in loop.operands.sequences),
        tuple(captured),
    )
    return frozenset(k for k, is_whole in enumerate(whole) if is_whole)


def _reads(region: Graph, array: Value) -> bool:
    """Tell whether a region does nothing else with an array than to read numbers of it."""
    users = [x for x in region.nodes if array in x.inputs]
    are_reads = all(x.op.subscript is Subscript.READ for x in users)
    return (
        array not in region.results
        and are_reads
        and all(x.result.spec.shape == () and array not in x.inputs[1:] for x in users)
    )
