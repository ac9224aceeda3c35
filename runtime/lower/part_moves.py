"""Parts of arrays with their elements in other places: views, and what reads them there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from runtime.graph.node import Node
from runtime.kernels.kernel import INT, Literal, Operand, UnsupportedError, Variable
from runtime.kernels.scalar.element_access import array_type, place_of
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.part_calls import flattened
from runtime.lower.parts import (
    Axis,
    Given,
    Indices,
    Part,
    array_of,
    broadcast,
    copied,
    each,
    element,
    is_in_order,
    is_spread,
    joined,
    kept,
    need_equal,
    part_of,
    room,
    taken,
)
from runtime.lower.slices import ONE, ZERO, Slices, sum_of, times
from runtime.spec import TensorSpec


def is_view(node: Node) -> bool:
    """Tell whether a node gives a view of its only operand, however that lies in memory."""
    is_one = node.op.view == "always" and len(node.inputs) == 1
    return is_one and node.inputs[0].spec.dtype == node.result.spec.dtype


def moved(s: Scalars, node: Node, part: Part) -> Part:
    """Return a view of a part: which elements it has, NumPy says of an array of such sizes.

    An axis along which it stays where it is (it is broadcast) is no axis of the array. Axes whose
    size is not known are of any size there, and the view has them as a whole.
    """
    spec = node.inputs[0].spec
    what = f"the op {node.op.name} of {spec}"
    known = [isinstance(n, Literal) for n in part.sizes]
    sizes = [int(n.value) if isinstance(n, Literal) else 3 for n in part.sizes]
    probe = np.empty(sizes, spec.dtype)
    try:
        found = node.op.kernel(np, probe, **node.attrs)
    except ValueError:
        raise UnsupportedError(what) from None
    if not np.may_share_memory(probe, found):  # it has no elements
        raise UnsupportedError(what)
    first = _place(found) - _place(probe)
    starts = _indices(probe, first)
    chosen, own = [Axis(Literal(INT, int(n))) for n in starts], list[Operand]()
    for j, (count, stride) in enumerate(zip(found.shape, found.strides, strict=True)):
        steps = _indices(probe, first + (stride if count > 1 else 0)) - starts
        axes = [int(k) for k in np.flatnonzero(steps)]
        is_whole = len(axes) == 1 and count == probe.shape[axes[0]]
        if any(chosen[k].of is not None or not (is_whole or known[k]) for k in axes):
            raise UnsupportedError(what)
        own.append(part.sizes[axes[0]] if is_whole else Literal(INT, count))
        for k in axes:
            last = sum_of(s, part.sizes[k], Literal(INT, -1))
            is_back = is_whole and steps[k] < 0
            chosen[k] = Axis(last if is_back else chosen[k].start, int(steps[k]), j)
    view = taken(s, kept(s, part), chosen, own)
    followed = [x.of for x in chosen if x.of is not None]
    is_plain = len({*followed}) == len(followed)
    return view if is_plain else Part(view.sizes, view.dtype, view.read, (view,))


def _place(array: np.ndarray) -> int:
    """Return where the first element of an array is in memory."""
    return int(array.__array_interface__["data"][0])


def _indices(array: np.ndarray, place: int) -> np.ndarray:
    """Return the indices of the element of an array that is so many bytes behind the first."""
    return np.array(np.unravel_index(place // array.itemsize, array.shape))


def repeated(s: Scalars, part: Part, axis: int | None, count: int) -> Part:
    """Return an array with each element of a part several times along an axis."""
    part, axis = (flattened(s, part), 0) if axis is None else (part, axis % len(part.sizes))
    part = kept(s, part)

    def read(indices: Indices) -> Operand:
        place = s.emit("sdiv", [indices[axis], Literal(INT, count)], INT)
        return part.read([*indices[:axis], place, *indices[axis + 1 :]])

    if not count:
        raise UnsupportedError("the op repeat, no times")
    sizes = [times(s, n, count) if k == axis else n for k, n in enumerate(part.sizes)]
    return copied(s, Part(tuple(sizes), part.dtype, read))


def tiled(s: Scalars, part: Part, spec: TensorSpec) -> Part:
    """Return an array of a known shape with all of a part several times along its axes."""

    def read(indices: Indices) -> Operand:
        own = zip(part.sizes, indices[len(indices) - len(part.sizes) :], strict=True)
        return part.read([s.emit("srem", [k, n], INT) for n, k in own])

    if not is_in_order(part) or not all(isinstance(n, Literal) and n.value for n in part.sizes):
        raise UnsupportedError("the op tile of such arrays")
    part = kept(s, part)
    return copied(s, Part(_sizes(spec), part.dtype, read))


def selected(s: Scalars, table: Part, places: Part) -> Part:
    """Return a new array with the parts along the first axis of a table that stand at places.

    They are read at once: places that are out of range raise, whoever uses what is read.
    """
    if places.dtype.kind == "b" and len(places.sizes) == 1 and is_in_order(table):
        return compressed(s, table, places)
    if len(places.sizes) != 1 or places.dtype.kind not in "iu" or not is_in_order(table):
        raise UnsupportedError(f"parts of {table.type} at places in {places.type}")

    def read(indices: Indices) -> Operand:
        place = place_of(s, places.read(indices[:1]), table.sizes[0])
        return table.read([place, *indices[1:]])

    sizes = (*places.sizes, *table.sizes[1:])
    return copied(s, Part(sizes, table.dtype, read, (table, places)))


def selected_along(s: Scalars, table: Part, places: Part, axis: int | None) -> Part:
    """Return a new array with elements along an axis at places that differ from row to row."""
    is_plain = is_in_order(table) and is_in_order(places) and places.dtype.kind in "iu"
    if axis is None or len(table.sizes) != len(places.sizes) or not is_plain:
        raise UnsupportedError(f"parts of {table.type} at places in {places.type}")
    table, axis = kept(s, table), axis % len(table.sizes)
    others = ([ONE if k == axis else n for k, n in enumerate(x.sizes)] for x in (table, places))
    sizes = [*broadcast(s, *others)]
    sizes[axis] = places.sizes[axis]

    def read(indices: Indices) -> Operand:
        own = [ZERO if n == ONE else k for n, k in zip(table.sizes, indices, strict=True)]
        own[axis] = place_of(s, element(s, places, indices), table.sizes[axis])
        return table.read(own)

    return copied(s, Part(tuple(sizes), table.dtype, read, (table, places)))


def compressed(s: Scalars, table: Part, mask: Part) -> Part:
    """Return the parts along the first axis of a table for which a mask is true, one by one.

    Each is written where the next one goes, and stays there if it is one of them.
    """
    count, rows = table.sizes[0], table.sizes[1:]
    need_equal(s, mask.sizes[0], count)
    found = room(s, table.dtype, table.sizes)
    number, place = Variable(INT), Variable(INT)
    s.mark_natural(number)
    s.mark_natural(place)

    def store(k: Indices) -> None:
        s.emit("store", [array_of(found), table.read([number, *k]), place, *k])

    def one() -> list[Operand]:
        each(s, rows, store)
        return [s.emit("add", [place, s.to_int(mask.read([number]))], INT)]

    block = s.block([number, place], one)
    (length,) = s.structured("for", [count, ZERO], [INT], [block], counters=())
    s.mark_natural(length)
    chosen = [Axis(ZERO, 1, k) for k in range(len(table.sizes))]
    return taken(s, found, chosen, [length, *rows])


def reshaped(s: Scalars, part: Part, spec: TensorSpec) -> Given:
    """Return a part with the same elements in other axes, of known sizes, from front to back.

    NumPy copies them if they lie in another order. Without axes it is a number. Sizes that
    are known late have to be the new ones, axis by axis, or the kernel gives nothing.
    """
    if not spec.shape:
        return part.read([ZERO] * len(part.sizes))
    sizes = [n for n in spec.shape or () if isinstance(n, int)]
    known = [int(x.value) for x in part.sizes if isinstance(x, Literal)]
    if len(known) < len(part.sizes):
        if len(sizes) != len(part.sizes):
            raise UnsupportedError("the op reshape of such arrays")
        for size, n in zip(part.sizes, sizes, strict=True):
            need_equal(s, size, Literal(INT, n))
        return replace(part, sizes=_sizes(spec))
    own, new = [[n for n in row if n != 1] for row in (known, sizes)]
    if own == new and part.array is not None:
        places = iter([k for k, n in enumerate(sizes) if n != 1])
        chosen = [Axis(ZERO) if n == 1 else Axis(ZERO, 1, next(places)) for n in known]
        return taken(s, part, chosen, _sizes(spec))
    if part.array is not None and _is_copied(part, known, sizes):
        part, known = flattened(s, part), [prod(known)]
    is_row = len(sizes) == 1 and all(x.step >= 0 for x in part.axes)
    if not is_row and (is_spread(part) or not is_in_order(part)):
        raise UnsupportedError("the op reshape of such arrays")

    def read(indices: Indices) -> Operand:
        place: Operand = ZERO
        for n, k in zip(sizes, indices, strict=True):
            place = sum_of(s, times(s, place, n), k)
        found: list[Operand] = []
        for size in reversed(known[1:]):
            found.append(s.emit("srem", [place, Literal(INT, size)], INT))
            place = s.emit("sdiv", [place, Literal(INT, size)], INT)
        return part.read([place, *reversed(found)])

    views = part.views if part.array is None else (part,)
    return Part(_sizes(spec), part.dtype, read, views)


def _is_copied(view: Part, known: Sequence[int], sizes: Sequence[int]) -> bool:
    """Tell whether NumPy copies a view that gets other axes; it is asked with such a view."""
    shape = array_type(array_of(view)).shape
    if None in shape or view.is_disordered:
        return False
    whole = np.empty([n or 0 for n in shape], view.dtype)
    pairs = [*zip(view.axes, whole.strides, strict=True)]
    strides = [sum(x.step * n for x, n in pairs if x.of == k) for k in range(len(known))]
    reach = [n * (size - 1) for n, size in zip(strides, known, strict=True)]
    memory = np.empty(sum(map(abs, reach)) + whole.itemsize, np.int8)
    first = -sum(n for n in reach if n < 0)
    seen = np.ndarray(known, view.dtype, memory, first, strides)
    return not np.may_share_memory(seen.reshape(sizes), memory)


def spread(x: Operand, spec: TensorSpec) -> Part:
    """Return a number, broadcast to a known shape: no array that is added up as one."""
    if x.type != spec.dtype:
        raise UnsupportedError("the op broadcast_to of such numbers")
    return Part(_sizes(spec), spec.dtype, lambda _: x, is_disordered=True)


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
