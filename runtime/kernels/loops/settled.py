"""Branches and loops do not hand on what they do not change.

Comes in: the body of a kernel. Goes out: the same, where arrays and numbers that each way through a
branch or a round leaves as they were are those from before it, inside and after it. So each array
has one name, wherever its elements are read and written.

    %y = for(%n, %a) { (%i, %x)                     for(%n) { (%i)
      store(%x, 0.0, %i)                              store(%a, 0.0, %i) }
      yield %x }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from runtime.kernels.kernel import Block, Instruction, Operand, is_loop
from runtime.kernels.loops.merge import renamed

T = TypeVar("T")


def settled(block: Block) -> Block:
    """Return a block whose branches and loops have fewer results."""
    names: dict[Operand, Operand] = {}
    found = []
    for x in block.instructions:
        x = renamed(x, names)
        found.append(_with_less(replace(x, blocks=tuple(map(settled, x.blocks))), names))
    results = tuple(names.get(x, x) for x in block.results)
    return replace(block, instructions=tuple(found), results=results)


def _with_less(x: Instruction, names: dict[Operand, Operand]) -> Instruction:
    """Return a branch or a loop with fewer results; enter what these are."""
    if x.op == "if":
        ways = zip(*(block.results for block in x.blocks), strict=True)
        same = {k: first for k, (first, second) in enumerate(ways) if first is second}
        left = [replace(y, results=_without(y.results, same)) for y in x.blocks]
        x = replace(x, blocks=tuple(left))
    elif is_loop(x):
        first, body = x.op == "for", x.blocks[-1]
        pairs = zip(body.params[first:], body.results, x.args[first:], strict=True)
        same = {k: given for k, (own, found, given) in enumerate(pairs) if found is own}
        x = _with_less_state(x, same)
    else:
        return x
    names.update((x.results[k], y) for k, y in same.items())
    return replace(x, results=_without(x.results, same))


def _with_less_state(x: Instruction, same: Mapping[int, Operand]) -> Instruction:
    """Return a loop without parts of its state; its results are to be left out."""
    first, kept = x.op == "for", [k for k in range(len(x.results)) if k not in same]
    inside: dict[Operand, Operand] = {
        y.params[k + first]: given for y in x.blocks for k, given in same.items()
    }
    *tests, body = (
        replace(y, params=(*y.params[:first], *_without(y.params[first:], same)))
        for y in renamed(x, inside).blocks
    )
    body = replace(body, results=_without(body.results, same))
    counters = tuple(kept.index(k) for k in x.attrs["counters"] if k in kept)
    args = *x.args[:first], *_without(x.args[first:], same)
    return replace(x, args=args, attrs={"counters": counters}, blocks=(*tests, body))


def _without(given: Sequence[T], places: Mapping[int, Operand]) -> tuple[T, ...]:
    return tuple(x for k, x in enumerate(given) if k not in places)
