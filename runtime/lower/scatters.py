"""Scatters as kernels: numbers that go to given places on the first axis of an array, one by one.

Comes in: nodes. Goes out: whether they are such nodes, and kernels. Numbers go in their order, so
that of those with the same place the last one stays, and sums are NumPy's. An array with more
elements than come in is left to NumPy, as a kernel writes into a copy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import Subscript, Traits
from runtime.kernels.kernel import (
    INT,
    ArrayType,
    Kernel,
    Literal,
    Operand,
    Policy,
    Port,
    Variable,
)
from runtime.kernels.loops.settled import settled
from runtime.kernels.loops.versioning import lean
from runtime.kernels.scalar import element_access
from runtime.kernels.scalar.scalars import Scalars
from runtime.kernels.target import Target
from runtime.lower.elementwise_kernels import number_of
from runtime.lower.index_maps import NUMBERS
from runtime.lower.lowering import Lowering
from runtime.ops.elementwise import add, multiply, subtract
from runtime.ops.keys import is_first_axis
from runtime.ops.ufuncs import maximum, minimum
from runtime.spec import TensorSpec

COMBINED: Lowering[Callable[[Scalars, Traits, Operand, Operand], Operand]] = Lowering()
"""What may be applied at places in a kernel."""


@COMBINED.lowers(add, subtract, multiply, maximum, minimum)
def _combined(s: Scalars, op: Traits, old: Operand, new: Operand) -> Operand:
    """Return what an op makes of the number that is there and another one."""
    assert op.scalar is not None
    found: Operand = op.scalar(s, old, new)
    return found


def is_scattered(node: Node) -> bool:
    """Tell whether a node is a scatter that has a kernel."""
    if not is_put(node):
        return False
    table, value, *parts = (x.spec for x in node.inputs)
    if not is_first_axis(node.attrs["key"]) or parts[0].dtype != INT or not parts[0].shape:
        return False
    if not all(x.is_static and x.dtype.name in NUMBERS for x in (table, value, *parts)):
        return False
    if node.inputs[0] in node.inputs[1:] or len(_sizes(value)) > len(_space(node)):
        return False
    if node.op.applies is not None and (value.weak or value.dtype != table.dtype):
        return False
    return 0 < math.prod(_sizes(table)) <= math.prod(_space(node))


def is_put(node: Node) -> bool:
    """Tell whether a node writes at places, or applies an operator there that kernels have."""
    op = node.op
    is_known = op.applies is None or COMBINED.rule(op.applies) is not None
    return op.subscript is Subscript.SCATTER and is_known


def scatter_kernel(graph: Graph, target: Target) -> Kernel:
    """Return the kernel of a graph of one scatter.

    Raises:
        UnsupportedError: no kernel has such numbers.
    """
    *constants, node = graph.nodes
    s = Scalars(target)
    ports = [_port(x.spec, x is node.inputs[0]) for x in graph.params]
    params = [Variable(x.type) for x in ports]
    given: dict[Value, Operand] = dict(zip(graph.params, params, strict=True))
    given.update((x.result, number_of(x)) for x in constants)
    table, value, places = (given[x] for x in node.inputs)
    shape, axes = _sizes(node.inputs[1].spec), len(_sizes(node.inputs[2].spec))

    def put(indices: Sequence[Operand]) -> None:
        into = [element_access.load(s, places, indices[:axes]), *indices[axes:]]
        new = _element(s, value, shape, indices)
        s.policy = Policy.PYTHON if node.inputs[1].spec.weak else Policy.ELEMENT
        combine = COMBINED.rule(node.op.applies)
        if node.op.applies is not None and combine is not None:
            new = combine(s, node.op.applies, element_access.load(s, table, into), new)
        element_access.store(s, table, into, new)

    def write() -> list[Operand]:
        _each(s, _space(node), (), put)
        return [table]

    body = lean(settled(s.block(params, write)))
    outputs = (_port(node.result.spec),)
    return Kernel("scatter", body, tuple(ports), outputs, waits=True, target=target)


def _port(spec: TensorSpec, written: bool = False) -> Port:
    """Return how a value of known sizes enters or leaves."""
    kind = ArrayType(spec.dtype, _sizes(spec)) if spec.shape else spec.dtype
    return Port(kind, spec.weak, written)


def _space(node: Node) -> tuple[int, ...]:
    """Return the shape of what goes into an array."""
    table, _, places = (_sizes(x.spec) for x in node.inputs)
    return (*places, *table[1:])


def _sizes(spec: TensorSpec) -> tuple[int, ...]:
    """Return a shape of known sizes."""
    return tuple(n for n in spec.shape or () if isinstance(n, int))


def _each(
    s: Scalars, sizes: Sequence[int], indices: tuple[Operand, ...], write: Callable[..., None]
) -> None:
    """Write loops over a space, one in another."""
    if not sizes:
        write(indices)
        return
    number = Variable(INT)
    s.mark_natural(number)

    def inner() -> list[Operand]:
        _each(s, sizes[1:], (*indices, number), write)
        return []

    s.structured("for", [s.literal(sizes[0], INT)], [], [s.block([number], inner)], counters=())


def _element(
    s: Scalars, value: Operand, shape: Sequence[int], indices: Sequence[Operand]
) -> Operand:
    """Return the number of an array, broadcast as NumPy does it, that belongs to some place."""
    if not shape:
        return value
    own = indices[len(indices) - len(shape) :]
    pairs = zip(shape, own, strict=True)
    return element_access.load(s, value, [Literal(INT, 0) if n == 1 else x for n, x in pairs])
