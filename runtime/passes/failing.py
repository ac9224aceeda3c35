"""Which nodes may raise when the graph runs."""

from __future__ import annotations

from runtime.graph.node import Node
from runtime.graph.walk import walk
from runtime.ops.creation import constant
from runtime.ops.effects import keep, print_
from runtime.ops.keys import SLOT, read_key

_ALWAYS_SAFE = (constant, keep, print_)
_SAFE = frozenset(
    {
        "copy", "cast", "where", "clip", "truth", "not_", "to_float", "item", "filled", "full_like",
        "sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin", "cumsum", "stack",
        "concatenate", "matmul", "dot", "tile", "dim", "rank", "size", "random_key", "random_split",
    }
)  # fmt: skip
"""Ops that do not fail when all sizes are known, besides elementwise ones and views."""
_PYTHON_FAILS = frozenset({"divide", "floor_divide", "remainder", "pow", "left_shift"})
"""Ops that fail on some numbers of Python, or of NumPy's (`2 ** -1`)."""


def may_fail(node: Node) -> bool:
    """Tell whether a node may raise when the graph runs, for all that is known of it."""
    if node.regions:
        return any(may_fail(x) for region in node.regions for x in walk(region) if not x.regions)
    if node.op in _ALWAYS_SAFE or node.op.effect == "random":
        return False
    values = (*node.inputs, *node.results)
    if node.op.effect is not None or not all(x.spec.is_static for x in values):
        return True
    if "key" in node.attrs:
        return any(item is SLOT for item in read_key(node.attrs["key"]))
    if node.op.name in _PYTHON_FAILS:
        return all(x.spec.weak or x.spec.dtype.kind in "iu" for x in node.inputs)
    return not (node.op.ufunc or node.op.view or node.op.name in _SAFE)
