"""What the rounds of a kernel over arrays carry from one to the next.

Comes in: a kernel with a loop. Goes out: which of its variables are the same for all elements, and
which of these change from round to round.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runtime.kernels.arithmetic import number
from runtime.kernels.kernel import (
    ArrayType,
    Block,
    Instruction,
    Literal,
    Operand,
    Variable,
    instructions,
)
from runtime.kernels.maps import MapKernel

REGISTERS, MOST_VECTORS = 24, 4
"""How many registers a tile's vectors may fill, and how many vectors of each variable it has."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The state of a loop.

    Args:
        loop: the instruction.
        uniform: what is the same for all elements.
        changing: what of that is another number in each round.
        lanes: how many elements a vector has.
        vectors: how many vectors a tile has.
    """

    loop: Instruction
    uniform: frozenset[Operand]
    changing: frozenset[Operand]
    lanes: int
    vectors: int

    @property
    def test(self) -> Block:
        """What says whether there is another round."""
        return self.loop.blocks[0]

    @property
    def body(self) -> Block:
        """What a round does."""
        return self.loop.blocks[1]

    @property
    def tile(self) -> int:
        """How many elements make their rounds together."""
        return self.lanes * self.vectors

    @property
    def numbers(self) -> list[int]:
        """The places of the parts of the state that are the same for all elements."""
        return [k for k, x in enumerate(self.body.params) if x in self.uniform]

    @property
    def elements(self) -> list[int]:
        """The places of the other parts."""
        return [k for k, x in enumerate(self.body.params) if x not in self.uniform]

    @property
    def asks(self) -> bool:
        """Whether the elements are asked if there is another round."""
        return len(self.test.results) > 1

    @property
    def is_unanimous(self) -> bool:
        """Whether all of the elements have to ask for another round."""
        return bool(self.loop.attrs.get("all"))

    @property
    def may_rest(self) -> bool:
        """Whether elements that a round does not change stay as they are in all others."""
        steps = [*self.of_elements(self.test), *self.of_elements(self.body)]
        used = {y for x in steps for y in x.args}
        used.update(self.body.results[k] for k in self.elements)
        may = self.asks and not self.is_unanimous
        return may and not used & self.changing and self.test.results[1] not in self.uniform

    def of_elements(self, block: Block) -> list[Instruction]:
        """Return the instructions of a block on elements."""
        return [x for x in block.instructions if not self.is_uniform(x)]

    def of_numbers(self, block: Block) -> Block:
        """Return the others."""
        return Block((), tuple(x for x in block.instructions if self.is_uniform(x)), ())

    def is_uniform(self, x: Instruction) -> bool:
        """Tell whether an instruction is one on numbers."""
        return all(isinstance(y, Literal) or y in self.uniform for y in x.args)


def carried(kernel: MapKernel) -> Carried:
    """Return what the loop of a kernel carries."""
    loop = kernel.loop
    assert loop is not None
    pairs = zip(kernel.body.params, kernel.inputs, strict=True)
    uniform: set[Operand] = {
        x for x, port in pairs if port.whole or not isinstance(port.type, ArrayType)
    }
    _spread(uniform, [x for x in kernel.body.instructions if x is not loop])
    places = [k for k, x in enumerate(loop.args) if isinstance(x, Literal) or x in uniform]
    uniform.update(block.params[k] for block in loop.blocks for k in places)
    uniform.update(loop.results[k] for k in places)
    changing: set[Operand] = set()
    body = loop.blocks[1]
    for k in places:
        if body.results[k] is not body.params[k]:
            changing.update(block.params[k] for block in loop.blocks)
    for block in loop.blocks:
        _spread(uniform, instructions(block))
        _follow(changing, instructions(block))
    size = _size(kernel, loop, uniform)
    elements = {x for x in (*body.params, *kernel.body.params) if x not in uniform}
    held = sum(number_size(x) for x in elements - {*loop.args}) / size
    vectors = next(n for n in (MOST_VECTORS, 2, 1) if n == 1 or n * held <= REGISTERS)
    given = frozenset(uniform), frozenset(changing & uniform)
    return Carried(loop, *given, kernel.target.vector // size, vectors)


def _spread(found: set[Operand], steps: Iterable[Instruction]) -> None:
    """Add what is computed of numbers that were found, and of nothing else."""
    for x in steps:
        if all(isinstance(y, Literal) or y in found for y in x.args):
            found.update(x.results)


def _follow(found: set[Operand], steps: Iterable[Instruction]) -> None:
    """Add what is computed of numbers that were found, among others."""
    for x in steps:
        if any(y in found for y in x.args):
            found.update(x.results)


def _size(kernel: MapKernel, loop: Instruction, uniform: set[Operand]) -> int:
    """Return the bytes of the widest element."""
    steps = [x for block in loop.blocks for x in instructions(block)]
    variables = {*kernel.body.params, *(y for x in steps for y in x.results)}
    return max((number_size(x) for x in variables if x not in uniform), default=1) or 1


def number_size(x: Variable) -> int:
    """Return the bytes of a number; truth values are masks, which need none."""
    dtype = number(x.type)
    return 0 if dtype.kind == "b" else dtype.itemsize
