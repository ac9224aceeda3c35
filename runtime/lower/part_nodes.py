"""Nodes on parts of arrays in native loops: elementwise ones, reductions, products, views, writes.

Comes in: a node, and what stands for its inputs. Goes out: what stands for its result: a part that
is read element by element where it is used, or a number. What an op does to numbers, and to rows of
them, stands in its field `scalar`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from runtime.dtypes import DType
from runtime.graph.node import Node
from runtime.graph.traits import Subscript
from runtime.kernels.kernel import (
    INT,
    Literal,
    Operand,
    Policy,
    UnsupportedError,
    Variable,
)
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower import part_lines, part_products  # noqa: F401  (their rules)
from runtime.lower.elementwise_kernels import apply_element, element_kinds, fitted
from runtime.lower.index_maps import takes_first_axis
from runtime.lower.lowering import PARTS
from runtime.lower.part_calls import all_of
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
from runtime.lower.part_reductions import reduction
from runtime.lower.part_running import accumulated
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
from runtime.ops.indexing import diagonal, gather, take, take_along_axis
from runtime.ops.joining import repeat, stack, tile
from runtime.ops.keys import SLOT, read_key
from runtime.ops.linear import trace
from runtime.ops.movement import broadcast_to, copy, reshape
from runtime.ops.reductions import sum_
from runtime.ops.strides import in_order_of
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
    if node.op.subscript is not Subscript.WRITE:
        return any(x.spec.rank for x in node.results)
    items = read_key(node.attrs["key"])
    return len(items) < (node.result.spec.rank or 0) or any(
        x is not SLOT and not isinstance(x, int) for x in items
    )


def write_node(s: Scalars, node: Node, given: Sequence[Given]) -> Given:
    """Write a node on parts of arrays."""
    rule = PARTS.rule(node.op)
    found = None if rule is None else rule(s, node, given)
    if found is not None:
        return found
    first = given[0] if given else None
    if len(node.results) != 1:
        raise UnsupportedError(f"the op {node.op.name}")
    if isinstance(first, Part) and is_view(node):
        return moved(s, node, first)
    if gets_axes(node) and not isinstance(given[0], Part):
        return axes_of(node, given[0])
    if isinstance(first, Part) and node.op.accumulation is not None:
        return accumulated(s, node, first)
    if isinstance(first, Part) and node.op.view == "contiguous" and node.result.spec.is_static:
        return reshaped(s, first, node.result.spec)
    if isinstance(first, Part) and node.op.reduction is not None:
        return reduction(s, node, first)
    is_element = node.op.view is None and not node.op.multiple and bool(node.result.spec.rank)
    if not is_element or not any(isinstance(x, Part) for x in given):
        raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, _specs(node)))}")
    return elementwise(s, node, given)


Inputs: TypeAlias = Sequence[Given]


@PARTS.lowers(broadcast_to)
def _spread(s: Scalars, node: Node, given: Inputs) -> Given | None:
    number, spec = given[0], node.result.spec
    return spread(number, spec) if not isinstance(number, Part) and spec.is_static else None


@PARTS.lowers(real, imag)
def _component(s: Scalars, node: Node, given: Inputs) -> Given | None:
    return elementwise(s, node, given) if isinstance(given[0], Part) else None


@PARTS.lowers(in_order_of)
def _in_order(s: Scalars, node: Node, given: Inputs) -> Given | None:
    return given[0] if isinstance(given[0], Part) else None


@PARTS.lowers(tile)
def _tiled(s: Scalars, node: Node, given: Inputs) -> Given | None:
    spec, part = node.result.spec, given[0]
    return tiled(s, part, spec) if isinstance(part, Part) and spec.is_static else None


@PARTS.lowers(repeat)
def _repeated(s: Scalars, node: Node, given: Inputs) -> Given | None:
    if not isinstance(given[0], Part) or len(given) > 1:
        return None
    return repeated(s, given[0], node.attrs["axis"], node.attrs["times"])


@PARTS.lowers(take_along_axis)
def _selected_along(s: Scalars, node: Node, given: Inputs) -> Given | None:
    part, places = given
    if not isinstance(part, Part) or not isinstance(places, Part):
        return None
    return selected_along(s, part, places, node.attrs["axis"])


@PARTS.lowers(copy)
def _copied(s: Scalars, node: Node, given: Inputs) -> Given | None:
    (part,) = given
    if not isinstance(part, Part):
        return None
    is_plain = len(part.sizes) == 1 or (is_in_order(part) and not is_spread(part))
    return copied(s, part) if is_plain else None


@PARTS.lowers(reshape)
def _with_a_size(s: Scalars, node: Node, given: Inputs) -> Given | None:
    """Return an array of one axis that gets another size: it is the same, if it has that one."""
    part, *sizes = given
    spec = node.result.spec
    if not isinstance(part, Part) or not spec.rank == 1 == len(part.sizes) or spec.is_static:
        return None
    for size in sizes:
        if isinstance(size, Part):
            return None
        need_equal(s, size, part.sizes[0])
    return part


@PARTS.lowers(gather, take)
def _selected(s: Scalars, node: Node, given: Inputs) -> Given | None:
    part, places = given[0], given[-1]
    if not isinstance(part, Part) or not isinstance(places, Part) or not takes_first_axis(node):
        return None
    return selected(s, part, places)


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


@PARTS.lowers(full_like)
def alike(s: Scalars, node: Node, given: Inputs) -> Part | None:
    """Return a part of the sizes of another one that is one number everywhere."""
    (part, value), dtype = given, node.result.spec.dtype
    if not isinstance(part, Part):
        return None
    if isinstance(value, Part) or not (node.inputs[1].spec.weak or value.type == dtype):
        raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, _specs(node)))}")
    number = s.fit(value, dtype) if node.inputs[1].spec.weak else value
    return computed(part, lambda _: number, dtype)


@PARTS.lowers(stack)
def stacked(s: Scalars, node: Node, given: Inputs) -> Part:
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


@PARTS.lowers(trace)
def traced(s: Scalars, node: Node, given: Inputs) -> Given | None:
    """Return the sum of a diagonal."""
    (part,) = given
    if not isinstance(part, Part) or len(part.sizes) != 2:
        return None
    own = {key: node.attrs[key] for key in ("offset", "axis1", "axis2")}
    row = node_of(diagonal, node.inputs, own, node.location)
    attrs = {"axis": None, "dtype": node.attrs["dtype"], "keepdims": False}
    return reduction(s, node_of(sum_, row.results, attrs, node.location), moved(s, row, part))
