"""Reductions of parts of arrays in native loops.

Comes in: a node, and the part that it reduces. Goes out: a number, with the bits of NumPy: floats
are added by its own inner loops, in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from runtime.graph.node import Node
from runtime.kernels.arrays.layout import HAS_LONG_SUMS, LONGEST_ROW
from runtime.kernels.kernel import (
    INT,
    Instruction,
    Literal,
    Operand,
    Policy,
    UnsupportedError,
    Variable,
    kind_of,
)
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.part_calls import call, each_of, flattened
from runtime.lower.parts import (
    Given,
    Part,
    array_of,
    assign,
    broadcast,
    check_size,
    computed,
    each,
    is_all,
    is_in_order,
    is_spread,
    kept,
    part_of,
    places,
    room,
)
from runtime.lower.slices import ONE, ZERO, Slices

_COMBINED: Mapping[str, Callable[[Scalars, Operand, Operand], Operand]] = {
    "add": Scalars.add,
    "multiply": Scalars.multiply,
    "maximum": Scalars.maximum,
    "minimum": Scalars.minimum,
    "logical_or": lambda s, x, y: s.bitwise("or", x, y),
    "logical_and": lambda s, x, y: s.bitwise("and", x, y),
}


def reduction(s: Scalars, node: Node, part: Part) -> Given:
    """Return what all elements of a part are reduced to: a number, or one with axes of size 1."""
    what, spec = f"{node.op.name} of {node.inputs[0].spec}", node.result.spec
    check_size(part.sizes)
    if _scalar_of(node) is None or spec.shape is None:
        raise UnsupportedError(what)
    if node.attrs.get("ddof"):
        raise UnsupportedError(f"{node.op.name} with such arguments")
    if any(n != 1 for n in spec.shape):
        return _along_axis(s, node, part, what)
    if len(spec.shape) not in (0, len(part.sizes)):
        raise UnsupportedError(f"{node.op.name} with such arguments")
    found = _of_row(s, node, in_one_row(s, part, what), what)
    if isinstance(found, Part) or found.type != spec.dtype:
        raise UnsupportedError(what)
    return Part((ONE,) * len(spec.shape), spec.dtype, lambda _: found) if spec.shape else found


def _scalar_of(node: Node) -> Callable[..., Operand] | None:
    """Return what makes a number of a row: what the op says, or the ufunc that it puts together."""
    ufunc = node.op.reduction.ufunc if node.op.reduction is not None else None
    if node.op.scalar is not None or ufunc is None:
        return node.op.scalar
    return lambda s, x, **attrs: s.reduce(ufunc, x)


def _along_axis(s: Scalars, node: Node, part: Part, what: str) -> Part:
    """Return what the elements along one axis are reduced to, in NumPy's order.

    Along the last axis it goes through one row after the other; else it puts row after row onto
    what it has, unless each row is one element.
    """
    axis, spec = node.attrs["axis"], node.result.spec
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    is_exact = part.dtype.kind in "biu" or (part.dtype.kind == "f" and part.dtype.itemsize >= 4)
    is_plain = is_in_order(part) and not is_spread(part)
    if not isinstance(axis, int) or not is_exact or not is_plain:
        raise UnsupportedError(what)
    part, axis = kept(s, part), axis % len(part.sizes)
    if axis == len(part.sizes) - 1:
        found = _of_rows(s, node, part, what)
    else:
        s.stop_if(s.equal(part.sizes[-1], ONE))
        made = _of_row(s, node, part, what, axis)
        if not isinstance(made, Part):
            raise UnsupportedError(what)
        key = ", ".join([*[":"] * axis, "0", "..."])
        found = part_of(s, kept(s, made), key, (), Slices())
    if found.dtype != spec.dtype:
        raise UnsupportedError(what)
    if not node.attrs["keepdims"]:
        return found
    return part_of(s, found, ", ".join([*[":"] * axis, "None", "..."]), (), Slices())


def _of_rows(s: Scalars, node: Node, part: Part, what: str) -> Part:
    """Return what each row along the last axis is reduced to."""
    *sizes, _ = part.sizes
    found = room(s, node.result.spec.dtype, sizes)

    def write(indices: Sequence[Operand]) -> None:
        row = part_of(s, part, ", ".join("?" * len(sizes)), indices, Slices())
        total = _of_row(s, node, row, what)
        if isinstance(total, Part) or total.type != found.dtype:
            raise UnsupportedError(what)
        s.emit("store", [array_of(found), total, *indices])

    each(s, sizes, write, are_rows=True)
    return found


def _rows_combined(s: Scalars, name: str, initial: int | None, part: Part, axis: int) -> Part:
    """Return what a ufunc makes of the elements along an axis that is not the last, one by one."""
    combine = _COMBINED.get(name)
    if combine is None:
        raise UnsupportedError(f"{name} over the columns of {part.type}")
    first, rest = (
        part_of(s, kept(s, part), ", ".join([*[":"] * axis, key, "..."]), (), Slices())
        for key in (":1", "1:" if initial is None else ":")
    )
    s.stop_if(s.equal(first.sizes[axis], ZERO))
    found = room(s, part.dtype, [ONE if k == axis else n for k, n in enumerate(part.sizes)])
    assign(s, found, first if initial is None else s.literal(initial, part.dtype))

    def add(indices: Sequence[Operand]) -> None:
        place = [ZERO if k == axis else n for k, n in enumerate(indices)]
        s.policy = Policy.ELEMENT
        total = combine(s, found.read(place), rest.read(indices))
        s.emit("store", [array_of(found), total, *place])

    each(s, rest.sizes, add)
    return found


def accumulated(s: Scalars, node: Node, part: Part) -> Part:
    """Return what a ufunc makes of the elements up to each one along an axis, one after another."""
    axis, ufunc = node.attrs["axis"], node.op.accumulation
    combine = _COMBINED.get(ufunc.__name__) if ufunc is not None else None
    if combine is None or node.result.spec.dtype != part.dtype or part.dtype.kind not in "fiu":
        raise UnsupportedError(f"{node.op.name} of {node.inputs[0].spec}")
    if axis is None:
        part = flattened(s, part)
    axis = (axis or 0) % len(part.sizes)
    s.stop_if(s.equal(part.sizes[axis], ZERO))
    part, found = kept(s, part), room(s, part.dtype, part.sizes)
    heads, rests, before = (
        [part_of(s, x, ", ".join([*[":"] * axis, key, "..."]), (), Slices()) for x in (part, found)]
        for key in (":1", "1:", ":-1")
    )
    assign(s, heads[1], heads[0])

    def add(indices: Sequence[Operand]) -> None:
        s.policy = Policy.ELEMENT
        total = combine(s, before[1].read(indices), rests[0].read(indices))
        s.emit("store", [array_of(found), total, *places(s, rests[1], indices)])

    each(s, rests[0].sizes, add)
    is_sorted = is_in_order(computed(part, lambda x: x, part.dtype))
    return found if is_sorted else replace(found, is_disordered=True)


def _of_row(s: Scalars, node: Node, part: Part, what: str, axis: int = 0) -> Given:
    """Return what an op makes of a part along an axis: a number if that is the only one."""
    scalar, sample = _scalar_of(node), Variable(part.dtype)
    assert scalar is not None
    s.policy = Policy.ELEMENT
    block = s.block((), lambda: [scalar(s, sample, **node.attrs)])
    known: dict[Operand, Given] = {sample: part}
    for x in block.instructions:
        given = [known.get(y, y) for y in x.args]
        if len(x.results) > 1 or (not x.results and any(isinstance(y, Part) for y in given)):
            raise UnsupportedError(what)
        made = _replayed(s, x, given, part.sizes, axis)
        known.update(dict.fromkeys(x.results, made))
    return known[block.results[0]]


def _replayed(
    s: Scalars, x: Instruction, given: Sequence[Given], sizes: Sequence[Operand], axis: int
) -> Given:
    """Write an instruction of a row for all of its elements, or for the row.

    What there is for each of several rows has the size 1 along the axis.
    """
    count, is_one = sizes[axis], len(sizes) == 1
    if x.op == "reduce":
        (part,) = given
        assert isinstance(part, Part)
        name, initial = x.attrs["ufunc"], x.attrs["initial"]
        if is_one:
            return reduced(s, name, x.attrs["types"], initial, part)
        return _rows_combined(s, name, initial, part, axis)
    if not x.results:
        s.emit(x.op, [y for y in given if not isinstance(y, Part)], **x.attrs)
        return ZERO
    kind = kind_of(x.results[0])
    if x.op == "columns":
        return s.convert(count, kind)
    if x.op == "index":
        own = tuple(n if k == axis else ONE for k, n in enumerate(sizes))
        return Part(own, kind, lambda k: s.convert(k[axis], kind))
    parts = [y for y in given if isinstance(y, Part)]
    made = each_of(s, x, given, broadcast(s, *(y.sizes for y in parts)) if parts else sizes)
    is_small = isinstance(made, Part) and not is_one and made.sizes[axis] == ONE
    return kept(s, made) if isinstance(made, Part) and is_small else made


def reduced(s: Scalars, name: str, types: str, initial: int | None, part: Part) -> Operand:
    """Return the elements of a part with one axis, put together by a ufunc.

    Floats are by NumPy's own loop; of integers the order does not matter.
    """
    dtype, (count,) = part.dtype, part.sizes
    if dtype.kind in "biu" and name in _COMBINED:
        return combined(s, _COMBINED[name], initial, part)
    total = room(s, dtype, [ONE])
    if not HAS_LONG_SUMS:
        s.stop_if(s.less(Literal(INT, LONGEST_ROW), count))
    part = kept(s, part)
    first: Operand
    if initial is None:
        s.stop_if(s.equal(count, ZERO))
        first, rest = part.read([ZERO]), part_of(s, part, "1:", (), Slices())
    else:
        first, rest = s.literal(initial, dtype), part
    assign(s, total, first)
    call(s, name, types, [total, rest, total], [(0, -1), (1, 0), (2, -1)], rest.sizes)
    return total.read([ZERO])


def combined(
    s: Scalars,
    combine: Callable[[Scalars, Operand, Operand], Operand],
    initial: int | None,
    part: Part,
) -> Operand:
    """Return integers put together one by one."""
    dtype, (count,) = part.dtype, part.sizes
    start: Operand
    if initial is None:
        s.stop_if(s.equal(count, ZERO))
        start = part.read([ZERO])
    else:
        start = s.literal(initial, dtype)
    number, before = Variable(INT), Variable(dtype)
    s.mark_natural(number)

    def write() -> list[Operand]:
        x = part.read([number])
        s.policy = Policy.ELEMENT
        return [combine(s, before, x)]

    block = s.block([number, before], write)
    return s.structured("for", [count, start], [dtype], [block], counters=())[0]


def in_one_row(s: Scalars, part: Part, what: str) -> Part:
    """Return a part as one row, in the order in which NumPy goes through it; `what` is refused."""
    if len(part.sizes) == 1:
        return part
    is_free = part.dtype.kind in "biu"
    if not (is_free or is_all(part) or (part.array is None and is_in_order(part))):
        raise UnsupportedError(what)
    return flattened(s, part)
