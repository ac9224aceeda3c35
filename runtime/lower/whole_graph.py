"""The kernel that does all that a plan does, for calls that cost more than the work.

Comes in: a plan. Goes out: a kernel with what it is given, if there is one: that of a plan whose
only step is native; or one of a graph of numbers, or of a chain over small arrays that the plan
leaves to NumPy, since it would do as well but for the call.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runtime.graph.node import Graph, Value
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
