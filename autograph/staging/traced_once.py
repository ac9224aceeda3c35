"""Functions of ours that are traced once for each kind of arguments; what follows are copies.

Staged containers look for keys and put them in by functions of some lines, which are loops of many
nodes. To trace them anew at each place would take most of the time that a program with dicts needs.
What they give for known arguments is known, and computed by Python as they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from autograph.staging.constants import define_constants
from autograph.staging.context import trace_of
from autograph.staging.deferred_errors import never_failing
from autograph.staging.region import trace_region
from runtime import default_graph, trees
from runtime.dispatch import as_known, as_value
from runtime.errors import InternalError
from runtime.floating_errors import USUAL
from runtime.graph.builder import Builder
from runtime.graph.location import user_location
from runtime.graph.node import Graph, Value
from runtime.graph.walk import walk
from runtime.ops.recursion import open_dims
from runtime.passes.rewriter import copied_region, renamed_sizes, unify_sizes, with_sizes
from runtime.spec import Dim, TensorSpec
from runtime.tensor import Symbol, is_staged
from runtime.union import leaf_spec

MOST = 512
_TRACED: dict[Hashable, tuple[Graph, trees.Structure]] = {}
"""The graphs of functions, and how their results are built, for all traces: `MOST` at most."""


def traced_once(
    function: Callable[..., Any], *args: Any, key: Hashable = None, of_trace: bool = False
) -> Any:
    """Return what a function returns, without tracing it again for arguments of the same types.

    Args:
        function: uses nothing but its arguments, raises nothing, and writes no array of others.
        args: structures of numbers and arrays.
        key: what functions that do the same have in common, if it is not one function.
        of_trace: whether it is another one in each trace.
    """
    builder = default_graph.current()
    assert builder is not None
    leaves, structure = trees.flatten(args)
    if not any(map(is_staged, leaves)):
        return _known(builder, function, leaves, structure)
    specs = tuple(open_dims(leaf_spec(x)) for x in leaves)
    is_usual = builder.reports.now("multiply") == USUAL and not of_trace
    traced = _TRACED if is_usual else trace_of(builder).traced
    key = function if key is None else key, structure, specs
    with never_failing():
        found = traced.get(key)
        if found is None:
            run = lambda *x: function(*trees.unflatten(structure, x))  # noqa: E731
            if len(traced) >= MOST:
                traced.clear()
            traced[key] = found = _traced(builder, run, specs)
        graph, returned = found
        results = _appended(builder, graph, [as_value(builder, x) for x in leaves])
    return trees.unflatten(returned, [Symbol(builder, value) for value in results])


def _known(
    builder: Builder, function: Callable[..., Any], leaves: Sequence[Any], structure: Any
) -> Any:
    """Return what a function returns for known arguments, which it may write."""
    held = [x.known if type(x) is Symbol else x for x in leaves]
    held = [x.copy() if isinstance(x, np.ndarray) else x for x in held]
    with default_graph.building(None):
        found = function(*trees.unflatten(structure, held))
    results, returned = trees.flatten(found)
    return trees.unflatten(returned, [as_known(builder, x) for x in results])


def _traced(
    builder: Builder, function: Callable[..., Any], specs: Sequence[TensorSpec]
) -> tuple[Graph, Any]:
    """Return a function as a graph, and the structure of its results."""
    region = trace_region(builder, function, specs)
    leaves, structure = trees.flatten(region.result)
    with default_graph.building(region.builder):
        results = [as_value(region.builder, x) for x in leaves]
    left = define_constants(region.builder, ())  # where it is copied to, these may be gone
    if left:
        raise InternalError(f"what is traced once uses {left[0].spec} of this place")
    return region.builder.seal(region.params, results), structure


def _appended(builder: Builder, graph: Graph, operands: Sequence[Value]) -> list[Value]:
    """Append the nodes of a graph, as ones of the line that runs; return its results."""
    nodes = list(walk(graph))
    graphs = [graph, *(region for node in nodes for region in node.regions)]
    values = [x for part in graphs for x in part.params]
    values += [x for node in nodes for x in node.results]
    old = {n for x in values for n in x.spec.shape or () if isinstance(n, Dim)}
    new, known = {n: builder.new_dim() for n in old}, dict[Dim, int | Dim]()
    location = builder.place or user_location()
    graph = renamed_sizes(copied_region(graph, location), new)
    for param, operand in zip(graph.params, operands, strict=True):
        unify_sizes(param.spec, operand.spec, known)
    graph = with_sizes(graph, known) if known else graph
    env = dict(zip(graph.params, operands, strict=True))
    for node in graph.nodes:
        given = [env[x] for x in node.inputs]
        found = builder.emit(node.op, given, node.attrs, node.regions, location)
        env.update(zip(node.results, found, strict=True))
    return [env[x] for x in graph.results]
