"""Parts of arrays in native loops: which elements they have, and loops over these.

Comes in: arrays and parts of them, and what writes instructions. Goes out: other parts, and
instructions. A part is a view, whose elements are some of an array, or is computed element by
element when it is needed. Nothing here knows of graphs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from runtime.dtypes import DType
from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    INT,
    ArrayType,
    Block,
    Literal,
    Operand,
    UnsupportedError,
    Variable,
    instructions,
)
from runtime.kernels.scalar.element_access import array_type, place_of, size_of
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.slices import ONE, ZERO, Slices, sum_of, times
from runtime.ops.keys import SLOT, read_key

LARGEST = 1 << 14
"""How many elements an array of the kernel's own has at most: kernels over arrays, which threads
share, make larger ones. Arrays that are there are written by loops, however large they are."""
_CALLS_C = having(Trait.CALLS_C)
Indices = Sequence[Operand]


@dataclass(frozen=True, slots=True)
class Axis:
    """Where along an axis of an array elements are: `start + step * index`.

    Args:
        start: the first of them.
        step: from one to the next.
        of: the axis of the part whose index it is; None if it is one element.
    """

    start: Operand
    step: int = 0
    of: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Elements that can be read by indices in range.

    Args:
        sizes: of its axes.
        dtype: of its elements.
        read: writes the reading of an element.
        views: what it is computed of.
        array: of a view: the array whose elements it has.
        axes: of a view: where these are.
        owner: of a view: what stands for the array outside of kernels; None for one of its own.
        is_disordered: whether NumPy has the elements of the array in another order in memory, as it
            has those of `x.T * 2`. That shows where they are added up, multiplied, or returned.
    """

    sizes: tuple[Operand, ...]
    dtype: DType
    read: Callable[[Indices], Operand]
    views: tuple[Part, ...] = ()
    array: Variable | None = None
    axes: tuple[Axis, ...] = ()
    owner: object = None
    is_disordered: bool = False

    @property
    def type(self) -> ArrayType:
        """What it would be as an array."""
        known = tuple(int(n.value) if isinstance(n, Literal) else None for n in self.sizes)
        return ArrayType(self.dtype, known)


Given = Operand | Part
"""What stands for a value of a graph."""


def view(
    s: Scalars,
    array: Variable,
    axes: Sequence[Axis],
    sizes: Sequence[Operand],
    owner: object,
    is_disordered: bool = False,
) -> Part:
    """Return a view of an array."""

    def read(indices: Indices) -> Operand:
        return s.emit("load", [array, *places(s, found.axes, indices)], found.dtype)

    dtype = array_type(array).dtype
    found = Part(tuple(sizes), dtype, read, (), array, tuple(axes), owner, is_disordered)
    return found


def places(s: Scalars, axes: Sequence[Axis], indices: Indices) -> list[Operand]:
    """Return where an element of a view stands, along axes of what the view is of."""
    return [
        x.start if x.of is None else sum_of(s, x.start, times(s, indices[x.of], x.step))
        for x in axes
    ]


def whole(s: Scalars, x: Given, owner: object = None) -> Part:
    """Return all of an array as a part."""
    if isinstance(x, Part):
        return x
    assert isinstance(x, Variable)
    rank = len(array_type(x).shape)
    sizes = [size_of(s, x, k) for k in range(rank)]
    return view(s, x, [Axis(ZERO, 1, k) for k in range(rank)], sizes, owner)


def taken(s: Scalars, part: Part, chosen: Sequence[Axis], sizes: Sequence[Operand]) -> Part:
    """Return a part of a part, a view if that is one: `chosen` has an axis for each of its axes."""
    if part.array is None:

        def read(indices: Indices) -> Operand:
            return part.read(places(s, chosen, indices))

        return Part(tuple(sizes), part.dtype, read, part.views)
    axes = []
    for x in part.axes:
        own = Axis(ZERO) if x.of is None else chosen[x.of]
        start = sum_of(s, x.start, times(s, own.start, x.step))
        axes.append(x if x.of is None else Axis(start, x.step * own.step, own.of))
    return view(s, part.array, axes, sizes, part.owner, part.is_disordered)


def part_of(s: Scalars, part: Part, key: str, parts: Sequence[Operand], slices: Slices) -> Part:
    """Return the part of a view that integers and slices select."""
    items, given = [*read_key(key)], iter(parts)
    if any(isinstance(x, bool) for x in items):
        raise UnsupportedError("parts of arrays by truth values")
    missing = len(part.sizes) - sum(x is not None and x is not ... for x in items)
    dots = items.index(...) if ... in items else len(items)
    items[dots : dots + 1] = [slice(None)] * missing
    chosen, sizes = list[Axis](), list[Operand]()
    for item in items:
        if item is None:
            sizes.append(ONE)
            continue
        size = part.sizes[len(chosen)]
        if isinstance(item, slice):
            start, step, length = slices.read(s, item, given, size)
            chosen.append(Axis(start, step, len(sizes)))
            sizes.append(length)
        else:
            index = next(given) if item is SLOT else Literal(INT, item)
            chosen.append(Axis(place_of(s, index, size)))
    return taken(s, part, chosen, sizes)


def broadcast(s: Scalars, *shapes: Sequence[Operand]) -> tuple[Operand, ...]:
    """Return the sizes of parts together; leave the kernel where numbers are not alike."""
    found: list[Operand] = [ONE] * max(map(len, shapes))
    for shape in shapes:
        for k in range(-len(shape), 0):
            found[k] = shape[k] if found[k] == ONE else found[k]
    for shape in shapes:
        for k in range(-len(shape), 0):
            if shape[k] != ONE:
                need_equal(s, shape[k], found[k])
    return tuple(found)


def need_equal(s: Scalars, x: Operand, y: Operand) -> None:
    """Leave the kernel unless two sizes are equal."""
    if x != y:
        s.stop_if(s.not_equal(x, y))


def element(s: Scalars, x: Given, indices: Indices) -> Operand:
    """Return the number of a part that is broadcast, by NumPy's rules; or a number itself."""
    if not isinstance(x, Part):
        return x
    own = indices[len(indices) - len(x.sizes) :]
    return x.read([ZERO if n == ONE else k for n, k in zip(x.sizes, own, strict=True)])


def computed(part: Part, function: Callable[[Operand], Operand], dtype: DType) -> Part:
    """Return what a function of numbers makes of each element."""
    views = part.views if part.array is None else (part,)
    return Part(part.sizes, dtype, lambda indices: function(part.read(indices)), views)


def each(
    s: Scalars,
    sizes: Sequence[Operand],
    write: Callable[[Indices], None],
    before: Indices = (),
    are_rows: bool = False,
) -> None:
    """Write loops over a space, one in another; of elements, or of rows that NumPy may be given."""
    if not sizes:
        write(before)
        return
    if sizes[0] == ONE:
        each(s, sizes[1:], write, (*before, ZERO), are_rows)
        return
    number = Variable(INT)
    s.mark_natural(number)

    def inner() -> list[Operand]:
        each(s, sizes[1:], write, (*before, number), are_rows)
        return []

    block = s.block([number], inner)
    s.structured("for", [sizes[0]], [], [block if are_rows else _plain(block)], counters=())


def _plain(block: Block) -> Block:
    """Return a block that computes an element as NumPy does, in whatever order they come."""
    if any(x.op in _CALLS_C for x in instructions(block)):
        raise UnsupportedError("functions of NumPy's own of parts of arrays")
    return block


def check_size(sizes: Sequence[Operand]) -> None:
    """Refuse what is known to have many elements."""
    if math.prod(int(n.value) for n in sizes if isinstance(n, Literal)) > LARGEST:
        raise UnsupportedError("arithmetic on large arrays")


def room(s: Scalars, dtype: DType, sizes: Sequence[Operand], kind: ArrayType | None = None) -> Part:
    """Return an array of its own, which is there until this place is reached again.

    Args:
        s: writes instructions.
        dtype, sizes: of the array.
        kind: its type, if it may be resized.
    """
    check_size(sizes)
    known = (int(n.value) if isinstance(n, Literal) else None for n in sizes)
    array = s.emit("array", [*sizes], kind or ArrayType(dtype, tuple(known)), zeros=False)
    return in_order(s, array, sizes)


def in_order(s: Scalars, array: Variable, sizes: Sequence[Operand]) -> Part:
    """Return all of an array of its own as a part."""
    return view(s, array, [Axis(ZERO, 1, k) for k in range(len(sizes))], sizes, None)


def resized(s: Scalars, array: Operand, sizes: Sequence[Operand], kind: ArrayType) -> Part:
    """Return an array of its own with other sizes, which is there instead of it from here on."""
    return in_order(s, s.emit("resized", [array, *sizes], kind), sizes)


def array_of(part: Part) -> Variable:
    """Return the array that a view is of."""
    assert part.array is not None
    return part.array


def filled(s: Scalars, array: Variable, value: Given, kind: ArrayType) -> Variable:
    """Return an array of its own that holds what a part has; of the sizes of that, if it can be.

    Args:
        s: writes instructions.
        array: that is written.
        value: the part.
        kind: the type of the array.
    """
    value, known = whole(s, value), kind.shape
    check_size(value.sizes)
    if not is_in_order(value):
        raise UnsupportedError("an array in another order in memory")
    if value.dtype != kind.dtype or len(value.sizes) != len(known):
        raise UnsupportedError("an array that becomes another one")
    for size, n in zip(value.sizes, known, strict=True):
        if n is not None:
            need_equal(s, size, Literal(INT, n))
    pairs = zip(value.sizes, known, strict=True)
    sizes = [size if n is None else Literal(INT, n) for size, n in pairs]
    target = resized(s, array, sizes, kind) if None in known else in_order(s, array, sizes)
    assign(s, target, value)
    return array_of(target)


def is_computed(x: object) -> TypeGuard[Part]:
    """Tell whether something is a part that is computed where it is used."""
    return isinstance(x, Part) and x.array is None


def kept(s: Scalars, part: Part) -> Part:
    """Return a part as a view, of an array of its own if it is none."""
    return part if part.array is not None else copied(s, part)


def copied(s: Scalars, part: Part, kind: ArrayType | None = None) -> Part:
    """Return what a part has, in an array of its own, which may be resized if its type is given."""
    found = room(s, part.dtype, part.sizes, kind)
    assign(s, found, part)
    return found if is_in_order(part) else replace(found, is_disordered=True)


def assign(s: Scalars, target: Part, value: Given) -> None:
    """Write the elements of a view, each by itself; numbers have its dtype."""
    array = target.array
    assert array is not None

    def write(indices: Indices) -> None:
        s.emit("store", [array, element(s, value, indices), *places(s, target.axes, indices)])

    each(s, target.sizes, write)


def joined(
    s: Scalars, parts: Sequence[Part], axis: int, dtype: DType, grown: Variable | None = None
) -> Part:
    """Return parts one after another along an axis, in an array.

    Args:
        s: writes instructions.
        parts: what is joined.
        axis: along which.
        dtype: of the result.
        grown: the array of the first one, if it is resized for the others.
    """
    starts, sizes = list[Operand](), [*parts[0].sizes]
    total: Operand = ZERO
    for part in parts:
        starts.append(total)
        total = sum_of(s, total, part.sizes[axis])
        for k, size in enumerate(part.sizes):
            if k != axis:
                need_equal(s, size, sizes[k])
    sizes[axis] = total
    if grown is None:
        found = room(s, dtype, sizes)
    else:
        rows = ArrayType(dtype, (None, *array_type(grown).shape[1:]))
        found = resized(s, grown, sizes, rows)
        again = [x.array is grown for x in parts]
        moved = [view(s, array_of(found), x.axes, x.sizes, None) for x in parts]
        parts = [y if is_it else x for x, y, is_it in zip(parts, moved, again, strict=True)]
    for start, part in [*zip(starts, parts, strict=True)][grown is not None :]:
        chosen = [Axis(start if k == axis else ZERO, 1, k) for k in range(len(sizes))]
        value = computed(part, lambda x: s.convert(x, dtype), dtype)
        assign(s, taken(s, found, chosen, part.sizes), value)
    return found


def is_all(part: Part) -> bool:
    """Tell whether a view is all of an array, whose sizes are known."""
    kind = part.type
    is_whole = part.array is not None and part.array.type == kind and None not in kind.shape
    in_place = [*part.axes] == [Axis(ZERO, 1, k) for k in range(len(kind.shape))]
    return is_whole and in_place and not part.is_disordered


def is_in_order(part: Part) -> bool:
    """Tell whether NumPy has the elements of a part, or would make them, from front to back.

    What is made of several arrays is in their order if they agree, else in this one, and backwards
    in no axis.
    """
    if len(part.sizes) < 2:
        return True
    if part.array is not None or part.is_disordered:
        return _goes_forward(part)
    return all(map(_is_sorted, part.views)) or any(
        _is_sorted(x) and x.sizes == part.sizes and not is_spread(x) for x in part.views
    )


def is_spread(part: Part) -> bool:
    """Tell whether a part is a view that is broadcast: several of its elements are one."""
    own = {x.of for x in part.axes}
    is_axis = (n == ONE or k in own for k, n in enumerate(part.sizes))
    return part.array is not None and not all(is_axis)


def _goes_forward(view: Part) -> bool:
    """Tell whether a view goes through its array from the front to the back."""
    return _is_sorted(view) and all(x.step > 0 for x in view.axes if x.of is not None)


def _is_sorted(view: Part) -> bool:
    """Tell whether the axes of a view are in the order of those of its array."""
    places = [x.of for x in view.axes if x.of is not None]
    return places == sorted(places) and not view.is_disordered


def is_same(x: Part, y: Part) -> bool:
    """Tell whether two views have the same elements in the same places."""
    return x.array is y.array and (x.axes, x.sizes) == (y.axes, y.sizes)
