"""Removing what is not used: nodes, results of branches, state of loops, captures.

What has an effect stays, and what may raise: plain Python computes it, too. That NumPy may warn of
a result that nobody uses keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, Parts, branch_of, is_branch, is_loop, loop_of
from runtime.graph.traits import Form, possible_errors
from runtime.graph.walk import effects, walk
from runtime.ops.effects import fail
from runtime.passes.log import Log
from runtime.passes.may_fail import raises_what_it_warns_of
from runtime.passes.rewriter import changed, known_values, with_nodes

NO_STATE: Mapping[Value, Value] = {}


def remove_unused(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph without what its results, effects and errors do not need."""
    return _removed(graph, _How(log or Log(), _is_needed))


def remove_unread(graph: Graph) -> Graph:
    """Return the graph without what its results and effects do not need: TensorFlow's rule."""
    return _removed(graph, _How(Log(), _has_effect))


def remove_unseen(graph: Graph) -> Graph:
    """Return a graph without what was computed, and checked, before, and is not needed again."""
    return _removed(graph, _How(Log(), _is_seen))


@dataclass(frozen=True, slots=True)
class _How:
    """The log that is told what is done, and which nodes stay whatever is used of them."""

    log: Log
    stays: Callable[[Node, Mapping[Value, Any]], bool]


def _removed(graph: Graph, how: _How) -> Graph:
    live, known = set(graph.results), known_values(graph)
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if not live.isdisjoint(node.results) or how.stays(node, known):
            node = _prune(node, live, how) if node.regions else node
            kept.append(node)
            live.update(node.inputs)
        else:
            how.log.did("removed node")
    return with_nodes(graph, kept[::-1])


def _is_needed(node: Node, known: Mapping[Value, Any]) -> bool:
    """Tell whether a node has an effect, or may raise for all that is known of its operands."""
    if node.op.effect is not None or node.op.form is Form.PROBE:
        return node.op.form is not Form.PROBE
    if node.regions:
        inside = (_is_needed(x, values) for x, values in _inside(node))
        return raises_what_it_warns_of(node) or any(inside)
    places = {k: known[x] for k, x in enumerate(node.inputs) if x in known}
    specs = [value.spec for value in node.inputs]
    return bool(possible_errors(node.op, specs, node.attrs, places))


def _inside(node: Node) -> Iterator[tuple[Node, Mapping[Value, Any]]]:
    """Yield the nodes of regions, each with the constants beside it."""
    for region in node.regions:
        known = known_values(region)
        yield from ((x, known) for x in region.nodes)


def _has_effect(node: Node, known: Mapping[Value, Any]) -> bool:
    return node.op.effect is not None or bool(node.regions and effects(node))


def _is_seen(node: Node, known: Mapping[Value, Any]) -> bool:
    if node.op is fail or effects(node) - {"check"}:
        return True
    return any(x.op is fail for region in node.regions for x in walk(region))


def _prune(node: Node, live: set[Value], how: _How) -> Node:
    pruned = _pruned(node, live, how)
    lost = len(node.results) - len(pruned.results)
    if lost:
        how.log.did("removed state" if is_loop(node) else "removed result", lost)
    return pruned


def _pruned(node: Node, live: set[Value], how: _How) -> Node:
    if raises_what_it_warns_of(node):
        return node
    if is_branch(node):
        return _prune_branch(node, live, how)
    if is_loop(node):
        return _prune_loop(Loop(node), live, how)
    if node.op.form is Form.TRY:
        return _prune_try(node, live, how)
    return changed(node, regions=[_removed(region, how) for region in node.regions])


def _picked(items: Sequence[Value], indices: Iterable[int]) -> tuple[Value, ...]:
    return tuple(items[k] for k in indices)


def _region(region: Graph, params: Iterable[Value], results: Iterable[Value]) -> Graph:
    """Return a region with some of its parameters and results."""
    new_params, new_results = tuple(params), tuple(results)
    if (new_params, new_results) == (region.params, region.results):
        return region
    return Graph(new_params, region.nodes, new_results)


def _used(region: Graph | None) -> set[Value]:
    """Return the values that the nodes of a region use, or that it returns."""
    if region is None:
        return set()
    return {*region.results, *(x for node in region.nodes for x in node.inputs)}


def _prune_branch(node: Node, live: set[Value], how: _How) -> Node:
    keep = [k for k, value in enumerate(node.results) if value in live]
    arms = [_removed(_region(x, x.params, _picked(x.results, keep)), how) for x in node.regions]
    uses = [(x.params, _used(x)) for x in arms]
    test, *captured = node.inputs
    used = [k for k in range(len(captured)) if any(params[k] in values for params, values in uses)]
    return changed(
        node,
        inputs=[test, *_picked(captured, used)],
        regions=[_region(x, _picked(x.params, used), x.results) for x in arms],
        results=_picked(node.results, keep),
    )


def _prune_try(node: Node, live: set[Value], how: _How) -> Node:
    keep = [k for k, value in enumerate(node.results) if value in live]
    regions = [_removed(_region(x, x.params, _picked(x.results, keep)), how) for x in node.regions]
    return changed(node, regions=regions, results=_picked(node.results, keep))


def _needed_state(loop: Loop, roots: Iterable[Value], how: _How) -> list[int]:
    """Return which parts of a loop's state matter; `roots` matter in any case."""
    state = {x.param: x.next for x in loop.carried}
    known = known_values(loop.body)
    effects_need = (x for node in loop.body.nodes if how.stays(node, known) for x in node.inputs)
    seen = _needed(loop.body, [*roots, *effects_need], how, state)
    return [k for k, value in enumerate(state) if value in seen]


def _needed(
    region: Graph, roots: Iterable[Value], how: _How, state: Mapping[Value, Value] = NO_STATE
) -> set[Value]:
    """Return the values of a region that some of them need; `state` are a loop's, with the next."""
    makers = {value: node for node in region.nodes for value in node.results}
    todo = [*roots]
    seen: set[Value] = set()
    while todo:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in state:
            todo.append(state[value])
        elif value in makers:
            todo += _inputs_of(makers[value], value, how)
    return seen


def _inputs_of(node: Node, result: Value, how: _How) -> Iterable[Value]:
    """Return the operands that a result of a node needs, but not what only its others do."""
    branch, loop = branch_of(node), loop_of(node)
    if how.stays(node, {}) or (branch is None and loop is None):
        return node.inputs
    k = node.results.index(result)
    if loop is not None:
        own = [*loop.params.carried, *(row for row, _ in loop.stacked)][k]
        keep = _needed_state(loop, [own, *_roots(loop, set(), loop.test)], how)
        carried = _picked(loop.operands.carried, keep)
        return [*replace(loop.operands, carried=carried)]
    assert branch is not None
    found = {branch.test}
    for arm in branch.arms:
        needed = _needed(arm, [arm.results[k]], how)
        found.update(x for p, x in zip(arm.params, branch.captured, strict=True) if p in needed)
    return found


def _prune_loop(loop: Loop, live: set[Value], how: _How) -> Node:
    test = None if loop.test is None else _removed(loop.test, how)
    tested = None if test is None else loop.layout.split(test.params)
    outputs = [k for k, (_, rows) in enumerate(loop.stacked) if rows in live]
    rows = [loop.stacked[k][0] for k in outputs]
    keep = _needed_state(loop, [*rows, *_roots(loop, live, test)], how)
    params = replace(loop.params, carried=_picked(loop.params.carried, keep))
    results = (*(loop.carried[k].next for k in keep), *rows)
    body = _removed(_region(loop.body, params, results), how)

    used, asked = _used(body), _used(test)
    sequences = [k for k, x in enumerate(params.sequences) if x in used]
    if outputs and params.sequences and loop.length is None and 0 not in sequences:
        sequences.insert(0, 0)  # It says how many rows the outputs have.
    captured = [
        k
        for k, x in enumerate(params.captured)
        if x in used or (tested is not None and tested.captured[k] in asked)
    ]

    def kept(parts: Parts[Value]) -> Parts[Value]:
        return Parts(
            parts.head,
            _picked(parts.carried, keep),
            _picked(parts.sequences, sequences),
            _picked(parts.captured, captured),
        )

    regions = [_region(body, kept(loop.params), body.results)]
    if test is not None and tested is not None:
        regions.insert(0, _region(test, kept(tested), test.results))
    final = _picked([x.final for x in loop.carried], keep)
    return changed(
        loop.node,
        inputs=[*kept(loop.operands)],
        regions=regions,
        results=[*final, *(loop.stacked[k][1] for k in outputs)],
        attrs=_attrs(loop, keep, len(sequences)),
    )


def _roots(loop: Loop, live: set[Value], test: Graph | None) -> list[Value]:
    """Return the parts of a loop's state that matter after it, or for whether it goes on."""
    found = [x.param for x in loop.carried if x.final in live]
    if loop.until is not None:
        found.append(loop.params.carried[loop.until])
    if test is not None:
        asked = _used(test)
        own = zip(loop.params.carried, loop.layout.split(test.params).carried, strict=True)
        found += [param for param, tested in own if tested in asked]
    return found


def _attrs(loop: Loop, keep: list[int], sequences: int) -> dict[str, object] | None:
    """Return the attributes of a loop that keeps some of its state; None if nothing changes."""
    until = None if loop.until is None else keep.index(loop.until)
    new = {"carry": len(keep), "sequences": sequences, "until": until}
    attrs = loop.node.attrs
    changes = {name: x for name, x in new.items() if name in attrs and attrs[name] != x}
    return {**attrs, **changes} if changes else None
