"""Which nodes take so long that they are worth a thread.

Comes in: a node. Goes out: whether it does. Heavy are ops that go through large arrays and are no
part of kernels, which have threads of their own, nor products and factors of matrices, which BLAS
and LAPACK spread over threads.
"""

from __future__ import annotations

import math

from runtime.graph.node import Node, Value

HEAVY = 1 << 20
"""From so many elements on, read and written, a thread pays: it has to wait for Python's lock."""


def is_heavy(node: Node) -> bool:
    """Tell whether a node takes much longer than to begin a thread."""
    op = node.op
    if node.regions or op.effect is not None or op.view is not None or op.ufunc is not None:
        return False
    is_elementwise = op.scalar is not None and op.reduction is None
    is_linear = op.product == "matrix" or any(
        getattr(x, "__module__", "") == "numpy.linalg" for x in op.functions
    )
    if is_elementwise or is_linear or not node.inputs:
        return False
    values = {*node.inputs, *node.results}
    return sum(map(_elements, values)) >= HEAVY


def _elements(value: Value) -> float:
    """Return how many numbers a value has; without end below zero when that is not known."""
    spec = value.spec
    if spec.shape is None or spec.dtype.kind not in "biufc":
        return -math.inf
    return math.prod(n if isinstance(n, int) else -math.inf for n in spec.shape)
