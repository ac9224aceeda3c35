"""Branches and loops of a graph as those of a kernel.

Comes in: nodes with regions, what stands for their inputs, and what writes nodes. Goes out: what
stands for their results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING

from runtime.graph.node import Node, Value
from runtime.graph.regions import Loop, has_loop
from runtime.kernels.kernel import (
    INT,
    ArrayType,
    Block,
    Literal,
    Operand,
    Policy,
    UnsupportedError,
    Variable,
    fits,
)
from runtime.kernels.scalar.element_access import is_made, root
from runtime.kernels.scalar.scalars import LARGEST_STEP
from runtime.lower.element_writers import element, is_free
from runtime.lower.lowering import Lowering
from runtime.lower.part_nodes import takes_parts
from runtime.lower.parts import Given, Part, array_of, copied, filled, is_same, room, whole
from runtime.lower.value_types import type_of
from runtime.ops.elementwise import add, subtract
from runtime.passes.rewriter import known_values

if TYPE_CHECKING:
    from runtime.lower.loop_kernels import NodeWriter


Arm = tuple[Block, list[Given]]
"""An arm of a branch, and what it gives."""


def cond(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Operand]:
    """Write a branch."""
    test = w.scalars.truth(w.one(given[0]))
    arms = [arm(w, partial(w.region, region, given[1:])) for region in node.regions]
    return choice(w, node, test, arms)


def arm(w: NodeWriter, write: Callable[[], Sequence[Given]]) -> Arm:
    """Write an arm of a branch."""
    found = list[Given]()

    def inside() -> Sequence[Operand]:
        found.extend(write())
        return ()

    return w.scalars.block((), inside), found


def choice(w: NodeWriter, node: Node, test: Operand, arms: Sequence[Arm]) -> Sequence[Operand]:
    """Write an `if`; its results are of the types of the node.

    Where an arm makes an array, the result is one of its own, into which its elements go.
    """
    s, types, own = w.scalars, [type_of(value.spec) for value in node.results], {}
    for k, kind in enumerate(types):
        ways = [(block, found[k]) for block, found in arms]
        if any(isinstance(x, Part) or is_made(x, block) for block, x in ways):
            if not isinstance(kind, ArrayType):
                raise UnsupportedError("a branch of several dtypes")
            sizes = [Literal(INT, n or 0) for n in kind.shape]
            own[k] = array_of(room(s, kind.dtype, sizes, kind)), kind

    def results(found: list[Given]) -> list[Operand]:
        return [
            filled(s, own[k][0], x, own[k][1]) if k in own else w.one(x)
            for k, x in enumerate(found)
        ]

    blocks = []
    for block, found in arms:
        end = s.block((), partial(results, found))
        if not all(fits(x.type, wanted) for x, wanted in zip(end.results, types, strict=True)):
            raise UnsupportedError("a branch of several dtypes")
        blocks.append(Block((), (*block.instructions, *end.instructions), end.results))
    return s.choice(test, types, blocks)


def switch(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Given]:
    """Write an n-way branch, as a tree of two-way ones."""
    if any(node.attrs.values()):
        raise UnsupportedError("errors that are reported in another way")
    place = w.scalars.convert(w.one(given[0]), INT)
    return choose(w, node, range(len(node.regions)), place, given[1:])


def choose(
    w: NodeWriter, node: Node, arms: range, place: Operand, given: Sequence[Given]
) -> Sequence[Given]:
    """Write some arms: one of either half, as those of all may be very many."""
    if len(arms) == 1:
        return w.region(node.regions[arms[0]], given)
    half = len(arms) // 2
    test = w.scalars.less_equal(place, w.scalars.literal(arms[half - 1], INT))
    halves = [partial(choose, w, node, x, place, given) for x in (arms[:half], arms[half:])]
    return choice(w, node, test, [arm(w, write) for write in halves])


def while_(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Given]:
    """Write a loop that tests."""
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
    s, types = w.scalars, [type_of(x.final.spec) for x in loop.carried]
    copies = w.memory.copied.get(loop.node, ()) if w.memory is not None else ()
    for k, (x, kind, part) in enumerate(zip(carried, types, loop.carried, strict=True)):
        if not isinstance(kind, ArrayType):
            continue
        is_open = w.is_open(part.param) or (k in renewed and None in kind.shape)
        is_there = w.depth and {k}.isdisjoint((*copies, *renewed)) and is_free(x, kind.dtype)
        if is_open and not is_there:
            carried[k] = w.owned(x, kind)
        elif k in renewed or k in copies:
            is_mine = not w.depth and x in w.writable
            carried[k] = x if is_mine else w.owned(x)
    results = s.structured(name, [*first, *carried], types, blocks, counters=counts)
    return [whole(s, x) if w.depth and k in renewed else x for k, x in enumerate(results)]


_STEPS: Lowering[Callable[[Node, Value], Value | None]] = Lowering()
"""By how much ops move a number on, which is one of their operands."""


@_STEPS.lowers(add)
def _added(node: Node, number: Value) -> Value | None:
    first, second = node.inputs
    return second if first is number else first if second is number else None


@_STEPS.lowers(subtract)
def _subtracted(node: Node, number: Value) -> Value | None:
    return node.inputs[1] if node.inputs[0] is number else None


def counters(w: NodeWriter, loop: Loop, initial: Sequence[Operand]) -> tuple[int, ...]:
    """Return which parts of a loop's state only count; they start small, or all ends.

    Their overflow is not tested in each round, but now and then (`counters` of a loop). That
    is for inmost loops only: others may do many rounds between two looks at them.
    """
    body = loop.body
    if any(has_loop(x) or takes_parts(x) for x in body.nodes):
        return ()
    known = known_values(body)
    makers = {x.result: x for x in body.nodes if _STEPS.rule(x.op)}
    found = []
    for k, x in enumerate(loop.carried):
        param, result = x.param, x.next
        node = makers.get(result)
        if node is None or not result.spec.weak or result.spec.dtype != INT:
            continue
        step_of = _STEPS.rule(node.op)
        by = None if step_of is None else step_of(node, param)
        step = None if by is None else known.get(by)
        if type(step) is int and abs(step) <= LARGEST_STEP:
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
    body, found = arm(w, lambda: write(state))
    end = w.scalars.block((), lambda: handed_on(w, state, found, body, renewed))
    return Block((*first, *state), (*body.instructions, *end.instructions), end.results)


def handed_on(
    w: NodeWriter, state: Sequence[Variable], found: list[Given], body: Block, renewed: set[int]
) -> list[Operand]:
    """Write arrays of a round into those of the state; return what the next round begins with."""
    s = w.scalars
    new = {k: x for k, x in enumerate(found) if isinstance(x, Part) or is_made(x, body)}
    if new:
        arrays = {k: x for k, x in enumerate(found) if isinstance(x.type, ArrayType)}
        new |= {
            k: x for k, x in arrays.items() if isinstance(x, Part) or root(x, body) is not state[k]
        }
    into = {k: whole(s, state[k]) for k in new}
    parts = {k: whole(s, x) for k, x in new.items()}
    for k, part in parts.items():
        views = (part,) if part.array is not None else part.views
        if not (part.sizes == into[k].sizes and all(is_same(x, into[k]) for x in views)):
            parts[k] = copied(s, part)  # it is read before anything of the state is written
    left = [*found]
    for k, part in parts.items():
        kind = state[k].type
        assert isinstance(kind, ArrayType)
        left[k] = filled(s, state[k], part, kind)
    renewed.update(new)
    return w.passed(left)


def for_(w: NodeWriter, node: Node, given: Sequence[Given]) -> Sequence[Given]:
    """Write a loop that counts."""
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
