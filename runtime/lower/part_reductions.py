"""Reductions of parts of arrays in native loops.

Comes in: a node, and the part that it reduces. Goes out: a number, with the bits of NumPy: floats
are added by its own inner loops, in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

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
from runtime.lower.part_moves import reshaped
from runtime.lower.parts import (
    Given,
    Part,
    array_of,
    assign,
    broadcast,
    check_size,
    each,
    is_all,
    is_in_order,
    is_spread,
    kept,
    part_of,
    room,
)
from runtime.lower.slices import ONE, ZERO, Slices
from runtime.ops.spec_rules import normal_axes
from runtime.spec import make_spec

COMBINED: Mapping[str, Callable[[Scalars, Operand, Operand], Operand]] = {
    "add": Scalars.add,
    "multiply": Scalars.multiply,
    "maximum": Scalars.maximum,
    "minimum": Scalars.minimum,
    "logical_or": lambda s, x, y: s.bitwise("or", x, y),
    "logical_and": lambda s, x, y: s.bitwise("and", x, y),
}


_SUMMED = (np.dtype(np.float32), np.dtype(np.float64))
_SHORT = 8


def reduction(s: Scalars, node: Node, part: Part) -> Given:
    """Return what all elements of a part are reduced to: a number, or one with axes of size 1."""
    what, spec = f"{node.op.name} of {node.inputs[0].spec}", node.result.spec
    check_size(part.sizes)
    if _scalar_of(node) is None or spec.shape is None:
        raise UnsupportedError(what)
    if node.attrs.get("ddof"):
        raise UnsupportedError(f"{node.op.name} with such arguments")
    if any(n != 1 for n in spec.shape):
        return _along_axes(s, node, part, what)
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


def _along_axes(s: Scalars, node: Node, part: Part, what: str) -> Part:
    """Return what the elements along some axes are reduced to, in NumPy's order."""
    spec, axes = node.result.spec, normal_axes(node.attrs["axis"], len(part.sizes))
    is_exact = part.dtype.kind in "biu" or (part.dtype.kind == "f" and part.dtype.itemsize >= 4)
    is_plain = is_in_order(part) and not is_spread(part)
    if not is_exact or not is_plain:
        raise UnsupportedError(what)
    part = kept(s, part)
    if len(axes) == 1:
        found = _along_axis(s, node, part, what, axes[0])
        key = ", ".join([*[":"] * axes[0], "None", "..."])
        found = part_of(s, found, key, (), Slices()) if node.attrs["keepdims"] else found
    else:
        moved = reshaped(s, _along_groups(s, node, part, what, axes), spec)
        assert isinstance(moved, Part)
        found = moved
    if found.dtype != spec.dtype:
        raise UnsupportedError(what)
    return found


def _along_axis(s: Scalars, node: Node, part: Part, what: str, axis: int) -> Part:
    """Return what the elements along one axis are reduced to.

    Along the last axis it goes through one row after the other; else it puts row after row onto
    what it has, unless each row is one element.
    """
    if axis == len(part.sizes) - 1:
        return _of_rows(s, node, part, what)
    s.stop_if(s.equal(part.sizes[-1], ONE))
    made = _of_row(s, node, part, what, axis)
    if not isinstance(made, Part):
        raise UnsupportedError(what)
    return part_of(s, kept(s, made), ", ".join([*[":"] * axis, "0", "..."]), (), Slices())


def _along_groups(s: Scalars, node: Node, part: Part, what: str, axes: Sequence[int]) -> Part:
    """Return what the elements along several axes are reduced to.

    Neighbours among them are one axis, as NumPy's iterator has it. It goes through rows first, if
    they are reduced, and puts what it has of them onto the sum one by one.
    """
    groups = list[tuple[bool, int]]()
    for k, n in enumerate(part.type.shape):
        if n is None or n == 0:
            raise UnsupportedError(what)
        if groups and groups[-1][0] == (k in axes):
            groups[-1] = groups[-1][0], groups[-1][1] * n
        elif n > 1:
            groups.append((k in axes, n))
    row = reshaped(s, part, make_spec(part.dtype, tuple(n for _, n in groups)))
    reduced_axes = [k for k, (is_reduced, _) in enumerate(groups) if is_reduced]
    if not isinstance(row, Part) or not reduced_axes:
        raise UnsupportedError(what)
    if len(reduced_axes) == 1:
        return _along_axis(s, node, kept(s, row), what, reduced_axes[0])
    found, last = kept(s, row), len(groups) - 1
    if reduced_axes[-1] == last:
        found, reduced_axes = _of_rows(s, node, found, what), reduced_axes[:-1]
    ufunc = node.op.reduction.ufunc if node.op.reduction is not None else None
    s.policy = Policy.ELEMENT
    sample, scalar = Variable(part.dtype), _scalar_of(node)
    assert scalar is not None
    block = s.block((), lambda: [scalar(s, sample, **node.attrs)])
    if ufunc is None or [x.op for x in block.instructions] != ["reduce"]:
        raise UnsupportedError(what)
    initial = block.instructions[0].attrs["initial"]
    return _rows_combined(s, ufunc.__name__, initial, found, reduced_axes)


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


def _rows_combined(
    s: Scalars, name: str, initial: int | None, part: Part, axes: Sequence[int]
) -> Part:
    """Return what a ufunc makes of the elements along axes that are not the last, one by one.

    Where it has no number to begin with, an element may count twice.
    """
    combine, rank = COMBINED.get(name), len(part.sizes)
    if combine is None:
        raise UnsupportedError(f"{name} over the columns of {part.type}")
    first, rest = (
        part_of(
            s,
            kept(s, part),
            ", ".join(key if k in axes else ":" for k in range(rank)),
            (),
            Slices(),
        )
        for key in (":1", "1:" if initial is None and len(axes) == 1 else ":")
    )
    for k in axes:
        s.stop_if(s.equal(first.sizes[k], ZERO))
    found = room(s, part.dtype, [ONE if k in axes else n for k, n in enumerate(part.sizes)])
    assign(s, found, first if initial is None else s.literal(initial, part.dtype))

    def add(indices: Sequence[Operand]) -> None:
        place = [ZERO if k in axes else n for k, n in enumerate(indices)]
        s.policy = Policy.ELEMENT
        total = combine(s, found.read(place), rest.read(indices))
        s.emit("store", [array_of(found), total, *place])

    each(s, rest.sizes, add)
    return found


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
        return _rows_combined(s, name, initial, part, [axis])
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
    if dtype.kind in "biu" and name in COMBINED:
        return combined(s, COMBINED[name], initial, part)
    if name == "add" and dtype in _SUMMED and _is_short(count):
        return _added(s, initial or 0, part)
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


def _is_short(count: Operand) -> bool:
    return isinstance(count, Literal) and 0 < count.value < _SHORT


def _added(s: Scalars, initial: int, part: Part) -> Operand:
    """Return the sum of a few floats: NumPy adds fewer than eight one by one, then to what it has.

    (`pairwise_sum` in its `loops_utils.h.src`.)
    """
    s.policy = Policy.ELEMENT
    total = part.read([ZERO])
    for k in range(1, int(part.type.shape[0] or 0)):
        total = s.add(total, part.read([Literal(INT, k)]))
    return s.add(s.literal(initial, part.dtype), total)


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
    long = [k for k, n in enumerate(part.sizes) if n != ONE]
    if len(long) < 2 and part.array is not None:
        only = long[0] if long else 0
        key = ", ".join(":" if k == only else "0" for k in range(len(part.sizes)))
        return part_of(s, part, key, (), Slices())
    is_free = part.dtype.kind in "biu"
    if not (is_free or is_all(part) or (part.array is None and is_in_order(part))):
        raise UnsupportedError(what)
    return flattened(s, part)
