"""The kernel of a node that `fuse` made."""

from __future__ import annotations

from runtime.graph.node import Node
from runtime.kernels.kernel import Kernel
from runtime.kernels.maps import MapKernel
from runtime.lower.elementwise import map_kernel
from runtime.lower.scatters import is_scattered, scatter_kernel


def array_kernel(node: Node, fast: bool) -> Kernel | MapKernel:
    """Return the kernel of a chain, or of a scatter.

    Args:
        node: of the op `fused`.
        fast: whether results may differ from NumPy's in their last digits.

    Raises:
        UnsupportedError: it does something that no kernel does.
    """
    (region,) = node.regions
    if is_scattered(region.nodes[-1]):
        return scatter_kernel(region)
    return map_kernel(region, node.attrs["shape"], fast)
