"""States of a loop whose sizes differ from round to round, kept one behind the other.

Rows of one size are stacked by the loop itself. A list that grows has another size in each round:
where what goes back needs all of its items, the loop is run once more, writes them behind each
other into an array with room, and says where each begins.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import runtime.numpy as rnp
from runtime.autodiff.sizes import unknown_axes
from runtime.autodiff.values import write_region
from runtime.default_graph import building
from runtime.dispatch import apply, as_value
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, attrs_for
from runtime.ops.control import cond, reduce
from runtime.ops.elementwise import to_int, truth
from runtime.ops.indexing import index, update
from runtime.ops.movement import dim, reshape
from runtime.spec import UNKNOWN, WEAK_SPECS, make_spec
from runtime.tensor import Symbol

INT = WEAK_SPECS[int]
SPAN = {"key": "?:?"}


class Ragged(NamedTuple):
    """What is kept of a state: the items of all rounds, and where those of each begin."""

    items: Value
    begins: Value


def is_ragged(loop: Loop, place: int) -> bool:
    """Tell whether a part of the state may have another shape after a round."""
    before, after = loop.carried[place].param, loop.carried[place].next
    shape = after.spec.shape
    if before.spec.shape is None or shape is None:
        return True
    sizes = [(before.spec.shape[k], shape[k]) for k in unknown_axes(before)]
    return any(a == UNKNOWN or a != b for a, b in sizes)


def kept_ragged(
    builder: Builder, loop: Loop, body: Graph, operands: Sequence[Value], places: Sequence[int]
) -> list[Ragged]:
    """Run a loop once more; return what is kept of some parts of its state.

    Args:
        builder: where it is written.
        loop: counts.
        body: its rounds, to be run again.
        operands: of the loop.
        places: those parts of the state.
    """
    given = loop.layout.split(operands)
    with building(builder):
        begun: list[Value] = []
        for k in places:
            begun += [as_value(builder, rnp.zeros(0, loop.carried[k].param.spec.dtype))]
            begun += [as_value(builder, 0)]
    inputs = replace(given, carried=(*given.carried, *begun))
    region = _writing(builder, loop, body, begun, places)
    attrs = attrs_for(loop.node, inputs)
    _, made = loop.layout.outputs(
        builder.emit(reduce, [*inputs], attrs, [region], loop.node.location)
    )
    ends = made[: len(begun) : 2]
    return [Ragged(*x) for x in zip(ends, made[len(made) - len(places) :], strict=True)]


def _writing(
    outer: Builder, loop: Loop, body: Graph, begun: Sequence[Value], places: Sequence[int]
) -> Graph:
    """Return a round that writes some of its state into arrays, and gives where that begins."""
    builder = Builder(beside=outer)
    builder.reserve(body)
    own = [builder.param(x.spec, x.name) for x in body.params]
    more = [builder.param(x.spec.with_shape((UNKNOWN,)) if x.spec.rank else INT) for x in begun]
    parts = loop.layout.split(own)
    found = write_region(builder, body, own)
    after, rows = loop.layout.outputs(found)
    ends, starts = [], []
    with building(builder):
        for items, start, k in zip(more[::2], more[1::2], places, strict=True):
            flat: Any = rnp.reshape(Symbol(builder, parts.carried[k]), (-1,))
            begin: Any = Symbol(builder, start)
            end = begin + apply(dim, (flat,), axis=0)
            grown = Symbol(builder, _with_room(builder, items, as_value(builder, end)))
            ends += [as_value(builder, apply(update, (grown, flat, begin, end), **SPAN))]
            ends += [as_value(builder, end)]
            starts.append(start)
    params = [*parts.head, *parts.carried, *more, *parts.sequences, *parts.captured]
    return builder.seal(params, [*after, *ends, *rows, *starts])


def _with_room(builder: Builder, items: Value, end: Value) -> Value:
    """Return an array that has at least so many items; room is made for as many once more."""
    larger, same = Builder(beside=builder), Builder(beside=builder)
    own, size = larger.param(items.spec), larger.param(end.spec)
    with building(larger):
        more = rnp.zeros(Symbol(larger, size), items.spec.dtype)
        longer = as_value(larger, rnp.concatenate((Symbol(larger, own), more)))
    kept = same.param(items.spec)
    arms = [larger.seal([own, size], [longer]), same.seal([kept, same.param(end.spec)], [kept])]
    with building(builder):
        room: Any = apply(dim, (Symbol(builder, items),), axis=0)
        test = as_value(builder, apply(truth, (Symbol(builder, end) > room,)))
    return builder.emit(cond, [test, items, end], cond.attributes({}), arms)[0]


def unpacked(outer: Builder, body: Graph, states: Mapping[Value, Mapping[int, Value]]) -> Graph:
    """Return a round that takes some of its parameters from what is kept of them.

    Args:
        outer: where it is written.
        body: the round.
        states: those parameters, each with the parameters that are its unknown sizes, by the axis.
            In their places stand where they begin; the items are the last parameters.
    """
    builder = Builder(beside=outer)
    builder.reserve(body)
    begin_spec = make_spec(INT.dtype, ())
    own = {x: builder.param(begin_spec if x in states else x.spec, x.name) for x in body.params}
    items = [builder.param(x.spec.with_shape((UNKNOWN,))) for x in states]
    given = dict(own)
    for (x, axes), array in zip(states.items(), items, strict=True):
        with building(builder):
            start: Any = apply(to_int, (Symbol(builder, own[x]),))
            sizes = [apply(to_int, (Symbol(builder, own[k]),)) for k in axes.values()]
            known = [n for n in x.spec.shape or () if isinstance(n, int)]
            end = start + functools.reduce(operator.mul, [*sizes, *known])
            flat = apply(index, (Symbol(builder, array), start, end), **SPAN)
            operands = [as_value(builder, n) for n in (flat, *sizes)]
        shape = tuple(None if k in axes else n for k, n in enumerate(x.spec.shape or ()))
        # Its unknown sizes have the names that they have in the round.
        node = Node(reshape, tuple(operands), {"shape": shape}, (), (Value(x.spec),), None)
        (given[x],) = builder.copy(node, operands, ())
    found = write_region(builder, body, [given[x] for x in body.params])
    return builder.seal([*own.values(), *items], found)
