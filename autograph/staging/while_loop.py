"""Staged `while` loops: a condition and a body over one state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.staging.carried import initial_values
from autograph.staging.loop import Loop
from autograph.staging.region import NoState, Region, State, union_of_captures
from runtime import default_graph
from runtime.dispatch import as_value, value_of
from runtime.graph.node import Graph, Value
from runtime.ops import control as ops

NOTHING = NoState()


def stage_while(
    test: Callable[[], Any],
    body: Callable[[], Any],
    state: State = NOTHING,
    label: str | None = None,
    quiet: bool = False,
) -> None:
    """Stage a `while` loop.

    Args:
        test: the condition, a function of the state.
        body: one round.
        state: the variables that the body assigns.
        label: the user's name of the loop.
        quiet: whether NumPy does not warn in it.

    Raises:
        LoopStateError: a variable changes in a way that one state cannot hold.
    """
    loop = Loop(state, (), body)
    test_region = loop.trace_test(test)
    region, builder = loop.region, loop.builder
    results = loop.body_results()
    boxes = [symbol for symbol, _ in region.writes]
    outer = [builder.resolve(value_of(symbol)) for symbol in boxes]
    carry = [*initial_values(loop.carried, builder), *outer]
    truth = _value_in(test_region, test_region.result)
    captures = union_of_captures([test_region, region], but=outer)
    graphs = (
        _seal(test_region, outer, [truth], captures),
        _seal(region, outer, [*results, *(new for _, new in region.writes)], captures),
    )
    inputs = (*carry, *captures)
    attrs = {"carry": len(carry), "label": label, "quiet": quiet}
    found = builder.emit(ops.while_loop, inputs, attrs, graphs)
    loop.finish(found, boxes)


def _value_in(region: Region, result: Any) -> Value:
    """Return the graph value of a result of a region that is still open."""
    with default_graph.building(region.builder):
        return region.builder.resolve(as_value(region.builder, result))


def _seal(
    region: Region, boxes: Sequence[Value], results: Sequence[Value], captures: Sequence[Value]
) -> Graph:
    params = [*region.params, *map(region.builder.resolve, boxes)]
    return region.builder.seal(params, results, captures)
