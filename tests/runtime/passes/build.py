"""Building small graphs in tests of passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Value
from runtime.graph.opdef import OpDef
from runtime.ops.creation import constant
from runtime.spec import WEAK_SPECS, TensorSpec

INT, FLOAT, BOOL = WEAK_SPECS[int], WEAK_SPECS[float], WEAK_SPECS[bool]
VECTOR = TensorSpec([3])
Write = Callable[..., Sequence[Value]]


class Draft:
    """A graph, or region, that is being written."""

    def __init__(self, parent: Draft | None = None) -> None:
        self.builder = Builder(parent.builder if parent else None)

    def param(self, spec: TensorSpec = VECTOR, name: str | None = None) -> Value:
        return self.builder.param(spec, name)

    def __call__(self, op: OpDef, *inputs: Any, **attrs: Any) -> Value:
        """Append a node with one result; Python scalars and arrays become constants."""
        values = [x if isinstance(x, Value) else self.literal(x) for x in inputs]
        return self.builder.emit(op, values, op.attributes(attrs))[0]

    def literal(self, value: Any) -> Value:
        return self.builder.emit(constant, (), {"value": value})[0]

    def nest(
        self, op: OpDef, inputs: Sequence[Value], params: Sequence[Sequence[TensorSpec]],
        writers: Sequence[Write], **attrs: Any,
    ) -> tuple[Value, ...]:  # fmt: skip
        """Append a node with a region for each writer, given a draft and its own parameters."""
        drafts = [Draft(self) for _ in writers]
        own = [[d.param(spec) for spec in specs] for d, specs in zip(drafts, params, strict=True)]
        results = [
            [d.builder.resolve(x) for x in write(d, *values)]
            for d, values, write in zip(drafts, own, writers, strict=True)
        ]
        used = list(dict.fromkeys(x for d in drafts for x in d.builder.captured()))
        graphs = [
            d.builder.seal(values, found, used)
            for d, values, found in zip(drafts, own, results, strict=True)
        ]
        return self.builder.emit(op, [*inputs, *used], op.attributes(attrs), graphs)

    def graph(self, params: Sequence[Value], *results: Value) -> Graph:
        return self.builder.seal(params, results)


def ops_of(graph: Graph) -> list[str]:
    """Return the names of the ops of a graph in order, regions apart."""
    return [node.op.name for node in graph.nodes]
