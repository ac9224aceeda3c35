"""Reverse mode: going back through a graph, from the cotangents of results to those of operands.

`Reverse` writes a graph once more into a builder, and then, for given cotangents of its results,
what gives those of its parameters. A node with regions goes back by its own rule, one file for each
kind: its regions compute again what they need (nothing that is seen outside is done twice).

The method is the usual one (Griewank and Walther, Evaluating Derivatives, 2008), on graphs with
regions as in JAX (Radul et al., You Only Linearize Once, 2023), but without linearising first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from runtime.autodiff.branches import back_through_branch, back_through_try
from runtime.autodiff.call_rules import (
    back_through_again,
    back_through_call,
    back_through_inline,
)
from runtime.autodiff.custom import back_through_custom
from runtime.autodiff.dependence import is_inexact, varied_values
from runtime.autodiff.loops import back_through_loop
from runtime.autodiff.tape import BackFunction, Entry, Pull, Tape, is_silent
from runtime.autodiff.transpose import back_by_transpose
from runtime.autodiff.values import (
    Sums,
    application,
    asked,
    converted,
    known_number,
    known_shape,
    refusal,
    rule_of,
    write_region,
)
from runtime.default_graph import building
from runtime.dispatch import as_value
from runtime.dtypes import python_type
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import NOT_DIFFERENTIABLE, Derivative, Form
from runtime.tensor import Symbol

Cotangents: TypeAlias = Sequence[Value | float | None]

FORMS: dict[Form | None, Callable[[Tape, Node, Sequence[Value]], Entry]] = {
    Form.COND: back_through_branch,
    Form.SWITCH: back_through_branch,
    Form.TRY: back_through_try,
    Form.WHILE: back_through_loop,
    Form.REDUCE: back_through_loop,
    Form.CUSTOM: back_through_custom,
    Form.CALL: back_through_call,
    Form.CALL_AGAIN: back_through_again,
    Form.STEP: back_through_inline,
    Form.CHECKPOINT: back_through_inline,
    Form.CHAIN: back_through_inline,
}
"""How one goes back through nodes with regions, and calls."""
NO_FUNCTIONS: Mapping[str, BackFunction] = {}
NOTHING_KEPT: Mapping[Value, Value] = {}


class Reverse:
    """A graph that is written once more, and what goes back through it.

    Args:
        builder: where it is written.
        graph: is not changed.
        given: what stands for its parameters.
        wanted: for which parameters cotangents may be asked.
        is_again: whether it was computed before: what is seen outside is not done again.
        functions: those around it, by their names.
        in_chunks: whether loops are to keep little.
        varied: the values whose cotangents may be asked, with what follows them; those that follow
            the wanted parameters if not given.
        kept: values of the graph that need not be computed again, and what they are.

    Attributes:
        results: what stands for the results of the graph.
        values: what stands for each of its values.
        last: for each of its nodes the last node that was written for it.
    """

    def __init__(
        self,
        builder: Builder,
        graph: Graph,
        given: Sequence[Value],
        wanted: Sequence[bool],
        is_again: bool = False,
        functions: Mapping[str, BackFunction] = NO_FUNCTIONS,
        in_chunks: bool = False,
        varied: Set[Value] | None = None,
        kept: Mapping[Value, Value] = NOTHING_KEPT,
    ) -> None:
        builder.reserve(graph)
        self.builder = builder
        back = partial(back_region, functions=functions, in_chunks=in_chunks)
        self.tape = Tape(builder, back, write_region, is_again, functions, in_chunks)
        self._params = tuple(map(builder.resolve, given))
        self._entries: list[Entry] = []
        self._known: dict[Value, object] = {}
        env = dict(zip(graph.params, self._params, strict=True))
        self.last: list[Node] = []
        if varied is None:
            varied = varied_values(graph, dict(zip(graph.params, wanted, strict=True)))
        for node in graph.nodes:
            inputs = [env[x] for x in node.inputs]
            if is_again and is_silent(node):
                continue
            follows = [x in varied for x in node.inputs]
            goes_on = any(x in varied and is_inexact(x.spec) for x in node.results)
            is_varied = any(follows) and goes_on and node.op.derivative is not NOT_DIFFERENTIABLE
            if kept and node.results and all(x in kept for x in node.results):
                entry = self._entry(node, inputs, [kept[x] for x in node.results])
            else:
                own = {k: kept[x] for k, x in enumerate(node.results) if x in kept}
                entry = self._write(node, inputs, is_varied, own)
                self.last.append(builder.nodes[-1])
            if is_varied:
                entry.wanted = follows
                self._entries.append(entry)
            pairs = zip(node.results, entry.results, strict=True)
            env.update((x, kept.get(x, made)) for x, made in pairs)
            self._known.update((env[x], held) for x, held in known_number(node).items())
        self.values = env
        self.results = tuple(env[x] for x in graph.results)
        self._varied = [x in varied for x in graph.results]

    def _write(
        self, node: Node, inputs: Sequence[Value], is_varied: bool, kept: Mapping[int, Value]
    ) -> Entry:
        """Append a node, and return how one goes back through it; of some results it is known."""
        if self.tape.is_again and node.op.effect not in (None, "check"):
            raise refusal(
                node,
                f"{node.op.name} would be done twice, when what a loop or branch needs of "
                "its rounds is computed again",
            )
        rule = FORMS.get(node.op.form)
        if rule is not None and (is_varied or rule is back_through_again):
            return rule(replace(self.tape, kept=kept) if kept else self.tape, node, inputs)
        results = self.builder.copy(node, inputs, [*map(self.tape.copied, node.regions)])
        return self._entry(node, inputs, results)

    def _entry(self, node: Node, inputs: Sequence[Value], results: Sequence[Value]) -> Entry:
        pull, derivative = self._pull(node, inputs, results), node.op.derivative
        rule = derivative if isinstance(derivative, Derivative) else None
        return Entry(node, inputs, results, pull, rule)

    def _pull(self, node: Node, inputs: Sequence[Value], results: Sequence[Value]) -> Pull:
        builder = self.builder

        def pull(cotangents: Sequence[Value | None], wanted: Sequence[bool]) -> Sequence[object]:
            rule = rule_of(node)
            if rule.vjp is None:
                values = (inputs, results)
                return back_by_transpose(
                    builder, node, values, cotangents, wanted, self._known, back_region
                )
            call = application(builder, node, inputs, results, wanted, self._known)
            known = self._known if rule.is_elementwise or rule.takes_small else {}
            given = [None if g is None else known.get(g, Symbol(builder, g)) for g in cotangents]
            found: Sequence[object] = asked(node, rule.vjp, call, given)
            return found

        return pull

    def back(self, cotangents: Cotangents, onto: Cotangents = ()) -> list[Value | None]:
        """Write what goes back; return the cotangents of the parameters, None for zero.

        Args:
            cotangents: of the results; a number stands for one that is known.
            onto: cotangents of the parameters that those found are added to.
        """
        sums = Sums(self.builder, self._known)
        for param, start in zip(self._params, onto, strict=False):
            sums.add(param, start)
        self._go_back(sums, cotangents, {})
        return [sums.take(x) if is_inexact(x.spec) else None for x in self._params]

    def back_to(self, cotangents: Cotangents, sources: Sequence[Value]) -> list[Value | None]:
        """Write what goes back; return the cotangents of some values of the graph."""
        sums = Sums(self.builder, self._known)
        kept: dict[Value, Value | None] = dict.fromkeys(self.values[x] for x in sources)
        self._go_back(sums, cotangents, kept)
        kept.update((x, sums.take(x)) for x, g in kept.items() if g is None)
        return [kept[self.values[x]] for x in sources]

    def _go_back(self, sums: Sums, cotangents: Cotangents, kept: dict[Value, Value | None]) -> None:
        """Go back from the results; those of the values that are kept are entered there."""
        pairs = zip(self.results, cotangents, self._varied, strict=True)
        for result, g, is_varied in pairs:
            if g is not None and is_varied:
                sums.add(result, self._seed(result, g))
        for entry in reversed(self._entries):
            if entry.node.op.copies and entry.results[0] not in kept:
                sums.hand_on(entry.results[0], entry.inputs[0])
                continue
            found = [sums.take(x, not entry.takes_small or x in kept) for x in entry.results]
            if any(g is not None for g in found):
                rows = zip(entry.results, found, strict=True)
                kept.update((x, g) for x, g in rows if x in kept)
                self._add(sums, entry, found)

    def _seed(self, result: Value, g: Value | float) -> Value:
        """Return the cotangent of a result, in its dtype; a number is known."""
        builder = self.builder
        if isinstance(g, Value):
            made = known_shape(builder, builder.resolve(g), result)
            return converted(builder, made, result.spec)
        with building(builder):
            made = as_value(
                builder,
                python_type(result.spec.dtype)(g)
                if result.spec.weak
                else result.spec.dtype.type(g),
            )
        self._known[made] = g
        return made

    def _add(self, sums: Sums, entry: Entry, cotangents: Sequence[Value | None]) -> None:
        """Add what a node contributes to the cotangents of its operands."""
        builder = self.builder
        place, builder.place = builder.place, entry.node.location or builder.place
        try:
            with building(builder):
                onto = [lambda k: sums.so_far(entry.inputs[k])] if entry.threads else []
                parts = entry.pull(cotangents, entry.wanted, *onto)
                for value, part, wanted in zip(entry.inputs, parts, entry.wanted, strict=True):
                    if wanted:
                        sums.add(value, part, entry)
        finally:
            builder.place = place


def back_region(
    builder: Builder,
    region: Graph,
    given: Sequence[Value],
    wanted: Sequence[bool],
    cotangents: Cotangents,
    onto: Cotangents = (),
    functions: Mapping[str, BackFunction] | None = None,
    in_chunks: bool = False,
    kept: Mapping[Value, Value] = NOTHING_KEPT,
) -> list[Value | None]:
    """Write what goes back through a region that was computed before; see `Reverse.back`."""
    functions = functions or NO_FUNCTIONS
    found = Reverse(builder, region, given, wanted, True, functions, in_chunks, kept=kept)
    return found.back(cotangents, onto)
