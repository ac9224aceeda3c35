"""How nodes on elements of arrays are written, and on what is known of arrays.

Comes in: a node, its operands, and what writes instructions. Goes out: what stands for its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from runtime.dtypes import DType
from runtime.graph.node import Node
from runtime.kernels.kernel import ArrayType, Operand, Policy, UnsupportedError, Variable
from runtime.kernels.scalar import element_access
from runtime.kernels.scalar.element_access import array_type, place_of
from runtime.lower import part_nodes
from runtime.lower.lowering import NODES
from runtime.lower.parts import (
    Given,
    Part,
    array_of,
    copied,
    each,
    joined,
    kept,
    need_equal,
    part_of,
    resized,
    whole,
)
from runtime.lower.parts import element as element_of
from runtime.lower.scatters import COMBINED
from runtime.lower.slices import ONE
from runtime.lower.value_types import number_of, type_of
from runtime.ops import indexing
from runtime.ops.creation import constant as constant_op
from runtime.ops.creation import filled, full
from runtime.ops.effects import check as check_op
from runtime.ops.effects import keep
from runtime.ops.elementwise import floor_divide, remainder
from runtime.ops.elementwise import where as where_op
from runtime.ops.joining import concatenate as concatenate_op
from runtime.ops.keys import is_first_axis
from runtime.ops.movement import dim as dim_op
from runtime.ops.python import python_divmod

if TYPE_CHECKING:
    from runtime.lower.loop_kernels import NodeWriter


@NODES.lowers(indexing.index)
def index(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write the reading of an element, or return a view; first rows may be what is left."""
    array = writer.whole(given[0], node.inputs[0])
    found, base = element(writer, array, writer.passed(given[1:]), node.attrs["key"]), given[0]
    is_left = writer.memory is not None and node in writer.memory.grown
    if not is_left or not isinstance(found, Part) or not isinstance(base, Variable):
        return [found]
    if not is_free(base, found.dtype):
        return [found]
    writer.settled(node.inputs[0], base)
    rows = ArrayType(found.dtype, (None, *array_type(base).shape[1:]))
    return [array_of(resized(writer.scalars, base, found.sizes, rows))]


def element(writer: NodeWriter, array: Given, places: Sequence[Operand], key: str) -> Given:
    """Return an element of an array, or a part of it."""
    if not isinstance(array, Part):
        raise UnsupportedError("elements of a number")
    array = kept(writer.scalars, array)
    part = part_of(writer.scalars, array, key, places, writer.slices)
    return part if part.sizes else part.read(())


@NODES.lowers(indexing.update)
def update(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write the writing of an element, or of a part."""
    memory, owner = writer.memory, node.inputs[0]
    if memory is None:
        raise UnsupportedError("a copy of an array with another element")
    value, places = writer.whole(given[1], node.inputs[1]), writer.passed(given[2:])
    s, is_copied = writer.scalars, node not in memory.targets
    array = writer.owned(given[0]) if is_copied else writer.array(given[0])
    is_own = writer.settled(owner, array)
    target = part_of(s, whole(s, array, owner), node.attrs["key"], places, writer.slices)
    part_nodes.write(s, node, target, value, is_own)
    return [array]


def scattered(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write the writing of elements at places on the first axis, or sums there: one by one.

    As in `scatters`, the last one stays of those with one place. Nothing is read that was written:
    a value or places that lie in the array are copied before.
    """
    s, memory, (table, new, *_) = writer.scalars, writer.memory, (x.spec for x in node.inputs)
    what = f"the op {node.op.name}"
    applied = node.op.applies
    if memory is None or not is_first_axis(node.attrs["key"]) or len(given) != 3:
        raise UnsupportedError(what)
    if applied is not None and (new.weak or new.dtype != table.dtype):
        raise UnsupportedError(what)
    value, indices = (writer.whole(*x) for x in zip(given[1:], node.inputs[1:], strict=True))
    if not isinstance(indices, Part) or indices.dtype.kind not in "iu":
        raise UnsupportedError(what)
    is_copied, owner = node not in memory.targets, node.inputs[0]
    array = writer.owned(given[0]) if is_copied else writer.array(given[0])
    is_own = writer.settled(owner, array)

    def apart(x: Part) -> Part:
        return copied(s, x) if any(map(is_own, (x, *x.views))) else x

    value, places = apart(value) if isinstance(value, Part) else value, apart(indices)
    target, axes = whole(s, array, owner), len(places.sizes)
    space = (*places.sizes, *target.sizes[1:])
    sizes = value.sizes if isinstance(value, Part) else ()
    if len(sizes) > len(space):
        raise UnsupportedError(what)
    for n, wanted in zip(sizes[::-1], space[::-1], strict=False):
        if n != ONE:
            need_equal(s, n, wanted)

    def put(indices: Sequence[Operand]) -> None:
        place = place_of(s, element_of(s, places, indices[:axes]), target.sizes[0])
        into, found = [place, *indices[axes:]], element_of(s, value, indices)
        s.policy = Policy.PYTHON if new.weak else Policy.ELEMENT
        combine = COMBINED.rule(applied)
        if applied is not None and combine is not None:
            found = combine(s, applied, target.read(into), found)
        s.emit("store", [array, s.cast(found, target.dtype), *into])

    each(s, space, put)
    return [array]


@NODES.lowers(concatenate_op)
def concatenate(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write arrays one after another: behind the first one, if nobody needs that afterwards."""
    s, array, axis, dtype = writer.scalars, given[0], node.attrs["axis"], node.result.spec.dtype
    parts = [whole(s, writer.whole(x, y)) for x, y in zip(given, node.inputs, strict=True)]
    if axis is None or node.attrs["dtype"] or not node.result.spec.rank:
        raise UnsupportedError(f"the op {node.op.name} in such a way")
    part_nodes.check_results(node)
    axis %= node.result.spec.rank
    is_grown = writer.memory is not None and node in writer.memory.grown and not axis
    if not is_grown or not isinstance(array, Variable) or not is_free(array, dtype):
        return [joined(s, parts, axis, dtype)]
    is_own = writer.settled(node.inputs[0], array)
    parts = [copied(s, x) if any(map(is_own, x.views)) else x for x in parts]
    return [array_of(joined(s, parts, axis, dtype, array))]


def is_free(array: Operand, dtype: DType) -> bool:
    """Tell whether an array has a dtype, and may have any number of rows."""
    kind = array.type
    return isinstance(kind, ArrayType) and kind.dtype == dtype and kind.shape[:1] == (None,)


@NODES.lowers(dim_op)
def dim(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write the size of an axis."""
    array = writer.whole(given[0], node.inputs[0])
    if not isinstance(array, Part):
        raise UnsupportedError("elements of a number")
    size = array.sizes[node.attrs["axis"]]
    writer.scalars.mark_natural(size)
    return [size]


@NODES.lowers(filled, full)
def new(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write a new array that is filled with a number."""
    filling = writer.passed(given) or [node.attrs["value"]]
    return [element_access.zeros(writer.scalars, type_of(node.result.spec), *filling)]


@NODES.lowers(where_op)
def where(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write a choice between numbers, if it is only computed with: NumPy's is an array."""
    if part_nodes.has_parts(node, given):
        return writer.part(node, given)
    if writer.seen is None or node.result in writer.seen:
        raise UnsupportedError("a choice that is an array without axes")
    s, kind, (test, *ways) = writer.scalars, number_of(node.result.spec), writer.passed(given)
    s.policy = Policy.SCALAR
    specs = [x.spec for x in node.inputs[1:]]
    pairs = zip(ways, specs, strict=True)
    first, second = (s.fit(x, kind) if spec.weak else s.convert(x, kind) for x, spec in pairs)
    return [s.select(s.truth(test), first, second)]


@NODES.lowers(constant_op)
def constant(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write a constant."""
    value = node.attrs["value"]
    if isinstance(value, np.ndarray):
        writer.constants.append((value, Variable(type_of(node.result.spec))))
        return [writer.constants[-1][1]]
    number_of(node.result.spec)
    return [writer.scalars.literal(value, node.result.spec.dtype)]


@NODES.lowers(python_divmod)
def divmod(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write a quotient and a remainder."""
    (first, second), at, numbers = node.results, node.location, [*map(writer.one, given)]
    quotient = Node(floor_divide, node.inputs, {}, (), (first,), at)
    rest = Node(remainder, node.inputs, {}, (), (second,), at)
    return [writer.number(quotient, numbers), writer.number(rest, numbers)]


@NODES.lowers(check_op)
def check(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write a check: whoever called raises what it raises."""
    writer.scalars.stop_if(writer.scalars.not_(writer.one(given[0])))
    return []


@NODES.lowers(keep)
def kept_outside(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write nothing: a kernel that fails leaves all to its steps."""
    return []
