"""What values of a graph are in kernels of numbers, and of elements of arrays.

`np.where` of numbers gives an array without axes, which a kernel has as a number. That is the same
for whoever computes with it; who returns it, or asks what it is, sees the difference.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.dtypes import DType
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import branch_of, fixed_params, loop_of
from runtime.graph.traits import Form
from runtime.kernels.kernel import ArrayType, Port, Type, UnsupportedError
from runtime.lower.index_maps import NUMBERS
from runtime.spec import TensorSpec

KINDS = NUMBERS | {"complex64", "complex128"}
"""The names of the dtypes that kernels of numbers have."""


def port_of(spec: TensorSpec, written: bool = False, in_place: bool = False) -> Port:
    """Return how a value enters or leaves a kernel."""
    return Port(type_of(spec), spec.weak, written, in_place)


def type_of(spec: TensorSpec) -> Type:
    """Return the type of a value."""
    if spec.shape == () or spec.shape is None or spec.dtype.name not in KINDS:
        return number_of(spec)
    return ArrayType(spec.dtype, tuple(n if isinstance(n, int) else None for n in spec.shape))


def number_of(spec: TensorSpec) -> DType:
    """Return the dtype of a value that is a single number."""
    if spec.shape != () or spec.dtype.name not in KINDS:
        raise UnsupportedError(f"values of {spec}")
    return spec.dtype


def seen_as_arrays(graph: Graph, computes: Callable[[Node], bool]) -> set[Value]:
    """Return the values that a graph returns, or uses otherwise than to compute.

    Args:
        graph: with its regions.
        computes: tells whether a node takes arrays without axes as it takes numbers.
    """
    seen, before = set(graph.results), -1
    while before < len(seen):
        before = len(seen)
        _mark(graph, seen, computes)
    return seen


def _mark(graph: Graph, seen: set[Value], computes: Callable[[Node], bool]) -> None:
    for node in reversed(graph.nodes):
        loop, branch = loop_of(node), branch_of(node)
        if loop is not None:
            tested = loop.layout.split(loop.test.params).carried if loop.test else ()
            for k, x in enumerate(loop.carried):
                if not seen.isdisjoint((x.param, x.final, *tested[k : k + 1])):
                    seen.update((x.initial, x.next))
        elif branch is not None:
            rows = zip(node.results, *(arm.results for arm in branch.arms), strict=True)
            seen.update(x for row in rows if row[0] in seen for x in row[1:])
        elif not computes(node):
            seen.update(node.inputs)
        for region in node.regions:
            if node.op.form is Form.CALL:  # other calls use it, too
                seen.update(region.results)
            _mark(region, seen, computes)
        seen.update(operand for _, param, operand in fixed_params(node) if param in seen)
