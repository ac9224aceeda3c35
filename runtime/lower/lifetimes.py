"""What is to be decided in a graph, and how long its values are used.

Comes in: a graph or region. Goes out: a `Block`, whose steps are the nodes that may write, make or
pass on arrays, with all that is known of them before anything is decided. Nodes of Python's numbers
are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Branch, Carried, Loop, branch_of, fixed_params, loop_of
from runtime.lower.write_targets import lengthens, makes_arrays, shortens, targets

Lives = tuple[tuple[Value, int], ...]
"""Values, each with the number of the node that uses it last; -1 if none does."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A node at which something is decided.

    Args:
        index: its place in its graph.
        node: it.
        targets: the inputs that it could write its result into.
        may_grow: whether it puts rows behind others, or takes the first of them.
        makes: whether its results are new arrays.
        results: those that may share memory.
        loop: its parts, if it is one, and
        carried: what goes from round to round in it.
        branch: its parts, if it is one.
        fixed: for a region, its parameters and the operands that they always are.
        used: the operands that a loop uses in every round.
    """

    index: int
    node: Node
    targets: Sequence[Value]
    may_grow: bool
    makes: bool
    results: Lives
    loop: Loop | None = None
    carried: Sequence[Carried] = ()
    branch: Branch | None = None
    fixed: Mapping[Graph, Sequence[tuple[Value, Value]]] = field(default_factory=dict)
    used: Sequence[Value] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A graph or region as steps.

    Args:
        graph: it.
        params: its parameters that may share memory.
        steps: its nodes, in order, at which something is decided.
    """

    graph: Graph
    params: Lives
    steps: Sequence[Step]


class Blocks:
    """The blocks of a graph and of its regions, each found once.

    Attributes:
        makers: the nodes that made what there is in them.
    """

    def __init__(self) -> None:
        self.makers: dict[Value, Node] = {}
        self._found: dict[Graph, Block] = {}

    def of(self, graph: Graph) -> Block:
        """Return the block of a graph."""
        if graph not in self._found:
            death: dict[Value, int] = {}
            for index, node in enumerate(graph.nodes):
                death.update(dict.fromkeys(node.inputs, index))
                self.makers.update(dict.fromkeys(node.results, node))
            death.update(dict.fromkeys(graph.results, len(graph.nodes)))  # its end uses results
            found = [_step(index, node, death) for index, node in enumerate(graph.nodes)]
            steps = [x for x in found if x.node.regions or x.results or x.targets or x.may_grow]
            self._found[graph] = Block(graph, _lives(graph.params, death), steps)
        return self._found[graph]


@dataclass(slots=True)
class Level:
    """A graph that is being gone through.

    Args:
        graph: it.
        step: the node that is being looked at.
        until: of each class, the last use of a value that exists by now.
    """

    graph: Graph
    step: Step | None = None
    until: dict[Value, int] = field(default_factory=dict)


def _lives(values: Sequence[Value], death: Mapping[Value, int]) -> Lives:
    return tuple((x, death.get(x, -1)) for x in values if not x.spec.weak)


def _step(index: int, node: Node, death: Mapping[Value, int]) -> Step:
    results = _lives(node.results, death)
    if not node.regions:
        may_grow = lengthens(node) or shortens(node)
        return Step(index, node, targets(node), may_grow, makes_arrays(node), results)
    loop, fixed = loop_of(node), dict[Graph, list[tuple[Value, Value]]]()
    for region, param, operand in fixed_params(node):
        fixed.setdefault(region, []).append((param, operand))
    carried = () if loop is None else loop.carried
    used = () if loop is None else (*loop.operands.captured, *loop.operands.sequences)
    parts = loop, carried, branch_of(node), fixed, [x for x in used if not x.spec.weak]
    return Step(index, node, (), False, makes_arrays(node), results, *parts)
