"""What the rules of nodes with regions are given, and what they return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeAlias

from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import CALLS
from runtime.graph.traits import Derivative, Form
from runtime.ops.effects import fail
from runtime.ops.recursion import call
from runtime.passes.rewriter import copied_region
from runtime.spec import Shape

Pull: TypeAlias = Callable[..., Sequence[object]]
"""From the cotangents of results, and which operands are wanted, to parts of theirs.

One that threads takes `onto`, too: of the place of an operand, what was found of its cotangent so
far, to be added to within the region; it is the whole of it then that is returned.
"""
Onto: TypeAlias = Callable[[int], Value | None]


class Back(Protocol):
    """Writes what goes back through a region; see `reverse.back_region`."""

    def __call__(
        self,
        builder: Builder,
        region: Graph,
        given: Sequence[Value],
        wanted: Sequence[bool],
        cotangents: Sequence[Value | None],
        onto: Sequence[Value | None] = (),
        functions: Mapping[str, BackFunction] | None = None,
        in_chunks: bool = False,
        kept: Mapping[Value, Value] = ...,
    ) -> list[Value | None]: ...


class Write(Protocol):
    """Writes a graph once more, and returns its results; see `values.write_region`."""

    def __call__(self, builder: Builder, region: Graph, given: Sequence[Value]) -> list[Value]: ...


@dataclass(frozen=True, slots=True)
class Tape:
    """Where a graph is written once more.

    Args:
        builder: of the nodes.
        back: writes what goes back through a region.
        write: writes a region once more.
        is_again: whether it was computed before.
        functions: those around it, by their names.
        in_chunks: whether loops are to keep little.
        kept: what results of a node are, by their numbers, if these are known from before.
    """

    builder: Builder
    back: Back
    write: Write
    is_again: bool
    functions: Mapping[str, BackFunction]
    in_chunks: bool = False
    kept: Mapping[int, Value] = field(default_factory=dict)

    def whole(self) -> Tape:
        """Return it for what is in chunks already."""
        return replace(self, in_chunks=False, back=partial(self.back, in_chunks=False))

    def copied(self, region: Graph) -> Graph:
        """Return a region once more; without what is seen outside if it was computed before."""
        found = with_functions(copied_region(region), self.functions)
        return silenced(found) if self.is_again else found


@dataclass(frozen=True, slots=True)
class BackFunction:
    """A function of a graph that calls itself, and what goes back through it.

    Args:
        region: the function.
        name: of what goes back.
    """

    region: Graph
    name: str


def with_functions(region: Graph, functions: Mapping[str, BackFunction]) -> Graph:
    """Return a region that calls functions which are not around it any more by themselves."""
    if not functions:
        return region
    return replace(region, nodes=tuple(_standing_alone(x, functions) for x in region.nodes))


def _standing_alone(node: Node, functions: Mapping[str, BackFunction]) -> Node:
    name: str = node.attrs["function"] if node.op.form in CALLS else ""
    if node.op.form is Form.CALL_AGAIN and name in functions:
        region = copied_region(functions[name].region)
        return replace(node, op=call, attrs={"function": name}, regions=(region,))
    inner = {k: x for k, x in functions.items() if k != name}
    return replace(node, regions=tuple(with_functions(x, inner) for x in node.regions))


def is_silent(node: Node) -> bool:
    """Tell whether a node that was done before need not be done again: it gives nothing.

    What leaves a `try` leaves it again.
    """
    return node.op.effect is not None and not node.results and node.op is not fail


def silenced(region: Graph) -> Graph:
    """Return a region without nodes that only do something."""
    nodes = [x for x in region.nodes if not is_silent(x)]
    kept = [replace(x, regions=tuple(map(silenced, x.regions))) if x.regions else x for x in nodes]
    return replace(region, nodes=tuple(kept))


@dataclass(slots=True)
class Entry:
    """A node that was written once more, and how one goes back through it."""

    node: Node
    inputs: Sequence[Value]
    results: Sequence[Value]
    pull: Pull
    rule: Derivative | None = None
    wanted: Sequence[bool] = field(default=())
    threads: bool = False

    @property
    def space(self) -> Shape | None:
        """The shape over which cotangents are added up where operands were broadcast."""
        return self.results[0].spec.shape if self.rule and self.rule.is_elementwise else None

    @property
    def takes_small(self) -> bool:
        """Whether it takes cotangents that are to be broadcast.

        Where an operand was broadcast, it has to be known how often.
        """
        if self.rule is None or self.rule.takes_small:
            told = self.rule is not None and self.rule.takes_small
            return told(*(x.spec for x in self.inputs)) if callable(told) else told
        specs = [x.spec for x, is_wanted in zip(self.inputs, self.wanted, strict=True) if is_wanted]
        own = self.results[0].spec
        is_known = own.is_static and all(x.is_static for x in specs)
        return self.rule.is_elementwise and (is_known or all(x.shape == own.shape for x in specs))
