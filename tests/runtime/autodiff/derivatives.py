"""A helper of tests: both modes of the derivative of one call of an op, and what they should be."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.autodiff.forward import push
from runtime.autodiff.reverse import Reverse
from runtime.autodiff.values import zeros
from runtime.dispatch import apply
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph, Value
from runtime.graph.opdef import OpDef
from runtime.graph.verify import verify
from runtime.spec import spec_of
from tests.runtime.staging import trace, unknown


def op_graph(op: OpDef, operands: Sequence[Any], attrs: Any, open_sizes: bool = False) -> Graph:
    """Return the graph of one call of an op."""
    specs = [spec_of(x) for x in operands]
    specs = [unknown(spec) for spec in specs] if open_sizes else specs
    return trace(lambda *xs: apply(op, xs, **attrs), specs)


def inexact(values: Sequence[Any]) -> list[bool]:
    """Return which arrays and numbers are floats or complex."""
    return [spec_of(x).dtype.kind in "fc" for x in values]


def forward_graph(graph: Graph, given: Sequence[bool]) -> Graph:
    """Return the graph of the tangents of all results, of those of some parameters."""
    builder = Builder()
    params = [builder.param(x.spec) for x in graph.params]
    tangents = [builder.param(x.spec) if g else None for x, g in zip(params, given, strict=True)]
    results, found = push(builder, graph, params, tangents)
    made = filled(builder, results, found)
    whole = builder.seal([*params, *(t for t in tangents if t is not None)], made)
    verify(whole)
    return whole


def reverse_graph(graph: Graph, wanted: Sequence[bool]) -> Graph:
    """Return the graph of the cotangents of some parameters, of those of all results."""
    builder = Builder()
    params = [builder.param(x.spec) for x in graph.params]
    reverse = Reverse(builder, graph, params, wanted)
    given = [builder.param(x.spec) for x in graph.results]
    found = reverse.back(given)
    made = filled(builder, params, found)
    results = [g for g, is_wanted in zip(made, wanted, strict=True) if is_wanted]
    whole = builder.seal([*params, *given], results)
    verify(whole)
    return whole


def filled(builder: Builder, likes: Sequence[Value], found: Sequence[Value | None]) -> list[Value]:
    """Return tangents or cotangents with zeros for None."""
    return [zeros(builder, x) if g is None else g for x, g in zip(likes, found, strict=True)]


def like(rng: np.random.Generator, x: Any) -> Any:
    """Return a random tangent or cotangent of an array or a number."""
    drawn = rng.normal(size=np.shape(x))
    if spec_of(x).dtype.kind == "c":
        drawn = drawn + 1j * rng.normal(size=np.shape(x))
    if spec_of(x).weak:
        return type(x)(drawn)
    return np.asarray(drawn).astype(spec_of(x).dtype)[()]


def central(function: Callable[..., Any], x: Sequence[Any], t: Sequence[Any], e: float) -> Any:
    """Return the derivative in a direction by differences to both sides."""
    above = function(*(a if b is None else a + e * b for a, b in zip(x, t, strict=True)))
    below = function(*(a if b is None else a - e * b for a, b in zip(x, t, strict=True)))
    return [(np.asarray(p) - np.asarray(q)) / (2 * e) for p, q in zip(above, below, strict=True)]


def run(graph: Graph, *arrays: Any) -> tuple[Any, ...]:
    """Interpret a graph, with arrays that it may not write."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return interpret(graph, [np.array(x) if np.ndim(x) else x for x in arrays], np)
