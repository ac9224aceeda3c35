"""Instructions on elements for all of a part, and calls of NumPy's inner loops for parts.

Comes in: parts, and what is done to their elements, or along which of their axes a loop of NumPy's
takes steps. Goes out: parts, and instructions. NumPy's own functions of elements are called for all
of them at once, in arrays without gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runtime.kernels.kernel import (
    INT,
    Block,
    Instruction,
    Literal,
    Operand,
    UnsupportedError,
    Variable,
    kind_of,
)
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.parts import (
    Given,
    Indices,
    Part,
    array_of,
    assign,
    each,
    element,
    is_all,
    is_in_order,
    places,
    room,
)
from runtime.lower.slices import ONE, ZERO, times


def all_of(
    s: Scalars, block: Block, known: dict[Operand, Given], sizes: Sequence[Operand], what: str
) -> Given:
    """Return what a block on numbers gives for all elements of a space.

    Args:
        s: writes instructions.
        block: of instructions without blocks.
        known: what stands for the operands of the block that are not its own.
        sizes: of the space.
        what: is refused.
    """
    for x in block.instructions:
        given = [known.get(y, y) for y in x.args]
        if x.blocks or len(x.results) != 1:
            raise UnsupportedError(what)
        known.update(dict.fromkeys(x.results, each_of(s, x, given, sizes)))
    return known.get(block.results[0], block.results[0])


def each_of(s: Scalars, x: Instruction, given: Sequence[Given], sizes: Sequence[Operand]) -> Given:
    """Write an instruction on numbers for all elements of a space, or once where it has no part."""
    kind = kind_of(x.results[0])
    parts = [y for y in given if isinstance(y, Part)]
    views = tuple(view for y in parts for view in ([y] if y.array is not None else y.views))

    def write(indices: Indices) -> Variable:
        own = [element(s, y, indices) for y in given]
        return s.emit(x.op, own, kind, **x.attrs)

    if not parts:
        return write([])
    made = Part(tuple(sizes), kind, write, views)
    return _called(s, x, given, made) if x.op == "loop" else made


def _called(s: Scalars, x: Instruction, given: Sequence[Given], made: Part) -> Part:
    """Write that NumPy's own loop is called for all elements; return the array of its results."""
    if any(axis.step < 0 for part in made.views for axis in part.axes):
        raise UnsupportedError("functions of NumPy's own of what is read backwards")
    last = len(made.sizes) - 1
    operands = [*(_without_gaps(s, y, made) for y in given), room(s, made.dtype, made.sizes)]
    core = [(k, last if isinstance(y, Part) else -1) for k, y in enumerate([*given, made])]
    call(s, x.attrs["ufunc"], x.attrs["types"], operands, core, [elements_in(s, made.sizes)])
    found = operands[-1]
    return found if is_in_order(made) else replace(found, is_disordered=True)


def _without_gaps(s: Scalars, x: Given, space: Part) -> Part:
    """Return what fills a space as an array without gaps, or a number as one of one element."""
    is_part = isinstance(x, Part)
    if isinstance(x, Part) and x.sizes == space.sizes and x.array is not None:
        along_last = [(axis.step, axis.of) for axis in x.axes] == [(1, len(x.sizes) - 1)]
        if along_last or is_all(x):
            return x
    dtype = x.dtype if isinstance(x, Part) else kind_of(x)
    found = room(s, dtype, space.sizes if is_part else [ONE])
    assign(s, found, x)
    return found


def elements_in(s: Scalars, sizes: Sequence[Operand]) -> Operand:
    """Return how many elements there are."""
    total: Operand = ONE
    for size in sizes:
        if isinstance(size, Literal):
            total = times(s, total, int(size.value))
        else:
            total = s.emit("mul", [total, size], INT)
    return total


def flattened(s: Scalars, part: Part) -> Part:
    """Return an array of its own with the elements of a part in one row, axis after axis."""
    found = room(s, part.dtype, [elements_in(s, part.sizes)])

    def write(indices: Indices) -> None:
        place: Operand = ZERO
        for size, k in zip(part.sizes, indices, strict=True):
            place = s.emit("add", [s.emit("mul", [place, size], INT), k], INT)
        s.emit("store", [array_of(found), part.read(indices), place])

    each(s, part.sizes, write)
    return found


def call(
    s: Scalars,
    name: str,
    types: str,
    operands: Sequence[Part],
    core: Sequence[tuple[int, int]],
    counts: Sequence[Operand],
    quiet: bool = False,
) -> None:
    """Write a call of an inner loop of NumPy's.

    Args:
        s: writes instructions.
        name: of the ufunc.
        types: of the loop.
        operands: views that it reads, and what it writes.
        core: for each step that it takes, an operand and an axis of that, or -1 for none.
        counts: how often it does something.
        quiet: whether nobody hears what happens in it.
    """
    args, steps = list[Operand](), []
    for x in operands:
        assert x.array is not None
        args += [x.array, *places(s, x.axes, [ZERO] * len(x.sizes))]
    for k, axis in core:
        own = [(n, x.step) for n, x in enumerate(operands[k].axes) if x.of == axis >= 0]
        steps.append((k, *(own[0] if own else (0, 0))))
    attrs = {"ufunc": name, "types": types, "steps": tuple(steps), "quiet": quiet}
    s.emit("inner", [*args, *counts], **attrs)
