"""From chains of elementwise ops to kernels over arrays.

Comes in: a graph over one space. Goes out: its kernel. What an op does to numbers stands in its
field `scalar`, whose operands have the dtypes of the loop that NumPy chooses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.dtypes import DType, loop_dtypes
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.kernels.arrays.block_schedule import schedule
from runtime.kernels.arrays.common_instructions import merged
from runtime.kernels.arrays.layout import FEWEST_COLUMNS, HAS_LONG_SUMS, LONGEST_ROW
from runtime.kernels.arrays.unroll_rows import Entry, unroll_rows
from runtime.kernels.kernel import (
    FLOAT,
    ArrayType,
    Block,
    Literal,
    Operand,
    Policy,
    Port,
    UnsupportedError,
    Variable,
)
from runtime.kernels.maps import MapKernel
from runtime.kernels.scalar.numpy_maths import inlined
from runtime.kernels.scalar.scalars import Scalars
from runtime.kernels.target import ANY, Target
from runtime.lower.index_maps import NUMBERS, Reading, reading
from runtime.ops.creation import constant
from runtime.ops.spec_rules import normal_axes
from runtime.spec import Shape, TensorSpec


def map_kernel(graph: Graph, shape: Shape, target: Target, fast: bool = False) -> MapKernel:
    """Return the kernel of a graph of elementwise ops, and reductions.

    Args:
        graph: whose results have the shape of the space, or are numbers of what is reduced.
        shape: of the space.
        target: what the kernel is for.
        fast: whether results may differ from NumPy's in their last digits.

    Raises:
        UnsupportedError: it does something that no kernel does.
    """
    scalars = Scalars(target, fast)
    params = [Variable(_number(x.spec)) for x in graph.params]
    env: dict[Value, Operand] = dict(zip(graph.params, params, strict=True))
    scalars.uniform.update(env[x] for x in graph.params if x.spec.shape == ())

    ports = [port_of(x.spec) for x in graph.params]
    entries = [*zip(params, ports, range(len(params)), strict=True)]
    literals: dict[Value, Literal] = {}
    elsewhere: set[int] = set()

    def read(node: Node, way: Reading) -> Operand:
        places = [graph.params.index(x) for x in node.inputs if x not in literals]
        port = way.port(ports[places[0]], places)
        own = Variable(FLOAT if port.drawn else node.result.spec.dtype)
        entries.append((own, port, places[0]))
        elsewhere.update(places if way.is_only else ())
        return own if way.of_read is None else way.of_read(scalars, own)

    def write() -> list[Operand]:
        for node in graph.nodes:
            if node.op is constant:
                env[node.result] = literals[node.result] = number_of(node)
            elif (way := reading(node, literals)) is not None:
                env[node.result] = read(node, way)
            else:
                env[node.result] = _write(scalars, node, [env[x] for x in node.inputs])
        return [env[x] for x in graph.results]

    written = scalars.block((), write)
    used = {y for x in written.instructions for y in x.args} | {*written.results}
    entries = [x for k, x in enumerate(entries) if k not in elsewhere or x[0] in used]
    by_rows = _by_rows(graph, shape, written, entries, scalars)
    if by_rows is not None:
        return by_rows
    if not fast and not _has_short_rows(graph, shape):
        written = inlined(written, target)
    return _checked(graph, shape, *_entered(written, entries), scalars)


def _entered(
    body: Block, entries: Sequence[Entry]
) -> tuple[Block, tuple[Port, ...], tuple[int, ...]]:
    """Return a body with its parameters, how these enter, and which arguments they are."""
    params, inputs, sources = zip(*entries, strict=True) if entries else ((), (), ())
    return merged(Block(params, body.instructions, body.results)), inputs, sources


def _by_rows(
    graph: Graph,
    shape: Shape,
    body: Block,
    entries: Sequence[Entry],
    s: Scalars,
) -> MapKernel | None:
    """Return a kernel over rows, if a graph gives numbers of rows of a few elements only."""
    length = shape[-1] if shape else None
    axes = [reduced_axes(x) for x in graph.nodes if has_axes(x)]
    are_rows = len(shape) > 1 and {*axes} == {ROWS}
    if not are_rows or any(x.spec.shape != shape[:-1] for x in graph.results):
        return None
    found = unroll_rows(
        body, entries, length if isinstance(length, int) else None, s.target, s.fast
    )
    if found is None:
        return None
    written, own = found
    outputs = tuple(port_of(x.spec) for x in graph.results)
    given = _entered(written if s.fast else inlined(written, s.target), own)
    return MapKernel("rows", *given, outputs, len(shape) - 1, s.fast, target=s.target)


SHORT = 32
"""Exponentials of shorter rows are computed for whole blocks, not row by row: by NumPy's loop."""


def _has_short_rows(graph: Graph, shape: Shape) -> bool:
    """Tell whether rows that are reduced are known to be short."""
    length = shape[-1] if shape else None
    return isinstance(length, int) and length < SHORT and any(map(has_axes, graph.nodes))


def _checked(
    graph: Graph,
    shape: Shape,
    body: Block,
    inputs: tuple[Port, ...],
    sources: tuple[int, ...],
    s: Scalars,
) -> MapKernel:
    """Return a kernel, if what it reduces is used as kernels can."""
    outputs = tuple(port_of(x.spec) for x in graph.results)
    axes = next((found for x in graph.nodes if (found := reduced_axes(x))), ROWS)
    over = None if axes == ROWS else axes
    order = schedule(body, inputs, s.fast or over is not None)
    for x, value in zip(body.results, graph.results, strict=True):
        if (x in order.rows) is (value.spec.shape == shape):
            raise UnsupportedError("numbers of rows together with others")
    if over is not None and order.takes_rows():
        raise UnsupportedError("elements that are computed of what was reduced")
    given = body, inputs, sources, outputs, len(shape), s.fast, over
    return MapKernel("chain", *given, target=s.target)


def port_of(spec: TensorSpec) -> Port:
    """Return how a value enters or leaves: of the sizes of an array only ones matter."""
    if not spec.shape:
        return Port(spec.dtype, spec.weak)
    return Port(ArrayType(spec.dtype, tuple(1 if n == 1 else None for n in spec.shape)))


def _number(spec: TensorSpec) -> DType:
    if spec.dtype.name not in NUMBERS:
        raise UnsupportedError(f"values of {spec}")
    return spec.dtype


def number_of(node: Node) -> Literal:
    """Return a constant number; UnsupportedError when no kernel has such numbers."""
    value = node.attrs["value"]
    value = value.item() if isinstance(value, np.generic) else value
    return Scalars(ANY).literal(value, _number(node.result.spec))


def _write(scalars: Scalars, node: Node, given: Sequence[Operand]) -> Operand:
    """Write an op on elements, and return its result."""
    types = tuple(x.spec.promotable for x in node.inputs)
    return write_element(scalars, node.op, given, types, node.result.spec.dtype, node.attrs)


def write_element(
    scalars: Scalars,
    op: OpDef,
    given: Sequence[Operand],
    types: Sequence[DType | type],
    result: DType,
    attrs: Mapping[str, Any],
) -> Operand:
    """Write an op on elements, and return its result.

    Args:
        scalars: writes instructions.
        op: what to write.
        given: the operands.
        types: their dtypes, or Python's types for its scalars.
        result: the dtype of the result.
        attrs: of the op.
    """
    scalars.policy = Policy.ELEMENT
    kinds = element_kinds(op, types, result)
    operands = [fitted(scalars, *each) for each in zip(given, kinds, types, strict=True)]
    return apply_element(scalars, op, operands, result, attrs)


def element_kinds(op: OpDef, types: Sequence[DType | type], result: DType) -> list[DType]:
    """Return the dtypes that an op has its operands in."""
    if op.ufunc is None:
        return [result if isinstance(x, type) else x for x in types]
    return list(loop_dtypes(op.ufunc, *types)[: len(types)])


def fitted(scalars: Scalars, x: Operand, kind: DType, own: DType | type) -> Operand:
    """Return an operand in the dtype that an op has it in."""
    return scalars.fit(x, kind) if isinstance(own, type) else scalars.convert(x, kind)


def apply_element(
    scalars: Scalars,
    op: OpDef,
    operands: Sequence[Operand],
    result: DType,
    attrs: Mapping[str, Any],
) -> Operand:
    """Write an op on elements that have the dtypes of its loop, and return its result."""
    if op.scalar is None:
        raise UnsupportedError(f"the op {op.name}")
    found: Operand = op.scalar(scalars, *operands, **attrs)
    if found.type != result:
        raise UnsupportedError(f"the op {op.name} with a result of {found.type}")
    return found


def is_elementwise(node: Node, literals: Mapping[Value, Literal]) -> bool:
    """Tell whether a node can be part of a kernel over arrays; `literals` are known numbers.

    One that gives a single number must be one of floats: integers that overflow are reported.
    """
    op = node.op
    if op.scalar is None or op.view is not None or len(node.results) != 1 or has_axes(node):
        return False
    spec = node.result.spec
    if spec.shape is None or spec.weak or any(x.spec.shape is None for x in node.inputs):
        return False
    numbers = [spec, *(x.spec for x in node.inputs if x not in literals)]
    if not spec.shape and any(x.dtype.kind in "iu" for x in numbers):
        return False
    return reductions_of(node, literals) is not None


def has_axes(node: Node) -> bool:
    """Tell whether a node reduces axes."""
    return node.op.reduction is not None


ROWS = (-1, 0)
"""The axes of reductions that make one number of each row."""


def reduced_axes(node: Node) -> tuple[int, int] | None:
    """Return which axes a node reduces, the first and the one after the last.

    That is ROWS for the last axis, and None for a node that no kernel has.
    """
    if node.op.scalar is None or not has_axes(node):
        return None
    shape = node.inputs[0].spec.shape
    if not shape or node.attrs.get("ddof"):
        return None
    found = _range_of(node.attrs["axis"], shape)
    if found is None or reductions_of(node, {}) is None or (found != ROWS and not _is_sum(node)):
        return None
    return found


def _is_sum(node: Node) -> bool:
    """Tell whether a node reduces elements once, of which nothing else is computed."""
    return _counted(node, {}) == (1, 0)


def _range_of(axis: Any, shape: Shape) -> tuple[int, int] | None:
    """Return a range of axes, as in `reduced_axes`, if they are one; of the right sizes."""
    rank = len(shape)
    axes = sorted(k % rank for k in normal_axes(axis, rank))
    if not axes:
        return None
    first, after = axes[0], axes[-1] + 1
    if len(axes) != after - first or any(n in (0, 1) for n in shape[first:]):
        return None
    is_long = isinstance(shape[-1], int) and shape[-1] > LONGEST_ROW
    if after - first == 1 and after == rank and not (rank == 1 and is_long):
        return None if is_long else ROWS
    if after == rank and (first or not HAS_LONG_SUMS):
        return None
    behind = math.prod(n for n in shape[after:] if isinstance(n, int))
    is_known = all(isinstance(n, int) for n in shape[after:])
    return None if after < rank and is_known and behind < FEWEST_COLUMNS else (first, after)


def why_not(node: Node, literals: Mapping[Value, Literal]) -> str | None:
    """Return why a node on arrays is not part of a kernel; None when it is no such node."""
    results = [x.spec for x in node.results]
    given = [x.spec for x in node.inputs]
    if node.op.scalar is None or node.op.view is not None or not any(x.shape for x in given):
        return None
    name = node.op.name
    if has_axes(node) and reduced_axes(node) is None:
        return f"{name} over such axes, or of so few or so many elements"
    if has_axes(node) or is_elementwise(node, literals):
        return f"{name} by itself, which NumPy does as well"
    return f"{name} of {', '.join(map(str, given))} to {', '.join(map(str, results))}"


def reductions_of(node: Node, literals: Mapping[Value, Literal]) -> int | None:
    """Return in how many passes NumPy reduces rows; None when there is no kernel."""
    found = _counted(node, literals)
    return None if found is None else found[0] - found[1]


def _counted(node: Node, literals: Mapping[Value, Literal]) -> tuple[int, int] | None:
    """Return how often a kernel for a node reduces rows, and how often to find a place in them."""
    spec = node.result.spec
    given = tuple(
        (x.spec.promotable, x.spec.dtype, x.spec.shape == (), literals.get(x)) for x in node.inputs
    )
    return _count(node.op, given, spec.dtype, tuple(node.attrs.items()))


@lru_cache(maxsize=4096)
def _count(
    op: OpDef, given: Any, result: DType, attrs: tuple[tuple[str, Any], ...]
) -> tuple[int, int] | None:
    """Return what `_counted` does, by trying to write an op on elements."""
    if result.name not in NUMBERS or any(dtype.name not in NUMBERS for _, dtype, _, _ in given):
        return None
    scalars = Scalars(ANY)
    operands = [literal or Variable(dtype) for _, dtype, _, literal in given]
    uniform = (x for x, each in zip(operands, given, strict=True) if each[2])
    scalars.uniform.update(uniform)
    types = [kind for kind, *_ in given]
    try:
        block = scalars.block(
            (), lambda: [write_element(scalars, op, operands, types, result, dict(attrs))]
        )
    except UnsupportedError:
        return None
    ops = [x.op for x in block.instructions]
    return ops.count("reduce"), ops.count("index")
