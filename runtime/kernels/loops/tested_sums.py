"""Sums under a test become sums of what is zero where the test is not true.

Comes in: the instructions of a round. Goes out: the same, where the state that some rounds add to
grows by a number in all of them, so that rounds may be summed in another order.

    %s = add(%x, %v)                                %w = select(%c, %v, 0)
    %y = select(%c, %s, %x)                         %y = add(%x, %w)

Of integers only: a float may be -0.0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    INT,
    Block,
    Instruction,
    Literal,
    Operand,
    Variable,
    instructions,
)
from runtime.kernels.loops.merge import renamed

_ZERO = Literal(INT, 0)
_SUMS = having(Trait.AFFINE) & {"add", "add_overflow"}


def without_tests(body: Block) -> Block:
    """Return a block with such sums."""
    found = _Sums(body)
    for x in body.instructions:
        found.enter(renamed(x, found.names))
    steps = tuple(renamed(x, found.names) for x in found.steps if not found.is_known(x))
    return replace(body, instructions=steps, results=(*map(found.name, body.results),))


class _Sums:
    """Instructions so far.

    Args:
        body: of which they are.

    Attributes:
        uses: how often a value is used.
        names: what stands for results of selects.
        makers: what gives a variable, of the instructions so far.
        true: for whether a sum overflowed, which tests are true then, and which are not.
    """

    def __init__(self, body: Block) -> None:
        every = [*instructions(body)]
        yielded = (y for x in every for block in x.blocks for y in block.results)
        self.uses = Counter([*(y for x in every for y in x.args), *yielded, *body.results])
        self.steps: list[Instruction] = []
        self.names: dict[Operand, Operand] = {}
        self.makers: dict[Operand, Instruction] = {}
        self.true: dict[Operand, set[tuple[Operand, bool]]] = {}

    def enter(self, x: Instruction) -> None:
        """Enter an instruction, or say what its result is called."""
        if x.op == "select" and x.results[0].type == INT:
            for way, (new, old) in ((True, x.args[1:]), (False, x.args[:0:-1])):
                if self.joined(x.args[0], new, old, way):
                    self.names[x.results[0]] = new
                    self.uses[new] = self.uses[x.results[0]]
                    return
        self.steps.append(x)
        self.makers |= dict.fromkeys(x.results, x)

    def name(self, x: Operand) -> Operand:
        """Return what stands for an operand."""
        return self.names.get(x, x)

    def is_known(self, x: Instruction) -> bool:
        """Tell whether something is true where a sum has overflowed; that stands for it then."""
        is_known = x.op == "and" and x.args[1] in self.true and self.follows(*x.args)
        if is_known:
            self.names[x.results[0]] = x.args[1]
        return is_known

    def joined(self, test: Operand, new: Operand, old: Operand, way: bool) -> bool:
        """Have a sum that is meant under a test be one without it, if that is possible."""
        maker = self.makers.get(new)
        if maker is None or maker.op not in _SUMS or old not in maker.args or test is old:
            return False
        k = self.steps.index(maker)
        made = {y for x in self.steps[k:] for y in x.results}
        if test in made or self.uses[new] > 1:
            return False
        first, second = maker.args
        by, own = second if first is old else first, Variable(INT)
        ways = (by, _ZERO) if way else (_ZERO, by)
        chosen = Instruction("select", (test, *ways), (own,))
        total = Instruction(maker.op, (old, own), maker.results, maker.attrs)
        self.steps[k : k + 1] = chosen, total
        self.makers.update({own: chosen, **dict.fromkeys(maker.results, total)})
        for flag in maker.results[1:]:
            self.true.setdefault(flag, set()).add((test, way))
        return True

    def follows(self, test: Operand, flag: Operand) -> bool:
        """Tell whether a test is true where a sum has overflowed."""
        maker, known = self.makers.get(test), self.true[flag]
        if (test, True) in known or maker is None:
            return (test, True) in known
        if maker.op == "not":
            return (maker.args[0], False) in known
        return maker.op == "and" and all(self.follows(x, flag) for x in maker.args)
