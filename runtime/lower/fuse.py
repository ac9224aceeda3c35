"""Which elementwise nodes become one kernel.

Comes in: a graph. Goes out: the same graph in which each chain of elementwise nodes is one node of
the op `fused`, whose region is the chain. It knows nothing of kernels but whether an op can be
part of one.

Nodes are gone through in order, and join the open group that they take a value from, when they
have its shape; a node that takes from several makes one of them. Reductions join, too, all of a
group over the same axes, and then what is made of their numbers. Elements are computed of such
numbers only if these are of rows: others are there when all elements are done. A group closes as
soon as another node takes a value from it: it is computed where its last node stands by then, and
only nodes whose other inputs were there before still join. At effects, branches and loops all
groups end.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runtime.graph.location import Location
from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import Form
from runtime.kernels.kernel import Literal, UnsupportedError
from runtime.lower.array_kernels import alone, is_product
from runtime.lower.elementwise_kernels import (
    ROWS,
    is_elementwise,
    number_of,
    reduced_axes,
    reductions_of,
    why_not,
)
from runtime.lower.index_maps import Reading, reading
from runtime.lower.scatters import is_scattered
from runtime.ops.control import fused
from runtime.ops.creation import constant
from runtime.spec import Shape, make_spec

Reason = tuple[Location | None, str]
SMALL = 4096
"""How many elements arrays have at most for which a call may cost more than the work."""
MOST_NODES = 96
"""How many nodes a group has at most."""


@dataclass(eq=False, slots=True)
class _Group:
    """Nodes that are computed together; `into` is what a group became part of."""

    shape: Shape
    age: int
    nodes: list[tuple[int, Node]] = field(default_factory=list)
    place: int = -1
    is_open: bool = True
    into: _Group | None = None
    reductions: int = 0
    axes: tuple[int, int] | None = None
    pays_anyway: bool = False

    @property
    def row_shapes(self) -> tuple[Shape, Shape]:
        """The shapes of what is reduced: with axes of size 1, and without."""
        rank = len(self.shape)
        first, after = self.axes if self.axes and not self.by_rows else (rank - 1, rank)
        ones = (1,) * (after - first)
        before, behind = self.shape[:first], self.shape[after:]
        return (*before, *ones, *behind), (*before, *behind)

    @property
    def by_rows(self) -> bool:
        """Whether it reduces rows, if anything."""
        return self.axes in (None, ROWS)

    def agrees(self, other: _Group) -> bool:
        """Tell whether two groups reduce the same axes, or one of them none."""
        return None in (self.axes, other.axes) or self.axes == other.axes

    @property
    def pays(self) -> bool:
        """Whether a kernel does better than NumPy's calls; single numbers are for whole loops."""
        if self.pays_anyway:
            return True
        has_elements = any(node.result.spec.shape == self.shape for _, node in self.nodes)
        is_more = self.reductions > 1 or (len(self.nodes) > 1 and has_elements)
        return self.shape != () and (is_more or (self.reductions > 0 and self.is_small))

    @property
    def is_small(self) -> bool:
        """Whether NumPy's call of a reduction takes longer than the work."""
        sizes = [n for n in self.shape if isinstance(n, int)]
        return len(sizes) == len(self.shape) and 0 < math.prod(sizes) <= SMALL

    def takes(self, node: Node, inputs: Sequence[Value], literals: Container[Value]) -> bool:
        """Tell whether a node can join; `inputs` are those made in this group."""
        shape, shapes = node.result.spec.shape, {x.spec.shape for x in inputs}
        kept, dropped = self.row_shapes
        if shape == self.shape:
            return shapes <= ({self.shape, kept, ()} if self.by_rows else {self.shape})
        alone = all(x in inputs or x in literals for x in node.inputs)
        fits = shapes == {shape} or (len(self.shape) == 1 and shapes <= {kept, dropped})
        return shape in (kept, dropped) and fits and alone


def fuse(graph: Graph, refused: list[Reason], always: bool = False) -> Graph:
    """Return a graph in which chains of elementwise nodes are one node each.

    Args:
        graph: is not changed.
        refused: gets where there is a node on arrays that is in no chain, and why.
        always: whether that includes chains which NumPy computes as well.
    """
    finder = _Finder()
    finder.find(graph)
    groups = {value: group for value in finder.makers if (group := finder.group(value))}
    last = {group.place: group for group in {*groups.values()} if always or group.pays}
    members = {node for group in last.values() for _, node in group.nodes}
    for node in graph.nodes:
        is_kernel = node in members or is_product(node)
        why = None if is_kernel else why_not(node, finder.literals)
        if why is not None:
            refused.append((node.location, why))
    outside = set(graph.results)
    for node in graph.nodes:
        own = groups[node.result] if node in members else None
        outside.update(x for x in node.inputs if own is None or groups.get(x) is not own)
    nodes = []
    for index, node in enumerate(graph.nodes):
        if index in last:
            group = last[index]
            chain = [x for _, x in group.nodes]
            nodes += _lowered(chain, group.shape, outside, finder.constants)
        elif is_scattered(node):
            shape = node.inputs[2].spec.shape
            assert shape is not None
            nodes += _lowered([node], shape, outside, finder.constants)
        elif node not in members:
            nodes.append(_fuse_inside(node, refused))
    return Graph(graph.params, tuple(nodes), graph.results)


def _fuse_inside(node: Node, refused: list[Reason]) -> Node:
    if is_product(node):
        attrs = {"space": node.result.spec}
        return replace(node, op=fused, attrs=attrs, regions=(alone(node),))
    if not node.regions or node.op.form is Form.CALL:  # a function has a plan of its own
        return node
    return replace(node, regions=tuple(fuse(region, refused) for region in node.regions))


def _root(group: _Group | None) -> _Group | None:
    """Return the group that a group became part of."""
    while group is not None and group.into is not None:
        group = group.into
    return group


class _Finder:
    """Finds groups; `makers` tells in which one a value was made, `readers` who used it last."""

    def __init__(self) -> None:
        self.makers: dict[Value, _Group] = {}
        self.constants: dict[Value, Node] = {}
        self.literals: dict[Value, Literal] = {}
        self.readers: dict[Value, _Group] = {}
        self.born: dict[Value, int] = {}
        self.age = 0

    def find(self, graph: Graph) -> None:
        """Go through a graph."""
        for index, node in enumerate(graph.nodes):
            self.born.update(dict.fromkeys(node.results, index))
            if node.op is constant:
                self.constant(node)
            elif (axes := reduced_axes(node)) is not None:
                self.reduce(index, node, axes)
            elif (way := reading(node, self.literals)) is not None:
                self.read(index, node, way)
            elif is_elementwise(node, self.literals):
                self.join(index, node)
            else:
                self.close(node.inputs)
                self.age += bool(node.regions or node.op.effect)

    def constant(self, node: Node) -> None:
        """Remember a constant number."""
        if node.result.spec.shape == ():
            try:
                self.literals[node.result] = number_of(node)
                self.constants[node.result] = node
            except UnsupportedError:
                return

    def close(self, values: Iterable[Value], but: Sequence[_Group] = ()) -> None:
        """Close the groups that values were made in."""
        for value in values:
            group = self.group(value)
            if group is not None and group not in but:
                group.is_open = False

    def group(self, value: Value) -> _Group | None:
        """Return the group that a value was made in."""
        return _root(self.makers.get(value))

    def reduce(self, index: int, node: Node, axes: tuple[int, int]) -> None:
        """Put a reduction into the group of what it reduces."""
        (value,) = node.inputs
        shape = value.spec.shape
        assert shape is not None
        group = self.group(value) or self.reader(node, shape)
        fits = group is not None and group.shape == shape and group.axes in (None, axes)
        if group is None or not fits or not self.has_room(group, node):
            self.close(node.inputs)
            group = _Group(shape, self.age)
        group.axes = axes
        group.reductions += reductions_of(node, {}) or 0
        self.put(index, node, group)

    def read(self, index: int, node: Node, way: Reading) -> None:
        """Put a node that reads elements elsewhere into a group that has them from outside."""
        shape = node.result.spec.shape
        assert shape is not None
        self.close(node.inputs)
        group = self.reader(node, shape)
        if group is None or any(self.group(x) is group for x in node.inputs):
            group = _Group(shape, self.age)
        group.pays_anyway |= way.pays
        self.put(index, node, group)

    def put(self, index: int, node: Node, group: _Group) -> None:
        """Put a node into a group."""
        group.nodes.append((index, node))
        group.place = index if group.is_open else group.place
        self.makers[node.result] = group
        self.readers.update(dict.fromkeys(node.inputs, group))

    def reader(self, node: Node, shape: Shape) -> _Group | None:
        """Return an open group over a space that uses what a node uses."""
        for value in node.inputs:
            group = _root(self.readers.get(value))
            fits = group is not None and group.shape == value.spec.shape == shape
            if group is not None and fits and self.has_room(group, node):
                return group
        return None

    def has_room(self, group: _Group, node: Node, others: Sequence[_Group] = ()) -> bool:
        """Tell whether a node may still join a group, together with the nodes of others."""
        count = len(group.nodes) + 1 + sum(len(x.nodes) for x in others)
        if group.age != self.age or count > MOST_NODES:
            return False
        if group.is_open:
            return all(x.is_open for x in others)
        return not others and all(
            self.group(x) is group or self.available(x) < group.place for x in node.inputs
        )

    def available(self, value: Value) -> float:
        """Return where a value is there for sure: where it is made, or its group is computed."""
        group = self.group(value)
        if group is None:
            return self.born.get(value, -1)
        return math.inf if group.is_open else max(group.place, self.born[value])

    def join(self, index: int, node: Node) -> None:
        """Put a node into a group."""
        shape = node.result.spec.shape
        assert shape is not None
        found: list[_Group] = []
        for value in node.inputs:
            group = self.group(value)
            if group is None or group in found:
                continue
            own = [x for x in node.inputs if self.group(x) is group]
            fits = all(x.shape == group.shape and x.agrees(group) for x in found)
            if fits and self.has_room(group, node, found) and group.takes(node, own, self.literals):
                found.append(group)
        self.close(node.inputs, found)
        if not found and all(self.group(x) is None for x in node.inputs):
            reader = self.reader(node, shape)
            found = [] if reader is None else [reader]
        into = max(found, key=lambda x: len(x.nodes)) if found else _Group(shape, self.age)
        for group in found:
            if group is not into:
                into.nodes += group.nodes
                into.reductions += group.reductions
                into.axes = into.axes or group.axes
                into.pays_anyway |= group.pays_anyway
                group.nodes, group.into = [], into
        if len(found) > 1:
            into.nodes.sort(key=lambda pair: pair[0])
        self.put(index, node, into)


def _lowered(
    chain: Sequence[Node], shape: Shape, outside: set[Value], constants: Mapping[Value, Node]
) -> list[Node]:
    """Return the node of a chain over a space, whose results are those that others use.

    A chain of which nobody uses anything stays as it is: what it raises is all that is wanted.
    """
    results = tuple(node.result for node in chain if node.result in outside)
    if not results:
        return [*chain]
    made = {node.result for node in chain}
    taken = dict.fromkeys(x for node in chain for x in node.inputs if x not in made)
    inputs = [x for x in taken if x not in constants]
    new = {x: Value(x.spec, x.name) for x in (*taken, *(node.result for node in chain))}
    nodes = [constants[x] for x in taken if x in constants] + list(chain)
    region = Graph(
        tuple(new[x] for x in inputs),
        tuple(
            replace(
                node,
                inputs=tuple(new[x] for x in node.inputs),
                results=(new[node.result],),
            )
            for node in nodes
        ),
        tuple(new[x] for x in results),
    )
    attrs = {"space": make_spec(results[0].spec.dtype, shape)}
    return [Node(fused, tuple(inputs), attrs, (region,), results, chain[-1].location)]
