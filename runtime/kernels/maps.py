"""Kernels over arrays: the same scalar arithmetic for each element of a space of run-time size.

    kernel = ["fast"] "map" name "(" params ")" "->" types "{"
                 "each" value ("," value)* "in" "[" size ("," size)* "]" ["over" axis "to" axis]
                 instruction*
                 "yield" operand ("," operand)*
             "}"

    instruction = ...
                | value "=" "reduce" "(" operand ufunc types ")" | value "=" "columns" "()"
                | value "=" "vector" "(" operand name ")" | value "=" "index" "()"
                | values "=" "while" "(" operands least [all] ")" "{" block "}" "{" block "}"
                | value "=" "scale" "(" operand operand ")"

Parameters are arrays and numbers, or one of the arguments with its elements moved along axes and
around the ends (`name: type = roll(number of the argument, shifts)`), or parts of one of them, at
places that stand in another (`name: type = take(number of the argument, number of the other)`): an
array without gaps, whose first axis gives way to the axes of the places; or random floats in [0, 1)
that are made of a key (`name: type = draw(number of the argument, sizes)`); or an array as a whole,
whose numbers are read by indices (`name: type = whole(number of the argument)`); or one of which
all elements are a number (`name: type = spread(number of the argument)`). Arrays are broadcast to
the space as NumPy does it: a size that is written `1` is one, any other (`_`) is that of the space,
which whoever enters the kernel tests.
Each element of the space gets the numbers at its place, and gives one number to each result, all of
which are new arrays of the size of the space. Instructions are those of `kernel` but for `if` and
other loops; `stop` leaves the kernel when it is true for any element. `loop` is an inner loop of
NumPy, called for blocks of elements; `vector` is a function of the vector library, in fast mode;
`scale` is a product with a power of two.

`reduce` makes one number of each row, the elements along the last axis, with the inner loop of a
ufunc; `columns` is the length of a row, `index` the number of an element in its row. What is made
of such numbers only is computed once a row.
Results may be numbers of rows, too: then their arrays have no last axis, or one of size 1.
`while` makes rounds, the same number for all elements. Its state is numbers, the same for all, and
elements: parameters at first. The first block yields whether to go on, and may yield a second
test: then the rounds go on as long as that is true for any element, too, or for `all` of them. With
fewer than `least` rounds, the kernel is left.
A kernel may reduce axes `over` a range instead, all of them or some that others follow; then no
element is computed of what was reduced.

Comes in: nothing; this is data. In what order a block is computed is said by `block_schedule`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from runtime.kernels.kernel import ArrayType, Block, Instruction, Port, Printer
from runtime.kernels.target import Target

ROUNDS = 32
"""How many rounds loops are taken to make, for the choice what pays."""


class Kind(Enum):
    """What is reduced: rows one by one, all elements as one row, or columns."""

    ROWS = "rows"
    TOTAL = "total"
    COLUMNS = "columns"


@dataclass(frozen=True, slots=True, eq=False)
class MapKernel:
    """A kernel over arrays.

    Args:
        name: for people.
        body: what is done with the numbers at each place; one parameter for each input.
        inputs: how arrays and numbers enter.
        sources: which argument each input is.
        outputs: the types of the new arrays; of numbers of rows the last size is 1, or missing.
        rank: of the space, at least 1.
        fast: whether arithmetic may be contracted and sums have another order than NumPy's.
        axes: the first one that is reduced, and the one after the last; None for rows.
        constants: arrays that it is given for its last parameters.
        waits: it is compiled only when NumPy has taken as long for what it stands for.
        hidden: how many of the last outputs are only there so that rounds can go on.
        target: what it is for.
    """

    name: str
    body: Block
    inputs: tuple[Port, ...]
    sources: tuple[int, ...]
    outputs: tuple[Port, ...]
    rank: int
    fast: bool = False
    axes: tuple[int, int] | None = None
    constants: tuple[Any, ...] = ()
    waits: bool = True
    hidden: int = 0
    target: Target = field(kw_only=True)

    @property
    def loop(self) -> Instruction | None:
        """The loop of a kernel that makes rounds."""
        return next((x for x in self.body.instructions if x.op == "while"), None)

    def space(self, shapes: Sequence[tuple[int, ...] | None]) -> tuple[int, ...]:
        """Return the sizes of the space; ValueError if the arguments do not go together.

        Args:
            shapes: of the arguments; None where it is not known.
        """
        found = []
        for port, source in zip(self.inputs, self.sources, strict=True):
            own = port.drawn or shapes[source]
            if own is None or port.whole or not isinstance(port.type, ArrayType):
                continue
            if port.places is not None:
                own = (*(shapes[port.places] or ()), *own[1:])
            found.append(own if port.column is None else own[:-1])
        return np.broadcast_shapes(*found)

    @property
    def weight(self) -> int:
        """About how many instructions there are for each element."""
        if self.loop is None:
            return len(self.body.instructions)
        return ROUNDS * sum(len(block.instructions) for block in self.loop.blocks)

    @property
    def has_rows(self) -> bool:
        """Whether it reduces rows."""
        return bool(self.reductions)

    @property
    def reductions(self) -> list[Instruction]:
        """The instructions that reduce."""
        return [x for x in self.body.instructions if x.op == "reduce"]

    @property
    def kind(self) -> Kind:
        """What is reduced, if anything is."""
        if self.axes is None:
            return Kind.ROWS
        return Kind.TOTAL if self.axes == (0, self.rank) else Kind.COLUMNS

    def __str__(self) -> str:
        printer = Printer()
        params = (
            f"{printer.name(x)}: {port}{_moved(port, argument)}"
            for x, port, argument in zip(self.body.params, self.inputs, self.sources, strict=True)
        )
        outputs = ", ".join(str(port) for port in self.outputs)
        space = ", ".join("_" * self.rank)
        lines = [f"{'fast ' * self.fast}map {self.name}({', '.join(params)}) -> {outputs} {{"]
        over = "" if self.axes is None else f" over {self.axes[0]} to {self.axes[1] - 1}"
        lines += [f"  each {', '.join(map(printer.name, self.body.params))} in [{space}]{over}"]
        return "\n".join([*lines, *printer.lines(self.body), "}"])


def _moved(port: Port, argument: int) -> str:
    """Return what is printed of an input whose elements are read at other places."""
    if port.whole or port.spread:
        return f" = {'whole' if port.whole else 'spread'}({argument})"
    if port.places is not None:
        return f" = take({argument}, {port.places})"
    if port.column is not None:
        return f" = column({argument}, {port.column[0]} of {port.column[1]})"
    if port.drawn:
        return f" = draw({argument}, {port.drawn})"
    return f" = roll({argument}, {port.shifts})" if port.shifts else ""
