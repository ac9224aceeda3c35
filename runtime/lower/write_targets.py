"""Which nodes can write their result into the memory of an input.

Comes in: a node. Goes out: the inputs that it could write into, if nobody needs them afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from runtime.graph.node import Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.regions import INLINES
from runtime.graph.traits import Form, Subscript
from runtime.ops.creation import constant
from runtime.spec import TensorSpec

LARGE = 1 << 14
"""From this number of elements on a result goes into the memory of a dead operand."""


def has_plain_key(node: Node, given: int) -> bool:
    """Tell whether the index of a node can be written as a subscript.

    Args:
        node: of an op whose attribute `key` is filled with
        given: the inputs from this number on.
    """
    return all(
        x.spec.dtype.kind in "iu" or (x.spec.dtype.kind == "b" and bool(x.spec.rank))
        for x in node.inputs[given:]
    )


def makes_arrays(node: Node) -> bool:
    """Tell whether the results of a node are new arrays."""
    if node.regions:
        return node.op.form in (*INLINES, Form.CALL)
    return node.op is not constant and node.op.view is None


def targets(node: Node) -> Sequence[Value]:
    """Return the inputs of a node that its op can write its result into."""
    if node.op.in_place is not None:
        plain = "key" not in node.attrs or has_plain_key(node, 2)
        return node.inputs[:1] if plain else ()
    if node.op.ufunc is None or node.attrs or not _is_large(node.results[0].spec):
        return ()
    if library_name(node.op) is None or "**" in (node.op.python or ""):
        return ()
    return [x for x in node.inputs if _takes_result(x, node)]


def lengthens(node: Node) -> bool:
    """Tell whether a node puts rows behind those of an array."""
    return node.op.extends and node.attrs["axis"] == 0 and bool(node.result.spec.rank)


def shortens(node: Node) -> bool:
    """Tell whether a node takes the first rows of an array, of a number that is known late."""
    if node.op.subscript is not Subscript.READ or str(node.attrs["key"]) not in (":?", "0:?"):
        return False
    return bool(node.result.spec.rank) and all(x.spec.shape == () for x in node.inputs[1:])


def is_moving(node: Node, makers: Mapping[Value, Node]) -> bool:
    """Tell whether a node assigns to a slice, as if it had read all of what it assigns before.

    NumPy does so but for rows of elements whose steps differ: these it assigns one by one.

    Args:
        node: which may be one of any op.
        makers: the nodes that made what there is.
    """
    if node.op.subscript is not Subscript.WRITE or any(x.spec.shape != () for x in node.inputs[2:]):
        return False
    base, value = node.inputs[:2]
    if value.spec.rank != 1:
        return value.spec.rank is not None
    part = makers.get(value)
    if part is None or part.op.view is None:
        return False
    return _is_run(node, base, makers) and _is_run(part, part.inputs[0], makers)


def _is_run(node: Node, base: Value, makers: Mapping[Value, Node]) -> bool:
    """Tell whether a node reads or writes elements one after another of an array with one axis."""
    is_view = base in makers and makers[base].op.view is not None
    return base.spec.rank == 1 and not is_view and str(node.attrs.get("key", "::")).count(":") == 1


def _is_large(spec: TensorSpec) -> bool:
    """Tell whether reusing memory of a spec pays."""
    if spec.weak or spec.shape is None:
        return False
    sizes = [n for n in spec.shape if isinstance(n, int)]
    return len(sizes) == len(spec.shape) and math.prod(sizes) >= LARGE


def _takes_result(value: Value, node: Node) -> bool:
    """Tell whether the array of an input is what NumPy would make for the result.

    Its layout has to be the same, too, since sums over it depend on that. It is when no other array
    with several axes takes part.
    """
    spec, wanted = value.spec, node.result.spec
    if spec.weak or (spec.dtype, spec.shape) != (wanted.dtype, wanted.shape):
        return False
    return spec.rank == 1 or all(x is value or x.spec.shape == () for x in node.inputs)


@lru_cache(maxsize=4096)
def library_name(op: OpDef) -> str | None:
    """Return the name under which the array module has an op that is a ufunc."""
    name = None if op.ufunc is None else op.ufunc.__name__
    return name if name is not None and getattr(np, name, None) is op.ufunc else None
