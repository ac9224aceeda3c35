"""Going back through loops, and along them.

A loop that counts goes back as a loop that counts, in the other order. Its rounds compute again
what a round computed, from the state at its beginning, which the loop stacks on its way, as it does
some other values (`kept_values`); they carry the cotangents of the state, and of what all rounds
use; those of sequences are stacked.

A loop that tests is counted; what goes back is that of the loop of so many rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from runtime.autodiff.choosing import is_there, picked, spread_out
from runtime.autodiff.chunks import can_be_chunked, in_chunks
from runtime.autodiff.dependence import NONE, ONE, live_params, results_of
from runtime.autodiff.kept_values import kept_values
from runtime.autodiff.ragged import is_ragged, kept_ragged, unpacked
from runtime.autodiff.sizes import unknown_axes, with_known_sizes, with_sizes_of
from runtime.autodiff.summed_products import split_off, summed
from runtime.autodiff.tape import Entry, Onto, Tape
from runtime.autodiff.told_reads import Told, counting
from runtime.autodiff.values import converted, refusal, zeros
from runtime.default_graph import building
from runtime.dispatch import as_value
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, Parts
from runtime.ops.control import reduce
from runtime.ops.streams import DATASET
from runtime.passes.dce import remove_unseen
from runtime.spec import WEAK_SPECS, join_specs, make_spec

SIZE = make_spec(WEAK_SPECS[int].dtype, ())
Cotangents: TypeAlias = Sequence[Value | None]


def back_through_loop(tape: Tape, node: Node, inputs: Sequence[Value]) -> Entry:
    """Write a loop; what goes back is written when it is asked for."""
    loop = Loop(node)
    if loop.test is not None:
        return _back_through_while(tape, loop, inputs)
    if loop.operands.head[0].spec == DATASET:
        raise refusal(node, "a loop over a dataset has no derivative yet")
    if tape.in_chunks and can_be_chunked(loop):
        return _back_in_chunks(tape, loop, inputs)
    told = Told(loop)
    loop = told.loop
    states = [x.param for x in loop.carried]
    others = list(dict.fromkeys([*kept_values(loop, told.reads), *told.counts]))
    rows = [x for k, x in enumerate(states) if not is_ragged(loop, k)]
    body = replace(loop.body, results=(*loop.body.results, *rows, *others))
    body = with_sizes_of(body, states)
    made = tape.builder.copy(node, inputs, [tape.copied(body)])
    results, kept = made[: len(node.results)], made[len(node.results) :]

    def pull(cotangents: Cotangents, wanted: Sequence[bool], onto: Onto) -> list[Value | None]:
        back = _Back(tape, loop, cotangents, wanted, others)
        return back.emit(loop.layout.split(inputs), results, kept, onto)

    return Entry(node, inputs, results, pull, threads=True)


def _back_in_chunks(tape: Tape, loop: Loop, inputs: Sequence[Value]) -> Entry:
    """Write a loop as one over chunks, which keep their own states only while one goes back."""
    outer = in_chunks(tape.builder, loop, inputs)
    entry = back_through_loop(tape.whole(), outer, outer.inputs)

    def pull(cotangents: Cotangents, wanted: Sequence[bool]) -> Sequence[object]:
        found = entry.pull(cotangents, [False, *wanted[1:], False, False], _nothing)
        return [None, *found[1 : len(inputs)]]

    return Entry(loop.node, inputs, entry.results, pull)


def _back_through_while(tape: Tape, loop: Loop, inputs: Sequence[Value]) -> Entry:
    """Write a loop that tests, to count its rounds, and one of so many rounds, which gives results.

    Of the first one only what its test needs is left, if nothing else of it is seen.
    """
    count = tape.kept.get(len(loop.node.results) - 1)
    if count is None:
        count = _count(tape, loop, inputs)
    own = replace(tape, is_again=True, kept={})
    entry = back_through_loop(own, _counted(loop), [count, *inputs])

    def pull(cotangents: Cotangents, wanted: Sequence[bool], onto: Onto) -> Sequence[object]:
        rest = [lambda k: onto(k - 1)] if entry.threads else []
        return entry.pull(cotangents, [False, *wanted], *rest)[1:]

    return Entry(loop.node, inputs, entry.results, pull, threads=True)


def _nothing(place: int) -> None:
    """Say that nothing was found so far."""


def _count(tape: Tape, loop: Loop, inputs: Sequence[Value]) -> Value:
    """Write a loop that tests, to count its rounds; return their number."""
    builder, given = tape.builder, loop.layout.split(inputs)
    with building(builder):
        start = as_value(builder, 0)
    node = counting(loop.node, start)
    operands = replace(given, carried=(*given.carried, start))
    return builder.copy(node, [*operands], [*map(tape.copied, node.regions)])[-1]


def _counted(loop: Loop) -> Node:
    """Return the loop of a number of rounds that a loop that tests is; it has no operands yet."""
    node, body = loop.node, loop.body
    attrs = reduce.attributes({"carry": len(loop.carried), "sequences": 0, "label": label_of(node)})
    counted = Graph((Value(WEAK_SPECS[int]), *body.params), body.nodes, body.results)
    results = tuple(Value(x.spec) for x in node.results)
    inputs = (Value(WEAK_SPECS[int]), *node.inputs)
    return Node(reduce, inputs, attrs, (counted,), results, node.location)


def label_of(node: Node) -> str | None:
    """Return the user's name of a loop."""
    found = node.attrs.get("label")
    return found if isinstance(found, str) else None


class _Round(NamedTuple):
    """A round that goes back.

    Args:
        body: has parameters for the number of the round, cotangents, states, other kept values,
            sizes, elements, cotangents of rows, and what is captured.
        states: those that are the state at the beginning of the round.
        sizes: those that are sizes of it, by the place of the part and the axis.
    """

    body: Graph
    states: Sequence[Value]
    sizes: Mapping[tuple[int, int], Value]


class _Back:
    """The loop that goes back through a loop that counts.

    Args:
        tape: where it is written.
        loop: as it was.
        cotangents: of its results.
        wanted: the operands whose cotangents are asked for.
        others: the values of a round that are kept, besides its state.
    """

    def __init__(
        self,
        tape: Tape,
        loop: Loop,
        cotangents: Cotangents,
        wanted: Sequence[bool],
        others: Sequence[Value],
    ) -> None:
        self.tape, self.others = tape, others
        self.loop = loop
        self.layout = loop.layout
        follows = [ONE if is_wanted else NONE for is_wanted in wanted]
        varied = list(map(bool, results_of(loop.node, follows)))
        self.final, self.rows = self.layout.outputs(
            [g if x else None for g, x in zip(cotangents, varied, strict=True)]
        )
        chosen = replace(self.layout.split(wanted), carried=self.layout.outputs(varied)[0])
        self.asked, live = self._circulating([*chosen])
        self.live = self.layout.split(live)

    def _circulating(self, wanted: Sequence[bool]) -> tuple[list[bool], list[bool]]:
        """Return which parts of the state have cotangents in some round, and what is live."""
        rows = is_there(self.rows)
        asked = is_there(self.final)
        while True:
            live = live_params(self.loop.body, wanted, [*asked, *rows])
            after = [a or b for a, b in zip(asked, self.layout.split(live).carried, strict=True)]
            if after == asked:
                return asked, live
            asked = after

    def emit(
        self, given: Parts[Value], results: Sequence[Value], kept: Sequence[Value], onto: Onto
    ) -> list[Value | None]:
        """Write the loop; return the cotangents of the operands.

        Args:
            given: the operands of the loop that it goes back through.
            results: what that loop gave.
            kept: the state at the beginning of its rounds, but for what is ragged, other values,
                and sizes, stacked.
            onto: gives what was found so far of the cotangents of what all rounds use.
        """
        builder = self.tape.builder
        finals = picked(zip(self.final, results, strict=False), self.asked)
        carried = [zeros(builder, final) if g is None else g for g, final in finals]
        carried = [
            converted(builder, builder.resolve(g), final.spec)
            for g, (_, final) in zip(carried, finals, strict=True)
        ]
        rows = [g for g in self.rows if g is not None]
        sums, rest = self._written(given, carried, [*kept, *given.sequences, *rows], onto)
        ends, made = iter(sums), iter(rest)
        found = Parts(
            (None,),
            tuple(next(made) if is_asked else None for is_asked in self.asked),
            (),
            tuple(next(ends) if is_live else None for is_live in self.live.captured),
        )
        stacked = tuple(next(made) if is_live else None for is_live in self.live.sequences)
        return [*replace(found, sequences=stacked)]

    def _written(
        self,
        given: Parts[Value],
        carried: Sequence[Value],
        sequences: Sequence[Value],
        onto: Onto,
    ) -> tuple[list[Value], list[Value]]:
        """Write the loop; return the sums of what all rounds use, and what else it gives."""
        builder, node = self.tape.builder, self.loop.node
        body, sequences, items = self._with_ragged(self._body(), given, sequences)
        first, count = len(given.head) + len(carried), len(carried)
        places = range(len([*given]) - len(given.captured), len([*given]))
        sums = picked(zip(places, given.captured, strict=True), self.live.captured)
        elements = body.params[first + len(sums) : first + len(sums) + len(sequences)]
        split = split_off(
            body,
            body.params[first : first + len(sums)],
            body.results[count : count + len(sums)],
            elements,
        )
        kept = [x for x, pairs in zip(sums, split.pairs, strict=True) if not pairs]
        begun = [(onto(k), x) for k, x in kept]
        left = [zeros(builder, x) if g is None else g for g, x in begun]
        attrs = reduce.attributes(
            {
                "carry": count + len(left),
                "sequences": len(sequences),
                "length": self.loop.length,
                "label": label_of(node),
                "reverse": not self.loop.reverse,
            }
        )
        operands = [*given.head, *carried, *left, *sequences, *given.captured, *items]
        made = builder.emit(reduce, operands, attrs, [split.body], node.location)
        end = len(made) - len(split.factors)
        rows = dict(zip((*elements, *split.factors), (*sequences, *made[end:]), strict=True))
        own = iter(made[count:])
        found = [
            summed(builder, [(rows[a], rows[b]) for a, b in pairs]) if pairs else next(own)
            for pairs in split.pairs
        ]
        return found, [*made[:count], *made[count + len(left) : end]]

    def _with_ragged(
        self, own: _Round, given: Parts[Value], sequences: Sequence[Value]
    ) -> tuple[Graph, Sequence[Value], list[Value]]:
        """Return a round that gets ragged states in another way, its sequences, and their items."""
        body, loop = own.body, self.loop
        ragged = {k: x for k, x in enumerate(own.states) if is_ragged(loop, k)}
        used = {*(x for node in body.nodes for x in node.inputs), *body.results}
        asked = {k: x for k, x in ragged.items() if x in used}
        gone = {x for x in ragged.values() if x not in used}
        body = replace(body, params=tuple(x for x in body.params if x not in gone))
        if not asked:
            return body, sequences, []
        again = replace(self.tape, is_again=True).copied(loop.body)
        kept = kept_ragged(self.tape.builder, loop, again, [*given], [*asked])
        rows, begins = iter(sequences), iter(x.begins for x in kept)
        left = [k for k in range(len(own.states)) if k in asked or k not in ragged]
        states = [next(begins) if k in asked else next(rows) for k in left]
        sizes = {x: {a: s for (k, a), s in own.sizes.items() if k == j} for j, x in asked.items()}
        return unpacked(self.tape.builder, body, sizes), [*states, *rows], [x.items for x in kept]

    def _body(self) -> _Round:
        """Return the round that goes back through a round."""
        builder, params = Builder(beside=self.tape.builder), self.loop.params
        ends, after = self.layout.outputs([x.spec for x in self.loop.body.results])
        number = [builder.param(x.spec) for x in params.head]
        kinds = [
            join_specs(x.spec, end) or end for x, end in zip(params.carried, ends, strict=True)
        ]
        carried = [builder.param(x) for x in picked(kinds, self.asked)]
        sums = [builder.param(x.spec) for x in picked(params.captured, self.live.captured)]
        states = [builder.param(x.spec.with_shape(x.spec.shape)) for x in params.carried]
        others = {x: builder.param(x.spec.with_shape(x.spec.shape)) for x in self.others}
        asked = [(k, axis) for k, x in enumerate(params.carried) for axis in unknown_axes(x)]
        sizes = [builder.param(SIZE) for _ in asked]
        elements = [builder.param(x.spec, x.name) for x in params.sequences]
        rows = [builder.param(x.with_shape(x.shape)) for x in picked(after, is_there(self.rows))]
        captured = [builder.param(x.spec, x.name) for x in params.captured]

        pairs = zip(states, params.carried, strict=True)
        begin = [converted(builder, x, param.spec) for x, param in pairs]
        own = [converted(builder, x, WEAK_SPECS[int]) for x in sizes]
        known = {(states[k], axis): x for (k, axis), x in zip(asked, own, strict=True)}
        found = self.layout.split(
            self.tape.back(
                builder,
                self.loop.body,
                [*number, *begin, *elements, *captured],
                [*self.live],
                [*spread_out(carried, self.asked), *spread_out(rows, is_there(self.rows))],
                [None] * (len(params.head) + len(begin) + len(elements))
                + spread_out(sums, self.live.captured),
                kept={x: converted(builder, param, x.spec) for x, param in others.items()},
            )
        )
        before = picked(zip(found.carried, begin, strict=True), self.asked)
        gradients = picked(zip(found.sequences, elements, strict=True), self.live.sequences)
        results = [zeros(builder, like) if g is None else g for g, like in before]
        results += [g for g in picked(found.captured, self.live.captured) if g is not None]
        results += [zeros(builder, like) if g is None else g for g, like in gradients]
        kept = [*states, *others.values(), *sizes]
        given = [*number, *carried, *sums, *kept, *elements, *rows, *captured]
        body = remove_unseen(with_known_sizes(builder.seal(given, results), known))
        return _Round(body, states, dict(zip(asked, sizes, strict=True)))
