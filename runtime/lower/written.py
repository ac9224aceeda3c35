"""Which nodes are loops, and which of their inputs they write.

Comes in: nodes. Goes out: answers, for those that make kernels of them.
"""

from __future__ import annotations

import math

from runtime.graph.node import Node
from runtime.graph.walk import walk
from runtime.lower.memory import Memory
from runtime.ops.control import reduce, while_loop
from runtime.ops.indexing import update
from runtime.spec import TensorSpec

LARGEST_COPY = 4096
"""The most elements of an array that is copied, so that a loop inside of another may write it."""


def has_loop(node: Node) -> bool:
    """Tell whether a node is a loop, or has one inside."""
    return is_loop(node) or any(is_loop(x) for region in node.regions for x in walk(region))


def is_loop(node: Node) -> bool:
    """Tell whether a node is a loop."""
    return node.op is while_loop or node.op is reduce


def is_large_copy(spec: TensorSpec) -> bool:
    """Tell whether an array is too large to be copied for each run of a loop inside of another."""
    assert spec.shape is not None
    sizes = [n if isinstance(n, int) else LARGEST_COPY for n in spec.shape]
    return math.prod(sizes) > LARGEST_COPY


def written_inputs(node: Node, memory: Memory) -> frozenset[int]:
    """Return the places of the inputs of a node that are written in it, or copies of them."""
    classes = memory.classes
    updates = (x for region in node.regions for x in walk(region) if x.op is update)
    written = {classes.find(x.result) for x in updates}
    params = list(node.inputs)
    if is_loop(node):
        first = 1 if node.op is reduce else 0
        state = node.regions[-1].params[first : first + node.attrs["carry"]]
        params[first : first + len(state)] = state
    return frozenset(k for k, x in enumerate(params) if x.spec.rank and classes.find(x) in written)
