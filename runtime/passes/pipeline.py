"""The order of the passes."""

from __future__ import annotations

from collections.abc import Callable

from runtime.graph.node import Graph
from runtime.passes.array_copies import drop_copies
from runtime.passes.batched_products import hoist_products
from runtime.passes.branch_merging import merge_branches
from runtime.passes.check_elimination import remove_passed_checks
from runtime.passes.cse import merge_common
from runtime.passes.dce import remove_unused
from runtime.passes.dead_stores import remove_needless_keeps
from runtime.passes.fold import fold_constants
from runtime.passes.full_unroll import unroll_loops
from runtime.passes.hoist import hoist_invariants
from runtime.passes.if_conversion import widen_masked
from runtime.passes.inline import inline_custom
from runtime.passes.known_tests import tell_tests
from runtime.passes.log import Log
from runtime.passes.loop_exit_values import take_settled
from runtime.passes.reporting import report_together
from runtime.passes.rewriter import Pass
from runtime.passes.rows_in_place import write_rows
from runtime.passes.simplify import simplify
from runtime.passes.views import merge_views
from runtime.passes.write_forwarding import forward_writes
from runtime.passes.writes import write_once

PASSES: tuple[Pass, ...] = (
    inline_custom,
    fold_constants,
    simplify,
    drop_copies,
    merge_views,
    merge_common,
    report_together,
    write_once,
    forward_writes,
    widen_masked,
    merge_branches,
    tell_tests,
    unroll_loops,
    remove_passed_checks,
    take_settled,
    hoist_invariants,
    hoist_products,
    remove_unused,
    write_rows,
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
