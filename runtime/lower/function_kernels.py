"""Functions of a graph that call themselves as those of a kernel.

Comes in: calls, what stands for their inputs, and what writes nodes. Goes out: what stands for
their results. An array that a function returns is a parameter of it, which it may have written: the
caller lends it, or a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from runtime.graph.node import Node
from runtime.kernels.kernel import (
    ArrayType,
    Block,
    Instruction,
    Operand,
    Type,
    UnsupportedError,
    Variable,
    fits,
    instructions,
)
from runtime.kernels.scalar.element_access import root
from runtime.lower.control_nodes import arm
from runtime.lower.element_writers import is_free
from runtime.lower.memory import Memory
from runtime.lower.parts import Given, filled
from runtime.lower.slices import Slices
from runtime.lower.value_types import type_of
from runtime.lower.write_targets import Kept, Own

if TYPE_CHECKING:
    from runtime.lower.loop_kernels import NodeWriter


class Function(NamedTuple):
    """A function of a kernel: types of its parameters, and which of them are lent, or get rows."""

    params: Sequence[Type]
    kept: Kept
    opened: Sequence[int]


def call(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Given]:
    """Write a function, and the call of it from outside."""
    if w.memory is None:
        raise UnsupportedError("functions that call themselves")
    known, (region,), name = w.memory.functions, node.regions, node.attrs["function"]
    types = [type_of(x.spec) for x in region.params]
    function = Function(types, known.kept(node), known.opened(node))
    if Own.MADE in function.kept:
        raise UnsupportedError("functions that return arrays of their own")
    params = [*map(Variable, types)]
    with _inside(w, name, function, known.memory(node)):
        body, found = arm(w, lambda: w.region(region, params))
        end = w.scalars.block((), partial(_returned, w, function, params, body, found))
    block = Block(tuple(params), (*body.instructions, *end.instructions), end.results)
    resized = {x.args[0] for x in instructions(block) if x.op == "resized"}
    opened = [k for k, x in enumerate(params) if k in function.opened or x in resized]
    args = _lent(w, node, given, function._replace(opened=opened))
    block, outside = _closed(block, name)
    return _written(w, node, function, [*args, *outside], [block])


def call_again(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Given]:
    """Write a call of a function in which this stands."""
    function = w.functions.get(node.attrs["function"])
    if function is None:
        raise UnsupportedError("a call of a function by itself")
    return _written(w, node, function, _lent(w, node, given, function), [])


def _written(
    w: NodeWriter, node: Node, own: Function, args: Sequence[Operand], blocks: Sequence[Block]
) -> Sequence[Given]:
    """Write a call; its results that are arrays are those that it is given."""
    pairs = zip(node.results, own.kept, strict=True)
    types = [type_of(x.spec) if k is None else own.params[k] for x, k in pairs]
    name, op = node.attrs["function"], "call" if blocks else "call_again"
    return w.scalars.structured(op, args, types, blocks, function=name, kept=own.kept)


@contextmanager
def _inside(w: NodeWriter, name: str, function: Function, memory: Memory) -> Iterator[None]:
    """Write what stands in a function: it knows its parameters alone, and calls itself alone."""
    before = w.memory, w.open, w.writable, w.slices, w.functions
    w.memory, w.open, w.writable, w.slices = memory, memory.opened(), frozenset(), Slices()
    w.functions = {name: function}
    try:
        yield
    finally:
        w.memory, w.open, w.writable, w.slices, w.functions = before


def _lent(
    w: NodeWriter, node: Node, given: Sequence[Given], function: Function
) -> Sequence[Operand]:
    """Return what a function is given: arrays that it writes are those themselves, or copies."""
    assert w.memory is not None
    found, own = [], w.memory.lent.get(node, ())
    for k, (x, value, kind) in enumerate(zip(given, node.inputs, function.params, strict=True)):
        is_mine = k in own or x in w.writable
        if k in function.kept and is_mine:
            w.settled(value, x)
        if k in function.opened and isinstance(kind, ArrayType):
            is_there = is_mine and w.depth and w.is_open(value) and is_free(w.array(x), kind.dtype)
            found.append(w.array(x) if is_there else w.owned(x, kind))
        else:
            found.append(w.owned(x) if k in function.kept and not is_mine else w.array(x))
        if not fits(found[-1].type, kind):
            raise UnsupportedError(f"the function {node.attrs['function']} of other arrays")
    return found


def _returned(
    w: NodeWriter,
    function: Function,
    params: Sequence[Variable],
    body: Block,
    found: Sequence[Given],
) -> Sequence[Operand]:
    """Return what a function returns; arrays are its parameters."""
    results = []
    for x, k in zip(found, function.kept, strict=True):
        array = w.array(x)
        if k is not None and root(array, body) is not params[k]:
            kind = params[k].type
            assert isinstance(kind, ArrayType)
            array = filled(w.scalars, params[k], w.owned(x), kind)
        results.append(array)
    return results


def _closed(block: Block, name: str) -> tuple[Block, list[Operand]]:
    """Return the block of a function with parameters for what it takes from outside, and that."""
    steps = [*instructions(block)]
    blocks = [block, *(y for x in steps for y in x.blocks)]
    own = {y for x in steps for y in x.results}.union(*(x.params for x in blocks))
    used = [y for x in steps for y in x.args] + [y for x in blocks for y in x.results]
    outside = [*dict.fromkeys(y for y in used if isinstance(y, Variable) and y not in own)]
    names: dict[Operand, Variable] = {x: Variable(x.type) for x in outside}
    found = _renamed(block, names, name)
    return replace(found, params=(*block.params, *names.values())), [*outside]


def _renamed(block: Block, names: Mapping[Operand, Operand], function: str) -> Block:
    """Return a block with other names, in which a function is given these, too."""

    def step(x: Instruction) -> Instruction:
        is_call = x.op == "call_again" and x.attrs["function"] == function
        args = (*(names.get(y, y) for y in x.args), *(names.values() if is_call else ()))
        return replace(x, args=args, blocks=tuple(_renamed(y, names, function) for y in x.blocks))

    results = tuple(names.get(y, y) for y in block.results)
    return replace(block, instructions=tuple(map(step, block.instructions)), results=results)
