"""The order of the passes."""

from __future__ import annotations

from collections.abc import Callable

from runtime.graph.node import Graph
from runtime.passes.branches import merge_branches
from runtime.passes.cse import merge_common
from runtime.passes.dce import remove_unused
from runtime.passes.fold import fold_constants
from runtime.passes.hoist import hoist_invariants
from runtime.passes.keeps import remove_needless_keeps
from runtime.passes.log import Log
from runtime.passes.masks import widen_masked
from runtime.passes.products import hoist_products
from runtime.passes.rewriter import Pass
from runtime.passes.simplify import simplify
from runtime.passes.unroll import unroll_loops

PASSES: tuple[Pass, ...] = (
    fold_constants,
    simplify,
    merge_common,
    widen_masked,
    merge_branches,
    unroll_loops,
    hoist_invariants,
    hoist_products,
    remove_unused,
    remove_needless_keeps,
)
MOST_ROUNDS = 4


def optimise(
    graph: Graph, *, check: Callable[[Graph], object] | None = None, log: Log | None = None
) -> Graph:
    """Return a graph of the same meaning that does less.

    Args:
        graph: is not changed.
        check: is called with the graph after every pass, in tests with the verifier.
        log: is told what each pass does, and what it leaves and why.
    """
    for _ in range(MOST_ROUNDS):
        before = graph
        for apply in PASSES:
            if log is not None:
                log.begin(apply.__name__, graph)
            graph = apply(graph, log or Log())
            if log is not None:
                log.end(graph)
            if check is not None:
                check(graph)
        if graph is before:
            break
    return graph
