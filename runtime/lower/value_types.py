"""What values of a graph are in kernels of numbers, and of elements of arrays.

Comes in: values, and nodes with their operands. Goes out: types; operands in the dtypes that Python
or NumPy computes in, by instructions; and which results are arrays that the caller does not know,
though they are made by views: NumPy copies what it cannot look at in another shape, and what nobody
else has is nobody's view.

`np.where` of numbers gives an array without axes, which a kernel has as a number. That is the same
for whoever computes with it; who returns it, or asks what it is, sees the difference.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from runtime.dtypes import DType, loop_dtypes
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import branch_of, fixed_params, loop_of
from runtime.graph.traits import Form
from runtime.kernels.kernel import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    ArrayType,
    Operand,
    Policy,
    Port,
    Type,
    UnsupportedError,
)
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.index_maps import NUMBERS
from runtime.ops.creation import constant
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


_MIXES = sys.version_info < (3, 14)
"""Whether Python makes a real number complex that meets a complex one."""


def operands(s: Scalars, node: Node, given: Sequence[Operand]) -> list[Operand]:
    """Return the operands of a ufunc in the dtypes of its loop."""
    specs = [value.spec for value in node.inputs]
    _check_complex(specs)
    if node.result.spec.weak or all(spec.weak for spec in specs):
        kinds = _python_kinds(node, specs)
    else:
        kinds = _loop_kinds(node, specs)
    found = []
    for x, spec, kind in zip(given, specs, kinds, strict=True):
        if spec.weak and s.policy is Policy.SCALAR:
            found.append(s.fit(x, kind))
        elif node.result.spec.dtype == BOOL and spec.weak and spec.dtype == INT != kind:
            found.append(s.convert(s.exact_float(x), kind))
        else:
            found.append(s.convert(x, kind))
    return found


def _check_complex(specs: Sequence[TensorSpec]) -> None:
    """Refuse Python's complex numbers with real ones where these are not made complex."""
    if not any(spec.weak and spec.dtype == COMPLEX for spec in specs):
        return
    others = [spec for spec in specs if spec.dtype.kind != "c"]
    if not all(spec.weak for spec in others) or (others and not _MIXES):
        raise UnsupportedError("Python's complex numbers with real ones")


def _python_kinds(node: Node, specs: Sequence[TensorSpec]) -> list[DType]:
    """Return the kinds that Python's operator works on: the wider one; of bools, integers."""
    if not node.result.spec.weak:
        return _loop_kinds(node, specs)
    kind = max((spec.dtype for spec in specs), key=[BOOL, INT, FLOAT, COMPLEX].index)
    is_logic = node.op.scalar is not None and node.result.spec.dtype == BOOL
    return [INT if kind == BOOL and not is_logic else kind] * len(specs)


def _loop_kinds(node: Node, specs: Sequence[TensorSpec]) -> list[DType]:
    """Return the dtypes of the operands of the loop that NumPy chooses."""
    assert node.op.ufunc is not None
    found = loop_dtypes(node.op.ufunc, *(spec.promotable for spec in specs))
    return list(found[: len(specs)])


Makers: TypeAlias = Mapping[Value, Node]


def known_outside(graph: Graph) -> set[Value]:
    """Return the results that may share memory with what is known outside of a graph."""
    makers = _makers(graph)
    found = {x: _chain(makers, x) for x in graph.results}
    bases = [nodes[0].inputs[0] if nodes else x for x, nodes in found.items()]
    return {x for x, nodes in found.items() if nodes and not _is_own(nodes, makers, bases)}


def _chain(makers: Makers, value: Value) -> list[Node]:
    """Return the views that a value is made by, from the array that they are of."""
    found = list[Node]()
    while value in makers and makers[value].op.view is not None:
        found.insert(0, makers[value])
        value = found[0].inputs[0]
    return found


def _is_own(nodes: list[Node], makers: Makers, bases: list[Value]) -> bool:
    """Tell whether views give an array that is nobody else's; as NumPy does, so it is asked."""
    base = nodes[0].inputs[0]
    if any(len(x.inputs) != 1 for x in nodes) or not base.spec.shape or not base.spec.is_static:
        return False
    array = memory = np.empty(
        [int(n) for n in base.spec.shape if isinstance(n, int)], base.spec.dtype
    )
    for node in nodes:
        array = node.op.kernel(np, array, **node.attrs)
    is_alone = bases.count(base) == 1 and _is_new(base, makers, bases)
    is_copy = array.size > 0 and not np.may_share_memory(array, memory)
    is_in_rows = array.strides == np.empty(array.shape, array.dtype).strides
    return is_in_rows and array.flags.writeable and (is_copy or is_alone)


def _is_new(value: Value, makers: Makers, results: Sequence[Value]) -> bool:
    """Tell whether an array was made, and is no other result; of a loop, whatever its rounds are.

    Args:
        value: the array.
        makers: the nodes that made what there is.
        results: of the graph.
    """
    maker = makers.get(value)
    if maker is None or maker.op is constant:
        return False
    if not maker.regions:
        return maker.op.view is None or _is_new(maker.inputs[0], makers, results)
    loop = loop_of(maker)
    if loop is None or sum(x in maker.results and bool(x.spec.rank) for x in results) > 1:
        return False
    state = next((x for x in loop.carried if x.final is value), None)
    if state is None or not _is_new(state.initial, makers, ()):
        return False
    return state.next is state.param or _is_new(state.next, _makers(loop.body), ())


def _makers(graph: Graph) -> Makers:
    """Return the nodes of a graph by their results."""
    return {x: node for node in graph.nodes for x in node.results}
