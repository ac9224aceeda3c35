"""How nodes on elements of arrays are written, and on what is known of arrays.

Comes in: a node, its operands, and what writes instructions. Goes out: what stands for its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.graph.node import Node
from runtime.kernels.kernel import INT, Operand, Policy, UnsupportedError
from runtime.kernels.scalar import elements
from runtime.lower.value_types import number_of, type_of
from runtime.ops.creation import filled
from runtime.ops.keys import SLOT, read_key

if TYPE_CHECKING:
    from runtime.lower.native import NodeWriter


def index(writer: NodeWriter, node: Node, given: Sequence[Operand]) -> list[Operand]:
    """Write the reading of an element."""
    return [elements.load(writer.scalars, given[0], _places(writer, node, given[1:]))]


def update(writer: NodeWriter, node: Node, given: Sequence[Operand]) -> list[Operand]:
    """Write the writing of an element."""
    if writer.memory is None or node not in writer.memory.targets:
        raise UnsupportedError("a copy of an array with another element")
    array, value, *parts = given
    weak = node.inputs[1].spec.weak
    writer.scalars.policy = Policy.PYTHON if weak else Policy.ELEMENT
    elements.store(writer.scalars, array, _places(writer, node, parts), value)
    return [array]


def dim(writer: NodeWriter, node: Node, given: Sequence[Operand]) -> list[Operand]:
    """Write the size of an axis."""
    axis = node.attrs["axis"] % len(elements.array_type(given[0]).shape)
    size = elements.size_of(writer.scalars, given[0], axis)
    writer.scalars.mark_natural(size)
    return [size]


def zeros(writer: NodeWriter, node: Node, given: Sequence[Operand]) -> list[Operand]:
    """Write a new array of zeros."""
    filling = [node.attrs["value"]] if node.op is filled else given
    return [elements.zeros(writer.scalars, type_of(node.result.spec), *filling)]


def where(writer: NodeWriter, node: Node, given: Sequence[Operand]) -> list[Operand]:
    """Write a choice between numbers, if it is only computed with: NumPy's is an array."""
    if writer.seen is None or node.result in writer.seen:
        raise UnsupportedError("a choice that is an array without axes")
    s, kind, (test, *ways) = writer.scalars, number_of(node.result.spec), given
    s.policy = Policy.SCALAR
    specs = [x.spec for x in node.inputs[1:]]
    pairs = zip(ways, specs, strict=True)
    first, second = (s.fit(x, kind) if spec.weak else s.convert(x, kind) for x, spec in pairs)
    return [s.select(s.truth(test), first, second)]


def _places(writer: NodeWriter, node: Node, parts: Sequence[Operand]) -> list[Operand]:
    """Return the indices that a key stands for: integers only."""
    given, found = iter(parts), list[Operand]()
    for item in read_key(node.attrs["key"]):
        if item is SLOT:
            found.append(next(given))
        elif type(item) is int:
            found.append(writer.scalars.literal(item, INT))
        else:
            raise UnsupportedError("parts of an array")
    return found
