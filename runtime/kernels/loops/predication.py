"""Branches of inmost loops become choices, where their rounds go side by side then: if-conversion.

Comes in: a kernel. Goes out: the same, where inmost loops that count have no branches if they are
vectors without. Numbers of both ways are computed and one is selected; elements are read and
written where the way is taken. Where another one is taken, floats are ones in what may report
something.

    for(%n) { (%i)                                  for(%n) { (%i)
      if(%c) { store(%a, load(%b, %i), %i) } {} }     %x = load_if(%b, %c, 1.0, %i)
                                                      store_if(%a, %c, %x, %i) }

(Allen, Kennedy, Porterfield, Warren, Conversion of control dependence to data dependence, 1983.)
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from runtime.kernels.kernel import (
    ArrayType,
    Block,
    Instruction,
    Kernel,
    Literal,
    Operand,
    UnsupportedError,
    Variable,
    indices_of,
    instructions,
    kind_of,
)
from runtime.kernels.loops.fission import REPORTING, Fission
from runtime.kernels.loops.merge import arrays_of, renamed
from runtime.kernels.loops.tested_sums import without_tests
from runtime.kernels.loops.vectorize import ALLOWED, SideBySide
from runtime.kernels.target import Target

_Place = tuple[object, ...]
_CHOICES = frozenset(["if", "select"])


def predicated(kernel: Kernel) -> Kernel:
    """Return a kernel whose inmost loops have choices in place of branches."""
    body, arrays = kernel.body, arrays_of(kernel.body)
    shared = {x for x, port in zip(body.params, kernel.inputs, strict=True) if port.in_place}
    return replace(kernel, body=_in_block(body, arrays, shared, kernel.target))


def _in_block(block: Block, arrays: Set[Operand], shared: Set[Operand], target: Target) -> Block:
    def rewritten(x: Instruction) -> Instruction:
        if x.op == "for" and any(y.op in _CHOICES for y in x.blocks[0].instructions):
            try:
                found = _Rounds(x, arrays, shared).written()
            except UnsupportedError:
                pass
            else:
                if SideBySide(found, target).lanes or _is_parted(found, x, target):
                    return found
        blocks = (_in_block(y, arrays, shared, target) for y in x.blocks)
        return replace(x, blocks=tuple(blocks))

    return replace(block, instructions=tuple(map(rewritten, block.instructions)))


def _is_parted(found: Instruction, loop: Instruction, target: Target) -> bool:
    """Tell whether more of the rounds go side by side without branches."""
    return Fission(found, target).lanes > Fission(loop, target).lanes


class _Rounds:
    """Writes a loop without branches.

    Args:
        loop: counts its rounds.
        arrays: those of which each name is another array.
        shared: those of which others may write the elements that the kernel does not.

    Attributes:
        numbers: what is known to be in elements.
    """

    def __init__(self, loop: Instruction, arrays: Set[Operand], shared: Set[Operand]) -> None:
        self.loop, self.arrays, self.shared, (self.body,) = loop, arrays, shared, loop.blocks
        steps = [x for x in instructions(self.body) if x.op == "store"]
        self.stored = {x.args[0] for x in steps}
        self.steps: list[Instruction] = []
        self.names: dict[Operand, Operand] = {}
        self.numbers: dict[_Place, Operand] = {}

    def written(self) -> Instruction:
        """Return the loop.

        Raises:
            UnsupportedError: a branch in it does what is no choice.
        """
        self.block(self.body, None)
        results = tuple(map(self.operand, self.body.results))
        body = without_tests(Block(self.body.params, tuple(self.steps), results))
        return replace(self.loop, blocks=(body,))

    def operand(self, x: Operand) -> Operand:
        """Return what stands for an operand."""
        return self.names.get(x, x)

    def emit(self, op: str, *args: Operand) -> Variable:
        """Return what an instruction gives, of the type of its last operand."""
        found = Variable(args[-1].type)
        self.steps.append(Instruction(op, args, (found,)))
        return found

    def block(self, block: Block, test: Operand | None) -> None:
        """Write instructions of a block that is entered if a test is true."""
        for x in block.instructions:
            if x.op == "if":
                self.branch(replace(x, args=(self.operand(x.args[0]),)), test)
                continue
            x = renamed(x, self.names)
            if x.op == "load":
                self.load(x, test)
            elif x.op == "store":
                self.store(x, test)
            else:
                self.steps.append(x if test is None else self.chosen(x, test))

    def branch(self, x: Instruction, test: Operand | None) -> None:
        """Write a branch that is met if a test is true."""
        (own,) = x.args
        tests = own, self.emit("not", own)
        for way, block in zip(tests, x.blocks, strict=True):
            self.block(block, way if test is None else self.emit("and", test, way))
        first, second = (map(self.operand, block.results) for block in x.blocks)
        for result, *ways in zip(x.results, first, second, strict=True):
            if ways[0] is ways[1]:
                self.names[result] = ways[0]
            elif isinstance(result.type, ArrayType):
                raise UnsupportedError("a choice of arrays")
            else:
                self.names[result] = self.emit("select", own, *ways)

    def place(self, x: Instruction) -> _Place:
        """Return which element an instruction meets.

        Raises:
            UnsupportedError: it is not known of which array.
        """
        array = x.args[0]
        if array not in self.arrays:
            raise UnsupportedError("an array that is not known")
        indices = indices_of(x)
        return (array, *(y.value if isinstance(y, Literal) else y for y in indices))

    def load(self, x: Instruction, test: Operand | None) -> None:
        """Write the reading of an element."""
        place, (result,) = self.place(x), x.results
        if place in self.numbers:
            self.names[result] = self.numbers[place]
        elif test is None or x.attrs.get("anyway"):
            self.steps.append(x)
            self.numbers[place] = result
        elif place[0] in self.stored:  # LLVM moves what is read under a test behind what is written
            raise UnsupportedError("an array of which elements may not be there")
        else:
            array, *indices = x.args
            args = (array, test, _one(result), *indices)
            self.steps.append(Instruction("load_if", args, (result,)))

    def store(self, x: Instruction, test: Operand | None) -> None:
        """Write the writing of an element: of what it has where others would not see that."""
        place, (array, value, *indices) = self.place(x), x.args
        old = self.numbers.get(place)
        self.numbers = {at: y for at, y in self.numbers.items() if at[0] is not place[0]}
        if test is None:
            new = value
        elif place[0] in self.shared or (old is None and not x.attrs.get("anyway")):
            args = (array, test, value, *indices)
            self.steps.append(Instruction("store_if", args))
            return
        else:
            if old is None:
                old = Variable(value.type)
                self.steps.append(Instruction("load", (array, *indices), (old,)))
            new = self.emit("select", test, value, old)
        self.steps.append(replace(x, args=(array, new, *indices)))
        self.numbers[place] = new

    def chosen(self, x: Instruction, test: Operand) -> Instruction:
        """Return an instruction that only counts where a test is true."""
        if x.op == "overflow":
            return replace(x, args=(self.emit("and", test, x.args[0]),))
        if x.op not in ALLOWED:
            raise UnsupportedError(f"a choice with {x.op}")
        if x.op not in REPORTING:
            return x
        return replace(x, args=tuple(self.harmless(y, test) for y in x.args))

    def harmless(self, x: Operand, test: Operand) -> Operand:
        """Return a number, and one where a test is not true."""
        is_usual = isinstance(x, Literal) and 0 < abs(x.value) < float("inf")
        if kind_of(x).kind != "f" or is_usual:
            return x
        return self.emit("select", test, x, _one(x))


def _one(x: Operand) -> Literal:
    dtype = kind_of(x)
    return Literal(dtype, dtype.type(1).item())
