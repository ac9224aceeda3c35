"""Kernels that reduce rows of a few elements, as kernels over the rows.

Comes in: the body of a kernel that reduces rows of a known length, and how its arrays enter. Goes
out: a body that computes a row at each place, its elements by as many instructions, or nothing.

A row of three elements is not worth a loop. NumPy adds fewer than eight floats one by one, however
they lie in memory, so the sums have its bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from runtime.dtypes import DType
from runtime.kernels.kernel import (
    ArrayType,
    Block,
    Instruction,
    Literal,
    Operand,
    Policy,
    Port,
    Variable,
    kind_of,
)
from runtime.kernels.scalar.scalars import Scalars
from runtime.kernels.target import Target

LONGEST = 7
"""How many elements a row has at most: NumPy adds more of them in another order."""
MOST = 160
"""How many instructions a body has at most."""
_COMBINED: Mapping[str, Callable[[Scalars, Operand, Operand], Operand]] = {
    "add": Scalars.add,
    "logical_or": lambda s, x, y: s.bitwise("or", x, y),
    "logical_and": lambda s, x, y: s.bitwise("and", x, y),
}

Entry = tuple[Variable, Port, int]
"""A parameter, how it enters, and the argument that it is."""


def unroll_rows(
    body: Block, entries: Sequence[Entry], length: int | None, target: Target, fast: bool
) -> tuple[Block, list[Entry]] | None:
    """Return a body over rows and what enters it; None if rows are not of a few elements.

    Args:
        body: without its parameters.
        entries: its parameters.
        length: of a row, if it is known.
        target: what the kernel is for.
        fast: whether results may differ from NumPy's in their last digits.
    """
    if length is None or not 1 < length <= LONGEST or len(body.instructions) * length > MOST:
        return None
    if not all(map(_is_plain, entries)) or not all(map(_is_known, body.instructions)):
        return None
    rows = _Rows(length, Scalars(target, fast))
    return rows.block(body, entries), rows.entries


def _is_plain(entry: Entry) -> bool:
    _, port, _ = entry
    return not (port.shifts or port.drawn or port.whole or port.spread or port.places is not None)


def _is_known(x: Instruction) -> bool:
    """Tell whether an instruction is not a reduction, or one in an order that is known."""
    if x.op != "reduce":
        return not x.blocks and x.op != "index" and len(x.results) == 1
    return x.attrs["ufunc"] in _COMBINED and _is_exact(kind_of(x.args[0]), kind_of(x.results[0]))


def _is_exact(kind: DType, result: DType) -> bool:
    return kind == result and (kind.kind in "biu" or kind.name in ("float32", "float64"))


class _Rows:
    """Writes a body; `of` has what a variable is at each place of a row, or one for all."""

    def __init__(self, length: int, scalars: Scalars) -> None:
        self.length = length
        self.scalars = scalars
        self.entries: list[Entry] = []
        self.of: dict[Operand, Sequence[Operand]] = {}

    def block(self, body: Block, entries: Sequence[Entry]) -> Block:
        """Return the body."""
        for x, port, source in entries:
            self.of[x] = self.entered(x, port, source)

        def write() -> list[Operand]:
            for x in body.instructions:
                self.write(x)
            return [self.element(x, 0) for x in body.results]

        written = self.scalars.block((), write)
        return Block(tuple(x for x, _, _ in self.entries), written.instructions, written.results)

    def entered(self, x: Variable, port: Port, source: int) -> Sequence[Operand]:
        """Return the parameters that stand for one."""
        kind = port.type
        if not isinstance(kind, ArrayType):
            self.entries.append((x, port, source))
            return [x]
        *outer, size = kind.shape
        count = 1 if size == 1 else self.length
        own = [Variable(x.type) for _ in range(count)]
        rows = replace(port, type=ArrayType(kind.dtype, tuple(outer)))
        columns = [(y, replace(rows, column=(k, count)), source) for k, y in enumerate(own)]
        self.entries += columns
        return own

    def element(self, x: Operand, k: int) -> Operand:
        """Return what an operand is at a place of a row."""
        if isinstance(x, Literal):
            return x
        found = self.of[x]
        return found[k if len(found) > 1 else 0]

    def write(self, x: Instruction) -> None:
        """Write an instruction: once for each element, or once."""
        s = self.scalars
        if x.op == "columns":
            self.of[x.results[0]] = [s.literal(self.length, kind_of(x.results[0]))]
        elif x.op == "reduce":
            self.of[x.results[0]] = [self.reduced(x)]
        else:
            many = any(len(self.of[y]) > 1 for y in x.args if isinstance(y, Variable))
            self.of[x.results[0]] = [
                s.emit(x.op, [self.element(y, k) for y in x.args], x.results[0].type, **x.attrs)
                for k in range(self.length if many else 1)
            ]

    def reduced(self, x: Instruction) -> Operand:
        """Write what the elements of a row are reduced to."""
        s = self.scalars
        s.policy = Policy.ELEMENT
        found, *others = (self.element(x.args[0], k) for k in range(self.length))
        for other in others:
            found = _COMBINED[x.attrs["ufunc"]](s, found, other)
        if kind_of(found).kind == "f":  # the sum of negative zeros is 0
            found = s.add(found, s.literal(0.0, kind_of(found)))
        return found
