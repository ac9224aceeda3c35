"""Going back through functions that have a derivative of their own, and along them."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.autodiff.choosing import picked, spread_out
from runtime.autodiff.dependence import is_inexact
from runtime.autodiff.tape import Back, Entry, Tape, Write
from runtime.autodiff.values import refusal, spread, zeros
from runtime.graph.builder import Builder
from runtime.graph.node import Node, Value
from runtime.passes.rewriter import copied_region


def back_through_custom(tape: Tape, node: Node, inputs: Sequence[Value]) -> Entry:
    """Write a function; what goes back is its own rule."""
    builder, rule = tape.builder, node.regions[1]
    results = builder.copy(node, inputs, [*map(tape.copied, node.regions)])
    own = _arguments(node)

    def pull(cotangents: Sequence[Value | None], wanted: Sequence[bool]) -> list[Value | None]:
        _check_captured(node, wanted)
        pairs = zip(cotangents, results, strict=True)
        given = [zeros(builder, y) if g is None else g for g, y in pairs if is_inexact(y.spec)]
        if node.attrs["mode"] == "vjp":
            return spread_out(tape.write(builder, rule, [*inputs, *given]), own)
        # What a rule for tangents does to them is linear, wherever it begins.
        start = [zeros(builder, x) for x in picked(inputs, own)]
        asked = [False] * len(inputs) + [True] * len(start)
        found = tape.back(builder, rule, [*inputs, *start], asked, given)
        return spread_out(found[len(inputs) :], own)

    return Entry(node, inputs, results, pull)


def along_custom(
    write: Write,
    back: Back,
    builder: Builder,
    node: Node,
    inputs: Sequence[Value],
    tangents: Sequence[Value | None],
) -> tuple[Sequence[Value], list[Value | None]]:
    """Write a function, and its tangents by its own rule."""
    _check_captured(node, [t is not None for t in tangents])
    results = builder.copy(node, inputs, [copied_region(x) for x in node.regions])
    pairs = picked(zip(inputs, tangents, strict=True), _arguments(node))
    given = [zeros(builder, x) if t is None else spread(builder, t, x) for x, t in pairs]
    after = [is_inexact(y.spec) for y in results]
    if node.attrs["mode"] == "jvp":
        return results, spread_out(write(builder, node.regions[1], [*inputs, *given]), after)
    # What a rule for going back does to cotangents is linear; going back through it goes forward.
    start = [zeros(builder, y) for y in picked(results, after)]
    asked = [False] * len(inputs) + [True] * len(start)
    found = back(builder, node.regions[1], [*inputs, *start], asked, given)
    return results, spread_out(found[len(inputs) :], after)


def _arguments(node: Node) -> list[bool]:
    """Return which operands are arguments of floats or complex numbers."""
    count = node.attrs["count"]
    return [k < count and is_inexact(x.spec) for k, x in enumerate(node.inputs)]


def _check_captured(node: Node, wanted: Sequence[bool]) -> None:
    if any(wanted[node.attrs["count"] + node.attrs["free"] :]):
        raise refusal(
            node,
            f"{node.attrs['label'] or 'a function'} has a derivative of its own, and uses a value "
            "from outside that is differentiated by; pass it as an argument",
        )
