"""Checking that a graph is well formed.

Comes in: a graph from anywhere. Goes out: nothing, or a GraphFormatError that names the node and
its place, as the Python expression that leads to it (`graph.nodes[2].regions[0].nodes[1]`). The
ops' own rules are asked again, so that what holds for an op is said once, in its definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.errors import GraphFormatError
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.printer import node_line, value_names
from runtime.spec import UNKNOWN, Dim, TensorSpec


def verify(graph: Graph, sound: set[Node] | None = None) -> None:
    """Check a graph; GraphFormatError says which node is wrong, where, and why.

    Every value is defined once and before it is used; regions use their own values only; inputs,
    attributes and regions are those that the op has; results are what the op's rule says.

    Args:
        graph: it.
        sound: nodes that were found sound by themselves before; gets those of this graph.
    """
    defined: set[Value] = set()
    sound = set() if sound is None else sound
    todo = [(graph, "graph")]
    while todo:
        region, place = todo.pop()
        _check_region(graph, region, place, defined, sound)
        for number, node in enumerate(region.nodes):
            inner = f"{place}.nodes[{number}].regions"
            todo += ((each, f"{inner}[{k}]") for k, each in enumerate(node.regions))


def _check_region(
    graph: Graph, region: Graph, place: str, defined: set[Value], sound: set[Node]
) -> None:
    """Check one region, whose values are not those in `defined`, and add them there."""
    own: set[Value] = set()
    _define(region.params, own, defined, f"{place} has parameters that")
    for number, node in enumerate(region.nodes):
        fault = _fault(node, own, defined, sound)
        if fault is not None:
            raise _explained(fault, graph, node, f"{place}.nodes[{number}]") from fault.__cause__
    missing = [k for k, value in enumerate(region.results) if value not in own]
    if missing:
        raise GraphFormatError(
            f"{place} returns a value (result {missing[0]}) that is not defined in it"
        )


def _fault(
    node: Node, own: set[Value], defined: set[Value], sound: set[Node]
) -> GraphFormatError | None:
    """Return what is wrong with a node, or None; its results are defined from now on."""
    try:
        _check_uses(node.inputs, own, defined)
        if node not in sound:
            check_node(node)
            sound.add(node)
        _define(node.results, own, defined, "it has results that")
    except GraphFormatError as error:
        return error
    return None


def _define(values: Sequence[Value], own: set[Value], defined: set[Value], whose: str) -> None:
    for value in values:
        if value in defined:
            raise GraphFormatError(f"{whose} are defined twice")
        own.add(value)
        defined.add(value)


def _check_uses(values: Sequence[Value], own: set[Value], defined: set[Value]) -> None:
    for number, value in enumerate(values):
        if value not in own:
            known = "outside of this region" if value in defined else "nowhere before it"
            raise GraphFormatError(f"operand {number} is defined {known}")


def _explained(error: GraphFormatError, graph: Graph, node: Node, place: str) -> GraphFormatError:
    """Return the error with the node's text, its place and the user's line added."""
    line = f"\n{node.location.describe()}" if node.location else ""
    text = node_line(node, value_names(graph))
    return GraphFormatError(f"{error}\n  in {place}: {text}{line}")


def check_node(node: Node) -> None:
    """Check a node by itself: inputs, attributes, regions and the specs of the results.

    Raises GraphFormatError with the reason only; the caller knows the place.
    """
    _check_inputs(node)
    try:
        node.op.attributes(node.attrs)
    except TypeError as error:
        raise GraphFormatError(str(error)) from None
    missing = [name for name in node.op.signature.attrs if name not in node.attrs]
    if missing:
        raise GraphFormatError(f"the attribute {missing[0]!r} is missing")
    expected = expected_specs(node.op, node)
    if len(expected) != len(node.results):
        raise GraphFormatError(
            f"{node.op.name} gives {len(expected)} results, and there are {len(node.results)}"
        )
    for number, (spec, value) in enumerate(zip(expected, node.results, strict=True)):
        if not _agrees(spec, value.spec):
            raise GraphFormatError(
                f"result {number} is {spec} by the rule of {node.op.name}, not {value.spec}"
            )


def _check_inputs(node: Node) -> None:
    signature, given = node.op.signature, len(node.inputs)
    least = len(signature.inputs) - signature.variadic
    if given < least or (given > least and not signature.variadic):
        wanted = f"at least {least}" if signature.variadic else f"{least}"
        raise GraphFormatError(f"{node.op.name} takes {wanted} operands, and there are {given}")


def expected_specs(op: OpDef, node: Node) -> tuple[TensorSpec, ...]:
    """Return what the op's rule says of the results of a node."""
    specs = [value.spec for value in node.inputs]
    regions: dict[str, Any] = {"regions": node.regions} if node.regions else {}
    try:
        found = op.spec(*specs, **node.attrs, **regions)
    except Exception as error:  # attributes may be anything, and so may what a rule makes of them
        raise GraphFormatError(f"the rule of {op.name} refuses it: {error}") from error
    return found if isinstance(found, tuple) else (found,)


def _agrees(rule: TensorSpec, given: TensorSpec) -> bool:
    """Tell whether a spec is the one of the rule, which does not name new unknown sizes."""
    if (rule.dtype, rule.weak) != (given.dtype, given.weak):
        return False
    if rule.shape is None or given.shape is None:
        return rule.shape is given.shape
    return len(rule.shape) == len(given.shape) and all(
        isinstance(n, Dim) if m == UNKNOWN else m == n
        for m, n in zip(rule.shape, given.shape, strict=True)
    )
