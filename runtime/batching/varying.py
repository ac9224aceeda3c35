"""Which values of a graph differ from element to element of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
    own = layout.split(flags)
    while True:
        after, rows = layout.outputs(
            varying(loop.body, [*replace(own, head=own.head and (False,))])
        )
        tested = any(own.head) if loop.test is None else varying(loop.test, [*own])[0]
        carried = tuple(a or b for a, b in zip(own.carried, after, strict=True))
        if loop.test is not None and tested:
            carried = tuple(a or _is_changed(loop, k) for k, a in enumerate(carried))
        if carried == own.carried:
            return [*own], [*carried, *rows], tested
        own = replace(own, carried=carried)


def _is_changed(loop: Loop, k: int) -> bool:
    """Tell whether a round may change a part of what is carried."""
    return loop.body.results[k] is not loop.params.carried[k]
