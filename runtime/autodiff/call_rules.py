"""Going back through functions that call themselves: what goes back calls itself, too.

It computes again what the function computed, by a call of that; so a recursion of depth n costs
what its calls on all the ways down cost.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.autodiff.choosing import spread_out
from runtime.autodiff.dependence import is_inexact
from runtime.autodiff.tape import BackFunction, Entry, Tape
from runtime.autodiff.values import refusal, zeros
from runtime.graph.builder import Builder
from runtime.graph.node import Node, Value
from runtime.graph.traits import Form
from runtime.ops.recursion import call, call_again, open_dims
from runtime.passes.dce import remove_unseen
from runtime.passes.rewriter import copied_region


def back_through_call(tape: Tape, node: Node, inputs: Sequence[Value]) -> Entry:
    """Write a call; what goes back is a call of a function from cotangents to cotangents."""
    builder, (region,), name = tape.builder, node.regions, node.attrs["function"]
    results = builder.copy(node, inputs, [tape.copied(region)])
    back = BackFunction(region, f"{name}_back")

    def pull(cotangents: Sequence[Value | None], wanted: Sequence[bool]) -> list[Value | None]:
        inner = Builder(beside=builder)
        params = [inner.param(x.spec, x.name) for x in region.params]
        given = [inner.param(x.spec) if is_inexact(x.spec) else None for x in region.results]
        own = [is_inexact(x.spec) for x in params]
        functions = {**tape.functions, name: back}
        found = tape.back(inner, region, params, own, given, (), functions=functions)
        rows = zip(params, found, own, strict=True)
        made = [zeros(inner, x) if g is None else g for x, g, is_own in rows if is_own]
        body = remove_unseen(inner.seal([*params, *(g for g in given if g is not None)], made))
        operands = [*inputs, *_whole(builder, results, cotangents)]
        return spread_out(builder.emit(call, operands, {"function": back.name}, [body]), own)

    return Entry(node, inputs, results, pull)


def back_through_again(tape: Tape, node: Node, inputs: Sequence[Value]) -> Entry:
    """Write a call inside of the function, in what goes back through it."""
    builder, name = tape.builder, node.attrs["function"]
    function = tape.functions.get(name)
    if function is None:
        raise refusal(node, f"{name} is differentiated in itself, before it is known what it does")
    region = copied_region(function.region)
    first = Node(call, node.inputs, {"function": name}, (region,), node.results, node.location)
    results = builder.copy(first, inputs, [region])

    def pull(cotangents: Sequence[Value | None], wanted: Sequence[bool]) -> list[Value | None]:
        own = [is_inexact(x.spec) for x in region.params]
        specs = [open_dims(x.spec) for x in region.params if is_inexact(x.spec)]
        attrs = {"function": function.name, "results": tuple(map(str, specs))}
        operands = [*inputs, *_whole(builder, results, cotangents)]
        return spread_out(builder.emit(call_again, operands, attrs), own)

    return Entry(node, inputs, results, pull)


def _whole(
    builder: Builder, results: Sequence[Value], cotangents: Sequence[Value | None]
) -> list[Value]:
    """Return the cotangents of all results that have any."""
    pairs = zip(results, cotangents, strict=True)
    return [zeros(builder, y) if g is None else g for y, g in pairs if is_inexact(y.spec)]


def back_through_inline(tape: Tape, node: Node, inputs: Sequence[Value]) -> Entry:
    """Write a region that runs as it stands; what goes back computes it again."""
    builder, (region,) = tape.builder, node.regions
    results = builder.copy(node, inputs, [tape.copied(region)])

    def pull(cotangents: Sequence[Value | None], wanted: Sequence[bool]) -> list[Value | None]:
        chunks = tape.in_chunks or node.op.form is Form.CHECKPOINT
        return tape.back(builder, region, inputs, wanted, cotangents, in_chunks=chunks)

    return Entry(node, inputs, results, pull)
