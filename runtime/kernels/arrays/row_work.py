"""What is done with the elements of rows, as LLVM text: the vectors of a row.

Comes in: what is to be computed of the elements, and where numbers are. Goes out: registers.

Where a row ends within a vector, the elements that are not there are taken for its first one, and
nothing of them is written or reduced.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from runtime.kernels.arithmetic import number, stored_type
from runtime.kernels.arrays.vector_pass import Known, Lanes
from runtime.kernels.kernel import Instruction, Operand, Variable
from runtime.kernels.llvm import Writer
from runtime.kernels.maps import Kind

SHORT = 16
"""So many instructions for an element are few."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The block that rows are in.

    Args:
        lanes: how many elements a vector has.
        uniform: what is the same for all rows, as vectors, by their number of lanes.
        memory: where the elements of the block are.
        row_memory: where the numbers of its rows are.
        makers: which instruction makes a variable.
        divisors: what floats are divided by.
        count: how many rows there are.
        kind: what is reduced; of a long row there is one piece here, of columns a row of elements.
        repeated: of which memory has one row, for all of them.
    """

    lanes: int
    uniform: Mapping[int, Known]
    memory: Mapping[Variable, str]
    row_memory: Mapping[Variable, str]
    makers: Mapping[Variable, Instruction]
    divisors: Container[Variable]
    count: str
    kind: Kind
    repeated: Container[Variable]


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with the elements of each row.

    Args:
        tests: instructions that may leave the kernel.
        reductions: what is put together of them.
        stores: what is written, and where to.
        given: numbers of the row that this needs.
        ahead: what is read here first, with the distance to what is asked for then.
    """

    tests: Sequence[Instruction]
    reductions: Sequence[Instruction]
    stores: Sequence[tuple[Operand, str]]
    given: Sequence[Variable]
    ahead: Mapping[Variable, str] = field(default_factory=dict)


class Elements:
    """Writes the vectors of rows, in which whatever is needed is computed."""

    def __init__(self, w: Writer, rows: Rows, work: Work) -> None:
        self.w = w
        self.rows = rows
        self.work = work

    def is_light(self) -> bool:
        """Tell whether little is computed of an element: then there are more vectors in a round."""
        operands = [x.args[0] for x in self.work.reductions] + [x for x, _ in self.work.stores]
        steps, waiting = set[Instruction](), [x for x in operands if isinstance(x, Variable)]
        while waiting:
            x = waiting.pop()
            if x not in self.rows.memory and x in self.rows.makers:
                step = self.rows.makers[x]
                if step not in steps:
                    steps.add(step)
                    waiting += [y for y in step.args if isinstance(y, Variable)]
        return len(steps) <= SHORT

    def known(self, lanes: int, index: str) -> Known:
        """Return what is the same for all of a row; write the reading of its numbers."""
        known = self.rows.uniform[lanes].copy()
        for given in self.work.given:
            place = self.at(self.rows.row_memory[given], given, index)
            value = self.w.loaded(place, number(given.type))
            known.add(self.w, lanes, given, value, self.rows.divisors)
        return known

    def registers(
        self, lanes: int, known: Known, row: str, place: str, mask: str | None = None
    ) -> Lanes:
        """Return the registers of a vector, after the tests that may leave the kernel.

        Args:
            lanes: how many numbers a vector has.
            known: what is the same for all of the row.
            row: the number of the first element of the row.
            place: where the vector is in the row.
            mask: which of its elements there are; None for all.
        """
        at = self.w.new(f"add i64 {row}, {place}")
        rows, ahead = self.rows, self.work.ahead
        given = rows.makers, mask, row, ahead, rows.repeated
        found = Lanes(self.w, lanes, known, rows.memory, at, *given)
        for x in self.work.tests:
            found.instruction(x)
        return found

    def store(self, lanes: Lanes) -> None:
        """Write that results go to memory."""
        for operand, address in self.work.stores:
            lanes.store(operand, address)

    def at(self, memory: str, x: Operand, place: str) -> str:
        """Return the address of a number."""
        return self.w.new(f"getelementptr {stored_type(number(x.type))}, ptr {memory}, i64 {place}")
