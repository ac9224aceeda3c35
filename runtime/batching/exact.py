"""Python's integers that differ from element to element: numbers of 64 bits, as long as they fit.

What is computed of them is computed in float64, too, which says whether the result fits: it is off
by less than what lies between the limit here and that of 64 bits. If one does not, an OverflowError
says so; a wrong number is never given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from runtime.graph.node import Node
from runtime.ops.batch_rules import Operand
from runtime.ops.effects import check
from runtime.ops.elementwise import absolute, less
from runtime.ops.reductions import all_
from runtime.ops.ufuncs import logical_not, logical_or

if TYPE_CHECKING:
    from runtime.batching.batch import Batch

LIMIT = 9.2e18
MESSAGE = (
    "an integer of a batch does not fit into 64 bits. Convert it to a float, float(n), or do not "
    "batch what computes it"
)


def is_exact(node: Node, operands: Sequence[Operand]) -> bool:
    """Tell whether a node computes Python's integers, which have no end, of such."""
    specs = [x.spec for x in operands] + [x.spec for x in node.results]
    has_no_end = node.op.ufunc is not None and node.op.warns
    return has_no_end and all(x.weak and x.dtype.kind in "bi" for x in specs)


def check_fits(batch: Batch, node: Node, operands: Sequence[Operand]) -> None:
    """Emit the check that the result of a node fits for all elements that take part."""
    floats = [batch.cast(x.value, np.dtype(np.float64)) for x in operands]
    size = batch.emit(absolute, batch.emit(node.op, *floats, **node.attrs))
    fits = batch.emit(less, size, batch.constant(LIMIT))
    if batch.mask is not None:
        fits = batch.emit(logical_or, fits, batch.emit(logical_not, batch.mask))
    batch.emit_all(check, batch.emit(all_, fits), error="OverflowError", message=MESSAGE)
