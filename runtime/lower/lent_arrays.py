"""Arrays that are lent to functions of a graph, which write them, and give them back.

Comes in: calls of functions that call themselves. Goes out: for each result that is an array, which
operand it is, if it is always the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import branch_of, loop_of
from runtime.graph.traits import Form, Subscript


class Own(IntEnum):
    """What a result is that is no parameter."""

    UNKNOWN = -2
    MADE = -1


Kept = tuple[int | None, ...]
"""For each result the number of the parameter that it is; `Own`, or None for single numbers."""


def kept_params(node: Node, around: Mapping[str, Kept]) -> Kept:
    """Return which parameters the results of a call are.

    Args:
        node: the call, with the function as its region.
        around: what is known of functions in which it stands, by their names.
    """
    (region,), name = node.regions, node.attrs["function"]
    found: Kept = tuple(Own.UNKNOWN if x.spec.rank else None for x in region.results)
    before: Kept = ()
    while before != found:
        before, known = found, {**around, name: found}
        found = tuple(
            None if old is None else _one(old, _origins(x, region, known))
            for old, x in zip(before, region.results, strict=True)
        )
    twice = {k for k in found if found.count(k) > 1 and k is not None}
    return tuple(Own.MADE if k in twice or k == Own.UNKNOWN else k for k in found)


def _one(before: int, origins: set[int]) -> int:
    """Return the one thing that a result is; once that is something else, it is the function's."""
    if not origins:
        return before
    is_one = len(origins) == 1 and (before == Own.UNKNOWN or {before} == origins)
    return min(origins) if is_one else Own.MADE


def _origins(x: Value, region: Graph, known: Mapping[str, Kept]) -> set[int]:
    """Return the numbers of the parameters of a region whose array a value may be."""
    if x in region.params:
        return {region.params.index(x)}
    node = next((y for y in region.nodes if x in y.results), None)
    sources = None if node is None else _sources(node, node.results.index(x), known)
    if sources is None:
        return {Own.MADE}
    return set[int]().union(*(_origins(y, region, known) for y in sources))


def _sources(node: Node, k: int, known: Mapping[str, Kept]) -> list[Value] | None:
    """Return the inputs of a node whose array a result of it may be; None where it makes one."""
    branch, loop = branch_of(node), loop_of(node)
    if node.op.subscript is Subscript.WRITE or node.op.extends:
        return [node.inputs[0]]
    if branch is not None:
        ways = [_origins(arm.results[k], arm, known) for arm in branch.arms]
        found = set[int]().union(*ways)
        return None if Own.MADE in found else [branch.captured[n] for n in found]
    if loop is not None:
        if k >= len(loop.carried):
            return None
        own = loop.carried[k]
        stays = _origins(own.next, loop.body, known) <= {loop.body.params.index(own.param)}
        return [own.initial] if stays else None
    if node.op.form not in (Form.CALL, Form.CALL_AGAIN):
        return None
    name = node.attrs["function"]
    kept = kept_params(node, known) if node.op.form is Form.CALL else known.get(name)
    place = None if kept is None else kept[k]
    if place == Own.UNKNOWN:
        return []
    return None if place is None or place == Own.MADE else [node.inputs[place]]
