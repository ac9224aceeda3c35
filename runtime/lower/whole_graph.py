"""The kernel that does all that a plan or a graph does, for calls that cost more than the work.

Comes in: a plan. Goes out: a kernel with what it is given, if there is one: that of a plan whose
only step is native; or one of a graph of numbers, or of a chain over small arrays that the plan
leaves to NumPy, since it would do as well but for the call. One of a graph that writes arguments
writes them where they are, and takes a copy of those of which the program itself takes one first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from runtime.graph.node import Graph, Value
from runtime.graph.regions import has_loop
from runtime.graph.traits import Form
from runtime.graph.walk import effects
from runtime.kernels.kernel import ArrayType, Kernel, UnsupportedError
from runtime.kernels.maps import MapKernel
from runtime.kernels.products.products import ProductKernel
from runtime.kernels.scalar.element_access import root
from runtime.kernels.target import Target
from runtime.lower.array_kernels import ArrayKernels
from runtime.lower.fuse import SMALL, fuse
from runtime.lower.loop_kernels import graph_kernel
from runtime.lower.memory import find_memory
from runtime.lower.plan import Literal, Named, Native, Operand, Plan
from runtime.ops.creation import constant

CHECKS = frozenset({"check"})
"""Effects of what kernels do: where a check fails they give nothing, and the steps raise."""


@dataclass(frozen=True, slots=True)
class Known:
    """An argument of a kernel that is the same in each call."""

    value: Any


@dataclass(frozen=True, slots=True)
class Whole:
    """A kernel; `given` are its arguments: those of a graph by their numbers, and known ones."""

    kernel: Kernel | MapKernel
    given: Sequence[int | Known]


def whole_kernel(plan: Plan, target: Target, fast: bool = False) -> Whole | None:
    """Return the kernel that gives the results of a plan, in their order; None if there is none."""
    graph = plan.graph
    if not graph.results or not all(map(CHECKS.issuperset, map(effects, graph.nodes))):
        return None
    return _only_step(plan) or next(_of_graph(graph, target, fast), None)


def _only_step(plan: Plan) -> Whole | None:
    """Return the kernel of a plan of one native step, which gives what the plan returns."""
    if len(plan.block) != 1 or not isinstance(step := plan.block[0], Native):
        return None
    if isinstance(step.kernel, ProductKernel):  # it has to be tried first
        return None
    given = [_given(plan, operand) for operand in step.operands]
    known = [x for x in given if x is not None]
    fits = step.targets == plan.results and len(known) == len(given)
    return Whole(step.kernel, known) if fits else None


def _given(plan: Plan, operand: Operand) -> int | Known | None:
    if isinstance(operand, str):
        return plan.params.index(operand) if operand in plan.params else None
    if isinstance(operand, Named):
        return Known(plan.constants[operand.name])
    return Known(operand.value) if isinstance(operand, Literal) else None


def _of_graph(graph: Graph, target: Target, fast: bool) -> Iterator[Whole]:
    """Yield kernels that are made for a graph: of loops and elements, or of a chain of arrays."""
    values = (*graph.params, *graph.results)
    if len({*graph.results} - {*graph.params}) < len(graph.results) or not all(
        map(_is_small, values)
    ):
        return
    # A chain takes arrays in any order in memory; the other one needs them from front to back.
    is_of_rows = all((x.spec.rank or 0) < 2 for x in graph.results)
    for make in (_elements, _chain) if is_of_rows else (_chain, _elements):
        with suppress(UnsupportedError):
            yield from make(graph, target, fast)


def _is_small(value: Value) -> bool:
    shape = value.spec.shape
    if shape is None or not all(isinstance(size, int) for size in shape):
        return False
    return math.prod(size for size in shape if isinstance(size, int)) <= SMALL


def _elements(graph: Graph, target: Target, fast: bool) -> Iterator[Whole]:
    """Yield the kernel of a graph of numbers, loops, and elements of arrays.

    It returns arrays that it makes: others are an argument, or a constant that nobody may write.
    """
    kernel = graph_kernel(graph, target, find_memory(graph))
    body, known = kernel.body, [Known(x) for x in kernel.constants]
    made = {y for x in body.instructions if x.op == "array" for y in x.results}
    arrays = [x for x in body.results if isinstance(x.type, ArrayType)]
    if made.issuperset(root(x, body) for x in arrays):
        yield Whole(kernel, [*range(len(graph.params)), *known])


def _chain(graph: Graph, target: Target, fast: bool) -> Iterator[Whole]:
    """Yield the kernel of a graph that is one chain."""
    nodes = [node for node in fuse(graph, [], always=True).nodes if node.op is not constant]
    if len(nodes) != 1 or nodes[0].op.form is not Form.CHAIN or nodes[0].results != graph.results:
        return
    (node,) = nodes
    kernel = ArrayKernels(fast).kernel(node, target)
    if not isinstance(kernel, ProductKernel) and all(x in graph.params for x in node.inputs):
        yield Whole(kernel, [graph.params.index(x) for x in node.inputs])


def writing_kernel(
    graph: Graph, written: Sequence[int], returned: Sequence[Value], target: Target
) -> Whole | None:
    """Return the kernel that does what a graph with loops does; None if it writes no array.

    Args:
        graph: its last results are what arrays hold that are written where they are.
        written: the numbers of the parameters that are these arrays.
        returned: what the kernel returns: results of the graph, and arrays that it is given.
        target: what the kernel is for.
    """
    if any(map(effects, graph.nodes)) or not any(map(has_loop, graph.nodes)):
        return None
    if any(not x.spec.rank and x in graph.params for x in returned):
        return None  # the same object is to be returned
    copies = _copies(graph)
    graph = _without(graph, copies)
    copied = [k for k, x in enumerate(graph.params) if x in copies.values()]
    memory = find_memory(graph, donated=[graph.params[k] for k in (*written, *copied)])
    if any(memory.copied.values()) or not (written or copied):
        return None
    news = graph.results[len(graph.results) - len(written) :]
    results = (*(copies.get(x, x) for x in returned), *news)
    try:
        graph = Graph(graph.params, graph.nodes, results)
        kernel = graph_kernel(graph, target, memory, frozenset(copied), in_place=written)
    except UnsupportedError:
        return None
    given = [k for k, x in enumerate(graph.params) if x in returned]
    if not _returns(kernel, copied, given):
        return None
    return Whole(kernel, [*range(len(graph.params)), *map(Known, kernel.constants)])


def _copies(graph: Graph) -> dict[Value, Value]:
    """Return the parameters of which the graph takes a copy, and nothing else, by these copies."""
    used = [x for node in graph.nodes for x in node.inputs]
    uses = Counter([*used, *graph.results])
    nodes = (node for node in graph.nodes if node.op.copies)
    return {
        node.result: node.inputs[0]
        for node in nodes
        if node.inputs[0] in graph.params and uses[node.inputs[0]] == 1
    }


def _without(graph: Graph, copies: dict[Value, Value]) -> Graph:
    """Return a graph in which parameters stand for their copies."""
    nodes = [
        replace(node, inputs=tuple(copies.get(x, x) for x in node.inputs))
        for node in graph.nodes
        if not (node.op.copies and node.result in copies)
    ]
    return Graph(graph.params, tuple(nodes), tuple(copies.get(x, x) for x in graph.results))


def _returns(kernel: Kernel, copied: Sequence[int], given: Sequence[int]) -> bool:
    """Tell whether arrays that a kernel returns are arguments, or one copy each."""
    roots = [root(x, kernel.body) for x in kernel.body.results if isinstance(x.type, ArrayType)]
    arguments = [kernel.body.params[k] for k in given if k not in copied]
    own = [x for x in roots if x not in arguments]
    fresh = [kernel.body.params[k] for k in copied]
    return len(set(own)) == len(own) and all(x in fresh for x in own)
