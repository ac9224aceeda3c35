"""How many operations a step does.

Comes in: a step, and the sizes of the arrays that it meets. Goes out: a number.

A product of matrices is a multiplication and an addition for each pair of numbers; all that is
done element by element is one operation an element, be it a sum or an exponential; everything else
counts for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from runtime.kernels.maps import MapKernel
from runtime.kernels.products.products import ProductKernel
from runtime.lower.elementwise_kernels import has_axes
from runtime.lower.plan import Apply, Assign, Native, Operand, Slot, Step, Write

Sizes = tuple[int, ...]


def operations(step: Step, shapes: Mapping[Slot, Sizes]) -> tuple[float, float]:
    """Return how many operations a step does, and how many of them in products of matrices.

    Args:
        step: of a plan.
        shapes: of what is in the slots that it reads and writes.
    """
    if isinstance(step, Native) and isinstance(step.kernel, MapKernel):
        return len(step.kernel.body.instructions) * _elements(step, step.kernel, shapes), 0.0
    counted = _Counted(shapes)
    if isinstance(step, Native) and isinstance(step.kernel, ProductKernel):
        x, y = map(counted.shape, step.operands)
        counted.product(x, y)
    elif isinstance(step, Assign | Write):
        counted.shape(step.value)
    return counted.others + counted.products, counted.products


def _elements(step: Native, kernel: MapKernel, shapes: Mapping[Slot, Sizes]) -> int:
    """Return of how many elements the space of a kernel is."""
    given = [shapes.get(x) if isinstance(x, str) else None for x in step.operands]
    return math.prod(kernel.space(given))


class _Counted:
    """Goes through an expression, and counts."""

    def __init__(self, shapes: Mapping[Slot, Sizes]) -> None:
        self.shapes = shapes
        self.products = 0.0
        self.others = 0.0

    def shape(self, operand: Operand) -> Sizes | None:
        """Return the shape of an operand, None when it is not known; count what makes it."""
        if isinstance(operand, str):
            return self.shapes.get(operand)
        if not isinstance(operand, Apply):
            return None
        given = [self.shape(x) for x in operand.operands]
        node = operand.node
        if np.matmul in node.op.functions:
            return self.product(*given)
        is_elementwise = node.op.ufunc is not None
        known = [x for x in given if x is not None]
        shape = None
        if node.results and node.results[0].spec.is_static:  # a slot may be read, and written anew
            shape = tuple(n for n in node.results[0].spec.shape or () if isinstance(n, int))
        elif is_elementwise:
            shape = np.broadcast_shapes(*known)
        if is_elementwise:
            self.others += math.prod(shape or ())
        elif has_axes(node):
            self.others += sum(map(math.prod, known))
        return shape

    def product(self, x: Sizes | None, y: Sizes | None) -> Sizes | None:
        """Count a product of matrices, and return its shape."""
        if not x or not y:
            return None
        rows, columns = x[-2:-1], y[-1:] if len(y) > 1 else ()
        shape = (*np.broadcast_shapes(x[:-2], y[:-2]), *rows, *columns)
        self.products += 2.0 * math.prod(shape) * x[-1]
        return shape
