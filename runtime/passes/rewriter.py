"""What passes share: nodes and graphs with parts exchanged.

Passes take a graph and return one. Values are compared by identity, and a new graph uses the values
of the old one wherever they mean the same, so that what did not change is not built again: a pass
that finds nothing to do returns the graph that it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, Protocol

from runtime.errors import GraphFormatError
from runtime.graph.location import Location
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.verify import expected_specs
from runtime.graph.walk import walk
from runtime.ops.creation import constant
from runtime.passes.log import Log
from runtime.spec import UNKNOWN, Dim, TensorSpec, make_spec


class Pass(Protocol):
    """From a graph to one of the same meaning."""

    __name__: str

    def __call__(self, graph: Graph, log: Log | None = None) -> Graph:
        """Return the graph that it was given, or a better one; the log is told what was done."""


def with_inputs(node: Node, env: Mapping[Value, Value]) -> Node:
    """Return a node with its inputs exchanged; the node itself when none of them is."""
    if not env or not any(value in env for value in node.inputs):
        return node
    return changed(node, inputs=tuple(env.get(value, value) for value in node.inputs))


def node_of(
    op: OpDef, inputs: Sequence[Value], attrs: Mapping[str, object], location: Location | None
) -> Node:
    """Return a new node of an op with one result."""
    spec = op.spec(*(x.spec for x in inputs), **attrs)
    assert isinstance(spec, TensorSpec)
    return Node(op, tuple(inputs), attrs, (), (Value(spec),), location)


def changed(
    node: Node,
    *,
    inputs: Sequence[Value] | None = None,
    regions: Sequence[Graph] | None = None,
    results: Sequence[Value] | None = None,
    attrs: Mapping[str, object] | None = None,
) -> Node:
    """Return a node with some parts exchanged; the node itself when all are what they were."""
    new_inputs = node.inputs if inputs is None else tuple(inputs)
    new_regions = node.regions if regions is None else tuple(regions)
    new_results = node.results if results is None else tuple(results)
    same = (new_inputs, new_regions, new_results) == (node.inputs, node.regions, node.results)
    if same and attrs is None:
        return node
    new_attrs = node.attrs if attrs is None else attrs
    return Node(node.op, new_inputs, new_attrs, new_regions, new_results, node.location)


def with_nodes(
    graph: Graph, nodes: Sequence[Node], results: Sequence[Value] | None = None
) -> Graph:
    """Return a graph with other nodes; the graph itself when they are what they were."""
    new_nodes = tuple(nodes)
    new_results = graph.results if results is None else tuple(results)
    if new_nodes == graph.nodes and new_results == graph.results:
        return graph
    return Graph(graph.params, new_nodes, new_results)


def rewritten(graph: Graph, rewrite: Callable[[Node, list[Node]], Iterable[Value] | None]) -> Graph:
    """Return a graph in which other values stand for what its nodes give.

    Args:
        graph: its regions are left alone.
        rewrite: is given a node, whose operands are what stands for them, and the nodes so far; it
            returns what stands for the results, and appends what makes that; None keeps the node.
    """
    nodes: list[Node] = []
    env: dict[Value, Value] = {}
    for node in graph.nodes:
        node = with_inputs(node, env)
        found = rewrite(node, nodes)
        if found is None:
            nodes.append(node)
        else:
            env.update(zip(node.results, found, strict=True))
    return with_nodes(graph, nodes, [env.get(x, x) for x in graph.results])


def put_in_place(region: Graph, given: Sequence[Value], nodes: list[Node]) -> list[Value]:
    """Append the nodes of a region, whose values nobody else has; return its results."""
    env = dict(zip(region.params, given, strict=True))
    nodes += [with_inputs(x, env) for x in region.nodes]
    return [env.get(x, x) for x in region.results]


def known_values(graph: Graph) -> dict[Value, Any]:
    """Return the values of the constants of a graph, its regions apart."""
    return {node.result: node.attrs["value"] for node in graph.nodes if node.op is constant}


def copied(
    graph: Graph, given: Sequence[Value], location: Location | None = None
) -> tuple[list[Node], list[Value]]:
    """Return the nodes and results of a graph once more, with new values: `given` for its own.

    All of them are of one line, if it is told which. Sizes are those of what is given.
    """
    sizes: dict[Dim, int | Dim] = {}
    for param, x in zip(graph.params, given, strict=True):
        unify_sizes(param.spec, x.spec, sizes)
    graph = with_sizes(graph, sizes) if sizes else graph
    env = dict(zip(graph.params, given, strict=True))
    nodes = []
    for node in graph.nodes:
        results = tuple(Value(x.spec, x.name) for x in node.results)
        inputs = [env[x] for x in node.inputs]
        env.update(zip(node.results, results, strict=True))
        regions = [copied_region(x, location) for x in node.regions]
        place = node.location if location is None else location
        nodes.append(Node(node.op, tuple(inputs), node.attrs, tuple(regions), results, place))
    return nodes, [env[x] for x in graph.results]


def copied_region(region: Graph, location: Location | None = None) -> Graph:
    """Return a region once more, with new values; of one line, if it is told which."""
    params = tuple(Value(x.spec, x.name) for x in region.params)
    nodes, results = copied(region, params, location)
    return Graph(params, tuple(nodes), tuple(results))


def unify_sizes(x: TensorSpec, y: TensorSpec, sizes: dict[Dim, int | Dim]) -> None:
    """Note which unknown sizes are one, of two values that have one shape.

    Args:
        x: the spec of one.
        y: of the other one, whose names are kept; sizes that have no name promise nothing.
        sizes: by name, gets what they are, in other words than its own.
    """
    for pair in zip(x.shape or (), y.shape or (), strict=False):
        n, m = (sizes.get(k, k) if isinstance(k, Dim) else k for k in pair)
        if not isinstance(n, Dim):
            n, m = m, n
        if isinstance(n, Dim) and n != m and m != UNKNOWN:
            sizes.update({k: m for k, known in sizes.items() if known == n})
            sizes[n] = m


def with_sizes(graph: Graph, sizes: Mapping[Dim, int | Dim]) -> Graph:
    """Return a graph in which unknown sizes are others, and all that rules make of these."""
    found = dict(sizes)
    while True:
        known, new = dict(found), renamed_sizes(graph, found)
        for node in walk(new):
            if not all(x.spec.is_static for x in node.results):
                with suppress(GraphFormatError):  # it takes what is renamed only next time
                    for x, spec in zip(node.results, expected_specs(node.op, node), strict=True):
                        unify_sizes(x.spec, spec, found)
        if found == known:
            return new


def renamed_sizes(graph: Graph, sizes: Mapping[Dim, int | Dim]) -> Graph:
    """Return a graph in which unknown sizes are others."""
    env: dict[Value, Value] = {}

    def renamed(value: Value) -> Value:
        shape = value.spec.shape
        if value not in env and shape is not None and not sizes.keys().isdisjoint(shape):
            own = tuple(sizes.get(n, n) if isinstance(n, Dim) else n for n in shape)
            env[value] = Value(make_spec(value.spec.dtype, own, value.spec.weak), value.name)
        return env.get(value, value)

    def whole(part: Graph) -> Graph:
        params, nodes = tuple(map(renamed, part.params)), tuple(map(node, part.nodes))
        return Graph(params, nodes, tuple(map(renamed, part.results)))

    def node(old: Node) -> Node:
        inputs, results = ([*map(renamed, x)] for x in (old.inputs, old.results))
        return changed(old, inputs=inputs, regions=[*map(whole, old.regions)], results=results)

    return whole(graph)


def in_regions(apply: Callable[[Graph], Graph]) -> Callable[[Graph], Graph]:
    """Make a function of one that works on the nodes of one graph: regions come first."""

    def whole(graph: Graph) -> Graph:
        nodes = [
            changed(node, regions=[whole(region) for region in node.regions])
            if node.regions
            else node
            for node in graph.nodes
        ]
        return apply(with_nodes(graph, nodes))

    return whole


def each_graph(apply: Callable[[Graph, Log], Graph]) -> Pass:
    """Make a pass of a function that works on the nodes of one graph: regions come first."""

    @wraps(apply)
    def whole(graph: Graph, log: Log | None = None) -> Graph:
        told = log or Log()
        return in_regions(lambda region: apply(region, told))(graph)

    return whole


def same_type(a: TensorSpec, b: TensorSpec) -> bool:
    """Tell whether two specs have one dtype and are both weak or both not."""
    return a.weak == b.weak and a.dtype == b.dtype
