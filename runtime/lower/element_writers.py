"""How nodes on elements of arrays are written, and on what is known of arrays.

Comes in: a node, its operands, and what writes instructions. Goes out: what stands for its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.graph.node import Node, Value
from runtime.kernels.kernel import Operand, Policy, UnsupportedError
from runtime.kernels.scalar import element_access
from runtime.lower import part_nodes
from runtime.lower.parts import Given, Part, kept, part_of, whole
from runtime.lower.value_types import number_of, type_of
from runtime.ops.creation import filled

if TYPE_CHECKING:
    from runtime.lower.native import NodeWriter


def index(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write the reading of an element, or return a view."""
    array = writer.whole(given[0], node.inputs[0])
    return [element(writer, array, writer.passed(given[1:]), node.attrs["key"])]


def element(writer: NodeWriter, array: Given, places: Sequence[Operand], key: str) -> Given:
    """Return an element of an array, or a part of it."""
    if not isinstance(array, Part):
        raise UnsupportedError("elements of a number")
    array = kept(writer.scalars, array)
    part = part_of(writer.scalars, array, key, places, writer.slices)
    return part if part.sizes else part.read(())


def update(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write the writing of an element, or of a part."""
    memory, owner = writer.memory, node.inputs[0]
    if memory is None or node not in memory.targets:
        raise UnsupportedError("a copy of an array with another element")
    classes = memory.classes
    value, places = writer.whole(given[1], node.inputs[1]), writer.passed(given[2:])

    def is_own(view: Part) -> bool:
        return isinstance(view.owner, Value) and classes.share(view.owner, owner)

    writer.settle(is_own)
    s, array = writer.scalars, writer.one(given[0])
    target = part_of(s, whole(s, array, owner), node.attrs["key"], places, writer.slices)
    part_nodes.write(s, node, target, value, is_own)
    return [array]


def dim(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write the size of an axis."""
    array = writer.whole(given[0], node.inputs[0])
    if not isinstance(array, Part):
        raise UnsupportedError("elements of a number")
    size = array.sizes[node.attrs["axis"]]
    writer.scalars.mark_natural(size)
    return [size]


def zeros(writer: NodeWriter, node: Node, given: Sequence[Given]) -> list[Given]:
    """Write a new array of zeros."""
    filling = [node.attrs["value"]] if node.op is filled else writer.passed(given)
    return [element_access.zeros(writer.scalars, type_of(node.result.spec), *filling)]


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
