"""One element after the other: the batch of what no rule can do at once, correct for everything.

    reduce(count, batched..., others...) { node(elements..., others...) }

whose outputs are stacked. Numbers are numbers in it, with all that Python does of them, and a
loop of numbers is machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from runtime.graph.builder import Builder
from runtime.graph.location import Location
from runtime.graph.node import Node, Value
from runtime.ops.batch_rules import Operand
from runtime.ops.control import cond, reduce
from runtime.ops.creation import constant, filled
from runtime.ops.elementwise import item
from runtime.spec import WEAK_SPECS, Dim, TensorSpec, row_spec

if TYPE_CHECKING:
    from runtime.batching.batch import Batch


class Ragged(Exception):  # noqa: N818  (it never leaves this room)
    """A value has another shape for each element, so that no array holds all of them."""


Each = Callable[[Builder, Sequence[Value]], Sequence[Value]]


def one_by_one(batch: Batch, node: Node, operands: Sequence[Operand]) -> Sequence[Operand]:
    """Run a node for one element after the other; return its results.

    Raises:
        Ragged: an element decides about the shape of a result.
    """
    given = {n for x in operands for n in x.spec.shape or () if isinstance(n, Dim)}
    for result in node.results:
        shape = result.spec.shape
        if shape is None or any(isinstance(n, Dim) and n not in given for n in shape):
            raise Ragged

    def each(builder: Builder, values: Sequence[Value]) -> Sequence[Value]:
        return builder.emit(node.op, values, node.attrs, node.regions, node.location)

    specs = [x.spec for x in node.results]
    is_lazy = batch.mask is not None and bool(node.regions)
    mask = [Operand(batch.mask, WEAK_SPECS[bool], True)] if is_lazy and batch.mask else []
    work = _if_live(each, specs, node) if mask else each
    label = f"vmap of {node.op.name}"
    found = over_elements(batch, [*mask, *operands], work, label, node.location)
    return [Operand(x, spec, True) for x, spec in zip(found, specs, strict=True)]


def over_elements(
    batch: Batch,
    operands: Sequence[Operand],
    each: Each,
    label: str,
    location: Location | None,
) -> Sequence[Value]:
    """Emit the loop over the elements; return what is stacked."""
    rows = [x for x in operands if x.is_batched]
    others = [x for x in operands if not x.is_batched]
    body = Builder(batch.builder)
    number = body.param(WEAK_SPECS[int])
    elements = [body.param(row_spec(x.value.spec)) for x in rows]
    captured = [body.param(x.value.spec) for x in others]
    numbers = [_as_number(body, x, v) for x, v in zip(rows, elements, strict=True)]
    given, same = iter(numbers), iter(captured)
    found = each(body, [next(given) if x.is_batched else next(same) for x in operands])
    results = list(map(body.resolve, found))
    more = body.captured()
    graph = body.seal([number, *elements, *captured], results, more)
    length = batch.size if isinstance(batch.size, int) else None
    attrs = {"carry": 0, "sequences": len(rows), "length": length, "label": label}
    inputs = (batch.count, *(x.value for x in (*rows, *others)), *more)
    return batch.builder.emit(reduce, inputs, reduce.attributes(attrs), (graph,), location)


def _as_number(builder: Builder, operand: Operand, value: Value) -> Value:
    """Return an element as one of Python's numbers, where it is one."""
    return builder.emit(item, (value,), {})[0] if operand.spec.weak else value


def _if_live(each: Each, specs: Sequence[TensorSpec], node: Node) -> Each:
    """Return what is done for an element if its mask, the first operand, is true."""

    def lazily(builder: Builder, values: Sequence[Value]) -> Sequence[Value]:
        test, *others = values
        arms = []
        for work in (each, lambda inner, given: [_nothing(inner, spec) for spec in specs]):
            inner = Builder(builder)
            params = [inner.param(x.spec) for x in others]
            arms.append(inner.seal(params, work(inner, params)))
        return builder.emit(cond, (test, *others), cond.attributes({}), arms, node.location)

    return lazily


def _nothing(builder: Builder, spec: TensorSpec) -> Value:
    """Return a value of a spec, for an element that nobody asks for."""
    zero = spec.dtype.type(0)
    if spec.weak:
        return builder.emit(constant, (), {"value": zero.item()})[0]
    if not spec.is_static:
        raise Ragged
    return builder.emit(filled, (), {"value": zero, "shape": spec.shape})[0]
