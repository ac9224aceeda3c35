"""The parts of nodes with regions, by name.

    while_loop(*carried, *captured)  { test(*carried, *captured) } { body(*carried, *captured) }
    reduce(count, *carried, *sequences, *captured)
                                     { body(number, *carried, *elements, *captured) }
    cond(test, *captured)            { arm(*captured) } { arm(*captured) }
    switch(index, *captured)         { arm(*captured) }*
    try_(*captured)                  { body(*captured) } { handler(*values, *captured) }*

A loop gives what is carried at the end, then its stacked outputs, one row a round. All of what
passes, lowering, derivatives and batching have to know of this order stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import Form
from runtime.graph.walk import walk

T = TypeVar("T")


BRANCHES = frozenset({Form.COND, Form.SWITCH})
LOOPS = frozenset({Form.WHILE, Form.REDUCE})
INLINES = frozenset({Form.STEP, Form.CHECKPOINT, Form.CHAIN})
CALLS = frozenset({Form.CALL, Form.CALL_AGAIN})


@dataclass(frozen=True, slots=True)
class Parts(Generic[T]):
    """What a loop is given, or one of its regions, by what it is for.

    Args:
        head: the count, or the number of the round; nothing in loops that test.
        carried: what goes from round to round.
        sequences: arrays, or the elements of them that a round takes.
        captured: what is the same in all rounds.
    """

    head: tuple[T, ...]
    carried: tuple[T, ...]
    sequences: tuple[T, ...]
    captured: tuple[T, ...]

    def __iter__(self) -> Iterator[T]:
        yield from (*self.head, *self.carried, *self.sequences, *self.captured)


@dataclass(frozen=True, slots=True)
class Layout:
    """How many of the operands of a loop are what; `head` is 1 for loops that count."""

    head: int
    carry: int
    sequences: int

    def split(self, items: Sequence[T]) -> Parts[T]:
        """Return the parts of what stands for the operands, or for the parameters of the body."""
        first = self.head + self.carry
        last = first + self.sequences
        given = tuple(items)
        return Parts(given[: self.head], given[self.head : first], given[first:last], given[last:])

    def captured(self, items: Sequence[T]) -> tuple[T, ...]:
        """Return what is captured, of what stands for the operands."""
        return tuple(items[self.head + self.carry + self.sequences :])

    def outputs(self, results: Sequence[T]) -> tuple[tuple[T, ...], tuple[T, ...]]:
        """Return what is carried, and what is stacked, of results of the body or the loop."""
        return tuple(results[: self.carry]), tuple(results[self.carry :])


def layout_of(node: Node) -> Layout:
    """Return how many of the operands of a loop are what."""
    attrs, head = node.attrs, int(node.op.form is Form.REDUCE)
    return Layout(head, attrs["carry"], attrs.get("sequences", 0))


def attrs_for(node: Node, operands: Parts[T]) -> dict[str, Any]:
    """Return the attributes of a loop that is given other operands."""
    counts = {"carry": len(operands.carried), "sequences": len(operands.sequences)}
    return {name: counts.get(name, x) for name, x in node.attrs.items()}


@dataclass(frozen=True, slots=True)
class Carried:
    """One part of the state of a loop: at first, in a round, after it, and at the end."""

    initial: Value
    param: Value
    next: Value
    final: Value


class Loop:
    """A loop that tests, or one that counts.

    Args:
        node: whose parts these are.

    `operands` and `params` are those of the node and of its body. `stacked` are (row, rows): what a
    round gives, and the output that it is stacked in. `length` is the number of rounds when the
    graph says so; the loop goes backwards when `reverse`, and ends early at the part `until` of
    what is carried.
    """

    __slots__ = (
        "body",
        "layout",
        "length",
        "node",
        "operands",
        "params",
        "reverse",
        "test",
        "until",
    )

    def __init__(self, node: Node) -> None:
        attrs = node.attrs
        self.node = node
        self.body = node.regions[-1]
        self.test: Graph | None = node.regions[0] if node.op.form is Form.WHILE else None
        self.layout = layout_of(node)
        self.operands: Parts[Value] = self.layout.split(node.inputs)
        self.params: Parts[Value] = self.layout.split(self.body.params)
        self.length: int | None = attrs.get("length")
        self.until: int | None = attrs.get("until")
        self.reverse: bool = attrs.get("reverse", False)

    @property
    def count(self) -> Value | None:
        """The number of rounds, or the dataset, of a loop that counts."""
        return self.operands.head[0] if self.operands.head else None

    @property
    def number(self) -> Value | None:
        """The number of the round, in the body of a loop that counts."""
        return self.params.head[0] if self.params.head else None

    @property
    def carried(self) -> list[Carried]:
        """What goes from round to round."""
        after, _ = self.layout.outputs(self.body.results)
        final, _ = self.layout.outputs(self.node.results)
        given = zip(self.operands.carried, self.params.carried, after, final, strict=True)
        return [Carried(*x) for x in given]

    @property
    def elements(self) -> list[tuple[Value, Value]]:
        """The elements that a round takes, each with its sequence."""
        return list(zip(self.params.sequences, self.operands.sequences, strict=True))

    @property
    def stacked(self) -> list[tuple[Value, Value]]:
        """What a round gives, each with the output that it is stacked in."""
        _, rows = self.layout.outputs(self.body.results)
        _, outputs = self.layout.outputs(self.node.results)
        return list(zip(rows, outputs, strict=True))

    def capturing(self, more: Sequence[Value], inner: Sequence[Value], body: Graph) -> Node:
        """Return the loop with another body, and more that is captured.

        Args:
            more: operands to be captured.
            inner: what stands for them in the body.
            body: without these parameters.
        """
        regions = [Graph((*body.params, *inner), body.nodes, body.results)]
        if self.test is not None:
            own = tuple(Value(x.spec, x.name) for x in inner)
            test = self.test
            regions.insert(0, Graph((*test.params, *own), test.nodes, test.results))
        node = self.node
        return replace(node, inputs=(*node.inputs, *more), regions=tuple(regions))


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch: the operand that chooses, what the arms use, and the arms."""

    test: Value
    captured: tuple[Value, ...]
    arms: tuple[Graph, ...]
    is_switch: bool

    def chosen(self, test: Any) -> Graph:
        """Return the arm that a value of the operand chooses."""
        if not self.is_switch:
            return self.arms[0 if test else 1]
        return self.arms[min(max(int(test), 0), len(self.arms) - 1)]


@dataclass(frozen=True, slots=True)
class Try:
    """A body, and by the points where it may be left the handlers: (values, region)."""

    captured: tuple[Value, ...]
    body: Graph
    handlers: dict[int, tuple[tuple[Value, ...], Graph]]


def loop_of(node: Node) -> Loop | None:
    """Return the parts of a loop; None for other nodes."""
    return Loop(node) if node.op.form in LOOPS else None


def branch_of(node: Node) -> Branch | None:
    """Return the parts of a branch; None for other nodes."""
    return as_branch(node) if node.op.form in BRANCHES else None


def as_branch(node: Node) -> Branch:
    """Return the parts of a node that is a branch."""
    test, *captured = node.inputs
    return Branch(test, tuple(captured), node.regions, node.op.form is Form.SWITCH)


def try_of(node: Node) -> Try | None:
    """Return the parts of a `try`; None for other nodes."""
    if node.op.form is not Form.TRY:
        return None
    body, *handlers = node.regions
    found = {
        point: (region.params[: len(region.params) - len(node.inputs)], region)
        for point, region in zip(node.attrs["points"], handlers, strict=True)
    }
    return Try(node.inputs, body, found)


def is_loop(node: Node) -> bool:
    """Tell whether a node is a loop."""
    return node.op.form in LOOPS


def has_loop(node: Node) -> bool:
    """Tell whether a node is a loop, or has one inside."""
    return is_loop(node) or any(is_loop(x) for region in node.regions for x in walk(region))


def is_branch(node: Node) -> bool:
    """Tell whether a node is a branch."""
    return node.op.form in BRANCHES


def fixed_params(node: Node) -> Iterator[tuple[Graph, Value, Value]]:
    """Yield (region, parameter, operand) where a parameter is that operand whenever it is used.

    These are all parameters of branches, and what loops use from outside; the state of a loop and
    the elements of its sequences change from round to round.
    """
    form = node.op.form
    if form in LOOPS:
        captured = layout_of(node).captured(node.inputs)
    elif form in BRANCHES:
        captured = as_branch(node).captured
    elif form is Form.TRY:
        captured = node.inputs
    else:
        return
    for region in node.regions:
        own = region.params[len(region.params) - len(captured) :]
        for param, operand in zip(own, captured, strict=True):
            yield region, param, operand
