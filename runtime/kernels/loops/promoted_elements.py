"""An element that all rounds of a loop meet is a number of its state: scalar promotion.

Comes in: the body of a kernel. Goes out: the same, where inmost loops that count do not write and
read an array of which they meet one element only, at indices that they do not change. It is written
after the loop, if any round has written it: a search that notes where it has found something, or a
sum that is kept in a table, is one of numbers then.

    for(%n) { (%i)                           %y, %g = for(%n, 0.0, False) { (%i, %z, %f)
      if(%c) { store(%a, %x, %k) } {} }        %v, %w = if(%c) { yield %x, True } { yield %z, %f }
                                               yield %v, %w }
                                             if(%g) { store(%a, %y, %k) } {}
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    BOOL,
    INT,
    Block,
    Instruction,
    Literal,
    Operand,
    Variable,
    indices_of,
    instructions,
    is_loop,
    kind_of,
)
from runtime.kernels.loops.merge import arrays_of, renamed

_ELEMENT = having(Trait.ELEMENT)
_OTHERS = having(Trait.FUNCTION) | {"inner", "drawn", "array", "resized"}
"""What may meet elements that it does not name."""
_TRUE, _FALSE = Literal(BOOL, True), Literal(BOOL, False)


def promoted(body: Block) -> Block:
    """Return the body of a kernel whose inmost loops have such elements in their state."""
    return _in_block(body, arrays_of(body))


def _in_block(block: Block, arrays: Set[Operand]) -> Block:
    found: list[Instruction] = []
    for x in block.instructions:
        inner = [y for each in x.blocks for y in instructions(each)]
        if x.op == "for" and not any(is_loop(y) or y.op in _OTHERS for y in inner):
            found += _rewritten(x, arrays)
        else:
            found.append(replace(x, blocks=tuple(_in_block(y, arrays) for y in x.blocks)))
    return replace(block, instructions=tuple(found))


def _rewritten(loop: Instruction, arrays: Set[Operand]) -> Iterator[Instruction]:
    """Yield a loop with what stands before and after it."""
    after: list[Instruction] = []
    met: dict[Operand, list[Instruction]] = {}
    for x in instructions(loop.blocks[0]):
        if x.op in _ELEMENT:
            met.setdefault(x.args[0], []).append(x)
    for array, elements in met.items():
        if met.keys() <= arrays and any(x.op == "store" for x in elements):
            cell = _Cell(loop, array, elements)
            if cell.is_one:
                yield from cell.before()
                loop = cell.loop()
                after += cell.after()
    yield loop
    yield from after


class _Cell:
    """An element that goes from round to round.

    Args:
        loop: an inmost one that counts.
        array: of which it meets only this element.
        elements: the instructions that do.
    """

    def __init__(
        self,
        loop: Instruction,
        array: Operand,
        elements: list[Instruction],
    ) -> None:
        self.old, self.array, self.elements = loop, array, elements
        (self.body,) = loop.blocks
        first, *others = elements
        self.places = indices_of(first)
        own = {*self.body.params, *(y for x in instructions(self.body) for y in x.results)}
        is_same = all(_same(indices_of(x), self.places) for x in others)
        is_before = own.isdisjoint(self.places)
        top = any(x in elements for x in self.body.instructions)
        self.is_sure = any(x.attrs.get("anyway") for x in elements)
        self.is_read = any(x.op == "load" for x in elements)
        self.dtype = next(kind_of(x.args[1]) for x in elements if x.op == "store")
        can_start = top or self.is_sure or not self.is_read
        self.is_one = is_same and is_before and can_start and self.dtype.kind != "c"
        self.names: dict[Operand, Operand] = {}
        pairs = zip(self.body.params[1:], self.body.results, strict=True)
        self.following: set[Operand] = {x for x, y in pairs if x is not y}
        for x in self.body.instructions:
            if not self.following.isdisjoint(x.args):
                self.following.update(x.results)
        self.start: Operand = Literal(self.dtype, self.dtype.type(0).item())
        self.last, self.is_written = Variable(self.dtype), Variable(BOOL)

    def before(self) -> Iterator[Instruction]:
        """Yield what reads the element before the loop, if a round does; it may have no round."""
        if not self.is_read:
            return
        zero, found = self.start, Variable(self.dtype)
        load = Instruction("load", (self.array, *self.places), (found,))
        self.start = found
        if self.is_sure:
            yield load
            return
        self.start, test = Variable(self.dtype), Variable(BOOL)
        yield Instruction("lt", (Literal(INT, 0), self.old.args[0]), (test,))
        arms = Block((), (load,), (found,)), Block((), (), (zero,))
        yield Instruction("if", (test,), (self.start,), {}, arms)

    def loop(self) -> Instruction:
        """Return the loop; `before` comes first."""
        loop, value, flag = self.old, Variable(self.dtype), Variable(BOOL)
        body = self.block(self.body, value, flag)
        *given, is_written = body.results
        self.is_always = is_written is _TRUE
        more = [(self.start, value, self.last), (_FALSE, flag, self.is_written)]
        if self.is_always:  # what it was before is nobody's concern
            steps = tuple(renamed(x, {flag: _FALSE}) for x in body.instructions)
            body, more = replace(body, instructions=steps, results=tuple(given)), more[:1]
        starts, params, results = zip(*more, strict=True)
        return replace(
            loop,
            args=(*loop.args, *starts),
            results=(*loop.results, *results),
            blocks=(replace(body, params=(*body.params, *params)),),
        )

    def block(self, block: Block, value: Operand, flag: Operand) -> Block:
        """Return a block that yields the element and whether it is written, too."""
        steps = []
        for x in block.instructions:
            x = renamed(x, self.names)
            if self.meets(x):
                if x.op == "load":
                    self.names[x.results[0]] = value
                else:
                    value, flag = x.args[1], _TRUE
                continue
            if any(self.meets(y) for each in x.blocks for y in instructions(each)):
                arms = tuple(self.block(each, value, flag) for each in x.blocks)
                value, flag = Variable(self.dtype), Variable(BOOL)
                attrs = {**x.attrs, "rare": True} if x.args[0] in self.following else x.attrs
                results = (*x.results, value, flag)
                x = replace(x, results=results, attrs=attrs, blocks=arms)
            steps.append(x)
        given = (*(self.names.get(y, y) for y in block.results), value, flag)
        return replace(block, instructions=tuple(steps), results=given)

    def meets(self, x: Instruction) -> bool:
        """Tell whether an instruction meets the element."""
        return x.op in _ELEMENT and x.args[0] is self.array

    def after(self) -> Iterator[Instruction]:
        """Yield what writes the element after the loop, if a round has written it."""
        if self.is_always:
            count = self.old.args[0]
            yield Instruction("lt", (Literal(INT, 0), count), (self.is_written,))
        store = Instruction("store", (self.array, self.last, *self.places))
        arms = Block((), (store,), ()), Block((), (), ())
        yield Instruction("if", (self.is_written,), (), {}, arms)


def _same(first: tuple[Operand, ...], second: tuple[Operand, ...]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(
        x is y or (isinstance(x, Literal) and isinstance(y, Literal) and x.value == y.value)
        for x, y in pairs
    )
