"""The kernel of a whole graph of numbers, loops and elements, which writes arrays it is given.

Comes in: a graph. Goes out: a kernel with what it is given, if there is one. It writes arguments
where they are, and takes a copy of those of which the program itself takes one first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from runtime.graph.node import Graph, Value
from runtime.graph.regions import has_loop
from runtime.graph.walk import effects
from runtime.kernels.kernel import ArrayType, Kernel, UnsupportedError
from runtime.kernels.scalar.element_access import root
from runtime.kernels.target import Target
from runtime.lower.loop_kernels import graph_kernel
from runtime.lower.memory import find_memory
from runtime.lower.whole_graph import Known, Whole


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
