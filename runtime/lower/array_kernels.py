"""The kernels of the nodes that `fuse` made; those that do the same have one.

Products of matrices have kernels of their own. Products of vectors, of other dtypes, small ones and
large ones are BLAS's, as NumPy calls it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

from runtime.graph.node import Graph, Node, Value
from runtime.kernels.products.products import MOST_WORK, AnyKernel, ProductKernel
from runtime.kernels.target import Target
from runtime.lower.elementwise_kernels import map_kernel
from runtime.lower.scatters import is_scattered, scatter_kernel
from runtime.passes.cse import node_key
from runtime.spec import Shape, TensorSpec


class ArrayKernels:
    """The kernels of one plan.

    Args:
        fast: whether results may differ from NumPy's in their last digits.
    """

    def __init__(self, fast: bool) -> None:
        self.fast = fast
        self._known: dict[Hashable, AnyKernel] = {}

    def kernel(self, node: Node, target: Target) -> AnyKernel:
        """Return the kernel of a chain, of a scatter, or of a product of matrices.

        Raises:
            UnsupportedError: it does something that no kernel does.
        """
        (region,) = node.regions
        space = node.attrs["space"].shape
        key = space, _key(region)
        if key not in self._known:
            self._known[key] = self._made(region, space, target)
        return self._known[key]

    def _made(self, region: Graph, shape: Shape, target: Target) -> AnyKernel:
        if is_scattered(region.nodes[-1]):
            return scatter_kernel(region, target)
        return product_of(region, target, self.fast) or map_kernel(region, shape, target, self.fast)


def _key(region: Graph) -> Hashable:
    """Return what is equal for regions that differ in nothing but their values."""
    numbers: dict[Value, int] = {}
    params = [(numbers.setdefault(x, len(numbers)), x.spec) for x in region.params]
    steps = []
    for node in region.nodes:
        key = node_key(node, numbers)
        steps.append((key, numbers.setdefault(node.result, len(numbers)), node.result.spec))
    return (*params, *steps, *(numbers[x] for x in region.results))


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
