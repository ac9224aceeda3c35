"""Branches and loops of a graph as those of a kernel.

Comes in: nodes with regions, what stands for their inputs, and what writes nodes. Goes out: what
stands for their results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from runtime.graph.node import Graph, Node
from runtime.graph.regions import Loop, has_loop
from runtime.kernels.kernel import (
    INT,
    Block,
    Operand,
    Policy,
    UnsupportedError,
    Variable,
    fits,
)
from runtime.kernels.scalar.scalars import LARGEST_STEP
from runtime.lower.element_writers import element
from runtime.lower.part_nodes import takes_parts
from runtime.lower.parts import Given
from runtime.lower.value_types import type_of
from runtime.ops.elementwise import add, subtract
from runtime.passes.rewriter import known_values

if TYPE_CHECKING:
    from runtime.lower.native import NodeWriter


def cond(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Operand]:
    """Write a branch."""
    test = w.scalars.truth(w.one(given[0]))
    arms = [arm(w, region, given[1:]) for region in node.regions]
    return choice(w, node, test, arms)


def arm(w: NodeWriter, region: Graph, given: Sequence[Given]) -> Block:
    """Write an arm of a branch."""
    return w.scalars.block((), lambda: w.passed(w.region(region, given)))


def choice(w: NodeWriter, node: Node, test: Operand, arms: Sequence[Block]) -> Sequence[Operand]:
    """Write an `if`; its results are of the types of the node."""
    types = [type_of(value.spec) for value in node.results]
    for each in arms:
        if not all(fits(x.type, wanted) for x, wanted in zip(each.results, types, strict=True)):
            raise UnsupportedError("a branch of several dtypes")
    return w.scalars.choice(test, types, arms)


def switch(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Operand]:
    """Write an n-way branch, as a chain of two-way ones."""
    if any(node.attrs.values()):
        raise UnsupportedError("errors that are reported in another way")
    return choose(w, node, 0, w.scalars.convert(w.one(given[0]), INT), given[1:])


def choose(
    w: NodeWriter, node: Node, first: int, place: Operand, given: Sequence[Given]
) -> Sequence[Operand]:
    """Write the arms from a number on."""
    region = node.regions[first]
    if first == len(node.regions) - 1:
        return w.passed(w.region(region, given))
    s = w.scalars
    test = s.less_equal(place, s.literal(first, INT))
    here = arm(w, region, given)
    others = s.block((), lambda: choose(w, node, first + 1, place, given))
    return choice(w, node, test, [here, others])


def while_(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Operand]:
    """Write a loop that tests."""
    check_copies(w, node)
    loop = Loop(node)
    parts, test = loop.layout.split(given), loop.test
    assert test is not None
    carried = w.arrays(parts.carried)
    counts = counters(w, loop, carried)

    def tested(state: Sequence[Operand]) -> Sequence[Operand]:
        (found,) = w.passed(w.region(test, [*state, *parts.captured]))
        return [w.scalars.truth(found)]

    blocks = [
        rounds(w, loop, tested),
        rounds(w, loop, lambda state: w.region(loop.body, [*state, *parts.captured])),
    ]
    types = [type_of(x.final.spec) for x in loop.carried]
    return w.scalars.structured("while", carried, types, blocks, counters=counts)


def check_copies(w: NodeWriter, loop: Node) -> None:
    """Refuse an inner loop that needs a copy of an array for each of its runs."""
    if w.depth and w.memory is not None and w.memory.copied.get(loop):
        raise UnsupportedError("a loop that copies an array in each round")


def counters(w: NodeWriter, loop: Loop, initial: Sequence[Operand]) -> tuple[int, ...]:
    """Return which parts of a loop's state only count; they start small, or all ends.

    Their overflow is not tested in each round, but now and then (`counters` of a loop). That
    is for inmost loops only: others may do many rounds between two looks at them.
    """
    body = loop.body
    if any(has_loop(x) or takes_parts(x) for x in body.nodes):
        return ()
    known = known_values(body)
    makers = {x.result: x for x in body.nodes if x.op is add or x.op is subtract}
    found = []
    for k, x in enumerate(loop.carried):
        param, result = x.param, x.next
        node = makers.get(result)
        if node is None or not result.spec.weak or result.spec.dtype != INT:
            continue
        other = node.inputs[1] if node.inputs[0] is param else node.inputs[0]
        step = known.get(other)
        in_place = param in node.inputs if node.op is add else node.inputs[0] is param
        if in_place and type(step) is int and abs(step) <= LARGEST_STEP:
            w.scalars.stop_unless_small(initial[k])
            w.counting.add(node)
            found.append(k)
    return tuple(found)


def rounds(
    w: NodeWriter,
    loop: Loop,
    write: Callable[[Sequence[Variable]], Sequence[Given]],
    first: Sequence[Variable] = (),
) -> Block:
    """Write a block that runs each round: `write` gets the state."""
    state = [Variable(type_of(x.final.spec)) for x in loop.carried]
    return w.scalars.block([*first, *state], lambda: w.passed(write(state)))


def for_(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Operand]:
    """Write a loop that counts."""
    check_copies(w, node)
    loop = Loop(node)
    if loop.stacked:
        raise UnsupportedError("a loop that stacks what its rounds give")
    parts = loop.layout.split(given)
    count = w.scalars.to_int(w.one(parts.head[0]))
    number = Variable(INT)
    w.scalars.mark_natural(number)
    carried = w.arrays(parts.carried)
    counts = counters(w, loop, carried)

    def write(state: Sequence[Operand]) -> Sequence[Given]:
        place = mirrored(w, number, count) if loop.reverse else number
        taken = [
            element(w, w.whole(x, value), [place], "?")
            for x, value in zip(parts.sequences, loop.operands.sequences, strict=True)
        ]
        return w.region(loop.body, [place, *state, *taken, *parts.captured])

    block = rounds(w, loop, write, [number])
    types = [type_of(x.final.spec) for x in loop.carried]
    return w.scalars.structured("for", [count, *carried], types, [block], counters=counts)


def mirrored(w: NodeWriter, number: Operand, count: Operand) -> Operand:
    """Return the number of a round of a loop that goes backwards."""
    s = w.scalars
    s.policy = Policy.ELEMENT  # it does not overflow
    found = s.subtract(s.subtract(count, s.literal(1, INT)), number)
    s.mark_natural(found)
    return found
