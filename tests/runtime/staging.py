"""A helper of tests: trace a function of arrays into a graph, and run it by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime import default_graph
from runtime.dispatch import as_value
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.spec import TensorSpec, spec_of
from runtime.tensor import Symbol


def trace(function: Callable[..., Any], specs: Sequence[TensorSpec]) -> Graph:
    """Return the graph of a function of tensors with the given specs."""
    builder = Builder()
    params = [builder.param(spec) for spec in specs]
    with default_graph.building(builder):
        symbols = [Symbol(builder, value) for value in params]
        for symbol in symbols:
            symbol.is_param = True
        found = function(*symbols)
        results = found if isinstance(found, tuple) else (found,)
        values = [as_value(builder, value) for value in results]
    return builder.seal(params, values)


def unknown(spec: TensorSpec) -> TensorSpec:
    """Return a spec with every size unknown; Python scalars have none."""
    if spec.weak:
        return spec
    assert spec.shape is not None
    return TensorSpec([None] * len(spec.shape), spec.dtype)


def staged(function: Callable[..., Any], *arrays: Any, open_sizes: bool = False) -> Any:
    """Trace a function for the given arrays, interpret the graph and return its results."""
    specs = [spec_of(array) for array in arrays]
    graph = trace(function, [unknown(spec) for spec in specs] if open_sizes else specs)
    found = interpret(graph, [np.array(x) if np.ndim(x) else x for x in arrays], np)
    return found if len(graph.results) != 1 else found[0]


def ops_of(graph: Graph) -> list[str]:
    """Return the names of the ops of a graph, but for constants."""
    return [node.op.name for node in graph.nodes if node.op.name != "constant"]
