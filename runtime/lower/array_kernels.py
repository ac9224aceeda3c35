"""The kernels of the nodes that `fuse` made; those that do the same have one."""

from __future__ import annotations

from collections.abc import Hashable

from runtime.graph.node import Graph, Node, Value
from runtime.kernels.products.products import AnyKernel
from runtime.kernels.target import Target
from runtime.lower.elementwise_kernels import map_kernel
from runtime.lower.matmul_select import product_of
from runtime.lower.scatters import is_scattered, scatter_kernel
from runtime.passes.cse import node_key
from runtime.spec import Shape


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
