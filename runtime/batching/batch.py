"""From a graph to the graph of a batch.

Comes in: a graph, and which of its parameters differ from element to element. Goes out: a graph
that computes all elements, whose batched parameters and results have one axis more, the first one.

Each node that uses nothing that differs is computed once. Of the others, the rule of their op says
how (`runtime.ops.batch_rules`); where it says nothing, a loop computes one element after the other
(`loops`). What regions do with batches says `control`.

What raises unless something is true is

    cond(all(test or not mask)) { } { check(False, the values of the first element that fails) }

Python's integers that differ from element to element are numbers of 64 bits, as long as they fit.
What is computed of them is computed in float64, too, which says whether it fits: it is off by less
than what lies between the limit here and that of 64 bits. A wrong number is never given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from runtime.batching.control_rules import batch_regions
from runtime.batching.one_by_one import Ragged, one_by_one, over_elements
from runtime.dtypes import DType
from runtime.errors import LoopStateError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.traits import NotThere
from runtime.graph.walk import walk
from runtime.ops.batch_rules import Axis, OfShape, Operand
from runtime.ops.control import cond
from runtime.ops.creation import arange, constant, full
from runtime.ops.effects import check
from runtime.ops.elementwise import absolute, cast, item, less, strong, where
from runtime.ops.indexing import gather
from runtime.ops.joining import repeat
from runtime.ops.movement import broadcast_to, dim, expand_dims, moveaxis, reshape
from runtime.ops.reductions import all_, argmin
from runtime.ops.ufuncs import logical_not, logical_or
from runtime.spec import Dim, TensorSpec, make_spec, stacked_spec

ORDERED = frozenset({"output", "random", "state"})
"""Effects that happen for each element as if it were alone: all of one, then all of the next."""


class Batch:
    """The graph of a batch, or a region of it, while it is built.

    Args:
        builder: where nodes go.
        size: how many elements there are.
        count: the same, as a value of the graph.

    `mask` says which elements take part; None when all do. `is_quiet` tells whether NumPy does not
    warn of what is computed here.
    """

    def __init__(self, builder: Builder, size: int | Dim, count: Value) -> None:
        self.builder = builder
        self.size = size
        self.count = count
        self.mask: Value | None = None
        self.is_quiet = False
        self.operands: dict[Value, Operand] = {}
        self._node: Node | None = None

    @property
    def node(self) -> Node:
        """The node that is batched."""
        assert self._node is not None
        return self._node

    @node.setter
    def node(self, node: Node) -> None:
        self._node = node

    def inside(self, builder: Builder) -> Batch:
        """Return the batch in a region."""
        inner = Batch(builder, self.size, self.count)
        inner.mask, inner.is_quiet, inner._node = self.mask, self.is_quiet, self._node
        return inner

    def emit_all(self, op: OpDef, *inputs: Value, **attrs: Any) -> tuple[Value, ...]:
        """Apply an op."""
        location = None if self._node is None else self._node.location
        return self.builder.emit(op, inputs, op.attributes(attrs), location=location)

    def emit(self, op: OpDef, *inputs: Value, **attrs: Any) -> Value:
        """Apply an op with one result."""
        (found,) = self.emit_all(op, *inputs, **attrs)
        return found

    def constant(self, value: Any) -> Value:
        """Return a value that is known."""
        return self.builder.emit(constant, (), {"value": value})[0]

    def raised(self, x: Operand, rank: int) -> Value:
        """Return a value whose elements have so many axes: those that are missing are of size 1."""
        missing = rank - x.rank
        if not x.is_batched or missing <= 0:
            return x.value
        return self.emit(expand_dims, x.value, axis=tuple(range(1, missing + 1)))

    def spread(self, x: Operand) -> Value:
        """Return a value that is batched, whether elements differ or not."""
        if x.is_batched:
            return x.value
        sizes = x.sizes
        if sizes is None:
            row = self.emit(expand_dims, x.value, axis=0)
            return self.emit(repeat, row, self.count, axis=0)
        size = self.size if isinstance(self.size, int) else None
        given = () if size is not None else (self.count,)
        return self.emit(broadcast_to, x.value, *given, shape=(size, *sizes))

    def cast(self, value: Value, dtype: DType) -> Value:
        """Return a value in another dtype."""
        is_there = value.spec.dtype == dtype and not value.spec.weak
        return value if is_there else self.emit(cast, value, dtype=dtype.name)

    def shaped(self, value: Value, sizes: tuple[int, ...]) -> Value:
        """Return a batched value with other sizes of its elements."""
        if value.spec.shape is not None and value.spec.shape[1:] == sizes:
            return value
        size = self.size if isinstance(self.size, int) else None
        given = () if size is not None else (self.count,)
        return self.emit(reshape, value, *given, shape=(size, *sizes))

    def rows(self, value: Value, count: int, size: int) -> Value:
        """Return the elements of all as so many rows of a size."""
        return self.emit(reshape, value, shape=(count, size))

    def moved(self, value: Value, source: Axis, destination: Axis) -> Value:
        """Return a value with axes in other places."""
        if source == destination:
            return value
        return self.emit(moveaxis, value, source=source, destination=destination)

    def numbers(self, rank: int) -> Value:
        """Return the numbers of the elements, as an array with so many axes more."""
        bounds = (self.constant(0), self.count, self.constant(1))
        found = self.emit(arange, *bounds, dtype="int64")
        return self.shaped(found, (1,) * rank) if rank else found

    def live(self, x: Operand, number: int) -> Operand:
        """Return an operand with a number in the place of elements that take no part."""
        if self.mask is None or not x.is_batched:
            return x
        other = self.constant(x.value.spec.dtype.type(number))
        return Operand(self.chosen(self.mask, x.value, other, x.spec), x.spec, True)

    def check(self, test: Operand, values: Sequence[Operand], **attrs: Any) -> None:
        """Apply an op that raises for the first element, of those that take part, that fails."""
        check_each(self, test, values, attrs)

    def strong(self, x: Operand) -> Value:
        """Return a batched value; of Python numbers that all are the same, one of NumPy's."""
        value = self.emit(strong, x.value) if x.value.spec.weak else x.value
        return self.spread(Operand(value, x.spec, x.is_batched))

    def result(self, value: Value, flag: bool) -> Value:
        """Return a result of a graph, batched if it has to be."""
        found = self.operands[value]
        if found.is_batched and not flag:  # less was known here than `varying` knew
            raise Ragged
        return self.strong(found) if flag else found.value

    def chosen(self, mask: Value, x: Value, y: Value, spec: TensorSpec) -> Value:
        """Return what a mask of elements chooses between two batched values."""
        mask = self.raised(Operand(mask, make_spec(mask.spec.dtype, ()), True), spec.rank or 0)
        return self.emit(where, mask, x, y)

    def kept(self, value: Value, old: Operand) -> Value:
        """Return what a round gives for the elements of the mask, and the old state of others."""
        found = self.operands[value]
        if found.value is old.value or self.mask is None or not old.is_batched:
            return found.value
        new = self.cast(self.strong(found), old.spec.dtype)
        return self.chosen(self.mask, new, old.value, old.spec)

    def filled(self, number: Value, spec: TensorSpec) -> Value:
        """Return an array of a shape that is known."""
        return self.emit(full, number, shape=spec.shape)

    def add(self, params: Sequence[Value], values: Sequence[Value], flags: Sequence[bool]) -> None:
        """Say what stands for values of the graph of one element."""
        for param, value, flag in zip(params, values, flags, strict=True):
            self.operands[param] = Operand(value, param.spec, flag)

    def run(self, graph: Graph) -> None:
        """Append what the nodes of a graph become."""
        for node in graph.nodes:
            self.node = node
            self._run(node)

    def _run(self, node: Node) -> None:
        operands = [self.operands[x] for x in node.inputs]
        if any(x.is_batched for x in operands):
            found = self._batched(node, operands)
            rows = zip(node.results, found, strict=True)
            self.operands.update((x, self._checked(x.spec, value)) for x, value in rows)
            return
        given = [x.value for x in operands]
        made = self.builder.emit(node.op, given, node.attrs, node.regions, node.location)
        self.add(node.results, made, [False] * len(made))

    def _batched(self, node: Node, operands: Sequence[Operand]) -> Sequence[Operand | Value]:
        if node.regions:
            return batch_regions(self, node, operands)
        rule = node.op.batching
        is_empty = self.size == 0  # some functions of NumPy refuse what has no elements
        if not (isinstance(rule, NotThere) or is_empty or _raises_by_number(node, operands)):
            found = rule(self, *operands, **node.attrs)
            if isinstance(rule, OfShape) and isinstance(found, Value):
                return [Operand(found, node.result.spec, False)]
            if found is not None:
                if is_exact(node, operands):
                    check_fits(self, node, operands)
                return found if isinstance(found, tuple) else (found,)
        return one_by_one(self, node, operands)

    def _checked(self, spec: TensorSpec, value: Operand | Value) -> Operand:
        """Return a result of a rule in the dtype that an element has."""
        if isinstance(value, Operand):
            return value
        return Operand(self.cast(value, spec.dtype), spec, True)


def _raises_by_number(node: Node, operands: Sequence[Operand]) -> bool:
    """Tell whether an op may raise what only Python's numbers raise, which are arrays here."""
    if not any(x.is_batched and x.spec.weak for x in operands):
        return False
    specs = [x.spec for x in operands]
    return bool(node.op.raises(specs, node.attrs))


def batch_graph(graph: Graph, flags: Sequence[bool], size: int | Dim) -> Graph:
    """Return the graph of a batch, all of whose results are batched.

    Args:
        graph: of one element.
        flags: which parameters differ from element to element; at least one does.
        size: how many elements there are.
    """
    if not any(node.op.effect in ORDERED for node in walk(graph)):
        with suppress(Ragged, LoopStateError):  # of a state less is known in a batch, perhaps
            return _at_once(graph, flags, size)
    return _one_by_one(graph, flags, size)


def _begun(graph: Graph, flags: Sequence[bool], size: int | Dim) -> tuple[Batch, list[Value]]:
    """Return a batch of which only the parameters are there."""
    builder = Builder()
    specs = [
        stacked_spec(x.spec, size) if f else x.spec
        for x, f in zip(graph.params, flags, strict=True)
    ]
    params = [builder.param(spec, x.name) for spec, x in zip(specs, graph.params, strict=True)]
    if isinstance(size, int):
        (count,) = builder.emit(constant, (), {"value": size})
    else:
        first = next(x for x, flag in zip(params, flags, strict=True) if flag)
        (count,) = builder.emit(dim, (first,), {"axis": 0})
    batch = Batch(builder, size, count)
    batch.add(graph.params, params, flags)
    return batch, params


def _at_once(graph: Graph, flags: Sequence[bool], size: int | Dim) -> Graph:
    batch, params = _begun(graph, flags, size)
    batch.run(graph)
    return batch.builder.seal(params, [batch.result(x, True) for x in graph.results])


def _one_by_one(graph: Graph, flags: Sequence[bool], size: int | Dim) -> Graph:
    batch, params = _begun(graph, flags, size)

    def each(builder: Builder, values: Sequence[Value]) -> Sequence[Value]:
        return inlined(builder, graph, values)

    operands = [batch.operands[x] for x in graph.params]
    location = next((x.location for x in graph.nodes if x.location is not None), None)
    return batch.builder.seal(params, over_elements(batch, operands, each, "vmap", location))


def inlined(builder: Builder, graph: Graph, values: Sequence[Value]) -> list[Value]:
    """Append the nodes of a graph; return its results."""
    env = dict(zip(graph.params, values, strict=True))
    for node in graph.nodes:
        given = [env[x] for x in node.inputs]
        found = builder.emit(node.op, given, node.attrs, node.regions, node.location)
        env.update(zip(node.results, found, strict=True))
    return [env[x] for x in graph.results]


def check_each(
    batch: Batch, test: Operand, values: Sequence[Operand], attrs: Mapping[str, Any]
) -> None:
    """Emit the check of a batch: the node is one that raises unless its first operand is true."""
    holds = batch.cast(batch.shaped(batch.spread(test), ()), np.dtype(bool))
    if batch.mask is not None:
        holds = batch.emit(logical_or, holds, batch.emit(logical_not, batch.mask))
    passed, failed = Builder(batch.builder), Builder(batch.builder)
    inner = batch.inside(failed)
    place = inner.emit(argmin, holds)
    given = []
    for x in values:
        value = inner.emit(gather, x.value, place, key="?") if x.is_batched else x.value
        given.append(inner.emit(item, value) if x.is_batched and x.spec.weak else value)
    inner.emit_all(batch.node.op, inner.constant(False), *given, **attrs)
    more = failed.captured()
    graphs = [passed.seal([], [], more), failed.seal([], [], more)]
    is_fine = batch.emit(all_, holds)
    location = batch.node.location
    batch.builder.emit(cond, (is_fine, *more), cond.attributes({}), graphs, location)


LIMIT = 9.2e18
MESSAGE = (
    "an integer of a batch does not fit into 64 bits. Convert it to a float, float(n), or do not "
    "batch what computes it"
)


def is_exact(node: Node, operands: Sequence[Operand]) -> bool:
    """Tell whether a node computes Python's integers, which have no end, of such."""
    specs = [x.spec for x in operands] + [x.spec for x in node.results]
    has_no_end = node.op.ufunc is not None and node.op.warns
    return has_no_end and all(x.weak and x.dtype.kind in "bi" for x in specs)


def check_fits(batch: Batch, node: Node, operands: Sequence[Operand]) -> None:
    """Emit the check that the result of a node fits for all elements that take part."""
    floats = [batch.cast(x.value, np.dtype(np.float64)) for x in operands]
    size = batch.emit(absolute, batch.emit(node.op, *floats, **node.attrs))
    fits = batch.emit(less, size, batch.constant(LIMIT))
    if batch.mask is not None:
        fits = batch.emit(logical_or, fits, batch.emit(logical_not, batch.mask))
    batch.emit_all(check, batch.emit(all_, fits), error="OverflowError", message=MESSAGE)
