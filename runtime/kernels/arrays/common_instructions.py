"""Instructions that compute the same are one: ops may share parts, as mean and variance do.

Comes in: the body of a kernel over arrays, which has no inner blocks. Goes out: one that does less.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from runtime.kernels.kernel import Block, Instruction, Operand, Variable


def merged(body: Block) -> Block:
    """Return a body in which each result is computed once."""
    known: dict[Hashable, Instruction] = {}
    same: dict[Operand, Operand] = {}
    kept: list[Instruction] = []
    for x in body.instructions:
        x = replace(x, args=tuple(same.get(y, y) for y in x.args))
        first = known.setdefault(_key(x), x)
        if first is x:
            kept.append(x)
        same.update(zip(x.results, first.results, strict=True))
    return Block(body.params, tuple(kept), tuple(same.get(y, y) for y in body.results))


def _key(x: Instruction) -> Hashable:
    args = tuple(y if isinstance(y, Variable) else (y.type, repr(y.value)) for y in x.args)
    types = tuple(y.type for y in x.results)
    return x.op, args, repr(sorted(x.attrs.items())), types
