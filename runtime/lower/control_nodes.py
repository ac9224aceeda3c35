"""Branches and loops of a graph as those of a kernel.

Comes in: nodes with regions, what stands for their inputs, and what writes nodes. Goes out: what
stands for their results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
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
from runtime.kernels.scalar.element_access import root
from runtime.kernels.scalar.scalars import LARGEST_STEP
from runtime.lower.element_writers import element
from runtime.lower.part_nodes import takes_parts
from runtime.lower.parts import Given, Part, assign, copied, is_same, need_equal, whole
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


def while_(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Given]:
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

    renewed = set[int]()
    blocks = [
        rounds(w, loop, tested),
        rounds(w, loop, lambda state: w.region(loop.body, [*state, *parts.captured]), (), renewed),
    ]
    return repeated(w, loop, "while", (), carried, blocks, counts, renewed)


def repeated(
    w: NodeWriter,
    loop: Loop,
    name: str,
    first: Sequence[Operand],
    carried: list[Operand],
    blocks: Sequence[Block],
    counts: Sequence[int],
    renewed: Set[int],
) -> Sequence[Given]:
    """Write a loop; what its rounds write anew is an array of its own, unless it may be written."""
    s = w.scalars
    for k in renewed:
        if w.depth or carried[k] not in w.writable:
            array = copied(s, whole(s, carried[k])).array
            assert array is not None
            carried[k] = array
    types = [type_of(x.final.spec) for x in loop.carried]
    results = s.structured(name, [*first, *carried], types, blocks, counters=counts)
    return [whole(s, x) if w.depth and k in renewed else x for k, x in enumerate(results)]


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
    renewed: set[int] | None = None,
) -> Block:
    """Write a block that runs each round: `write` gets the state.

    Args:
        w, loop: what writes, and what is written.
        write: writes what a round leaves, or what is tested.
        first: the parameters before the state.
        renewed: is told which arrays of the state a round leaves as parts: it writes their
            elements into those of the state. None for a test.
    """
    state = [Variable(type_of(x.final.spec)) for x in loop.carried]
    if renewed is None:
        return w.scalars.block([*first, *state], lambda: w.passed(write(state)))
    block = w.scalars.block([*first, *state], lambda: handed_on(w, state, write(state), renewed))
    others = [k for k in range(len(state)) if k not in renewed and loop.carried[k].final.spec.rank]
    if renewed and any(root(block.results[k], block) is not state[k] for k in others):
        raise UnsupportedError("arrays that change places")
    return block


def handed_on(
    w: NodeWriter, state: Sequence[Variable], found: Sequence[Given], renewed: set[int]
) -> list[Operand]:
    """Write parts into the arrays of the state; return what the next round begins with."""
    s, new = w.scalars, {k: x for k, x in enumerate(found) if isinstance(x, Part)}
    targets = {k: whole(s, state[k]) for k in new}
    for k, x in new.items():
        if x.dtype != targets[k].dtype or len(x.sizes) != len(targets[k].sizes):
            raise UnsupportedError("an array that becomes another one in a loop")
        for size, wanted in zip(x.sizes, targets[k].sizes, strict=True):
            need_equal(s, size, wanted)
        views = (x,) if x.array is not None else x.views
        if not all(is_same(view, targets[k]) for view in views):
            new[k] = copied(s, x)  # it is read before anything of the state is written
    for k, x in new.items():
        assign(s, targets[k], x)
    renewed.update(new)
    return w.passed([state[k] if k in new else x for k, x in enumerate(found)])


def for_(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Given]:
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

    renewed = set[int]()
    block = rounds(w, loop, write, [number], renewed)
    return repeated(w, loop, "for", [count], carried, [block], counts, renewed)


def mirrored(w: NodeWriter, number: Operand, count: Operand) -> Operand:
    """Return the number of a round of a loop that goes backwards."""
    s = w.scalars
    s.policy = Policy.ELEMENT  # it does not overflow
    found = s.subtract(s.subtract(count, s.literal(1, INT)), number)
    s.mark_natural(found)
    return found
