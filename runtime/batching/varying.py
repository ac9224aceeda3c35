"""Which values of a graph differ from element to element of a batch."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import BRANCHES, Loop, branch_of, loop_of
from runtime.ops.batch_rules import OfShape


def varying(graph: Graph, flags: Sequence[bool]) -> list[bool]:
    """Tell which results of a graph differ, by which of its parameters do."""
    differs: dict[Value, bool] = dict(zip(graph.params, flags, strict=True))
    for node in graph.nodes:
        found = _of_node(node, [differs[x] for x in node.inputs])
        differs.update(zip(node.results, found, strict=True))
    return [differs[x] for x in graph.results]


def _of_node(node: Node, flags: Sequence[bool]) -> list[bool]:
    if not any(flags) or isinstance(node.op.batching, OfShape):
        return [False] * len(node.results)
    loop = loop_of(node)
    if loop is not None:
        return of_loop(loop, flags)[1]
    if node.op.form in BRANCHES and not flags[0]:
        return of_arms(node, flags[1:])
    return [True] * len(node.results)


def of_arms(node: Node, captured: Sequence[bool]) -> list[bool]:
    """Tell which results of a branch differ when its test does not."""
    branch = branch_of(node)
    assert branch is not None
    columns = zip(*(varying(arm, captured) for arm in branch.arms), strict=True)
    return [any(column) for column in columns]


def of_loop(loop: Loop, flags: Sequence[bool]) -> tuple[list[bool], list[bool], bool]:
    """Tell which parts of a loop differ.

    Returns:
        for each parameter of the body, for each result, and for its test or count, whether it does.
    """
    layout = loop.layout
    own = list(flags)
    first = layout.head
    while True:
        found = varying(loop.body, [False] * first + own[first:])
        tested = varying(loop.test, own)[0] if loop.test is not None else bool(first and own[0])
        after = [a or b for a, b in zip(own[first:], found[: layout.carry], strict=False)]
        if loop.test is not None and tested:
            after = [a or _is_changed(loop, k) for k, a in enumerate(after)]
        now = [*own[:first], *after, *own[first + layout.carry :]]
        if now == own:
            break
        own = now
    rows = found[layout.carry :]
    return own, [*own[first : first + layout.carry], *rows], tested


def _is_changed(loop: Loop, k: int) -> bool:
    """Tell whether a round may change a part of what is carried."""
    return loop.body.results[k] is not loop.params.carried[k]
