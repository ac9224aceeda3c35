"""From a graph to a plan.

Comes in: a graph. Goes out: a `Plan`. It knows nothing of the text that is emitted.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.node import Graph, Value
from runtime.kernels.target import Target
from runtime.lower.block_planner import BlockPlanner
from runtime.lower.function_names import with_own_names
from runtime.lower.fuse import Reason, fuse
from runtime.lower.liveness import dropped
from runtime.lower.loop_views import with_loop_views
from runtime.lower.memory import find_memory
from runtime.lower.plan import Copy, Operand, Plan
from runtime.lower.planning_context import Shared
from runtime.lower.result_copies import constants_to_copy, results_apart, results_to_copy


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
    results = tuple(
        block.own(operand) if k in copied else operand for k, operand in enumerate(block.results())
    )
    refused = [x for x in refused if x[0] not in shared.inside_kernels]
    refused = [*shared.refused, *refused]
    steps = tuple(dropped(block.finished(), results, params))
    functions = shared.functions
    return Plan(params, shared.constants, steps, results, plain, tuple(refused), functions)
