"""Nodes on parts of arrays in native loops: elementwise ones, reductions, products, views, writes.

Comes in: a node, and what stands for its inputs. Goes out: what stands for its result: a part that
is read element by element where it is used, or a number. What an op does to numbers, and to rows of
them, stands in its field `scalar`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from runtime.dtypes import DType
from runtime.graph.node import Node
from runtime.kernels.kernel import (
    INT,
    Literal,
    Operand,
    Policy,
    UnsupportedError,
    Variable,
)
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.elementwise_kernels import apply_element, element_kinds, fitted
from runtime.lower.index_maps import takes_first_axis
from runtime.lower.part_calls import all_of
from runtime.lower.part_lines import correlated
from runtime.lower.part_moves import (
    is_view,
    moved,
    repeated,
    reshaped,
    selected,
    selected_along,
    spread,
    stacked_parts,
    tiled,
)
from runtime.lower.part_products import length, product
from runtime.lower.part_reductions import reduction
from runtime.lower.part_running import accumulated, recurrent
from runtime.lower.parts import (
    Given,
    Part,
    assign,
    broadcast,
    computed,
    copied,
    element,
    is_in_order,
    is_same,
    is_spread,
    need_equal,
    part_of,
    room,
)
from runtime.lower.slices import ONE, ZERO, Slices
from runtime.lower.value_types import KINDS
from runtime.ops.creation import full_like
from runtime.ops.indexing import diagonal, take_along_axis, update
from runtime.ops.joining import repeat, stack, tile
from runtime.ops.keys import SLOT, read_key
from runtime.ops.linear import dot, inner, matmul, norm, trace, vdot
from runtime.ops.movement import broadcast_to, copy, reshape
from runtime.ops.recurrences import recurrence
from runtime.ops.reductions import convolve, correlate, sum_
from runtime.ops.ufuncs import imag, real
from runtime.passes.rewriter import node_of
from runtime.spec import TensorSpec


def check_results(node: Node) -> None:
    """Refuse nodes that make what is no number."""
    for spec in (x.spec for x in node.results):
        if spec.dtype.name not in KINDS:
            raise UnsupportedError(f"values of {spec}")


def has_parts(node: Node, given: Sequence[Given]) -> bool:
    """Tell whether a node takes or makes arrays."""
    is_made = any(x.spec.rank for x in node.results)
    return is_made or any(not isinstance(x.type, np.dtype) for x in given)


def takes_parts(node: Node) -> bool:
    """Tell whether a node goes through parts of arrays."""
    if node.op is not update:
        return any(x.spec.rank for x in node.results)
    items = read_key(node.attrs["key"])
    return len(items) < (node.result.spec.rank or 0) or any(
        x is not SLOT and not isinstance(x, int) for x in items
    )


def write_node(s: Scalars, node: Node, given: Sequence[Given]) -> Given:
    """Write a node on parts of arrays."""
    if node.op in (dot, inner, matmul, vdot):
        return product(s, node, given)
    if node.op in (convolve, correlate):
        return correlated(s, node, given, is_turned=node.op is convolve)
    if node.op is stack:
        return stacked(s, node, given)
    first = given[0] if given else None
    if node.op is broadcast_to and not isinstance(given[0], Part) and node.result.spec.is_static:
        return spread(given[0], node.result.spec)
    if len(node.results) != 1:
        raise UnsupportedError(f"the op {node.op.name}")
    if isinstance(first, Part) and node.op in (real, imag):
        return elementwise(s, node, given)
    if isinstance(first, Part) and is_view(node):
        return moved(s, node, first)
    if gets_axes(node) and not isinstance(given[0], Part):
        return axes_of(node, given[0])
    if isinstance(first, Part) and node.op.accumulation is not None:
        return accumulated(s, node, first)
    if node.op is recurrence and isinstance(first, Part) and isinstance(given[1], Part):
        return recurrent(s, first, given[1], node.result.spec.dtype)
    if isinstance(first, Part) and (made := rearranged(s, node, first, given[1:])) is not None:
        return made
    if isinstance(first, Part) and node.op is full_like:
        return alike(s, node, first, given[1])
    if isinstance(first, Part) and node.op.view == "contiguous" and node.result.spec.is_static:
        return reshaped(s, first, node.result.spec)
    if isinstance(first, Part) and isinstance(given[-1], Part) and takes_first_axis(node):
        return selected(s, first, given[-1])
    if isinstance(first, Part) and node.op is trace and len(first.sizes) == 2:
        return traced(s, node, first)
    if isinstance(first, Part) and node.op is norm:
        return length(s, node, first)
    if isinstance(first, Part) and node.op.reduction is not None:
        return reduction(s, node, first)
    is_element = node.op.view is None and not node.op.multiple and bool(node.result.spec.rank)
    if not is_element or not any(isinstance(x, Part) for x in given):
        raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, _specs(node)))}")
    return elementwise(s, node, given)


def rearranged(s: Scalars, node: Node, part: Part, rest: Sequence[Given]) -> Part | None:
    """Return an array with elements of a part in other places; None for other ops.

    Of one axis that gets another size it is the part, if it has that size.
    """
    spec, attrs = node.result.spec, node.attrs
    if node.op is tile and spec.is_static:
        return tiled(s, part, spec)
    if node.op is repeat and not rest:
        return repeated(s, part, attrs["axis"], attrs["times"])
    if node.op is take_along_axis and isinstance(rest[0], Part):
        return selected_along(s, part, rest[0], attrs["axis"])
    if node.op is copy and (len(part.sizes) == 1 or (is_in_order(part) and not is_spread(part))):
        return copied(s, part)
    if node.op is reshape and spec.rank == 1 == len(part.sizes) and not spec.is_static:
        for size in rest:
            if isinstance(size, Part):
                return None
            need_equal(s, size, part.sizes[0])
        return part
    return None


def _specs(node: Node) -> list[TensorSpec]:
    return [x.spec for x in node.inputs]


def elementwise(s: Scalars, node: Node, given: Sequence[Given]) -> Part:
    """Return the elements that an op makes of those of parts, and of numbers."""
    result, types = node.result.spec.dtype, [x.spec.promotable for x in node.inputs]
    s.policy = Policy.ELEMENT
    kinds = element_kinds(node.op, types, result)
    ready = [
        x if isinstance(x, Part) else fitted(s, x, kind, own)
        for x, kind, own in zip(given, kinds, types, strict=True)
    ]

    def read(indices: Sequence[Operand]) -> Operand:
        own = [
            s.convert(element(s, x, indices), kind) for x, kind in zip(ready, kinds, strict=True)
        ]
        s.policy = Policy.ELEMENT
        return apply_element(s, node.op, own, result, node.attrs)

    parts = [x for x in ready if isinstance(x, Part)]
    views = [view for x in parts for view in ([x] if x.array is not None else x.views)]
    if result == np.complex64 and any(axis.step < 0 for x in views for axis in x.axes):
        raise UnsupportedError("complex64 backwards, of which NumPy rounds products twice")
    sizes = broadcast(s, *(x.sizes for x in parts))
    pairs = [*zip(ready, kinds, strict=True)]
    samples = [Variable(kind) if isinstance(x, Part) else x for x, kind in pairs]
    block = s.block((), lambda: [apply_element(s, node.op, samples, result, node.attrs)])
    if not any(x.op == "loop" for x in block.instructions):
        return Part(sizes, result, read, tuple(views))
    own = (converted(s, x, kind) if isinstance(x, Part) else x for x, kind in pairs)
    found = all_of(s, block, dict(zip(samples, own, strict=True)), sizes, f"the op {node.op.name}")
    assert isinstance(found, Part)
    return found


def converted(s: Scalars, part: Part, dtype: DType) -> Part:
    """Return a part in another dtype."""
    if part.dtype == dtype:
        return part
    return computed(part, lambda x: s.convert(x, dtype), dtype)


def gets_axes(node: Node) -> bool:
    """Tell whether a node gives a number axes of size 1."""
    is_moved = node.op.view is not None and len(node.inputs) == 1
    return is_moved and node.inputs[0].spec.shape == () and bool(node.result.spec.shape)


def axes_of(node: Node, number: Operand) -> Part:
    """Return a number as an array with axes of size 1."""
    spec = node.result.spec
    return Part((ONE,) * (spec.rank or 0), spec.dtype, lambda _: number)


def alike(s: Scalars, node: Node, part: Part, value: Given) -> Part:
    """Return a part of the sizes of another one that is one number everywhere."""
    dtype = node.result.spec.dtype
    if isinstance(value, Part) or not (node.inputs[1].spec.weak or value.type == dtype):
        raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, _specs(node)))}")
    number = s.fit(value, dtype) if node.inputs[1].spec.weak else value
    return computed(part, lambda _: number, dtype)


def stacked(s: Scalars, node: Node, given: Sequence[Given]) -> Part:
    """Return an array of numbers, as `np.array([x, y])` makes."""
    dtype = node.result.spec.dtype
    parts = [x for x in given if isinstance(x, Part)]
    if len(parts) == len(given):
        return stacked_parts(s, parts, node.attrs["axis"], node.result.spec)
    if node.result.spec.rank != 1 or any(x.type != dtype for x in given):
        raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, _specs(node)))}")
    found = room(s, dtype, [Literal(INT, len(given))])
    for k, x in enumerate(given):
        assign(s, part_of(s, found, str(k), (), Slices()), x)
    return found


def write(
    s: Scalars, node: Node, target: Part, value: Given, is_own: Callable[[Part], bool]
) -> None:
    """Write a value into a view, as an assignment converts it.

    Args:
        s: writes instructions.
        node: what writes.
        target: the view.
        value: a number, or a part.
        is_own: tells whether a view may be of the array that is written.
    """
    s.policy = Policy.PYTHON if node.inputs[1].spec.weak else Policy.ELEMENT
    if not isinstance(value, Part):
        assign(s, target, s.cast(value, target.dtype))
        return
    extra = len(value.sizes) - len(target.sizes)
    if any(n != ONE for n in value.sizes[: max(extra, 0)]):
        raise UnsupportedError("values with more axes than what they are written to")
    if any(is_own(x) and not is_same(x, target) for x in (value, *value.views)):
        value = copied(s, value)
    for n, wanted in zip(value.sizes[::-1], target.sizes[::-1], strict=False):
        if n != ONE:
            need_equal(s, n, wanted)
    own = Part(value.sizes[max(extra, 0) :], value.dtype, value.read)
    if extra > 0:
        own = Part(own.sizes, own.dtype, lambda k: value.read([*[ZERO] * extra, *k]))
    assign(s, target, computed(own, lambda x: s.cast(x, target.dtype), target.dtype))


def traced(s: Scalars, node: Node, part: Part) -> Given:
    """Return the sum of a diagonal."""
    own = {key: node.attrs[key] for key in ("offset", "axis1", "axis2")}
    row = node_of(diagonal, node.inputs, own, node.location)
    attrs = {"axis": None, "dtype": node.attrs["dtype"], "keepdims": False}
    return reduction(s, node_of(sum_, row.results, attrs, node.location), moved(s, row, part))
