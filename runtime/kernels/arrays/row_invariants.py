"""Which inputs of a kernel are the same in each row: a gain, a bias, weights of columns.

Comes in: a kernel that reduces rows. Goes out: its parameters. They are read where one row of them
is, instead of being copied for each block.
"""

from __future__ import annotations

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import ArrayType, Port, Variable
from runtime.kernels.maps import Kind, MapKernel

_BLOCKS = having(Trait.BLOCKS)


def repeated(kernel: MapKernel) -> dict[Variable, int]:
    """Return the parameters that have one row, by their places; it is read in passes only."""
    if not kernel.has_rows or kernel.kind is not Kind.ROWS or kernel.rank == 1:
        return {}
    steps = (x for x in kernel.body.instructions if x.op in _BLOCKS)
    others = {y for x in steps for y in x.args}
    pairs = zip(kernel.body.params, kernel.inputs, strict=True)
    return {x: k for k, (x, port) in enumerate(pairs) if _is_row(port) and x not in others}


def _is_row(port: Port) -> bool:
    """Tell whether an input is an array with one row that is repeated."""
    if not isinstance(port.type, ArrayType) or port.shifts or port.drawn or port.places is not None:
        return False
    *before, last = port.type.shape
    return last != 1 and all(size == 1 for size in before)
