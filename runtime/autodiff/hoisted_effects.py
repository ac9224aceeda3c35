"""What is seen outside happens once: draws and calls of Python come out of what is run twice.

Comes in: a graph. Goes out: a graph of the same meaning, in whose branches and loops nothing that
has an effect gives a result. Such a branch or loop becomes two: the first does what it did, and
gives the results of its effects, too, stacked by loops; the second computes the same from them
(`done`), so that what goes back may compute it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runtime.autodiff.values import converted, refusal
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import branch_of, loop_of
from runtime.graph.traits import NOT_DIFFERENTIABLE, Form
from runtime.graph.walk import walk
from runtime.ops.creation import filled
from runtime.ops.effects import done
from runtime.ops.movement import stop_gradient
from runtime.passes.rewriter import copied_region
from runtime.spec import TensorSpec

SEEN = ("output", "random", "state", "dataset")
"""The effects that may not happen twice."""


def is_seen(node: Node) -> bool:
    """Tell whether a node has an effect, itself, that gives results."""
    return node.op.effect in SEEN and bool(node.results)


def has_seen(graph: Graph) -> bool:
    """Tell whether there are such nodes in a graph."""
    return any(map(is_seen, walk(graph)))


def has_effects(node: Node) -> bool:
    """Tell whether there are such nodes in the regions of a node."""
    return any(map(has_seen, node.regions))


def with_effects_apart(graph: Graph) -> Graph:
    """Return a graph whose branches and loops are done by two, if effects in them give results."""
    if not any(map(has_effects, graph.nodes)):
        return graph
    builder = Builder()
    builder.reserve(graph)
    params = [builder.param(x.spec, x.name) for x in graph.params]
    return builder.seal(params, _Writer(builder).write(graph, params))


def done_apart(graph: Graph) -> tuple[Graph, Graph]:
    """Return a graph that gives the results of its effects, too, and one that takes them.

    They stand behind its results and its parameters; the second has none of those effects.
    """
    first, saved = _saving(graph)
    again = _taking(graph, len(graph.params), [x.spec for x in saved], range(len(saved)))
    return first.seal_with(saved), again


class _Writer:
    """Writes a graph once more.

    Args:
        builder: where.
        taken: the results of effects, those of regions included, if these are not to happen.

    Attributes:
        saved: the results of effects that happen.
    """

    def __init__(self, builder: Builder, taken: Sequence[Value] | None = None) -> None:
        self.builder = builder
        self.saved: list[Value] = []
        self._taken = None if taken is None else iter(taken)

    def write(self, graph: Graph, given: Sequence[Value]) -> list[Value]:
        """Write all nodes; return the results."""
        env = dict(zip(graph.params, given, strict=True))
        for node in graph.nodes:
            if self._taken is not None and node.op.effect is not None and not node.results:
                continue
            inputs = [env[x] for x in node.inputs]
            if node.op.form is Form.CUSTOM and has_effects(node):
                results = self._custom(node, inputs)
            elif has_effects(node):
                results = self._regions(node, inputs)
            elif is_seen(node):
                results = self._effect(node, inputs)
            else:
                regions = [copied_region(x) for x in node.regions]
                results = self.builder.copy(node, inputs, regions)
            env.update(zip(node.results, results, strict=True))
        return [env[x] for x in graph.results]

    def _effect(self, node: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        builder = self.builder
        if self._taken is None:
            results = builder.copy(node, inputs, ())
            self.saved += results
            return results
        given = [converted(builder, next(self._taken), x.spec) for x in node.results]
        if node.op.derivative is NOT_DIFFERENTIABLE:
            return given
        attrs = {"count": len(given), "name": node.op.name, "attrs": tuple(node.attrs.items())}
        return builder.emit(done, [*given, *inputs], attrs, (), node.location)

    def _custom(self, node: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        """Write a function with a derivative of its own: what it gave is kept, as one effect."""
        builder = self.builder
        if self._taken is None:
            results = builder.copy(node, inputs, [copied_region(x) for x in node.regions])
            self.saved += [builder.emit(stop_gradient, [x], {})[0] for x in results]
            return results
        given = [converted(builder, next(self._taken), x.spec) for x in node.results]
        region, own = Builder(), copied_region(node.regions[1])
        params = [region.param(x.spec) for x in (*inputs, *given)]
        kept = region.seal(params, params[len(inputs) :])
        more = [Value(x.spec) for x in given]
        front, behind = own.params[: len(inputs)], own.params[len(inputs) :]
        rule = replace(own, params=(*front, *more, *behind))
        return builder.copy(node, [*inputs, *given], [kept, rule])

    def _regions(self, node: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        first, again, count = apart(node)
        if self._taken is None:
            made = self.builder.copy(first, inputs, first.regions)[len(node.results) :]
            saved = tuple(self.builder.emit(stop_gradient, [x], {})[0] for x in made)
            self.saved += saved
        else:
            saved = tuple(next(self._taken) for _ in range(count))
        where = _place(node)
        return self.builder.copy(again, [*inputs[:where], *saved, *inputs[where:]], again.regions)


def _place(node: Node) -> int:
    """Return where operands stand that a node with regions takes besides its own."""
    loop = loop_of(node)
    return len(node.inputs) if loop is None else len(node.inputs) - len(loop.operands.captured)


def apart(node: Node) -> tuple[Node, Node, int]:
    """Return a branch or loop that gives the results of its effects, one that takes them.

    The third is how many these are.
    """
    loop = loop_of(node)
    if branch_of(node) is not None:
        return _branch_apart(node)
    if loop is None or loop.test is not None:
        raise refusal(
            node,
            "what is drawn at random, or returned by Python, in a loop of unknown length cannot be "
            "kept for its derivative; give the loop a number of rounds (for k in range(n))",
        )
    first, saved = _saving(loop.body)
    again = _taking(loop.body, _place(node), [x.spec for x in saved], range(len(saved)))
    attrs = {**node.attrs, "sequences": len(loop.elements) + len(saved)}
    return (
        replace(node, regions=(first.seal_with(saved),)),
        replace(node, regions=(again,), attrs=attrs),
        len(saved),
    )


def _branch_apart(node: Node) -> tuple[Node, Node, int]:
    arms = [_saving(arm) for arm in node.regions]
    specs = [x.spec for _, saved in arms for x in saved]
    firsts, agains, start = [], [], 0
    for region, (open_arm, saved) in zip(node.regions, arms, strict=True):
        own = range(start, start + len(saved))
        rest = iter(saved)
        made = [
            next(rest) if k in own else _nothing(open_arm.builder, spec)
            for k, spec in enumerate(specs)
        ]
        firsts.append(open_arm.seal_with(made))
        agains.append(_taking(region, len(region.params), specs, own))
        start += len(saved)
    first, again = replace(node, regions=tuple(firsts)), replace(node, regions=tuple(agains))
    return first, again, len(specs)


def _nothing(builder: Builder, spec: TensorSpec) -> Value:
    """Return what stands for the result of an effect that did not happen."""
    shape = tuple(n if isinstance(n, int) else 0 for n in spec.shape or ())
    attrs = {"value": spec.dtype.type(), "shape": shape}
    return builder.emit(filled, (), attrs)[0]


@dataclass(frozen=True, slots=True)
class _Open:
    """A region that is still open."""

    builder: Builder
    params: Sequence[Value]
    results: Sequence[Value]

    def seal_with(self, more: Sequence[Value]) -> Graph:
        """Close it, with further results."""
        return self.builder.seal(self.params, [*self.results, *more])


def _begun(region: Graph) -> tuple[Builder, list[Value]]:
    builder = Builder()
    builder.reserve(region)
    return builder, [builder.param(x.spec, x.name) for x in region.params]


def _saving(region: Graph) -> tuple[_Open, list[Value]]:
    """Return a region, still open, and the results of its effects."""
    builder, params = _begun(region)
    writer = _Writer(builder)
    results = writer.write(region, params)
    return _Open(builder, params, results), writer.saved


def _taking(region: Graph, where: int, specs: Sequence[TensorSpec], own: Sequence[int]) -> Graph:
    """Return a region that takes the results of its effects at a place among its parameters."""
    builder, params = _begun(region)
    taken = [builder.param(spec.with_shape(spec.shape)) for spec in specs]
    writer = _Writer(builder, [taken[k] for k in own])
    results = writer.write(region, params)
    return builder.seal([*params[:where], *taken, *params[where:]], results)
