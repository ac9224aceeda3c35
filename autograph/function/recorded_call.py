"""Calls of staged functions that tapes look at: one step, which goes back as a graph.

Comes in: a graph, what it was given and what it gave. Goes out: a note to the tapes. What goes back
through a call is the derivative of its graph, compiled once; to run that is such a call again. What
was drawn at random, or returned by Python, is kept from the call: it does not happen again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from autograph.lazy import lazy
from runtime import lower
from runtime.active_tapes import RECORDERS
from runtime.autodiff.dependence import is_inexact
from runtime.autodiff.hoisted_effects import done_apart, has_seen
from runtime.autodiff.reverse import back_region
from runtime.autodiff.values import zeros
from runtime.backends.backend import Backend
from runtime.graph.builder import Builder
from runtime.graph.node import Graph
from runtime.ops.movement import assigned
from runtime.passes.rewriter import in_regions
from runtime.signature import Signature, there
from runtime.subscripts import writable
from runtime.tensor import Tensor


class Differentiable:
    """A graph that is called, with its derivatives.

    Args:
        graph: closed.
        backend: where it runs.
    """

    def __init__(self, graph: Graph, backend: str | Backend) -> None:
        self._count = len(graph.results)
        self._done, self._again = done_apart(graph) if has_seen(graph) else (graph, graph)
        self._backend = backend
        self._backs: dict[tuple[tuple[bool, ...], tuple[bool, ...]], Differentiable] = {}

    @lazy
    def _executable(self) -> Any:
        return lower.compile.compile_graph(self._done, backend=self._backend)

    def run(self, given: Sequence[Any], names: Sequence[Any]) -> list[Any]:
        """Run, and tell the tapes; return the results as arrays.

        Args:
            given: arrays and numbers.
            names: what tapes know them by.
        """
        found = [as_array(x) for x in self._executable.run(*given)]
        results, saved = found[: self._count], found[self._count :]
        pull = partial(self._pull, [*given, *saved], [*names, *saved])
        for recorder in RECORDERS.active:
            recorder.called(names, results, pull)
        return results

    def _pull(
        self,
        given: Sequence[Any],
        names: Sequence[Any],
        cotangents: Sequence[Tensor | None],
        wanted: Sequence[bool],
    ) -> list[Tensor | None]:
        """Go back through a call."""
        specs = [x.spec for x in self._again.results]
        asked = [g is not None and is_inexact(x) for g, x in zip(cotangents, specs, strict=True)]
        params = self._again.params[: len(wanted)]
        live = [w and is_inexact(x.spec) for w, x in zip(wanted, params, strict=True)]
        back = self._back(tuple(live), tuple(asked))
        seeds = [g.array for g, use in zip(cotangents, asked, strict=True) if g is not None and use]
        found = iter(back.run([*given, *seeds], [*names, *seeds]))
        return [Tensor(next(found)) if is_live else None for is_live in live]

    def _back(self, wanted: tuple[bool, ...], asked: tuple[bool, ...]) -> Differentiable:
        """Return the graph that goes back, from the operands and some cotangents."""
        known = self._backs.get((wanted, asked))
        if known is None:
            builder, graph = Builder(), self._again
            params = [builder.param(x.spec, x.name) for x in graph.params]
            pairs = zip(graph.results, asked, strict=True)
            given = [
                builder.param(x.spec.with_shape(x.spec.shape)) if use else None for x, use in pairs
            ]
            rest = [False] * (len(params) - len(wanted))
            found = back_region(builder, graph, params, [*wanted, *rest], given)
            rows = zip(params, found, wanted, strict=False)
            results = [zeros(builder, x) if g is None else g for x, g, live in rows if live]
            closed = builder.seal([*params, *(g for g in given if g is not None)], results)
            known = self._backs[wanted, asked] = Differentiable(closed, self._backend)
        return known


def _ending(graph: Graph) -> Graph:
    nodes = [replace(x, attrs={"ends": True}) if x.op is assigned else x for x in graph.nodes]
    return replace(graph, nodes=tuple(nodes))


with_ends = in_regions(_ending)
"""Returns a graph whose derivatives end where variables are assigned, as those of tapes do."""


def followed(signature: Signature, arguments: Sequence[Any]) -> list[Any] | None:
    """Return what tapes know the operands of a graph by; None if no tape follows one.

    MutationError if the function writes what a tape may need as it was.
    """
    names = [*arguments]
    for variable in there(signature.reads):
        tensor = Tensor(variable.held)
        variable.tell(tensor)
        names.append(tensor.array)
    names += there(signature.arrays)
    if not any(recorder.follows(x) for recorder in RECORDERS.active for x in names):
        return None
    for position in signature.writes:
        writable(arguments[position])
    return names


def as_array(value: Any) -> Any:
    """Return a result as an array, by which tapes know it."""
    return np.asarray(value) if isinstance(value, np.generic | int | float | complex) else value
