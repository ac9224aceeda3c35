"""Forward mode: going along a graph with the tangents of its values.

`push` writes a graph once more into a builder, and beside each value that follows one that has a
tangent, its tangent. Nodes with regions carry tangents in and out of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from runtime.autodiff.branches import check_handler
from runtime.autodiff.choosing import picked, spread_out
from runtime.autodiff.custom import along_custom
from runtime.autodiff.dependence import NONE, ONE, is_inexact, results_of
from runtime.autodiff.reverse import back_region
from runtime.autodiff.values import (
    application,
    asked,
    converted,
    fitted,
    known_number,
    refusal,
    rule_of,
    spread,
    write_region,
    zeros,
)
from runtime.default_graph import building
from runtime.errors import DerivativeError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Layout, Loop, attrs_for, layout_of
from runtime.graph.traits import Form
from runtime.opaque import OPAQUE
from runtime.passes.rewriter import copied_region
from runtime.tensor import Symbol

Tangents: TypeAlias = Sequence[Value | None]
Pushed: TypeAlias = tuple[list[Value], list[Value | None]]


def push(
    builder: Builder,
    graph: Graph,
    given: Sequence[Value],
    tangents: Tangents,
    functions: frozenset[str] = frozenset(),
    asked: int | None = None,
) -> Pushed:
    """Write a graph and its tangents; return its results, and their tangents, None for zero.

    Args:
        builder: where they are written.
        graph: is not changed.
        given: what stands for its parameters.
        tangents: of them; None for zero.
        functions: the names of those around it.
        asked: of how many results the tangents are asked; of all if not given.
    """
    builder.reserve(graph)
    return _Forward(builder, functions).push(graph, given, tangents, asked)


class _Forward:
    """The values of a graph that were written so far, and their tangents."""

    def __init__(self, builder: Builder, functions: frozenset[str]) -> None:
        self.builder = builder
        self.functions = functions
        self.tangents: dict[Value, Value] = {}
        self.objects: set[Value] = set()
        self.known: dict[Value, object] = {}

    def push(
        self,
        graph: Graph,
        given: Sequence[Value],
        tangents: Tangents,
        asked: int | None = None,
    ) -> Pushed:
        builder = self.builder
        env = dict(zip(graph.params, map(builder.resolve, given), strict=True))
        for param, t in zip(graph.params, tangents, strict=True):
            if t is not None and is_inexact(param.spec):
                self.tangents[env[param]] = converted(builder, builder.resolve(t), env[param].spec)
        for node in graph.nodes:
            inputs = [env[x] for x in node.inputs]
            env.update(zip(node.results, self._write(node, inputs), strict=True))
            self.known.update((env[x], held) for x, held in known_number(node).items())
        results = [env[x] for x in graph.results]
        if not self.objects.isdisjoint(results[:asked]):
            raise DerivativeError(
                "what is returned is an object of NumPy's that follows the arguments, and calls of "
                "NumPy have no derivative. Return a float made of ops, or ag.stop_gradient(x)"
            )
        return results, [self._whole(x) for x in results[:asked]]

    def _whole(self, value: Value) -> Value | None:
        tangent = self.tangents.get(value)
        return None if tangent is None else spread(self.builder, tangent, value)

    def _write(self, node: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        """Write a node and the tangents of its results; return what stands for these."""
        along = [x in self.tangents or x in self.objects for x in inputs]
        follows = results_of(node, [ONE if x else NONE for x in along])
        varied = [
            bool(x) and is_inexact(r.spec) for x, r in zip(follows, node.results, strict=True)
        ]
        builder, place = self.builder, self.builder.place
        builder.place = node.location or place
        try:
            rule = FORMS.get(node.op.form)
            if rule is not None and (any(varied) or rule is _along_again):
                results, made = rule(self, node, inputs, varied)
                tangents = [None if t is None else Symbol(builder, t) for t in made]
            else:
                regions = [copied_region(x) for x in node.regions]
                results = builder.copy(node, inputs, regions)
                tangents = [*self._by_rule(node, inputs, results)] if any(varied) else []
            with building(builder):
                for value, t in zip(results, tangents, strict=False):
                    if t is not None and is_inexact(value.spec):
                        self.tangents[value] = fitted(builder, t, value)
        finally:
            builder.place = place
        pairs = zip(results, follows, strict=True)
        self.objects.update(x for x, row in pairs if row and x.spec == OPAQUE)
        return results

    def _by_rule(
        self, node: Node, inputs: Sequence[Value], results: Sequence[Value]
    ) -> Sequence[Any]:
        rule, builder = rule_of(node), self.builder
        find = self.tangents.get if rule.is_elementwise else self._whole
        given = [find(x) for x in inputs]
        call = application(
            builder, node, inputs, results, [t is not None for t in given], self.known
        )
        with building(builder):
            tangents = [None if t is None else Symbol(builder, t) for t in given]
            found: Sequence[Any] = asked(node, rule.jvp, call, tangents)
            return found


Made: TypeAlias = tuple[Sequence[Value], Tangents]


def _along_branch(
    forward: _Forward, node: Node, inputs: Sequence[Value], varied: Sequence[bool]
) -> Made:
    """Write a branch, whose arms give the tangents of what they give, too."""
    tangents = [forward._whole(x) for x in inputs[1:]]
    arms = [_pushed_region(forward, arm, tangents, varied) for arm in node.regions]
    more = [t for t in tangents if t is not None]
    made = forward.builder.copy(node, [*inputs, *more], arms)
    count = len(node.results)
    return made[:count], spread_out(made[count:], varied)


def _along_try(
    forward: _Forward, node: Node, inputs: Sequence[Value], varied: Sequence[bool]
) -> Made:
    """Write a `try`, whose body and handlers give the tangents of what they give, too."""
    tangents = [forward._whole(x) for x in inputs]
    regions = []
    for region in node.regions:
        own = len(region.params) - len(inputs)
        check_handler(node, region, own, varied)
        regions.append(_pushed_region(forward, region, [*[None] * own, *tangents], varied))
    more = [t for t in tangents if t is not None]
    made = forward.builder.copy(node, [*inputs, *more], regions)
    count = len(node.results)
    return made[:count], spread_out(made[count:], varied)


def _pushed_region(
    forward: _Forward, region: Graph, tangents: Sequence[object], varied: Sequence[bool]
) -> Graph:
    """Return a region that takes tangents after its parameters and gives some after its results."""
    builder = Builder(beside=forward.builder)
    params = [builder.param(x.spec, x.name) for x in region.params]
    given = [
        None if t is None else builder.param(x.spec) for x, t in zip(params, tangents, strict=True)
    ]
    results, found = push(builder, region, params, given, forward.functions)
    rows = picked(zip(results, found, strict=True), varied)
    made = [zeros(builder, x) if t is None else t for x, t in rows]
    return builder.seal([*params, *(t for t in given if t is not None)], [*results, *made])


def _along_loop(
    forward: _Forward, node: Node, inputs: Sequence[Value], varied: Sequence[bool]
) -> Made:
    """Write a loop that carries the tangents of its state, too."""
    builder, loop = forward.builder, Loop(node)
    layout, given = loop.layout, loop.layout.split(tuple(inputs))
    carried, rows = layout.outputs(tuple(varied))
    found = layout.split([forward._whole(x) for x in inputs])
    pairs = picked(zip(given.carried, found.carried, strict=True), carried)
    starts = [zeros(builder, x) if t is None else t for x, t in pairs]
    chosen = replace(layout.split([t is not None for t in (*found,)]), carried=carried)
    more = [[t for t in part if t is not None] for part in (found.sequences, found.captured)]
    operands = replace(
        given,
        carried=(*given.carried, *starts),
        sequences=(*given.sequences, *more[0]),
        captured=(*given.captured, *more[1]),
    )
    pushed = replace(node, attrs=attrs_for(node, operands))
    regions = [_pushed_round(forward, loop, [*chosen], varied)]
    if loop.test is not None:
        regions.insert(
            0, _with_params(copied_region(loop.test), layout, layout_of(pushed), regions[0])
        )
    first, second = layout.outputs([x.spec for x in node.results])
    specs = [*first, *(None for _ in starts), *second]
    ends, stacked = layout_of(pushed).outputs(builder.copy(pushed, [*operands], regions, specs))
    after, tangents = layout.outputs(ends)
    results = (*after, *stacked[: len(rows)])
    return results, [*spread_out(tangents, carried), *spread_out(stacked[len(rows) :], rows)]


def _pushed_round(
    forward: _Forward, loop: Loop, chosen: Sequence[bool], varied: Sequence[bool]
) -> Graph:
    """Return the round of a loop with the tangents of the chosen parameters and results."""
    builder, layout = Builder(beside=forward.builder), loop.layout
    params = [builder.param(x.spec, x.name) for x in loop.body.params]
    given = [builder.param(x.spec) if c else None for x, c in zip(params, chosen, strict=True)]
    results, found = push(builder, loop.body, params, given, forward.functions)
    filled = [
        (zeros(builder, x) if t is None else t) if is_varied else None
        for x, t, is_varied in zip(results, found, varied, strict=True)
    ]
    own, tangents = layout.split(params), layout.split(given)
    whole = replace(
        own,
        carried=(*own.carried, *filter(None, tangents.carried)),
        sequences=(*own.sequences, *filter(None, tangents.sequences)),
        captured=(*own.captured, *filter(None, tangents.captured)),
    )
    after, rows = layout.outputs(results)
    ends, heights = layout.outputs(filled)
    made = [*after, *filter(None, ends), *rows, *filter(None, heights)]
    return builder.seal([*whole], made)


def _with_params(test: Graph, layout: Layout, pushed: Layout, body: Graph) -> Graph:
    """Return the test of a loop with parameters for the tangents that its round takes."""
    own, given = layout.split(test.params), pushed.split(body.params)
    pairs = (own.carried, given.carried), (own.captured, given.captured)
    params = [(*x, *(Value(more.spec) for more in xs[len(x) :])) for x, xs in pairs]
    return replace(test, params=(*params[0], *params[1]))


def _along_inline(
    forward: _Forward, node: Node, inputs: Sequence[Value], varied: Sequence[bool]
) -> Made:
    """Write the nodes of a region that runs as it stands."""
    (region,) = node.regions
    forward.builder.reserve(region)
    return forward.push(region, inputs, [None for _ in inputs])


def _along_call(
    forward: _Forward, node: Node, inputs: Sequence[Value], varied: Sequence[bool]
) -> Made:
    """Write a call of a function that takes and gives tangents of all floats, too."""
    builder, (region,), name = forward.builder, node.regions, node.attrs["function"]
    own = [is_inexact(x.spec) for x in region.params]
    inner = _Forward(builder, forward.functions | {name})
    given = [True if is_own else None for is_own in own]
    after = [is_inexact(x.spec) for x in region.results]
    body = _pushed_region(inner, region, given, after)
    operands = [*inputs, *_tangents_of(forward, inputs)]
    named = replace(node, attrs={"function": f"{name}_along"})
    made = builder.copy(named, operands, [body])
    return made[: len(after)], spread_out(made[len(after) :], after)


def _along_again(
    forward: _Forward, node: Node, inputs: Sequence[Value], varied: Sequence[bool]
) -> Made:
    builder, name = forward.builder, node.attrs["function"]
    if name not in forward.functions:
        raise refusal(node, f"{name} is differentiated in itself, before it is known what it does")
    after = [is_inexact(x.spec) for x in node.results]
    specs = (*node.attrs["results"], *picked(node.attrs["results"], after))
    attrs = {"function": f"{name}_along", "results": specs}
    operands = [*inputs, *_tangents_of(forward, inputs)]
    made = builder.emit(node.op, operands, attrs)
    return made[: len(after)], spread_out(made[len(after) :], after)


def _tangents_of(forward: _Forward, values: Sequence[Value]) -> list[Value]:
    """Return the tangents of all floats among some values."""
    pairs = [(forward._whole(x), x) for x in values if is_inexact(x.spec)]
    return [zeros(forward.builder, x) if t is None else t for t, x in pairs]


def _along_custom(
    forward: _Forward, node: Node, inputs: Sequence[Value], varied: Sequence[bool]
) -> Made:
    tangents = [forward.tangents.get(x) for x in inputs]
    return along_custom(write_region, back_region, forward.builder, node, inputs, tangents)


FORMS: dict[Form | None, Callable[[_Forward, Node, Sequence[Value], Sequence[bool]], Made]] = {
    Form.COND: _along_branch,
    Form.SWITCH: _along_branch,
    Form.TRY: _along_try,
    Form.WHILE: _along_loop,
    Form.REDUCE: _along_loop,
    Form.STEP: _along_inline,
    Form.CHECKPOINT: _along_inline,
    Form.CHAIN: _along_inline,
    Form.CUSTOM: _along_custom,
    Form.CALL: _along_call,
    Form.CALL_AGAIN: _along_again,
}
"""How tangents go along nodes with regions, and calls."""
