"""Kernels over arrays: the same scalar arithmetic for each element of a space of run-time size.

    kernel = "map" name "(" params ")" "->" types "{"
                 "each" value ("," value)* "in" "[" size ("," size)* "]"
                 instruction*
                 "yield" operand ("," operand)*
             "}"

Parameters are arrays and numbers; arrays are broadcast to the space as NumPy does it: a size that
is written `1` is one, any other (`_`) is that of the space, which whoever enters the kernel tests.
Each element of the space gets the numbers at its place, and gives one number to each result, all of
which are new arrays of the size of the space. Instructions are those of `kernel` but for `if` and
loops; `stop` leaves the kernel when it is true for any element. `loop` is an inner loop of NumPy,
called for blocks of elements.

Comes in: nothing; this is data. How blocks are computed is said by `phases`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.kernels.kernel import (
    Block,
    Instruction,
    Literal,
    Operand,
    Port,
    Printer,
    Variable,
)


@dataclass(frozen=True, slots=True, eq=False)
class MapKernel:
    """A kernel over arrays.

    Args:
        name: for people.
        body: what is done with the numbers at each place; one parameter for each input.
        inputs: how arrays and numbers enter.
        outputs: the types of the new arrays, whose sizes are not used.
        rank: of the space, at least 1.
        constants: nothing; constant arrays are inputs.
    """

    name: str
    body: Block
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    rank: int
    constants: tuple[Any, ...] = ()

    def __str__(self) -> str:
        printer = Printer()
        params = (
            f"{printer.name(x)}: {p}" for x, p in zip(self.body.params, self.inputs, strict=True)
        )
        outputs = ", ".join(str(port) for port in self.outputs)
        space = ", ".join("_" * self.rank)
        lines = [f"map {self.name}({', '.join(params)}) -> {outputs} {{"]
        lines += [f"  each {', '.join(map(printer.name, self.body.params))} in [{space}]"]
        return "\n".join([*lines, *printer.lines(self.body), "}"])


@dataclass(slots=True)
class Phase:
    """What is computed for a whole block before the next phase begins.

    Args:
        plain: instructions on registers, in one pass over the block.
        calls: inner loops of NumPy, after that.
        stores: numbers that calls or later phases need, written to memory in the pass.
        results: the numbers of results that are written in the pass.
    """

    plain: list[Instruction] = field(default_factory=list)
    calls: list[Instruction] = field(default_factory=list)
    stores: list[Variable] = field(default_factory=list)
    results: list[int] = field(default_factory=list)


def phases(body: Block) -> list[Phase]:
    """Return the phases of a body: what needs the result of an inner loop comes in a later one.

    A call writes its result to memory; so does a pass with what calls or later phases need.
    """
    ready: dict[Operand, int] = dict.fromkeys(body.params, 0)
    found: list[Phase] = [Phase()]
    made: dict[Variable, int] = {}
    for x in body.instructions:
        place = max((ready[y] for y in x.args if isinstance(y, Variable)), default=0)
        is_call = x.op == "loop"
        while len(found) <= place:
            found.append(Phase())
        (found[place].calls if is_call else found[place].plain).append(x)
        for y in x.results:
            ready[y] = place + is_call
            if not is_call:
                made[y] = place
    _add_stores(found, made)
    direct = direct_results(body)
    for k, operand in enumerate(body.results):
        place = ready[operand] if isinstance(operand, Variable) else 0
        if k not in direct.values():
            while len(found) <= place:
                found.append(Phase())
            found[place].results.append(k)
    return found


def direct_results(body: Block) -> dict[Variable, int]:
    """Return the results that inner loops write right into the new arrays."""
    called = {x.results[0] for x in body.instructions if x.op == "loop"}
    found: dict[Variable, int] = {}
    for k, operand in enumerate(body.results):
        if isinstance(operand, Variable) and operand in called:
            found.setdefault(operand, k)
    return found


def _add_stores(found: Sequence[Phase], made: Mapping[Variable, int]) -> None:
    stored: set[Variable] = set()
    for place, phase in enumerate(found):
        for x in (*phase.plain, *phase.calls):
            for y in x.args:
                if isinstance(y, Literal) or y in stored or y not in made:
                    continue
                if made[y] < place or x.op == "loop":
                    stored.add(y)
                    found[made[y]].stores.append(y)
