"""Removing what is not used: nodes, results of branches, state of loops, captures.

What has an effect stays. An op that would only fail is no effect: whoever does not use its result
does not see its error, as in every system that prunes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.graph.walk import effects
from runtime.ops.control import cond, reduce, switch, try_, while_loop
from runtime.passes.log import Log
from runtime.passes.rewriter import changed, with_nodes


def remove_unused(graph: Graph, log: Log | None = None) -> Graph:
    """Return the graph without what its results and effects do not need."""
    log = log or Log()
    live = set(graph.results)
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if not live.isdisjoint(node.results) or _has_effect(node):
            node = _prune(node, live, log) if node.regions else node
            kept.append(node)
            live.update(node.inputs)
        else:
            log.did("removed node")
    return with_nodes(graph, kept[::-1])


def _has_effect(node: Node) -> bool:
    return node.op.effect is not None or bool(node.regions and effects(node))


def _prune(node: Node, live: set[Value], log: Log) -> Node:
    pruned = _pruned(node, live, log)
    lost = len(node.results) - len(pruned.results)
    if lost:
        log.did("removed state" if "carry" in node.attrs else "removed result", lost)
    return pruned


def _pruned(node: Node, live: set[Value], log: Log) -> Node:
    if node.op is cond or node.op is switch:
        return _prune_branch(node, live, log)
    if node.op is while_loop:
        return _prune_while(node, live, log)
    if node.op is reduce:
        return _prune_reduce(node, live, log)
    if node.op is try_:
        return _prune_try(node, live, log)
    return changed(node, regions=[remove_unused(region, log) for region in node.regions])


def _picked(items: Sequence[Value], indices: Iterable[int]) -> list[Value]:
    return [items[k] for k in indices]


def _region(region: Graph, params: Iterable[int], results: Iterable[int]) -> Graph:
    """Return a region with some of its parameters and results."""
    new_results = tuple(_picked(region.results, results))
    new_params = tuple(_picked(region.params, params))
    if (new_params, new_results) == (region.params, region.results):
        return region
    return Graph(new_params, region.nodes, new_results)


def _used_params(regions: Iterable[Graph], first: int) -> list[int]:
    """Return which parameters from number `first` on are used by any of the pruned regions."""
    used: set[int] = set()
    for region in regions:
        values = set(region.results)
        for node in region.nodes:
            values.update(node.inputs)
        used.update(k for k, param in enumerate(region.params) if k >= first and param in values)
    return sorted(used)


def _prune_branch(node: Node, live: set[Value], log: Log) -> Node:
    keep = [k for k, value in enumerate(node.results) if value in live]
    everything = range(len(node.inputs) - 1)
    pruned = [remove_unused(_region(region, everything, keep), log) for region in node.regions]
    used = _used_params(pruned, 0)
    regions = [_region(region, used, range(len(keep))) for region in pruned]
    inputs = [node.inputs[0], *_picked(node.inputs[1:], used)]
    return changed(node, inputs=inputs, regions=regions, results=_picked(node.results, keep))


def _prune_try(node: Node, live: set[Value], log: Log) -> Node:
    keep = [k for k, value in enumerate(node.results) if value in live]
    regions = [remove_unused(_region(x, range(len(x.params)), keep), log) for x in node.regions]
    return changed(node, regions=regions, results=_picked(node.results, keep))


def _needed_state(
    body: Graph, first: int, carry: int, roots: Iterable[Value], others: Iterable[Value]
) -> list[int]:
    """Return which parts of a loop's state matter.

    Args:
        body: its region.
        first: where the state starts among the parameters.
        carry: how many parts it has.
        roots: parameters and results of the body that matter in any case.
        others: the results of the loop's state that are used after it, by parameter.
    """
    makers = {value: node for node in body.nodes for value in node.results}
    state = {body.params[first + k]: k for k in range(carry)}
    todo = [*roots, *others]
    todo += [value for node in body.nodes if _has_effect(node) for value in node.inputs]
    seen: set[Value] = set()
    while todo:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in state:
            todo.append(body.results[state[value]])
        elif value in makers:
            todo.extend(makers[value].inputs)
    return [k for value, k in state.items() if value in seen]


def _prune_while(node: Node, live: set[Value], log: Log) -> Node:
    test, body = node.regions
    carry = node.attrs["carry"]
    test = remove_unused(test, log)
    asked = _used_params([test], 0)
    roots = [body.params[k] for k in asked]
    wanted = [body.params[k] for k, value in enumerate(node.results) if value in live]
    keep = _needed_state(body, 0, carry, roots, wanted)
    captures = range(carry, len(node.inputs))
    body = remove_unused(_region(body, [*keep, *captures], keep), log)
    test = _region(test, [*keep, *captures], [0])
    used = _used_params([test, body], len(keep))
    places = [*range(len(keep)), *used]
    inputs = [*_picked(node.inputs, keep), *(node.inputs[carry + k - len(keep)] for k in used)]
    return changed(
        node,
        inputs=inputs,
        regions=[_region(test, places, [0]), _region(body, places, range(len(keep)))],
        results=_picked(node.results, keep),
        attrs=_attrs(node, carry=len(keep)),
    )


def _prune_reduce(node: Node, live: set[Value], log: Log) -> Node:
    (body,) = node.regions
    carry, sequences = node.attrs["carry"], node.attrs["sequences"]
    outputs = [k for k in range(carry, len(node.results)) if node.results[k] in live]
    wanted = [body.params[1 + k] for k in range(carry) if node.results[k] in live]
    until = node.attrs["until"]
    wanted += [] if until is None else [body.params[1 + until]]
    keep = _needed_state(body, 1, carry, _picked(body.results, outputs), wanted)
    rest = range(1 + carry, len(node.inputs))
    region = _region(body, [0, *(1 + k for k in keep), *rest], [*keep, *outputs])
    body = remove_unused(region, log)
    start = 1 + len(keep)
    used = set(_used_params([body], start))
    if outputs and sequences and node.attrs["length"] is None:
        used.add(start)  # It says how many rows the outputs have.
    places = [*range(start), *sorted(used)]
    inputs = [
        node.inputs[0],
        *(node.inputs[1 + k] for k in keep),
        *(node.inputs[1 + carry + k - start] for k in sorted(used)),
    ]
    taken = sum(1 for k in used if k < start + sequences)
    return changed(
        node,
        inputs=inputs,
        regions=[_region(body, places, range(len(keep) + len(outputs)))],
        results=_picked(node.results, [*keep, *outputs]),
        attrs=_attrs(
            node,
            carry=len(keep),
            sequences=taken,
            until=None if until is None else keep.index(until),
        ),
    )


def _attrs(node: Node, **new: int | None) -> dict[str, object] | None:
    """Return the attributes with some exchanged, or None when all are what they were."""
    same = all(node.attrs[name] == value for name, value in new.items())
    return None if same else {**node.attrs, **new}
