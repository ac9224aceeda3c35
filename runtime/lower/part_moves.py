"""Parts of arrays with their elements in other places: views, and what reads them there."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.node import Node
from runtime.kernels.kernel import INT, Literal, Operand, UnsupportedError
from runtime.kernels.scalar.element_access import place_of
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.parts import (
    Axis,
    Given,
    Indices,
    Part,
    copied,
    element,
    is_in_order,
    joined,
    kept,
    part_of,
    taken,
)
from runtime.lower.slices import ONE, ZERO, Slices, sum_of, times
from runtime.ops.movement import flip, moveaxis, swapaxes, transpose
from runtime.ops.spec_rules import normal_axes
from runtime.spec import TensorSpec

MOVES = (flip, transpose, swapaxes, moveaxis)


def moved(s: Scalars, node: Node, part: Part) -> Part:
    """Return a view with axes in another order, or in the opposite one."""
    part, rank = kept(s, part), len(part.sizes)
    if node.op is flip:
        return flipped(s, part, [k % rank for k in normal_axes(node.attrs["axis"], rank)])
    return transposed(s, part, _order(node, rank))


def _order(node: Node, rank: int) -> list[int]:
    """Return which axis of an array is where in a view."""
    attrs, order = node.attrs, [*range(rank)]
    if node.op is transpose:
        return [k % rank for k in attrs["axes"] or order[::-1]]
    if node.op is swapaxes:
        first, second = attrs["axis1"] % rank, attrs["axis2"] % rank
        order[first], order[second] = second, first
        return order
    sources, places = (normal_axes(attrs[x], rank) for x in ("source", "destination"))
    order = [k for k in order if k not in sources]
    for place, source in sorted(zip(places, sources, strict=True)):
        order.insert(place, source)
    return order


def selected(s: Scalars, table: Part, places: Part) -> Part:
    """Return a new array with the parts along the first axis of a table that stand at places.

    They are read at once: places that are out of range raise, whoever uses what is read.
    """
    if len(places.sizes) != 1 or places.dtype.kind not in "iu" or not is_in_order(table):
        raise UnsupportedError(f"parts of {table.type} at places in {places.type}")

    def read(indices: Indices) -> Operand:
        place = place_of(s, places.read(indices[:1]), table.sizes[0])
        return table.read([place, *indices[1:]])

    sizes = (*places.sizes, *table.sizes[1:])
    return copied(s, Part(sizes, table.dtype, read, (table, places)))


def flipped(s: Scalars, part: Part, axes: Sequence[int]) -> Part:
    """Return a view with axes in the opposite order."""
    chosen = [
        Axis(sum_of(s, size, Literal(INT, -1)), -1, k) if k in axes else Axis(ZERO, 1, k)
        for k, size in enumerate(part.sizes)
    ]
    return taken(s, part, chosen, part.sizes)


def transposed(s: Scalars, part: Part, order: Sequence[int]) -> Part:
    """Return a view with its axes in another order."""
    chosen = [Axis(ZERO, 1, order.index(k)) for k in range(len(order))]
    return taken(s, part, chosen, [part.sizes[k] for k in order])


def reshaped(s: Scalars, part: Part, spec: TensorSpec) -> Part:
    """Return a part with the same elements in other axes, of known sizes, from front to back."""
    sizes = [n for n in spec.shape or () if isinstance(n, int)]
    known = [x.value for x in part.sizes if isinstance(x, Literal)]
    if len(known) < len(part.sizes) or not is_in_order(part):
        raise UnsupportedError("the op reshape of such arrays")
    own, new = [[int(n) for n in row if n != 1] for row in (known, sizes)]
    if own == new and part.array is not None:
        places = iter([k for k, n in enumerate(sizes) if n != 1])
        chosen = [Axis(ZERO) if n == 1 else Axis(ZERO, 1, next(places)) for n in known]
        return taken(s, part, chosen, _sizes(spec))

    def read(indices: Indices) -> Operand:
        place: Operand = ZERO
        for n, k in zip(sizes, indices, strict=True):
            place = sum_of(s, times(s, place, n), k)
        found: list[Operand] = []
        for size in reversed(part.sizes[1:]):
            found.append(s.emit("srem", [place, size], INT))
            place = s.emit("sdiv", [place, size], INT)
        return part.read([place, *reversed(found)])

    views = part.views if part.array is None else (part,)
    return Part(_sizes(spec), part.dtype, read, views)


def spread(s: Scalars, x: Given, spec: TensorSpec) -> Part:
    """Return a part, or a number, broadcast to a known shape: no array that is added up as one."""
    sizes = _sizes(spec)
    views: tuple[Part, ...] = ()
    if isinstance(x, Part):
        pairs = zip(reversed(x.sizes), reversed(sizes), strict=False)
        if any(n not in (ONE, m) for n, m in pairs):
            raise UnsupportedError("the op broadcast_to of such arrays")
        views = x.views if x.array is None else (x,)
    elif x.type != spec.dtype:
        raise UnsupportedError("the op broadcast_to of such numbers")
    return Part(sizes, spec.dtype, lambda k: element(s, x, k), views, is_disordered=True)


def stacked_parts(s: Scalars, parts: Sequence[Part], axis: int, spec: TensorSpec) -> Part:
    """Return parts of one shape in one array, along an axis of its own."""
    axis %= len(parts[0].sizes) + 1
    key = ", ".join([*[":"] * axis, "None", "..."])
    if not all(x.dtype == spec.dtype and is_in_order(x) for x in parts):
        raise UnsupportedError("the op stack of such arrays")
    rows = [part_of(s, kept(s, x), key, (), Slices()) for x in parts]
    return joined(s, rows, axis, spec.dtype)


def _sizes(spec: TensorSpec) -> tuple[Literal, ...]:
    return tuple(Literal(INT, n) for n in spec.shape or () if isinstance(n, int))
