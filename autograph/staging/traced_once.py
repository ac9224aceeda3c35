"""Functions of ours that are traced once for each kind of arguments; what follows are copies.

Staged containers look for keys and put them in by functions of some lines, which are loops of many
nodes. To trace them anew at each place would take most of the time that a program with dicts needs.
What they give for known arguments is known, and computed by Python as they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from autograph.staging.constants import define_constants
from autograph.staging.context import trace_of
from autograph.staging.deferred_errors import never_failing
from autograph.staging.region import trace_region
from runtime import default_graph, trees
from runtime.active_tapes import RECORDERS
from runtime.dispatch import as_known, as_value
from runtime.errors import InternalError
from runtime.floating_errors import USUAL
from runtime.graph.builder import Builder
from runtime.graph.location import user_location
from runtime.graph.node import Graph, Node, Value
from runtime.ops.control import step
from runtime.passes.inline import sizes_of, write_steps, written_out
from runtime.spec import Dim, TensorSpec, make_spec
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
    specs = _in_order([leaf_spec(x) for x in leaves])
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
    sizes: dict[Dim, int | Dim] = {}
    own = [_of_sizes(spec, sizes, builder) for spec in specs]
    trace = trace_of(builder)
    around, trace.assigned = trace.assigned, {}  # it assigns containers of its own only
    try:
        region = trace_region(builder, function, own)
    finally:
        trace.assigned = around
    leaves, structure = trees.flatten(region.result)
    with default_graph.building(region.builder):
        results = [as_value(region.builder, x) for x in leaves]
    left = define_constants(region.builder, ())  # where it is copied to, these may be gone
    if left:
        raise InternalError(f"what is traced once uses {left[0].spec} of this place")
    graph = region.builder.seal(region.params, results)
    return write_steps(graph, builder.new_dim), structure


def _appended(builder: Builder, graph: Graph, operands: Sequence[Value]) -> list[Value]:
    """Append a graph as a step of the line that runs; return its results.

    Where a tape looks on, its nodes are appended: what goes back goes through each of them.
    """
    sizes: dict[Dim, int | Dim] = {}
    for param, operand in zip(graph.params, operands, strict=True):
        sizes.update(sizes_of(param, operand))
    results = tuple(Value(_of_sizes(x.spec, sizes, builder)) for x in graph.results)
    location = builder.place or user_location()
    node = Node(step, tuple(operands), {}, (graph,), results, location)
    if not RECORDERS.active:
        return list(builder.copy(node, operands, [graph]))
    graph = written_out(node, builder.new_dim)
    env = dict(zip(graph.params, operands, strict=True))
    for each in graph.nodes:
        found = builder.copy(each, [env[x] for x in each.inputs], each.regions)
        env.update(zip(each.results, found, strict=True))
    return [env[x] for x in graph.results]


def _of_sizes(spec: TensorSpec, sizes: dict[Dim, int | Dim], builder: Builder) -> TensorSpec:
    """Return a spec in which unknown sizes are others, and new ones where these are not told."""
    for n in spec.shape or ():
        if isinstance(n, Dim) and n not in sizes:
            sizes[n] = builder.new_dim()
    return _renamed(spec, sizes)


def _in_order(specs: Sequence[TensorSpec]) -> tuple[TensorSpec, ...]:
    """Return specs in which unknown sizes are named by their order; one has one name."""
    names: dict[Dim, int | Dim] = {}
    for n in (n for spec in specs for n in spec.shape or () if isinstance(n, Dim)):
        names.setdefault(n, Dim(f"s{len(names)}"))
    return tuple(_renamed(x, names) for x in specs)


def _renamed(spec: TensorSpec, sizes: Mapping[Dim, int | Dim]) -> TensorSpec:
    if spec.is_static or spec.shape is None:
        return spec
    shape = tuple(sizes[n] if isinstance(n, Dim) else n for n in spec.shape)
    return make_spec(spec.dtype, shape, spec.weak)
