"""From a graph to a plan.

Comes in: a graph. Goes out: a `Plan`. It knows nothing of the text that is emitted. A trace calls a
function in several forms, where it is given numbers that are known for example, and these have one
name: functions that are not the same get names of their own first, as a name is one function there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import CALLS
from runtime.graph.traits import Form
from runtime.graph.walk import walk
from runtime.kernels.target import Target
from runtime.lower.block_planner import BlockPlanner
from runtime.lower.fuse import Reason, fuse
from runtime.lower.joined_kernels import joined
from runtime.lower.liveness import dropped
from runtime.lower.loop_views import with_loop_views
from runtime.lower.memory import find_memory
from runtime.lower.plan import Copy, Operand, Plan
from runtime.lower.planning_context import Shared
from runtime.lower.result_copies import constants_to_copy, results_apart, results_to_copy
from runtime.passes.cse import node_key
from runtime.passes.rewriter import changed, with_nodes


def make_plan(
    graph: Graph,
    original: Graph | None = None,
    scalars: bool = True,
    target: Target | None = None,
    fast: bool = False,
    donated: Sequence[int] = (),
    apart: bool = False,
) -> Plan:
    """Return the plan of a graph.

    Args:
        graph: is not changed.
        original: the graph before the passes, which says what results may share memory with.
        scalars: whether an array indexed down to one element gives a scalar and not a view.
        target: what loops become kernels for, where they can; they stay as they are for None.
        fast: whether results of kernels may differ from NumPy's in their last digits.
        donated: the numbers of parameters whose arrays may be written, and become results.
        apart: whether results are arrays of their own in any case.
    """
    refused: list[Reason] = []
    graph = with_own_names(graph)
    plain = graph
    if target is not None:
        graph = fuse(with_loop_views(graph), refused)
    given = [graph.params[k] for k in donated]
    memory = find_memory(graph, scalars, given)
    written = original or plain
    renewed = frozenset() if apart else constants_to_copy(written, graph, memory, scalars)
    copied = (
        results_apart(graph, memory)
        if apart
        else results_to_copy(written, graph, memory, scalars, given, renewed)
    )

    def planned(function: Graph, target: Target | None) -> Plan:
        return make_plan(function, scalars=scalars, target=target, fast=fast, apart=True)

    shared = Shared(memory, target, fast, planned, renewed)
    params = tuple(shared.slots.take(value.name or f"x{k}") for k, value in enumerate(graph.params))
    env: dict[Value, Operand] = dict(zip(graph.params, params, strict=True))
    block = BlockPlanner(shared, graph, env, owned=graph.params, last=True)
    block.steps += [Copy(block.slot(value), block.slot(value)) for value in memory.params]
    block.plan()
    if not (donated or apart or fast):
        block.steps = joined(block)
    results = tuple(
        block.own(operand) if k in copied else operand for k, operand in enumerate(block.results())
    )
    refused = [x for x in refused if x[0] not in shared.inside_kernels]
    refused = [*shared.refused, *refused]
    steps = tuple(dropped(block.finished(), results, params))
    functions = shared.functions
    return Plan(params, shared.constants, steps, results, plain, tuple(refused), functions)


def with_own_names(graph: Graph) -> Graph:
    """Return a graph in which calls of different functions have different names."""
    if not any(node.op.form is Form.CALL for node in walk(graph)):
        return graph
    return _Names().graph(graph)


class _Names:
    """Renames functions; `known` has what they do by the names that they got."""

    def __init__(self) -> None:
        self.known: dict[str, Hashable] = {}

    def graph(self, graph: Graph) -> Graph:
        """Return a graph with its functions renamed."""
        return with_nodes(graph, [self.node(x) for x in graph.nodes])

    def node(self, node: Node) -> Node:
        """Return a node with the functions in it renamed."""
        if node.op.form is Form.CALL:
            node = self.named(node)
        return changed(node, regions=[self.graph(x) for x in node.regions])

    def named(self, node: Node) -> Node:
        """Return a call whose function has a name that no other function has."""
        (region,), name = node.regions, node.attrs["function"]
        own, found, count = meaning(region), name, 1
        while self.known.setdefault(found, own) != own:
            count += 1
            found = f"{name}_{count}"
        if found == name:
            return node
        inner = _calling(region, name, found)
        return changed(node, attrs={"function": found}, regions=[inner])


def _calling(region: Graph, old: str, new: str) -> Graph:
    """Return the region of a function that calls itself by another name."""

    def renamed(node: Node) -> Node:
        if node.op.form not in CALLS or node.attrs["function"] != old:
            return changed(node, regions=[_calling(x, old, new) for x in node.regions])
        is_other = node.op.form is Form.CALL
        return node if is_other else replace(node, attrs={**node.attrs, "function": new})

    return with_nodes(region, [*map(renamed, region.nodes)])


def meaning(region: Graph) -> Hashable:
    """Return what regions have in common exactly when they are written alike."""
    numbers = {x: k for k, x in enumerate(region.params)}
    number: Callable[..., int] = lambda x: numbers.setdefault(x, len(numbers))  # noqa: E731
    found: list[Hashable] = [tuple(str(x.spec) for x in region.params)]
    for node in region.nodes:
        found.append((node_key(node, numbers), tuple(map(meaning, node.regions))))
        found += [(number(x), str(x.spec)) for x in node.results]
    return (*found, *map(number, region.results))
