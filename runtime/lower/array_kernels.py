"""The kernel of a node that `fuse` made."""

from __future__ import annotations

from runtime.graph.node import Node
from runtime.kernels.products import AnyKernel
from runtime.lower.elementwise import map_kernel
from runtime.lower.multiplied import product_of
from runtime.lower.scatters import is_scattered, scatter_kernel


def array_kernel(node: Node, fast: bool) -> AnyKernel:
    """Return the kernel of a chain, of a scatter, or of a product of matrices.

    Args:
        node: of the op `fused`.
        fast: whether results may differ from NumPy's in their last digits.

    Raises:
        UnsupportedError: it does something that no kernel does.
    """
    (region,) = node.regions
    if is_scattered(region.nodes[-1]):
        return scatter_kernel(region)
    return product_of(region) or map_kernel(region, node.attrs["shape"], fast)
