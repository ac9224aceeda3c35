"""Loops over the same space, one after another, become one: what they pass on needs no memory.

Comes in: the body of a kernel. Goes out: the same, where loops that count equally far, keep nothing
from round to round, and meet no element but in the same round, are one loop. What a round writes
and reads again is a number there, and an array that is read nowhere else is not made.

    for(%n) { (%i) store(%t, %x, %i) }              for(%n) { (%i) ... fneg(%x) }
    for(%n) { (%j) ... fneg(load(%t, %j)) }
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from runtime.kernels.instructions import Trait, having
from runtime.kernels.kernel import (
    Block,
    Instruction,
    Literal,
    Operand,
    indices_of,
    instructions,
)

MOST = 200
"""How many instructions a merged loop has at most."""
_ELEMENT, _FREE, _TESTS = map(having, (Trait.ELEMENT, Trait.SPECULATABLE, Trait.TESTS))
_MOVABLE = _FREE | _TESTS | {"place", "array", "size"}
_INSIDE = _MOVABLE - {"array"} | _ELEMENT | {"for", "if"}
_ROUND = "round"


def merged(block: Block) -> Block:
    """Return a block whose loops are merged where that is possible."""
    merger = _Merger(block)
    found = merger.block(block)
    return _without_unread(found) if merger.loops else block


def arrays_of(body: Block) -> set[Operand]:
    """Return the arrays that a kernel is given or makes, which no other name stands for."""
    return {*body.params, *(x.results[0] for x in instructions(body) if x.op == "array")}


class _Merger:
    """Merges the loops of a kernel.

    Args:
        body: of the kernel.

    Attributes:
        loops: those that were made of others.
        arrays: those of which each name is another array.
    """

    def __init__(self, body: Block) -> None:
        self.loops: list[Instruction] = []
        self.makers = {y: x for x in instructions(body) for y in x.results}
        self.arrays = arrays_of(body)

    def block(self, block: Block) -> Block:
        """Return a block whose loops are merged."""
        found: list[Instruction] = []
        for x in block.instructions:
            k = self.partner(found, x)
            if k is None:
                found.append(x)
            else:
                first = found.pop(k)
                found.append(_joined(first, x))
                self.loops = [y for y in self.loops if y is not first] + found[-1:]
        return replace(block, instructions=tuple(map(self.inside, found)))

    def inside(self, x: Instruction) -> Instruction:
        """Return an instruction whose blocks have merged loops."""
        blocks = tuple(map(self.block, x.blocks))
        is_merged = any(x is y for y in self.loops)
        return replace(x, blocks=tuple(map(self.kept, blocks)) if is_merged else blocks)

    def partner(self, before: list[Instruction], x: Instruction) -> int | None:
        """Return which loop before a loop can do what that does as well."""
        k = len(before) - 1
        while k >= 0 and before[k].op in _MOVABLE:
            k -= 1
        can = k >= 0 and _is_plain(x) and _is_plain(before[k]) and x.args == before[k].args
        return k if can and self.are_apart(before[k], x) else None

    def are_apart(self, first: Instruction, second: Instruction) -> bool:
        """Tell whether two loops meet elements in the same round only, and are alike as vectors."""
        steps = [*instructions(first.blocks[0]), *instructions(second.blocks[0])]
        if len(steps) > MOST or self.is_row(first) != self.is_row(second):
            return False
        ways = [self.elements(x) for x in (first, second)]
        for array in {*ways[0], *ways[1]}:
            found = [*ways[0].get(array, ()), *ways[1].get(array, ())]
            is_shared = array in ways[0] and array in ways[1] and any(x for x, _ in found)
            rows = [places for _, places in found]
            axes = zip(*rows, strict=True) if len({*map(len, rows)}) == 1 else ()  # of one rank
            is_apart = any(len({*forms}) == 1 and _is_its_own(forms[0]) for forms in axes)
            if array not in self.arrays or (is_shared and not is_apart):
                return False
        return True

    def elements(self, loop: Instruction) -> dict[Operand, list[tuple[bool, Any]]]:
        """Return by array whether an element is written, and the forms of its places."""
        number, found = loop.blocks[0].params[0], defaultdict(list)
        for x in instructions(loop.blocks[0]):
            if x.op in _ELEMENT:
                places = tuple(self.form(y, number) for y in indices_of(x))
                found[x.args[0]].append((x.op == "store", places))
        return found

    def is_row(self, loop: Instruction) -> bool:
        """Tell whether the rounds of an inmost loop go along rows of all of its arrays."""
        (body,) = loop.blocks
        inner = next((x for x in body.instructions if x.op == "for"), None)
        if inner is not None:
            return self.is_row(inner)
        found = [places for ways in self.elements(loop).values() for _, places in ways]
        is_last = all(_is_next(places[-1]) or not _has_round(places[-1]) for places in found)
        return is_last and not any(_has_round(x) for places in found for x in places[:-1])

    def form(self, x: Operand, number: Operand | None = None) -> Any:
        """Return what is equal for integers that are computed in the same way."""
        if isinstance(x, Literal):
            return x.value
        maker = self.makers.get(x)
        if x is number or maker is None or maker.op not in ("add", "sub", "mul", "place"):
            return _ROUND if x is number else x
        natural = maker.attrs.get("natural", True)
        return (maker.op, natural, *(self.form(y, number) for y in maker.args))

    def kept(self, block: Block) -> Block:
        """Return a block in which numbers are kept that are written and read again."""
        return self._kept(block, {})

    def _kept(self, block: Block, names: dict[Operand, Operand]) -> Block:
        known: dict[Any, Operand] = {}
        found = []
        for x in block.instructions:
            x = renamed(x, names)
            if x.op in _ELEMENT:
                array = x.args[0]
                place = (array, *map(self.form, indices_of(x)))
                if x.op == "load" and place in known:
                    names[x.results[0]] = known[place]
                    continue
                if x.op == "store":
                    known = {at: y for at, y in known.items() if at[0] is not array}
                known[place] = x.results[0] if x.op == "load" else x.args[1]
            elif x.blocks:
                known = {}
                x = replace(x, blocks=tuple(self._kept(y, names) for y in x.blocks))
            found.append(x)
        results = tuple(names.get(x, x) for x in block.results)
        return replace(block, instructions=tuple(found), results=results)


def _is_plain(x: Instruction) -> bool:
    """Tell whether an instruction is a loop that keeps nothing, whose rounds only meet elements."""
    is_bare = x.op == "for" and len(x.args) == 1
    return is_bare and all(y.op in _INSIDE for y in instructions(x.blocks[0]))


def _joined(first: Instruction, second: Instruction) -> Instruction:
    """Return a loop that does in each round what two loops do."""
    (body,), (other,) = first.blocks, second.blocks
    names: dict[Operand, Operand] = {other.params[0]: body.params[0]}
    again = tuple(renamed(x, names) for x in other.instructions)
    return replace(first, blocks=(replace(body, instructions=(*body.instructions, *again)),))


def renamed(x: Instruction, names: Mapping[Operand, Operand]) -> Instruction:
    """Return an instruction on other operands."""
    blocks = tuple(
        replace(
            block,
            instructions=tuple(renamed(y, names) for y in block.instructions),
            results=tuple(names.get(y, y) for y in block.results),
        )
        for block in x.blocks
    )
    return replace(x, args=tuple(names.get(y, y) for y in x.args), blocks=blocks)


def _has_round(form: Any) -> bool:
    """Tell whether a form depends on the number of the round."""
    return form == _ROUND or (isinstance(form, tuple) and any(map(_has_round, form[1:])))


def _is_next(form: Any) -> bool:
    """Tell whether a form grows by one from round to round."""
    if not isinstance(form, tuple) or form[0] != "add":
        return bool(form == _ROUND)
    x, y = form[2:] if _has_round(form[2]) else form[:1:-1]
    return _is_next(x) and not _has_round(y)


def _is_its_own(form: Any) -> bool:
    """Tell whether each round has another place of this form."""
    if not isinstance(form, tuple):
        return bool(form == _ROUND)
    op, natural, x, y = form
    x, y = (x, y) if _has_round(x) else (y, x)
    is_one = isinstance(y, int) and y != 0 if op == "mul" else natural and op in ("add", "place")
    return is_one and _is_its_own(x) and not _has_round(y)


def _without_unread(body: Block) -> Block:
    """Return the body of a kernel without arrays that nothing reads."""
    read = {y for x in instructions(body) for y in x.args[x.op == "store" :]}
    read |= {y for x in instructions(body) for block in x.blocks for y in block.results}
    unread = {
        x.results[0]
        for x in instructions(body)
        if x.op == "array" and x.results[0] not in {*read, *body.results}
    }

    def without(block: Block) -> Block:
        found = (
            replace(x, blocks=tuple(map(without, x.blocks)))
            for x in block.instructions
            if not (x.op == "store" and x.args[0] in unread)
            and not (x.op == "array" and x.results[0] in unread)
        )
        return replace(block, instructions=tuple(found))

    return without(body) if unread else body
