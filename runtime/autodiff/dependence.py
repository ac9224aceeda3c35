"""Which results of a graph follow which of its parameters continuously.

Comes in: a closed graph. Goes out: for each result the numbers of the parameters that it has a
derivative by. It may be more than there are, where a derivative turns out to be zero; never fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, branch_of, loop_of, try_of
from runtime.graph.traits import NOT_DIFFERENTIABLE, Form
from runtime.spec import TensorSpec

Params: TypeAlias = frozenset[int]
NONE: Params = frozenset()
ONE: Params = frozenset([0])


def is_inexact(spec: TensorSpec) -> bool:
    """Tell whether values of a spec have derivatives: floats and complex numbers do."""
    return spec.dtype.kind in "fc"


def may_follow(spec: TensorSpec) -> bool:
    """Tell whether a value may lead from one with derivatives to another one: objects may, too."""
    return spec.dtype.kind in "fcO"


@lru_cache(maxsize=256)
def dependence(graph: Graph) -> tuple[Params, ...]:
    """Return for each result of a graph which of its parameters it follows."""
    found = {x: frozenset([k]) if is_inexact(x.spec) else NONE for k, x in enumerate(graph.params)}
    for node in graph.nodes:
        rows = results_of(node, [found[x] for x in node.inputs])
        for result, params in zip(node.results, rows, strict=True):
            found[result] = params if may_follow(result.spec) else NONE
    return tuple(found[x] for x in graph.results)


def results_of(node: Node, given: Sequence[Params]) -> list[Params]:
    """Return what the results of a node follow, of what its operands follow."""
    if node.op.derivative is NOT_DIFFERENTIABLE:
        return [NONE] * len(node.results)
    if node.op.form is Form.CUSTOM:
        return [NONE.union(*given)] * len(node.results)
    loop, branch, try_ = loop_of(node), branch_of(node), try_of(node)
    if loop is not None:
        return _of_loop(loop, given)
    if branch is not None:
        return _joined([_through(arm, given[1:]) for arm in branch.arms])
    if try_ is not None:
        everything = NONE.union(*given)
        handlers = (([everything] * len(own), arm) for own, arm in try_.handlers.values())
        arms = [_through(arm, [*own, *given]) for own, arm in handlers]
        return _joined([_through(try_.body, given), *arms])
    if node.regions:
        return _through(node.regions[0], given)
    return [NONE.union(*given)] * len(node.results)


def _through(region: Graph, given: Sequence[Params]) -> list[Params]:
    """Return what the results of a region follow, of what its parameters follow."""
    return [NONE.union(*(given[k] for k in row)) for row in dependence(region)]


def _joined(rows: Sequence[Sequence[Params]]) -> list[Params]:
    return [NONE.union(*column) for column in zip(*rows, strict=True)]


def _of_loop(loop: Loop, given: Sequence[Params]) -> list[Params]:
    state = loop.layout.split(given)
    while True:
        found, stacked = loop.layout.outputs(_through(loop.body, [*state]))
        after = tuple(x | y for x, y in zip(state.carried, found, strict=True))
        if after == state.carried:
            return [*after, *stacked]
        state = replace(state, carried=after)


def live_params(graph: Graph, wanted: Sequence[bool], asked: Sequence[bool]) -> list[bool]:
    """Return which of the wanted parameters of a graph those results follow that are asked for."""
    rows = dependence(graph)
    live = NONE.union(*(row for row, is_asked in zip(rows, asked, strict=True) if is_asked))
    return [is_wanted and k in live for k, is_wanted in enumerate(wanted)]


def varied_values(graph: Graph, wanted: Mapping[Value, bool]) -> set[Value]:
    """Return all values of a graph, its regions apart, that follow a wanted parameter."""
    found = {x for x, is_wanted in wanted.items() if is_wanted and is_inexact(x.spec)}
    for node in graph.nodes:
        rows = results_of(node, [ONE if x in found else NONE for x in node.inputs])
        pairs = zip(node.results, rows, strict=True)
        found.update(x for x, row in pairs if row and may_follow(x.spec))
    return found
