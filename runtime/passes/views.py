"""Views of the same elements are one: `x.T.T` is `x`, and so is `x.reshape(x.shape)`.

Which elements a view has is asked of NumPy, with an array of the same sizes. A view that is one
only of arrays that lie in C order is followed no further, unless it is all of its array: of others
it is a copy, which lies otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.passes.escape import escaping
from runtime.passes.log import Log
from runtime.passes.rewriter import each_graph, rewritten
from runtime.spec import TensorSpec

LARGEST = 1 << 20
"""How many elements an array has at most: views of larger ones cost little beside the work."""


@each_graph
def merge_views(graph: Graph, log: Log) -> Graph:
    """Return the graph in which views of the same elements are one, unless they leave it."""
    leaving, views = escaping(graph), _Views()

    def merged(node: Node, nodes: list[Node]) -> Sequence[Value] | None:
        first = views.first(node)
        if first is None or first is node.result or node.result in leaving:
            return None
        log.did(f"merged {node.op.name}")
        return [first]

    return rewritten(graph, merged)


@dataclass(frozen=True, slots=True)
class _View:
    """Elements of an array: their dtype, sizes, where the first is, how far they are apart."""

    base: Value
    dtype: np.dtype
    shape: tuple[int, ...]
    start: int
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Views:
    """What is known of the values of a graph; `firsts` are the first of equal views."""

    views: dict[Value, _View] = field(default_factory=dict)
    firsts: dict[_View, Value] = field(default_factory=dict)

    def first(self, node: Node) -> Value | None:
        """Return the first view of the elements that a node gives; None if that is not known."""
        if node.op.view is None or len(node.inputs) != 1 or not _is_known(node.result.spec):
            return None
        (value,), (result,) = node.inputs, node.results
        is_all = value.spec.shape == result.spec.shape
        if not _is_known(value.spec) or (node.op.view != "always" and not is_all):
            return None
        if node.op.view != "always" and not _is_shared(node, value):
            return None
        self.views[result] = view = self.made(node, self.of(value))
        return self.firsts.setdefault(view, result)

    def of(self, value: Value) -> _View:
        """Return which elements a value has: those of its own array, unless it is a view."""
        if value not in self.views:
            memory = _memory(value)
            self.views[value] = view = _View(value, memory.dtype, memory.shape, 0, memory.strides)
            self.firsts[view] = value
        return self.views[value]

    def made(self, node: Node, view: _View) -> _View:
        """Return the view that a node makes of a view."""
        memory = _memory(view.base)
        x = np.ndarray(view.shape, view.dtype, memory, view.start, view.strides)
        found = node.op.kernel(np, x, **node.attrs)
        start = found.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
        return _View(view.base, found.dtype, found.shape, start, found.strides)


def _is_shared(node: Node, value: Value) -> bool:
    """Tell whether a view of all of an array is one also of an array that does not lie in rows."""
    x = np.broadcast_to(np.empty((), value.spec.dtype), _sizes(value.spec))
    return np.may_share_memory(node.op.kernel(np, x, **node.attrs), x)


def _memory(value: Value) -> np.ndarray:
    """Return an array of the sizes of a value."""
    return np.empty(_sizes(value.spec), value.spec.dtype)


def _sizes(spec: TensorSpec) -> list[int]:
    """Return the sizes of a shape that are known."""
    return [n for n in spec.shape or () if isinstance(n, int)]


def _is_known(spec: TensorSpec) -> bool:
    """Tell whether it is an array of numbers that has axes, of known sizes."""
    sizes = _sizes(spec)
    is_array = bool(sizes) and len(sizes) == spec.rank and spec.dtype.kind in "biufc"
    return is_array and 0 < math.prod(sizes) <= LARGEST
