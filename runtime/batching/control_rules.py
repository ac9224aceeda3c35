"""Branches and loops of a batch.

A test that is the same for all elements stays a test. One that differs is a mask:

    cond      both arms, each if any element takes it, and `where` between what they give
    while     goes on while any element does; those that are done keep their state

Masks are for arrays that compute and do nothing else. What may raise, and numbers, whose loops are
machine code, run for one element after the other: see `loops`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from runtime.batching.one_by_one import one_by_one
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, branch_of, has_loop
from runtime.graph.traits import Form, NotThere
from runtime.graph.walk import walk
from runtime.ops.batch_rules import AtPlaces, Operand, holds
from runtime.ops.control import cond, while_loop
from runtime.ops.creation import constant, filled
from runtime.ops.reductions import any_
from runtime.ops.ufuncs import logical_and, logical_not
from runtime.spec import TensorSpec, row_spec, stacked_spec

if TYPE_CHECKING:
    from runtime.batching.batch import Batch


from runtime.graph.regions import BRANCHES, loop_of
from runtime.ops.batch_rules import OfShape

Results = Sequence[Operand]
BOOL = np.dtype(bool)
MOST_NODES = 32
"""So many nodes an arm has at most that is computed though no element may take it."""


def batch_regions(batch: Batch, node: Node, operands: Sequence[Operand]) -> Results:
    """Return the results of a node with regions, some of whose operands are batched."""
    form = node.op.form
    if form in (Form.COND, Form.SWITCH):
        return _branch(batch, node, operands)
    if form in (Form.WHILE, Form.REDUCE):
        return _loop(batch, node, operands)
    return one_by_one(batch, node, operands)


def _flags(operands: Sequence[Operand]) -> list[bool]:
    return [x.is_batched for x in operands]


def _region(
    batch: Batch, graph: Graph, params: Sequence[Operand], results: Sequence[bool]
) -> tuple[Builder, list[Value], list[Value]]:
    """Build a region; return its builder, its parameters and its results, some of them batched."""
    builder = Builder(batch.builder)
    own = [builder.param(x.value.spec) for x in params]
    inner = batch.inside(builder)
    inner.add(graph.params, own, _flags(params))
    inner.run(graph)
    inner.node = batch.node
    return (
        builder,
        own,
        [inner.result(x, flag) for x, flag in zip(graph.results, results, strict=True)],
    )


def _sealed(
    regions: Sequence[tuple[Builder, list[Value], list[Value]]],
) -> tuple[list[Graph], list[Value]]:
    """Close regions; return them, and what they use besides their parameters."""
    for builder, _, results in regions:
        results[:] = map(builder.resolve, results)
    more = list(dict.fromkeys(x for builder, _, _ in regions for x in builder.captured()))
    return [builder.seal(params, results, more) for builder, params, results in regions], more


def _branch(batch: Batch, node: Node, operands: Sequence[Operand]) -> Results:
    test, *captured = operands
    branch = branch_of(node)
    assert branch is not None
    if test.is_batched:
        return _choice(batch, node, test, captured)
    flags = of_arms(node, _flags(captured))
    regions = [_region(batch, arm, captured, flags) for arm in branch.arms]
    graphs, more = _sealed(regions)
    inputs = (test.value, *(x.value for x in captured), *more)
    found = batch.builder.emit(node.op, inputs, node.attrs, graphs, node.location)
    rows = zip(found, node.results, flags, strict=True)
    return [Operand(value, x.spec, flag) for value, x, flag in rows]


def _is_calm(graphs: Sequence[Graph]) -> bool:
    """Tell whether regions only compute, and raise nothing that depends on who takes part."""
    return all(_is_calm_node(x) for graph in graphs for x in walk(graph))


def _is_calm_node(node: Node) -> bool:
    op, specs = node.op, [x.spec for x in node.inputs]
    if op.batching is holds:
        return True
    if op.effect is not None or op.form in (Form.TRY, Form.CALL, Form.PROBE):
        return False
    errors = op.raises(specs, node.attrs)
    if isinstance(op.batching, AtPlaces):
        return all(x.name == "IndexError" for x in errors) and op.batching.is_there(specs)
    return not errors


def _is_of_numbers(node: Node, operands: Sequence[Operand]) -> bool:
    specs = [*(x.spec for x in operands if x.is_batched), *(x.spec for x in node.results)]
    return all(spec.rank == 0 for spec in specs)


def _choice(batch: Batch, node: Node, test: Operand, captured: Sequence[Operand]) -> Results:
    """Return the results of a branch whose test differs."""
    is_loop = _is_of_numbers(node, captured) and has_loop(node)
    is_static = all(x.spec.is_static for x in node.results)
    if node.op.form is not Form.COND or is_loop or not is_static or not _is_calm(node.regions):
        return one_by_one(batch, node, (test, *captured))
    truth = batch.cast(batch.shaped(test.value, ()), BOOL)
    then, else_ = node.regions
    first = _arm(batch, node, then, captured, truth)
    second = _arm(batch, node, else_, captured, batch.emit(logical_not, truth))
    rows = zip(first, second, node.results, strict=True)
    return [Operand(batch.chosen(truth, a, b, x.spec), x.spec, True) for a, b, x in rows]


def _is_cheap(arm: Graph, is_quiet: bool) -> bool:
    """Tell whether an arm may be computed even if no element takes it: it is short, and quiet."""
    ops = [node.op for node in arm.nodes]
    return len(ops) <= MOST_NODES and all(
        x.form is None and not (x.warns and not is_quiet) and not isinstance(x.cost, NotThere)
        for x in ops
        if x is not constant
    )


def _arm(
    batch: Batch, node: Node, arm: Graph, captured: Sequence[Operand], test: Value
) -> Sequence[Value]:
    """Compute an arm for all elements if any takes it; else its results are zeros."""
    kinds = [stacked_spec(x.spec, batch.size) for x in node.results]
    is_cheap = _is_cheap(arm, batch.is_quiet)
    mask = test
    if batch.mask is not None and not (is_cheap and not arm.nodes):
        mask = batch.emit(logical_and, batch.mask, test)
    builder = batch.builder if is_cheap else Builder(batch.builder)
    inner = batch.inside(builder)
    inner.mask, inner.is_quiet = mask, batch.is_quiet or not is_cheap
    inner.add(arm.params, [x.value for x in captured], _flags(captured))
    inner.run(arm)
    inner.node = node
    given = [inner.result(x, True) for x in arm.results]
    results = [inner.cast(x, kind.dtype) for x, kind in zip(given, kinds, strict=True)]
    if is_cheap:
        return results
    skipped = Builder(batch.builder)
    zeros = [_zeros(batch, skipped, kind) for kind in kinds]
    graphs, more = _sealed([(builder, [], results), (skipped, [], zeros)])
    attrs = cond.attributes({"quiet": True})
    is_any = batch.emit(any_, mask)
    return batch.builder.emit(cond, (is_any, *more), attrs, graphs, node.location)


def _zeros(batch: Batch, builder: Builder, spec: TensorSpec) -> Value:
    inner = batch.inside(builder)
    inner.node = batch.node
    if spec.is_static:
        return inner.emit(filled, value=spec.dtype.type(0), shape=spec.shape)
    zero = inner.constant(spec.dtype.type(0))
    assert spec.shape is not None
    element = row_spec(spec)
    return inner.spread(Operand(inner.filled(zero, element), element, False))


def _loop(batch: Batch, node: Node, operands: Sequence[Operand]) -> Results:
    loop = Loop(node)
    params, results, is_tested = of_loop(loop, _flags(operands))
    if node.op.form is Form.REDUCE:
        if is_tested or loop.until is not None:
            return one_by_one(batch, node, operands)
        return _counted(batch, loop, operands, params, results)
    if is_tested:
        return _each_its_rounds(batch, loop, operands, params)
    given = [_as_flagged(batch, x, flag) for x, flag in zip(operands, params, strict=True)]
    assert loop.test is not None
    regions = [
        _region(batch, loop.test, given, [False]),
        _region(batch, loop.body, given, loop.layout.split(params).carried),
    ]
    return _emitted(batch, node, given, regions, results)


def _as_flagged(batch: Batch, x: Operand, flag: bool) -> Operand:
    """Return an operand that is batched if a part of a loop is."""
    return x if x.is_batched or not flag else Operand(batch.strong(x), x.spec, True)


def _emitted(
    batch: Batch,
    node: Node,
    operands: Sequence[Operand],
    regions: Sequence[tuple[Builder, list[Value], list[Value]]],
    flags: Sequence[bool],
) -> list[Operand]:
    graphs, more = _sealed(regions)
    inputs = (*(x.value for x in operands), *more)
    found = batch.builder.emit(node.op, inputs, node.attrs, graphs, node.location)
    rows = zip(found, node.results, flags, strict=True)
    return [Operand(value, x.spec, flag) for value, x, flag in rows]


def _counted(
    batch: Batch,
    loop: Loop,
    operands: Sequence[Operand],
    params: Sequence[bool],
    results: Sequence[bool],
) -> Results:
    """Return the results of a loop that counts: its rounds go along the second axis of rows."""
    parts = loop.layout.split(operands)
    carried = loop.layout.split(params).carried
    state = [_as_flagged(batch, x, flag) for x, flag in zip(parts.carried, carried, strict=True)]
    rows = [
        Operand(batch.moved(x.value, 1, 0), x.spec, True) if x.is_batched else x
        for x in parts.sequences
    ]
    given = [*parts.head, *state, *rows, *parts.captured]
    builder = Builder(batch.builder)
    inner = batch.inside(builder)
    inner.add(*_round_params(builder, loop, given, params))
    own = [inner.operands[x].value for x in loop.body.params]
    inner.run(loop.body)
    inner.node = batch.node
    found = [inner.result(x, flag) for x, flag in zip(loop.body.results, results, strict=True)]
    made = _emitted(batch, loop.node, given, [(builder, own, found)], results)
    after, stacked = loop.layout.outputs(made)
    moved = (
        Operand(batch.moved(x.value, 0, 1), x.spec, True) if x.is_batched else x for x in stacked
    )
    return [*after, *moved]


def _round_params(
    builder: Builder, loop: Loop, given: Sequence[Operand], flags: Sequence[bool]
) -> tuple[Sequence[Value], list[Value], list[bool]]:
    """Make the parameters of a round: its number, what is carried, elements, what is captured."""
    parts = loop.layout.split(given)
    number = [loop.params.head[0].spec]
    elements = [row_spec(x.value.spec) for x in parts.sequences]
    specs = [
        *number,
        *(x.value.spec for x in parts.carried),
        *elements,
        *(x.value.spec for x in parts.captured),
    ]
    return loop.body.params, [builder.param(spec) for spec in specs], list(flags)


def _each_its_rounds(
    batch: Batch, loop: Loop, operands: Sequence[Operand], params: Sequence[bool]
) -> Results:
    """Return the results of a loop whose test differs: each element has rounds of its own."""
    node, test = loop.node, loop.test
    assert test is not None
    if _is_of_numbers(node, operands) or not _is_calm(node.regions):
        return one_by_one(batch, node, operands)
    given = [_as_flagged(batch, x, flag) for x, flag in zip(operands, params, strict=True)]
    goes_on = _tested(batch, batch, test, given, batch.mask)
    builder = Builder(batch.builder)
    inner = batch.inside(builder)
    inner.mask, inner.is_quiet = builder.param(goes_on.spec), True
    own = [Operand(builder.param(x.value.spec), x.spec, x.is_batched) for x in given]
    inner.add(loop.body.params, [x.value for x in own], _flags(own))
    inner.run(loop.body)
    inner.node = node
    parts = loop.layout.split(own)
    after = tuple(
        Operand(inner.kept(x, old), old.spec, old.is_batched)
        for x, old in zip(loop.body.results, parts.carried, strict=True)
    )
    again = _tested(batch, inner, test, [*replace(parts, carried=after)], inner.mask)
    body = (builder, [inner.mask, *(x.value for x in own)], [again, *(x.value for x in after)])
    asked = Builder(batch.builder)
    mask = asked.param(goes_on.spec)
    others = [asked.param(x.value.spec) for x in given]
    is_any = asked.emit(any_, (mask,), any_.attributes({}), location=node.location)
    graphs, more = _sealed([(asked, [mask, *others], list(is_any)), body])
    attrs = {**node.attrs, "carry": len(after) + 1, "quiet": True}
    inputs = (goes_on, *(x.value for x in given), *more)
    found = batch.builder.emit(while_loop, inputs, attrs, graphs, node.location)[1:]
    rows = zip(found, node.results, given, strict=False)
    return [Operand(value, x.spec, one.is_batched) for value, x, one in rows]


def _tested(
    batch: Batch, here: Batch, test: Graph, given: Sequence[Operand], mask: Value | None
) -> Value:
    """Return which elements go on: those of a mask whose test is true."""
    inner = here.inside(here.builder)
    inner.mask = mask
    inner.add(test.params, [x.value for x in given], _flags(given))
    inner.run(test)
    inner.node = batch.node
    found = inner.cast(inner.shaped(inner.result(test.results[0], True), ()), BOOL)
    return found if mask is None else inner.emit(logical_and, mask, found)


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
