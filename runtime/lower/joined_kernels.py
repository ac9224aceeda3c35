"""One kernel for several steps: loops, and what is done to single numbers before and after them.

Comes in: the steps of a planned graph, with the trees they were made of. Goes out: these steps,
runs of which are one native step. Where arrays are small, a kernel is called in a microsecond, and
a step of NumPy's takes half of one, which is longer than they compute. The steps that a run was,
with their kernels, stand for it where the kernel gives nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import has_loop
from runtime.graph.walk import count_nodes, effects
from runtime.kernels.kernel import ArrayType, Kernel, UnsupportedError
from runtime.kernels.scalar.element_access import root
from runtime.kernels.target import Target
from runtime.lower.expression import Tree, leaves
from runtime.lower.fuse import SMALL
from runtime.lower.loop_kernels import graph_kernel
from runtime.lower.memory import find_memory
from runtime.lower.plan import Literal, Native, Operand, Step
from runtime.lower.planning_context import Shared
from runtime.lower.write_targets import renewed_arrays

if TYPE_CHECKING:
    from runtime.lower.block_planner import BlockPlanner

CHECKS = frozenset({"check"})
"""Effects of what kernels do: where a check fails they give nothing, and the steps raise."""
MOST_TREES = 64
MOST_NODES = 1024
"""How many nodes a run has at most, with those of its loops: another kernel of more takes longer to
make than its calls save."""
TRIES = 3
"""How many of the last trees of a run are left out at most, where all have no kernel."""

Planned = tuple[Tree, Sequence[Step]]
"""A tree, and the steps that it became."""


def joined(block: BlockPlanner) -> list[Step]:
    """Return the steps of a planned block, in which runs of steps are one native step."""
    trees, steps, shared = block.statements.trees, block.steps, block.shared
    if shared.target is None or not any(map(_is_native, steps)) or len(trees) > MOST_TREES:
        return steps
    target, env = shared.target, block.env
    spans = zip(block.begins, [*block.begins[1:], len(steps)], strict=True)
    planned = [(tree, steps[i:j]) for tree, (i, j) in zip(trees, spans, strict=True)]
    results = {x for result in block.statements.results for x in leaves(result)}
    found, k = steps[: block.begins[0]], 0
    for fits, group in groupby(planned, lambda x: _fits(x, env, target)):
        run = [*group]
        rest = planned[k + len(run) :]
        k += len(run)
        after = results.union(*(leaves(tree) for tree, _ in rest))
        found += _joined(shared, run, after, env, TRIES if fits else 0)
    return found


def nodes_of(tree: Tree) -> Iterator[Node]:
    """Yield the nodes of a tree, in the order in which they are computed."""
    for operand in tree.operands:
        if isinstance(operand, Tree):
            yield from nodes_of(operand)
    yield tree.node


def _is_native(step: Step) -> bool:
    return isinstance(step, Native) and isinstance(step.kernel, Kernel)


def _pays(run: Sequence[Planned]) -> bool:
    """Tell whether a run calls more than one kernel, or a kernel and NumPy."""
    native = [any(map(_is_native, steps)) for _, steps in run]
    calls = sum(not all(x.spec.weak for x in tree.node.results) for tree, _ in run)
    return any(native) and (sum(native) > 1 or calls > 1)


def _fits(planned: Planned, env: dict[Value, Operand], target: Target) -> bool:
    """Tell whether a kernel may do what a tree does: one on numbers and small arrays."""
    tree, steps = planned
    nodes = [*nodes_of(tree)]
    values = [x for node in nodes for x in node.results]
    if not all(map(_is_small, [*leaves(tree), *values])):
        return False
    if not all(map(CHECKS.issuperset, map(effects, nodes))):
        return False
    if any(isinstance(x, Native) for x in steps):
        is_loop = all(map(_is_native, steps)) and has_loop(tree.node)
        return is_loop and not renewed_arrays(tree.node)
    return bool(_kernels(nodes, tree.node.results, env, target))


def _is_small(value: Value) -> bool:
    """Tell whether a value has few elements, as far as that is known: arrays of loops may grow."""
    shape = value.spec.shape
    return shape is not None and math.prod(n for n in shape if isinstance(n, int)) <= SMALL


def _kernels(
    nodes: Sequence[Node], results: Sequence[Value], env: dict[Value, Operand], target: Target
) -> list[tuple[Kernel, list[Value]]]:
    """Return the kernel of some nodes with what it is given, if there is one."""
    made = {x for node in nodes for x in node.results}
    inputs = [*dict.fromkeys(x for node in nodes for x in node.inputs if x not in made)]
    operands = {x: env[x] for x in inputs}
    known = {x: y.value for x, y in operands.items() if isinstance(y, Literal)}
    graph = Graph(tuple(inputs), tuple(nodes), tuple(results))
    memory = find_memory(graph)
    copied = memory.params
    written = {k for k, x in enumerate(inputs) if x in copied}
    if copied:
        memory = find_memory(graph, donated=copied)
    with suppress(UnsupportedError):
        kernel = graph_kernel(graph, target, memory, written, known)
        return [(kernel, [x for x in inputs if x not in known])]
    return []


def _makes(kernel: Kernel) -> bool:
    """Tell whether a kernel makes or copies the arrays that it returns: others are somebody's."""
    body = kernel.body
    own = {y for x in body.instructions if x.op == "array" for y in x.results}
    own |= {x for x, port in zip(body.params, kernel.inputs, strict=True) if port.written}
    arrays = [root(x, body) for x in body.results if isinstance(x.type, ArrayType)]
    return own.issuperset(arrays) and len({*arrays}) == len(arrays)


def _joined(
    shared: Shared,
    run: Sequence[Planned],
    after: Set[Value],
    env: dict[Value, Operand],
    tries: int,
) -> list[Step]:
    """Return the steps of a run; one, with those of fewer trees behind it, if it has a loop."""
    steps = [x for _, own in run for x in own]
    if not tries or not _pays(run):
        return steps
    nodes = [x for tree, _ in run for x in nodes_of(tree)]
    if count_nodes(Graph((), tuple(nodes), ())) > MOST_NODES:
        return steps
    results = [x for node in nodes for x in node.results if x in after]
    targets = [x for x in (env.get(y) for y in results) if isinstance(x, str)]
    assert shared.target is not None
    if results and len({*targets}) == len(results):
        for kernel, given in _kernels(nodes, results, env, shared.target):
            if _makes(kernel):
                operands = [*(env[x] for x in given), *map(shared.constant, kernel.constants)]
                where = next(x.location for x in steps if isinstance(x, Native))
                slot = shared.slots.new()
                return [Native(kernel, (*targets,), (*operands,), slot, (*steps,), where)]
    tree, last = run[-1]
    return [*_joined(shared, run[:-1], after | {*leaves(tree)}, env, tries - 1), *last]
