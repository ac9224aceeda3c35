"""Reductions of parts of arrays in native loops.

Comes in: a node, and the part that it reduces. Goes out: a number, with the bits of NumPy: floats
are added by its own inner loops, in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
from runtime.lower.part_calls import call, each_of, elements_in
from runtime.lower.parts import (
    Given,
    Part,
    array_of,
    assign,
    check_size,
    each,
    is_all,
    is_in_order,
    kept,
    part_of,
    room,
)
from runtime.lower.slices import ONE, ZERO, Slices

_COMBINED: Mapping[str, Callable[[Scalars, Operand, Operand], Operand]] = {
    "add": Scalars.add,
    "maximum": Scalars.maximum,
    "minimum": Scalars.minimum,
    "logical_or": lambda s, x, y: s.bitwise("or", x, y),
    "logical_and": lambda s, x, y: s.bitwise("and", x, y),
}


def reduction(s: Scalars, node: Node, part: Part) -> Given:
    """Return what all elements of a part are reduced to: a number, or one with axes of size 1."""
    what, spec = f"{node.op.name} of {node.inputs[0].spec}", node.result.spec
    check_size(part.sizes)
    if node.op.scalar is None or spec.shape is None:
        raise UnsupportedError(what)
    if any(n != 1 for n in spec.shape):
        return _along_axis(s, node, part, what)
    if node.attrs.get("ddof") or len(spec.shape) not in (0, len(part.sizes)):
        raise UnsupportedError(f"{node.op.name} with such arguments")
    found = _of_row(s, node, in_one_row(s, part, what), what)
    if found.type != spec.dtype:
        raise UnsupportedError(what)
    return Part((ONE,) * len(spec.shape), spec.dtype, lambda _: found) if spec.shape else found


def _along_axis(s: Scalars, node: Node, part: Part, what: str) -> Part:
    """Return the sums of the rows, or of the columns, of a matrix."""
    kind, axis, dtype = node.op.reduction, node.attrs["axis"], part.dtype
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    is_sum = kind is not None and kind.kind == "sum" and node.result.spec.dtype == dtype
    if not is_sum or len(part.sizes) != 2 or not isinstance(axis, int) or not is_in_order(part):
        raise UnsupportedError(what)
    if dtype.kind != "f" or dtype.itemsize < 4:
        raise UnsupportedError(what)
    part, axis = kept(s, part), axis % 2
    found = room(s, dtype, [part.sizes[1 - axis]])
    if axis:
        _rows_summed(s, node, part, found, what)
    else:  # row after row is added to the sums
        source = part
        assign(s, found, s.literal(0, dtype))

        def add(indices: Sequence[Operand]) -> None:
            s.policy = Policy.ELEMENT
            total = s.add(found.read(indices[1:]), source.read(indices))
            s.emit("store", [array_of(found), total, indices[1]])

        each(s, source.sizes, add)
    if not node.attrs["keepdims"]:
        return found
    return part_of(s, found, ":, None" if axis else "None, :", (), Slices())


def _rows_summed(s: Scalars, node: Node, part: Part, found: Part, what: str) -> None:
    """Write the sum of each row of a matrix, as NumPy adds up a row."""
    number = Variable(INT)
    s.mark_natural(number)

    def inner() -> list[Operand]:
        row = part_of(s, part, "?", [number], Slices())
        total = _of_row(s, node, row, what)
        s.emit("store", [array_of(found), total, number])
        return []

    s.structured("for", [part.sizes[0]], [], [s.block([number], inner)], counters=())


def _of_row(s: Scalars, node: Node, part: Part, what: str) -> Operand:
    """Return what an op makes of a part with one axis."""
    assert node.op.scalar is not None
    s.policy = Policy.ELEMENT
    scalar, sample = node.op.scalar, Variable(part.dtype)
    block = s.block((), lambda: [scalar(s, sample, **node.attrs)])
    known: dict[Operand, Given] = {sample: part}
    for x in block.instructions:
        given = [known.get(y, y) for y in x.args]
        if len(x.results) > 1 or (not x.results and any(isinstance(y, Part) for y in given)):
            raise UnsupportedError(what)
        made = _replayed(s, x, given, part.sizes[0])
        known.update(dict.fromkeys(x.results, made))
    found = known[block.results[0]]
    if isinstance(found, Part):
        raise UnsupportedError(what)
    return found


def _replayed(s: Scalars, x: Instruction, given: Sequence[Given], count: Operand) -> Given:
    """Write an instruction of a row for all of its elements, or for the row."""
    if x.op == "reduce":
        (part,) = given
        assert isinstance(part, Part)
        return reduced(s, x.attrs["ufunc"], x.attrs["types"], x.attrs["initial"], part)
    if not x.results:
        s.emit(x.op, [y for y in given if not isinstance(y, Part)], **x.attrs)
        return ZERO
    kind = kind_of(x.results[0])
    if x.op == "columns":
        return s.convert(count, kind)
    if x.op == "index":
        return Part((count,), kind, lambda k: s.convert(k[0], kind))
    return each_of(s, x, given, [count])


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
    found = room(s, part.dtype, [elements_in(s, part.sizes)])

    def write(indices: Sequence[Operand]) -> None:
        place: Operand = ZERO
        for size, k in zip(part.sizes, indices, strict=True):
            place = s.emit("add", [s.emit("mul", [place, size], INT), k], INT)
        s.emit("store", [array_of(found), part.read(indices), place])

    each(s, part.sizes, write)
    return found
