"""Which products of matrices are kernels of their own.

Comes in: a node. Goes out: the node around it that kernels are made of; the kernel.

Products of vectors, of other dtypes, small ones and large ones are BLAS's, as NumPy calls it.
"""

from __future__ import annotations

import math

from runtime.graph.node import Graph, Node, Value
from runtime.kernels.products.products import MOST_WORK, ProductKernel
from runtime.kernels.target import Target
from runtime.spec import TensorSpec

LEAST_WORK = 1 << 13
"""How many operations a product has that is worth a kernel."""


def is_product(node: Node) -> bool:
    """Tell whether a node is a product of matrices that may be a kernel."""
    if node.op.product != "matrix":
        return False
    x, y = (value.spec for value in node.inputs)
    if node.inputs[0] is node.inputs[1] or x.dtype != y.dtype:
        return False
    if x.dtype.name not in ("float32", "float64") or min(x.rank or 0, y.rank or 0) < 2:
        return False
    return not is_known(x, y) or LEAST_WORK <= _work(node) <= MOST_WORK


def is_known(*specs: TensorSpec) -> bool:
    """Tell whether all sizes of some arrays are known."""
    return all(isinstance(n, int) for spec in specs for n in spec.shape or ())


def _work(node: Node) -> int:
    x, result = node.inputs[0].spec.shape or (), node.result.spec.shape or ()
    return 2 * math.prod(n for n in (*result, x[-1]) if isinstance(n, int))


def product_of(graph: Graph, target: Target, fast: bool) -> ProductKernel | None:
    """Return the kernel of a graph that is a product; None when it is something else."""
    (node, *others) = graph.nodes
    if others or not is_product(node) or list(node.inputs) != list(graph.params):
        return None
    x, y = (value.spec for value in node.inputs)
    ranks = x.rank or 0, y.rank or 0
    return ProductKernel("matmul", x.dtype, ranks, is_known(x, y), target, fast)


def alone(node: Node) -> Graph:
    """Return the graph of a product that does nothing else."""
    params = tuple(Value(value.spec, value.name) for value in node.inputs)
    result = Value(node.result.spec, node.result.name)
    return Graph(
        params, (Node(node.op, params, node.attrs, (), (result,), node.location),), (result,)
    )
